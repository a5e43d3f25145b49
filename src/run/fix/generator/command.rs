//! Command of a generator, as the user gave it and as it is started.

use mend_model::{Interrupt, Problem, Result};
use mend_process::{Process, Program, ResourceLimits, Sandbox, Supervisor, UntrustedProgram};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Limits in the sandbox: memory per process and file size, in bytes, and number of processes.
const MAX_PROCESS_BYTES: u64 = 2 << 30;
const MAX_FILE_BYTES: u64 = 256 << 20;
const MAX_PROCESSES: u32 = 512;

/// Generator that the user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorRequest {
    /// Program and arguments.
    words: Vec<String>,
    /// True if the generator runs without a sandbox.
    pub is_trusted: bool,
    /// Time limit for each answer.
    pub answer_timeout: Duration,
    /// Maximum number of patches that are tested.
    pub max_patches: usize,
}

impl GeneratorRequest {
    /// Parses the command line of a generator.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the command is empty or a quote is open.
    pub fn parse(
        command: &str,
        is_trusted: bool,
        answer_timeout: Duration,
        max_patches: usize,
    ) -> Result<Self> {
        let words = shell_words::split(command)
            .map_err(|_| invalid_command(&format!("a quote is open in `{command}`")))?;
        if words.first().is_none_or(String::is_empty) {
            return Err(invalid_command("the command is empty"));
        }
        Ok(Self { words, is_trusted, answer_timeout, max_patches })
    }

    /// Returns the command line.
    pub fn command_line(&self) -> String {
        shell_words::join(&self.words)
    }

    /// Returns the options of `git mend fix` that ask for this generator.
    pub fn options(&self) -> Vec<String> {
        let (command, seconds) = (self.command_line(), self.answer_timeout.as_secs());
        let mut options = vec![
            "--generator".to_owned(),
            command,
            "--generator-timeout".to_owned(),
            format!("{seconds}s"),
            "--generator-candidates".to_owned(),
            self.max_patches.to_string(),
        ];
        options.extend(self.is_trusted.then(|| "--trust-generator".to_owned()));
        options
    }

    /// Finds the program and a sandbox. Paths are relative to `folder`.
    ///
    /// # Errors
    /// [`Problem::Usage`] for a path that is no program, [`Problem::ProgramMissing`] for a name that is not on the
    /// search path, [`Problem::NoSandbox`] if no sandbox works.
    pub(crate) fn prepare(&self, folder: &Path) -> Result<PreparedGenerator<'_>> {
        let folder = folder.canonicalize().map_err(|error| Problem::io(error, folder))?;
        let sandbox = if self.is_trusted { None } else { Some(find_sandbox()?) };
        let (program, arguments) =
            self.words.split_first().unwrap_or_else(|| unreachable!("parsed"));
        let program = find_program(program, &folder, sandbox.is_some())?;
        let is_named = |word: &&String| word.contains('/') || folder.join(word).exists();
        let named = arguments.iter().filter(is_named).map(|word| folder.join(word));
        // A parent folder, such as `/`, would show everything in it.
        let is_parent = |path: &PathBuf| folder.starts_with(path) && *path != folder;
        let readable_paths = [folder.clone(), program.clone()].into_iter().chain(named);
        let readable_paths: Vec<PathBuf> =
            readable_paths.filter_map(|path| path.canonicalize().ok()).collect();
        let readable_paths = readable_paths.into_iter().filter(|path| !is_parent(path)).collect();
        let arguments = arguments.to_vec();
        let command = GeneratorCommand { program, arguments, folder, sandbox, readable_paths };
        Ok(PreparedGenerator { request: self, command })
    }
}

/// Request of a generator, with its command.
#[derive(Clone, Debug)]
pub(crate) struct PreparedGenerator<'a> {
    pub(in crate::run::fix) request: &'a GeneratorRequest,
    pub(in crate::run::fix) command: GeneratorCommand,
}

/// Generator whose program was found.
#[derive(Clone, Debug)]
pub(crate) struct GeneratorCommand {
    program: PathBuf,
    arguments: Vec<String>,
    /// Working directory.
    folder: PathBuf,
    /// Sandbox, or `None` for a trusted generator.
    sandbox: Option<Sandbox>,
    /// Paths that the sandbox shows: the working directory, the program, and paths in the arguments.
    readable_paths: Vec<PathBuf>,
}

