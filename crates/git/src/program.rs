//! Calls of the git program, with safe settings.

use anyhow::{Context, anyhow};
use mend_model::{Problem, Result, is_disk_full};
use mend_process::{Output, ProcessEnd, Program, ProgramOutput, Supervisor};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Overrides of user settings that would run programs or start background work.
const SETTING_OVERRIDES: [&str; 9] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "filter.lfs.smudge=",
    "filter.lfs.clean=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
    "log.showSignature=false",
];

/// Maximum number of git's error messages shown.
const MAX_ERROR_LINES: usize = 4;

/// Beginnings of the names of variables that say how git reaches a remote repository.
const TRANSPORT_VARIABLES: [&str; 7] = [
    "GIT_ALLOW_PROTOCOL",
    "GIT_ASKPASS",
    "GIT_HTTP",
    "GIT_PROXY",
    "GIT_SSH",
    "GIT_SSL",
    "GIT_TRACE",
];

/// Variables that say which repository git works on.
const LOCATION_VARIABLES: [&str; 5] = [
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_WORK_TREE",
];

/// One call of the git program. It never writes to the repository that it reads and never prompts. It uses the network
/// only after `Git::with_network`. Other git commands are short, so there is no time limit.
pub struct Git {
    program: Program,
    dir: PathBuf,
}

impl Git {
    /// Creates a call that searches for its repository from `dir` upwards.
    pub fn in_folder(dir: &Path) -> Self {
        Self::with_overrides("git", dir).arg("-C").arg(dir)
    }

    /// Creates a call on the repository `git_dir`, without a work tree.
    pub fn for_git_dir(git_dir: &Path) -> Self {
        Self::with_overrides("git", git_dir).arg("--git-dir").arg(git_dir)
    }

    /// Creates a call on the repository `git_dir`, in the root of `work_tree`.
    pub fn in_work_tree(git_dir: &Path, work_tree: &Path) -> Self {
        Self::with_overrides("git", work_tree)
            .args(["-C".as_ref(), work_tree.as_os_str()])
            .args(["--git-dir".as_ref(), git_dir.as_os_str()])
            .args(["--work-tree".as_ref(), work_tree.as_os_str()])
    }

    /// Creates a call that finds its repository as the user's own calls in `dir` do, by `GIT_DIR` or from `dir` upwards.
    pub(super) fn in_user_environment(dir: &Path) -> Self {
        keep_variables(Self::in_folder(dir), |name| LOCATION_VARIABLES.contains(&name))
    }

    /// Creates a call on the repository `git_dir` in the folder `dir` that uses the user's settings, to read them.
    pub(super) fn with_user_settings(git_dir: &Path, dir: &Path) -> Self {
        Self::without_overrides("git", dir).arg("-C").arg(dir).arg("--git-dir").arg(git_dir)
    }

    /// Allows the call to use remote repositories. It never prompts for a password.
    #[must_use]
    pub(super) fn with_network(self) -> Self {
        let program = self.program.env_remove("GIT_NO_LAZY_FETCH").env_remove("GIT_ALLOW_PROTOCOL");
        let is_transport =
            |name: &str| TRANSPORT_VARIABLES.iter().any(|start| name.starts_with(start));
        let git = keep_variables(Self { program, ..self }, is_transport);
        // Without this, ssh in a process group of its own stops when it asks on the terminal.
        let git = git.env("SSH_ASKPASS_REQUIRE", "force");
        let has_dialog = std::env::var_os("SSH_ASKPASS").is_some();
        if has_dialog { git } else { git.env("SSH_ASKPASS", "false") }
    }

    fn with_overrides(program: &str, dir: &Path) -> Self {
        SETTING_OVERRIDES
            .iter()
            .fold(Self::without_overrides(program, dir), |git, setting| git.args(["-c", setting]))
    }

