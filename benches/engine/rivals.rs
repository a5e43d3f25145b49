//! Rivals of the resident engine, without cross-checks: a full build with a fresh JVM as in a build tool, `javac` of
//! the changed file with a fresh JVM, and the tests alone in a warm JVM.

use crate::subject::Subject;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const RUNNER_SOURCES: [(&str, &str); 4] = [
    ("Tests.java", include_str!("java/Tests.java")),
    ("Rivals.java", include_str!("java/Rivals.java")),
    ("JUnit4Tests.java", include_str!("java/JUnit4Tests.java")),
    ("PlatformTests.java", include_str!("java/PlatformTests.java")),
];

/// Runners, of which one is used.
const FRAMEWORK_RUNNERS: [&str; 2] = ["JUnit4Tests.java", "PlatformTests.java"];

/// Polling interval for the end of a JVM.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// JVM flags of the engine.
const FAST_JVM_FLAGS: [&str; 3] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-ea"];

/// Number of outcomes by test and status, or `None` if the JVM exited early or was stopped.
pub(crate) type OutcomeCounts = BTreeMap<(String, String), usize>;

/// Runner of fresh JVMs with the classes of the original and of one changed file.
pub(crate) struct Rivals<'a> {
    subject: &'a Subject,
    runner_classes: PathBuf,
    original_classes: PathBuf,
    full_build_classes: PathBuf,
    changed_classes: PathBuf,
    launcher: Vec<PathBuf>,
    framework_runner: &'static str,
    warm_compiler: Option<Warm>,
}

/// Warm compiler.
struct Warm {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl<'a> Rivals<'a> {
    /// Compiles the original. `launcher` names the jars that start the `JUnit` platform; without jars, `JUnit` 4 is
    /// used.
    pub(crate) fn new(subject: &'a Subject, folder: &Path, launcher: &[PathBuf]) -> Self {
        let create_folder = |name: &str| {
            let path = folder.join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let [own, original, full_build_classes, changed] =
            ["own", "original", "whole", "changed"].map(create_folder);
        let tests = if launcher.is_empty() { "JUnit4Tests" } else { "PlatformTests" };
        let launcher = launcher.to_vec();
        let rivals = Self {
            subject,
            runner_classes: own,
            original_classes: original,
            full_build_classes,
            changed_classes: changed,
            launcher,
            framework_runner: tests,
            warm_compiler: None,
        };
        let chosen = format!("{tests}.java");
        let texts = RUNNER_SOURCES
            .iter()
            .filter(|(name, _)| !FRAMEWORK_RUNNERS.contains(name) || *name == chosen);
        let mut files = Vec::new();
        for (name, text) in texts {
            let file = rivals.runner_classes.join(name);
            fs::write(&file, text).unwrap();
            files.push(file);
        }
        rivals.javac(&rivals.runner_classes, &[], &files);
        rivals.build(&rivals.original_classes);
        rivals
    }

    /// Compiles all sources into a folder.
    fn build(&self, output: &Path) {
        let mut options = self.subject.javac_options();
        self.javac(output, &options, &self.subject.main_files());
        let roots = self.subject.test_roots();
        let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
        options.extend(["-sourcepath".to_owned(), roots.join(":")]);
        self.javac(output, &options, &self.subject.test_files());
    }

    fn javac(&self, output: &Path, options: &[String], files: &[PathBuf]) {
        let list = self.runner_classes.join("files");
        let lines: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        fs::write(&list, lines.join("\n")).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["-nowarn", "-proc:none", "-d"]).arg(output).args(options);
        javac.arg("-cp").arg(self.class_path(&[output])).arg(format!("@{}", list.display()));
        let javac_output = javac.output().unwrap();
        assert!(javac_output.status.success(), "{}", String::from_utf8_lossy(&javac_output.stderr));
    }

    /// Returns a class path of folders and libraries.
    fn class_path(&self, classes: &[&Path]) -> String {
        let own = classes.iter().copied().chain([&*self.runner_classes]).map(Path::to_owned);
        let all = own.chain(self.launcher.clone());
        let all = all.chain(self.subject.library_class_path());
        all.map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
    }

    /// Returns the class path of the original with the changed file.
    fn edited_class_path(&self) -> String {
        self.class_path(&[&self.changed_classes, &self.original_classes])
    }

