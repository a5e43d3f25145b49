//! Rivals of the engine, without cross-checks: a full build and a fresh JVM as in a build tool; `javac` of the changed
//! file and a fresh JVM; and the tests alone in a warm JVM.

use crate::subject::Subject;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const SOURCES: [(&str, &str); 4] = [
    ("Tests.java", include_str!("java/Tests.java")),
    ("Rivals.java", include_str!("java/Rivals.java")),
    ("JUnit4Tests.java", include_str!("java/JUnit4Tests.java")),
    ("PlatformTests.java", include_str!("java/PlatformTests.java")),
];

/// Runners, of which one is used.
const FRAMEWORKS: [&str; 2] = ["JUnit4Tests.java", "PlatformTests.java"];

/// Polling interval for the end of a JVM.
const PAUSE: Duration = Duration::from_millis(10);

/// JVM flags of the engine.
const FAST: [&str; 3] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-ea"];

/// Counts of outcomes by test; `None` if the JVM exited early or was stopped.
pub(crate) type Told = BTreeMap<(String, String), usize>;

/// Runner of fresh JVMs with the classes of the original and of one changed file.
pub(crate) struct Rivals<'a> {
    subject: &'a Subject,
    own: PathBuf,
    original: PathBuf,
    whole: PathBuf,
    changed: PathBuf,
    launcher: Vec<PathBuf>,
    tests: &'static str,
    warm: Option<Warm>,
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
        let place = |name: &str| {
            let place = folder.join(name);
            fs::create_dir_all(&place).unwrap();
            place
        };
        let [own, original, whole, changed] = ["own", "original", "whole", "changed"].map(place);
        let tests = if launcher.is_empty() { "JUnit4Tests" } else { "PlatformTests" };
        let launcher = launcher.to_vec();
        let rivals = Self { subject, own, original, whole, changed, launcher, tests, warm: None };
        let chosen = format!("{tests}.java");
        let texts =
            SOURCES.iter().filter(|(name, _)| !FRAMEWORKS.contains(name) || *name == chosen);
        let mut files = Vec::new();
        for (name, text) in texts {
            let file = rivals.own.join(name);
            fs::write(&file, text).unwrap();
            files.push(file);
        }
        rivals.javac(&rivals.own, &[], &files);
        rivals.build(&rivals.original);
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
        let list = self.own.join("files");
        let lines: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        fs::write(&list, lines.join("\n")).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["-nowarn", "-proc:none", "-d"]).arg(output).args(options);
        javac.arg("-cp").arg(self.class_path(&[output])).arg(format!("@{}", list.display()));
        let said = javac.output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }

    /// Returns a class path of folders and libraries.
    fn class_path(&self, classes: &[&Path]) -> String {
        let own = classes.iter().copied().chain([&*self.own]).map(Path::to_owned);
        let all = own.chain(self.launcher.clone());
        let all = all.chain(self.subject.beside_classes());
        all.map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
    }

    /// Returns the class path of the original with the changed file.
    fn edited(&self) -> String {
        self.class_path(&[&self.changed, &self.original])
    }

    /// Compiles only the changed file with `javac`; returns true if it compiles.
    pub(crate) fn compile(&self, file: &Path) -> bool {
        self.forget();
        let mut javac = Command::new("javac");
        javac.args(["-nowarn", "-proc:none", "-implicit:none", "-J-XX:TieredStopAtLevel=1"]);
        javac.arg("-J-XX:+UseSerialGC").args(self.subject.javac_options());
        javac.arg("-d").arg(&self.changed).arg("-cp").arg(self.edited()).arg(file);
        javac.output().unwrap().status.success()
    }

    /// Compiles only the changed file with a warm compiler.
    pub(crate) fn compile_warm(&mut self, file: &Path) -> bool {
        self.forget();
        let class_path = self.edited();
        let options = self.subject.javac_options();
        let start = || {
            let mut java = Command::new("java");
            java.args(FAST).arg("-cp").arg(&self.own).args(["Rivals", "compile"]);
            java.args(options).arg("-cp").arg(class_path);
            let mut child = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let input = child.stdin.take().unwrap();
            let output = BufReader::new(child.stdout.take().unwrap());
            Warm { child, input, output }
        };
        let warm = self.warm.get_or_insert_with(start);
        writeln!(warm.input, "{}\t{}", self.changed.display(), file.display()).unwrap();
        let mut answer = String::new();
        warm.output.read_line(&mut answer).unwrap();
        answer.trim() == "done"
    }

    fn forget(&self) {
        emptied(&self.changed);
    }

    /// Runs a full build and the tests, up to the first failing class, with JVM defaults.
    pub(crate) fn everything(&self) -> Option<Told> {
        emptied(&self.whole);
        self.build(&self.whole);
        let mut java = Command::new("java");
        java.arg("-ea").arg("-cp").arg(self.class_path(&[&self.whole]));
        self.told(java, true)
    }

    /// Runs the tests in a fresh JVM.
    pub(crate) fn run(&self, is_fail_fast: bool) -> Option<Told> {
        self.told(self.java(), is_fail_fast)
    }

    fn told(&self, mut java: Command, is_fail_fast: bool) -> Option<Told> {
        let results = self.own.join("results");
        fs::write(&results, "").unwrap();
        let when = if is_fail_fast { "fail-fast" } else { "all" };
        self.asked(&mut java, "run").arg(&results).arg(when).args(self.subject.test_classes());
        self.wait(java.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let text = fs::read_to_string(&results).unwrap();
        let mut told = Told::new();
        for (test, how) in text.lines().filter_map(|line| line.split_once('\t')) {
            *told.entry((test.to_owned(), how.to_owned())).or_default() += 1;
        }
        text.ends_with("end\n").then_some(told)
    }

    /// Returns the CPU seconds of each repetition of the original's tests in one JVM: `times` repetitions, or fewer at
    /// the time limit.
    pub(crate) fn floor(&self, times: usize, time: Duration) -> Vec<f64> {
        self.forget();
        let mut java = self.java();
        let java = self
            .asked(&mut java, "floor")
            .args([times as u64, time.as_secs()].map(|n| n.to_string()));
        java.args(self.subject.test_classes());
        let said = java.output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let values = said.lines().filter_map(|line| line.strip_prefix("floor ")?.parse().ok());
        values.collect()
    }

    /// Starts a JVM with the classes of the original and the changed file.
    fn java(&self) -> Command {
        let mut java = Command::new("java");
        java.args(FAST).arg("-cp").arg(self.edited());
        java
    }

    /// Stops a JVM that does not exit.
    fn wait(&self, mut child: Child) {
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > self.subject.limit {
                child.kill().unwrap();
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn asked<'b>(&self, java: &'b mut Command, what: &str) -> &'b mut Command {
        java.current_dir(&self.subject.tree).arg(format!("-Drivals.tests={}", self.tests));
        java.args(["Rivals", what])
    }
}

fn emptied(folder: &Path) {
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