    fn without_overrides(program: &str, dir: &Path) -> Self {
        let inherited = std::env::vars_os().map(|(name, _)| name);
        let program = inherited
            .filter(|name| is_removed_variable(&name.to_string_lossy()))
            // `Program` uses a separate process group, so that Ctrl-C does not stop git between two writes.
            .fold(Program::new(program), Program::env_remove)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            // Both keep a partial clone from fetching; older git versions support only the second.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("LC_ALL", "C");
        Self { program, dir: dir.into() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(self, arg: impl AsRef<OsStr>) -> Self {
        Self { program: self.program.arg(arg), ..self }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(self, args: impl IntoIterator<Item = S>) -> Self {
        Self { program: self.program.args(args), ..self }
    }

    /// Follows replace references, as the user's own calls do.
    #[must_use]
    pub(super) fn with_replaced_objects(self) -> Self {
        Self { program: self.program.env_remove("GIT_NO_REPLACE_OBJECTS"), ..self }
    }

    /// Uses a file as standard input, from its start.
    #[must_use]
    pub fn stdin(self, file: File) -> Self {
        Self { program: self.program.input(file), ..self }
    }

    /// Uses a separate index file.
    #[must_use]
    pub fn with_index_file(self, file: &Path) -> Self {
        self.env("GIT_INDEX_FILE", file)
    }

    /// Sets an environment variable.
    #[must_use]
    pub(super) fn env(self, name: &str, value: impl AsRef<OsStr>) -> Self {
        Self { program: self.program.env(name, value), ..self }
    }

    /// Ignores the settings of the user and the machine, for a repository of git-mend.
    #[must_use]
    pub fn without_user_settings(self) -> Self {
        self.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null")
    }

    /// Restricts the search for a repository to folders below `ceiling`.
    #[must_use]
    pub fn with_ceiling(self, ceiling: &Path) -> Self {
        self.env("GIT_CEILING_DIRECTORIES", ceiling).without_user_settings()
    }

    /// Runs the call and returns its output, even if it fails.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if there is no git program.
    pub fn output(self) -> Result<ProgramOutput> {
        self.program.output()
    }

    /// Runs a call that may take long, until its end or an interrupt.
    ///
    /// # Errors
    /// Those of [`Self::output`], and [`Problem::Interrupted`].
    pub(super) fn supervised_output(self, supervisor: &Supervisor) -> Result<ProgramOutput> {
        let finished = self.program.supervised(supervisor).with_separate_streams().run()?;
        let (stdout, stderr) = match finished.output {
            Output::Separate { stdout, stderr } => (stdout, stderr),
            Output::Interleaved(text) => (String::new(), text),
        };
        let code = match finished.end {
            ProcessEnd::Exited(code) => code,
            ProcessEnd::Signalled(signal) => 128 + signal,
            ProcessEnd::TimedOut => 1,
        };
        Ok(ProgramOutput { code, stdout: stdout.into_bytes(), stderr: stderr.trim().to_owned() })
    }

    /// Runs the call and returns its standard output.
    ///
    /// # Errors
    /// Errors of [`Self::output`]; [`Problem::DiskFull`]; [`Problem::Internal`] with git's message if the exit code is
    /// not 0.
    pub fn stdout(self) -> Result<Vec<u8>> {
        let (dir, command_line) = (self.dir.clone(), self.to_string());
        let output = self.output()?;
        if output.is_success() {
            return Ok(output.stdout);
        }
        Err(write_problem(anyhow!("{}", output.stderr), &command_line, dir))
    }

    /// Runs the call and returns its standard output as text.
    ///
    /// # Errors
    /// Errors of [`Self::stdout`], and if the text is not UTF-8.
    pub fn stdout_text(self) -> Result<String> {
        let command_line = self.to_string();
        Ok(String::from_utf8(self.stdout()?)
            .with_context(|| format!("reading from {command_line}"))?)
    }
}

/// Returns true if a call must not inherit the variable: those of git, except settings.
fn is_removed_variable(name: &str) -> bool {
    name.starts_with("GIT_") && !name.starts_with("GIT_CONFIG_")
}

/// Sets some variables of a call to the values of this process.
fn keep_variables(git: Git, is_kept: impl Fn(&str) -> bool) -> Git {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    variables
        .filter(|(name, _)| is_kept(name))
        .fold(git, |git, (name, value)| git.env(&name, value))
}

/// Joins folders as git's environment variables separate them.
pub(crate) fn join_paths(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> OsString {
    let paths: Vec<OsString> = paths.into_iter().map(|path| path.as_ref().into()).collect();
    paths.join(OsStr::new(":"))
}

/// Returns git's error messages in one line, without hints and repetitions.
pub(crate) fn summarize_errors(stderr: &str) -> String {
    let prefixes = ["fatal: ", "error: ", "warning: ", "remote: "];
    let mut messages: Vec<&str> = Vec::new();
    for line in stderr.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let message = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix)).unwrap_or(line);
        if !line.starts_with("hint:") && !messages.contains(&message) {
            messages.push(message);
        }
    }
    messages.truncate(MAX_ERROR_LINES);
    // A message such as "unknown repository extension found:" continues in the next line.
    messages.join("; ").replace(":; ", ": ")
}

/// Converts the error messages of a failed call of git that only reads.
pub(crate) fn unreadable_problem(stderr: &str) -> Problem {
    Problem::UnreadableRepository { reason: summarize_errors(stderr) }
}

/// Converts the error of a failed call of git or libgit2 that writes in `dir`.
pub(crate) fn write_problem(error: anyhow::Error, action: &str, dir: PathBuf) -> Problem {
    let message = format!("{error:#}");
    let disk_full_messages = ["No space left on device", "Disk quota exceeded"];
    // Git does not always report the reason of a write error.
    if disk_full_messages.iter().any(|words| message.contains(words)) || is_disk_full(&dir) {
        return Problem::DiskFull { path: dir };
    }
    Problem::Internal(error.context(format!("{action} in {}", dir.display())))
}

impl std::fmt::Display for Git {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.program.name().display())?;
        let shown_args = self.program.arguments().filter(|arg| !is_setting_override(arg));
        shown_args.into_iter().try_for_each(|arg| write!(f, " {}", arg.display()))
    }
}

fn is_setting_override(arg: &OsStr) -> bool {
    arg == "-c" || SETTING_OVERRIDES.iter().any(|setting| arg == *setting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_git_is_named_in_the_error() {
        let git = Git::with_overrides("git-that-is-not-there", Path::new("/"));
        let problem = git.output().unwrap_err();
        assert!(
            matches!(problem, Problem::ProgramMissing { program, .. } if program == "git-that-is-not-there")
        );
    }

    #[test]
    fn failed_call_reports_git_stderr() {
        let dir = tempfile::tempdir().unwrap();
        let problem = Git::for_git_dir(&dir.path().join("none")).arg("log").stdout().unwrap_err();
        assert!(problem.to_string().contains("not a git repository"), "{problem}");
    }

    #[test]
    fn full_disk_is_recognised_by_message() {
        let error = anyhow!("error: unable to write file x: No space left on device");
        assert!(matches!(write_problem(error, "git add", "/".into()), Problem::DiskFull { .. }));
    }
}
