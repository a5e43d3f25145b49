//! Helpers of the end-to-end tests: creates repositories, runs the program, and checks its results.

use rustix::process::{Pid, test_kill_process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Output and exit code of a command.
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Parses the output of `--format json`.
    pub(crate) fn json(&self) -> Value {
        assert!(self.stdout.starts_with('{'), "{}\n{}", self.stdout, self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Asserts the exit code, and that standard error contains these words.
    pub(crate) fn assert_exit_and_stderr(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in:\n{}", self.stderr);
        }
    }
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Class path of the installed `JUnit` 4, for projects without a build tool.
pub(crate) const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

/// Class path of the installed `JUnit` 5.
pub(crate) const JUPITER: &str = "/usr/share/java/junit-jupiter-api.jar:/usr/share/java/junit-jupiter-engine.jar:\
    /usr/share/java/junit-jupiter-params.jar:/usr/share/java/junit-platform-commons.jar:\
    /usr/share/java/junit-platform-engine.jar:/usr/share/java/opentest4j.jar:/usr/share/java/apiguardian-api.jar";

/// Returns a tool of the JDK for the tests.
pub(crate) fn jdk_tool(name: &str) -> Command {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin").join(name));
    Command::new(home.unwrap_or_else(|| name.into()))
}

/// Runs a program that must succeed.
pub(crate) fn run_successfully(command: &mut Command) {
    let output = CommandOutput::from(command.output().unwrap());
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
}

/// Creates a command of the program in a folder, without git's environment of the caller.
pub(crate) fn program(dir: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("git-mend"));
    isolate_git(command.current_dir(dir));
    command
}

pub(crate) fn run_mend<S: AsRef<OsStr>>(dir: &Path, arguments: &[S]) -> CommandOutput {
    program(dir).args(arguments).output().unwrap().into()
}

/// Returns a value for `PATH` without Maven: a folder with links to all other programs.
pub(crate) fn path_without_maven(links: &Path) -> String {
    let path = std::env::var("PATH").unwrap();
    for folder in std::env::split_paths(&path) {
        for program in fs::read_dir(folder).into_iter().flatten().flatten() {
            if program.file_name() != "mvn" {
                // The first folder of a path counts.
                drop(symlink(program.path(), links.join(program.file_name())));
            }
        }
    }
    links.display().to_string()
}

/// Isolates a command from the git environment, because a git hook may run the tests.
pub(crate) fn isolate_git(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TEMPLATE_DIR", git_template())
}

/// Returns the template of new repositories, which shares the compiled Java programs between tests.
fn git_template() -> PathBuf {
    let target_folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (shared, template) = (target_folder.join("runtime"), target_folder.join("template"));
    for folder in [&shared, &template.join("mend")] {
        fs::create_dir_all(folder).unwrap();
    }
    if let Err(error) = symlink(&shared, template.join("mend/runtime")) {
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
    }
    template
}

/// Runs git with a test author, and returns its output.
pub(crate) fn git(dir: &Path, arguments: &[&str]) -> String {
    let settings = [
        "user.name=A",
        "user.email=a@example.org",
        "init.defaultBranch=main",
        "protocol.file.allow=always",
        "gc.auto=0",
        "maintenance.auto=false",
    ];
    let mut command = Command::new("git");
    for setting in settings {
        command.args(["-c", setting]);
    }
    let output = isolate_git(command.current_dir(dir)).args(arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub(crate) fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

pub(crate) fn commit<C: AsRef<[u8]>>(dir: &Path, message: &str, files: &[(&str, C)]) {
    for (name, content) in files {
        write(dir, name, content);
    }
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-q", "-m", message]);
}

/// Creates a repository without a commit.
pub(crate) fn repository() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q"]);
    dir
}

/// Creates a repository with three commits. The last one breaks `sh check.sh` and makes another change too.
pub(crate) fn words_repository() -> TempDir {
    let dir = repository();
    commit_words(dir.path());
    dir
}

/// Adds the commits of [`words_repository`] to an existing repository.
pub(crate) fn commit_words(dir: &Path) {
    let check = ("check.sh", "grep -q good words.txt\n");
    commit(dir, "one", &[("words.txt", "a\ngood\nb\nc\nd\ne\n"), check]);
    git(dir, &["tag", "release-1"]);
    commit(dir, "two", &[("other.txt", "x\n")]);
    commit(dir, "three", &[("words.txt", "a\nbad\nb\nc\nd\nE\n")]);
}

const CHECK_COMMAND: [&str; 3] = ["--", "sh", "check.sh"];

/// Returns the arguments of a bisection with `sh check.sh`.
pub(crate) fn bisect_arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["bisect"], more, &CHECK_COMMAND].concat()
}

/// Returns the folder of the only run.
pub(crate) fn run_folder(dir: &Path) -> PathBuf {
    let runs: Vec<_> = fs::read_dir(dir.join(".git/mend/runs")).unwrap().collect();
    assert_eq!(runs.len(), 1);
    runs[0].as_ref().unwrap().path()
}

/// Asserts that the page of the newest run contains these parts, and lacks no part.
pub(crate) fn assert_report_contains(dir: &Path, parts: &[&str]) {
    let output = run_mend(dir, &["report"]);
    output.assert_exit_and_stderr(0, &[]);
    let page = fs::read_to_string(output.stdout.trim()).unwrap();
    for part in parts {
        assert!(page.contains(part), "no `{part}` in:\n{page}");
    }
    assert!(!page.contains("Not on this page"), "{page}");
}

/// Waits until a condition is true, with a generous limit.
pub(crate) fn wait_until(mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if condition() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Returns true if a process does not exist or is a zombie.
pub(crate) fn is_gone(pid: &str) -> bool {
    let is_zombie =
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "));
    let number = pid.parse().ok().and_then(Pid::from_raw).unwrap();
    is_zombie || test_kill_process(number).is_err()
}

/// Snapshot of a user's repository: every file of the work tree and of `.git`, except the runs.
pub(crate) struct RepositorySnapshot(BTreeMap<PathBuf, Vec<u8>>);

impl RepositorySnapshot {
    pub(crate) fn take(dir: &Path) -> Self {
        let is_run = |path: &Path| path.ends_with("mend") && path.parent().unwrap() == git_dir(dir);
        let entries = walkdir::WalkDir::new(dir).into_iter();
        let files = entries
            .filter_entry(|entry| !is_run(entry.path()))
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file());
        Self(files.map(|file| (file.path().to_owned(), fs::read(file.path()).unwrap())).collect())
    }

    /// Asserts that the repository is unchanged.
    pub(crate) fn assert_unchanged(&self, dir: &Path) {
        let now = Self::take(dir);
        let all = self.0.keys().chain(now.0.keys());
        let touched: Vec<_> = all.filter(|path| self.0.get(*path) != now.0.get(*path)).collect();
        assert!(touched.is_empty(), "touched: {touched:?}");
    }
}

fn git_dir(dir: &Path) -> PathBuf {
    if dir.join(".git").is_dir() { dir.join(".git") } else { dir.to_owned() }
}

/// Runs the program and asserts that the user's repository is unchanged.
pub(crate) fn run_mend_keeping_repository(dir: &Path, arguments: &[&str]) -> CommandOutput {
    run_keeping_repository(dir, program(dir).args(arguments))
}

/// Runs a command like [`run_mend_keeping_repository`].
pub(crate) fn run_keeping_repository(dir: &Path, command: &mut Command) -> CommandOutput {
    let before = RepositorySnapshot::take(dir);
    let output = CommandOutput::from(command.output().unwrap());
    before.assert_unchanged(dir);
    output
}