impl GeneratorCommand {
    /// Creates the process. `scratch_folder` is the only folder that a sandboxed generator can write.
    pub(super) fn process(
        &self,
        scratch_folder: &Path,
        time_limit: Duration,
        supervisor: &Supervisor,
    ) -> Process {
        let Self { program, arguments, folder, sandbox, readable_paths } = self;
        let Some(sandbox) = sandbox else {
            return Program::new(program).args(arguments).cwd(folder).supervised(supervisor);
        };
        let untrusted = UntrustedProgram {
            writable_folder: scratch_folder,
            working_directory: folder,
            readable_paths,
            environment: &[("TMPDIR", scratch_folder.into())],
            limits: ResourceLimits {
                time_limit,
                max_memory: MAX_PROCESS_BYTES,
                max_processes: MAX_PROCESSES,
                max_file_size: MAX_FILE_BYTES,
            },
        };
        let words = [program.as_os_str()].into_iter().chain(arguments.iter().map(AsRef::as_ref));
        sandbox.process(&untrusted, words, supervisor)
    }
}

/// Returns a sandbox that works on this machine.
fn find_sandbox() -> Result<Sandbox> {
    let supervisor = Supervisor::without_watchdog(Interrupt::default());
    Sandbox::find_working(&supervisor).ok_or(Problem::NoSandbox { option: "--trust-generator" })
}

/// Returns the path of a program that is named by its path or by its name on the search path.
fn find_program(program: &str, folder: &Path, is_sandboxed: bool) -> Result<PathBuf> {
    if program.contains('/') {
        return find_program_file(program, &folder.join(program));
    }
    let search_path = std::env::var_os("PATH").filter(|_| !is_sandboxed);
    let search_path = search_path.unwrap_or_else(|| Sandbox::EXECUTABLE_PATH.into());
    let files = std::env::split_paths(&search_path).map(|folder| folder.join(program));
    files.into_iter().find(|file| is_executable(file)).ok_or_else(|| Problem::ProgramMissing {
        program: program.to_owned(),
        reason: format!("it is in no folder of {}", search_path.display()),
    })
}

fn find_program_file(program: &str, file: &Path) -> Result<PathBuf> {
    let problem =
        |message: String, remedy: &str| Err(Problem::Usage { message, remedy: remedy.to_owned() });
    if !file.is_file() {
        let message = format!("--generator: there is no program {}", file.display());
        return problem(message, "give a path relative to the current folder, or to that of -C");
    }
    if !is_executable(file) {
        let message = format!("--generator: {} is not executable", file.display());
        return problem(
            message,
            &format!("make it executable with `chmod +x {program}`, or begin with its interpreter"),
        );
    }
    Ok(file.to_owned())
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

fn invalid_command(reason: &str) -> Problem {
    Problem::Usage {
        message: format!("--generator: {reason}"),
        remedy: "give a program and its arguments in one word, such as --generator 'python3 generate.py'"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::Exit;

    fn parse(command: &str) -> Result<GeneratorRequest> {
        GeneratorRequest::parse(command, true, Duration::from_secs(1), 1)
    }

    #[test]
    fn unusable_command_is_an_error_with_a_remedy() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("plain.py"), "").unwrap();
        for (command, words, exit) in [
            ("", "--generator: the command is empty", Exit::Usage),
            ("  ", "--generator: the command is empty", Exit::Usage),
            ("''", "--generator: the command is empty", Exit::Usage),
            ("sh -c 'x", "a quote is open", Exit::Usage),
            ("./missing.py patches", "there is no program", Exit::Usage),
            ("./plain.py", "is not executable", Exit::Usage),
            ("no-such-generator x", "cannot run `no-such-generator`", Exit::Environment),
        ] {
            let prepared = parse(command)
                .and_then(|request| request.prepare(dir.path()).map(|one| one.command.program));
            let problem = prepared.map(drop).unwrap_err();
            assert!(problem.to_string().contains(words), "{command}: {problem}");
            assert_eq!(problem.exit(), exit, "{command}");
            assert!(!problem.remedy().is_empty());
        }
    }

    #[test]
    fn paths_in_arguments_are_readable_in_the_sandbox() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let command = format!("sh {} missing/x -v / ..", other.path().display());
        let request = parse(&command).unwrap();
        let prepared = request.prepare(dir.path()).unwrap();
        let expected = other.path().canonicalize().unwrap();
        assert!(
            prepared.command.readable_paths.contains(&expected),
            "{:?}",
            prepared.command.readable_paths
        );
        let folder = dir.path().canonicalize().unwrap();
        assert_eq!(prepared.command.readable_paths[0], folder);
        let is_parent = |path: &&PathBuf| folder.starts_with(path) && **path != folder;
        assert_eq!(prepared.command.readable_paths.iter().find(is_parent), None);
    }
}