    /// Compiles only the changed file with `javac`; returns true if it compiles.
    pub(crate) fn compile_changed(&self, file: &Path) -> bool {
        self.clear_changed();
        let mut javac = Command::new("javac");
        javac.args(["-nowarn", "-proc:none", "-implicit:none", "-J-XX:TieredStopAtLevel=1"]);
        javac.arg("-J-XX:+UseSerialGC").args(self.subject.javac_options());
        javac
            .arg("-d")
            .arg(&self.changed_classes)
            .arg("-cp")
            .arg(self.edited_class_path())
            .arg(file);
        javac.output().unwrap().status.success()
    }

    /// Compiles only the changed file with a warm compiler.
    pub(crate) fn compile_warm(&mut self, file: &Path) -> bool {
        self.clear_changed();
        let class_path = self.edited_class_path();
        let options = self.subject.javac_options();
        let start = || {
            let mut java = Command::new("java");
            java.args(FAST_JVM_FLAGS)
                .arg("-cp")
                .arg(&self.runner_classes)
                .args(["Rivals", "compile"]);
            java.args(options).arg("-cp").arg(class_path);
            let mut child = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let input = child.stdin.take().unwrap();
            let output = BufReader::new(child.stdout.take().unwrap());
            Warm { child, input, output }
        };
        let warm = self.warm_compiler.get_or_insert_with(start);
        writeln!(warm.input, "{}\t{}", self.changed_classes.display(), file.display()).unwrap();
        let mut answer = String::new();
        warm.output.read_line(&mut answer).unwrap();
        answer.trim() == "done"
    }

    fn clear_changed(&self) {
        empty_folder(&self.changed_classes);
    }

    /// Runs a full build and the tests, up to the first failing class, with JVM defaults.
    pub(crate) fn run_full_build(&self) -> Option<OutcomeCounts> {
        empty_folder(&self.full_build_classes);
        self.build(&self.full_build_classes);
        let mut java = Command::new("java");
        java.arg("-ea").arg("-cp").arg(self.class_path(&[&self.full_build_classes]));
        self.run_and_count(java, true)
    }

    /// Runs the tests in a fresh JVM.
    pub(crate) fn run_tests(&self, is_fail_fast: bool) -> Option<OutcomeCounts> {
        self.run_and_count(self.edited_jvm(), is_fail_fast)
    }

    fn run_and_count(&self, mut java: Command, is_fail_fast: bool) -> Option<OutcomeCounts> {
        let results = self.runner_classes.join("results");
        fs::write(&results, "").unwrap();
        let when = if is_fail_fast { "fail-fast" } else { "all" };
        self.runner_command(&mut java, "run")
            .arg(&results)
            .arg(when)
            .args(self.subject.test_classes());
        self.wait_or_kill(java.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let text = fs::read_to_string(&results).unwrap();
        let mut counts = OutcomeCounts::new();
        for (test, how) in text.lines().filter_map(|line| line.split_once('\t')) {
            *counts.entry((test.to_owned(), how.to_owned())).or_default() += 1;
        }
        text.ends_with("end\n").then_some(counts)
    }

    /// Returns the CPU seconds of each repetition of the original's tests in one JVM: `times` repetitions, or fewer at
    /// the time limit.
    pub(crate) fn measure_floor(&self, times: usize, time: Duration) -> Vec<f64> {
        self.clear_changed();
        let mut java = self.edited_jvm();
        let java = self
            .runner_command(&mut java, "floor")
            .args([times as u64, time.as_secs()].map(|n| n.to_string()));
        java.args(self.subject.test_classes());
        let output = java.output().unwrap();
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        let values = output.lines().filter_map(|line| line.strip_prefix("floor ")?.parse().ok());
        values.collect()
    }

    /// Starts a JVM with the classes of the original and the changed file.
    fn edited_jvm(&self) -> Command {
        let mut java = Command::new("java");
        java.args(FAST_JVM_FLAGS).arg("-cp").arg(self.edited_class_path());
        java
    }

    /// Stops a JVM that does not exit.
    fn wait_or_kill(&self, mut child: Child) {
        let started = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if started.elapsed() > self.subject.limit {
                child.kill().unwrap();
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn runner_command<'b>(&self, java: &'b mut Command, command: &str) -> &'b mut Command {
        java.current_dir(&self.subject.tree)
            .arg(format!("-Drivals.tests={}", self.framework_runner));
        java.args(["Rivals", command])
    }
}

fn empty_folder(folder: &Path) {
    fs::remove_dir_all(folder).unwrap();
    fs::create_dir(folder).unwrap();
}

impl Drop for Warm {
    fn drop(&mut self) {
        // The JVM has no state to save.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
