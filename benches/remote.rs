//! Measures searches and validations on simulated workers, whose tests sleep.
//!
//! `cargo bench --bench remote`: a bisection of 1,000 commits, a change with 4,320 components of which three together
//! break the test, and a pool of 500 patches, each with 1, 2, 4, 8 and 16 workers. `-- --sleep 10` sets the duration of a
//! test in seconds, `--workers 16` the numbers of workers, `--only commits|components|patches` what is measured.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench may panic")]

use mend_engine::{Execution, ExecutionMode};
use mend_model::{Failure, Outcome, TestResult, TestStatus};
use mend_remote::test_support::{FakeServer, SimulatedTest, WorkerKind};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const COMMITS: usize = 1000;
const FIRST_BAD_COMMIT: usize = 618;
const COMPONENTS: usize = 4320;
const CULPRITS: [usize; 3] = [17, 2160, 4242];
const PATCHES: usize = 500;
const FIXING_PATCHES: usize = 5;

/// Options of the bench.
struct Options {
    sleep: f64,
    workers: Vec<usize>,
    only: Option<String>,
}

impl Options {
    fn parse() -> Self {
        let mut options = Self { sleep: 1.0, workers: vec![1, 2, 4, 8, 16], only: None };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--sleep" => options.sleep = words.next().unwrap().parse().unwrap(),
                "--workers" => {
                    let numbers = words.next().unwrap();
                    options.workers = numbers.split(',').map(|one| one.parse().unwrap()).collect();
                }
                "--only" => options.only = words.next(),
                _ => {}
            }
        }
        options
    }
}

/// A repository with a search in it.
struct Scenario {
    name: &'static str,
    dir: TempDir,
    pool: Option<TempDir>,
    arguments: Vec<String>,
    /// Oracle, as options of the command line.
    oracle: Vec<String>,
    /// Test that the simulated workers run.
    test: Arc<SimulatedTest>,
}

/// Measurement of a search.
struct Measurement {
    time: Duration,
    trials: usize,
    actions: usize,
    bytes: u64,
}

fn main() {
    let options = Options::parse();
    let scenarios: [fn(f64) -> Scenario; 3] = [commits, components, patches];
    for create in scenarios {
        let scenario = create(options.sleep);
        if options.only.as_deref().is_some_and(|only| only != scenario.name) {
            continue;
        }
        println!("{}, tests of {} s", scenario.name, options.sleep);
        println!("workers  seconds  speed-up  trials  actions  bytes/trial");
        let mut first = None;
        for workers in &options.workers {
            let Measurement { time, trials, actions, bytes } = measure(&scenario, *workers);
            let seconds = time.as_secs_f64();
            let speed_up = *first.get_or_insert(seconds) / seconds;
            let share = bytes / trials.max(1) as u64;
            println!(
                "{workers:7}  {seconds:7.1}  {speed_up:8.1}  {trials:6}  {actions:7}  {share:11}"
            );
        }
    }
}

fn git(dir: &Path, arguments: &[&str], input: &str) {
    let mut process = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"])
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(process.wait().unwrap().success(), "git {arguments:?}");
}

/// Creates a repository from the text for `git fast-import`.
fn import(stream: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"], "");
    git(dir.path(), &["fast-import", "--quiet"], stream);
    git(dir.path(), &["reset", "-q", "--hard", "main"], "");
    dir
}

/// Adds a commit of files to a stream.
fn add_commit(stream: &mut String, number: usize, files: &[(String, String)]) {
    let time = 1_700_000_000 + number;
    let _ = write!(
        stream,
        "commit refs/heads/main\nmark :{}\ncommitter A <a@example.org> {time} +0000\ndata 2\nc\n\n",
        number + 1
    );
    if number > 0 {
        let _ = writeln!(stream, "from :{number}");
    }
    for (path, text) in files {
        let _ = write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len());
    }
}

fn to_owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns a test that sleeps, and passes if the variant does.
fn command_test(
    sleep: f64,
    passes: impl Fn(&dyn Fn(&str) -> String) -> bool + Send + Sync + 'static,
) -> Arc<SimulatedTest> {
    Arc::new(move |read| {
        thread::sleep(Duration::from_secs_f64(sleep));
        let code = i32::from(!passes(&|path| read(path).unwrap_or_default()));
        Execution::from_outcome(Outcome::Exited { code, output: String::new() })
    })
}

fn commits(sleep: f64) -> Scenario {
    let mut stream = String::new();
    for number in 0..COMMITS {
        add_commit(&mut stream, number, &[("number".to_owned(), format!("{number}\n"))]);
    }
    let good = format!("HEAD~{}", COMMITS - 1);
    let arguments = to_owned(&["bisect", "--good", &good, "--goal", "culprit"]);
    let is_good = |text: &str| text.trim().parse::<usize>().unwrap() < FIRST_BAD_COMMIT;
    let test = command_test(sleep, move |read| is_good(&read("number")));
    let oracle = to_owned(&["--", "true"]);
    Scenario { name: "commits", dir: import(&stream), pool: None, arguments, oracle, test }
}

/// Returns the path of the file that a component changes. A folder has as many files as a package of a large project.
fn component_path(number: usize) -> String {
    format!("{}/{number}", number / 60)
}

fn components(sleep: f64) -> Scenario {
    let file = |number: usize, text: &str| (component_path(number), format!("{text}\n"));
    let mut stream = String::new();
    let old: Vec<_> = (0..COMPONENTS).map(|number| file(number, "old")).collect();
    add_commit(&mut stream, 0, &old);
    let new: Vec<_> = (0..COMPONENTS).map(|number| file(number, "new")).collect();
    add_commit(&mut stream, 1, &new);
    let arguments = to_owned(&["bisect", "--good", "HEAD~1", "--no-history", "--goal", "culprit"]);
    let test = command_test(sleep, |read| {
        !CULPRITS.iter().all(|number| read(&component_path(*number)).trim() == "new")
    });
    let oracle = to_owned(&["--", "true"]);
    Scenario { name: "components", dir: import(&stream), pool: None, arguments, oracle, test }
}

const WORD_FILE: &str = "src/main/java/Word.java";

fn patches(sleep: f64) -> Scenario {
    let word = |word: &str| format!("class Word {{ String word() {{ return \"{word}\"; }} }}\n");
    let test = "class WordTest { public static void main(String[] x) {\n\
                if (!new Word().word().startsWith(\"right\")) throw new IllegalStateException(); } }\n";
    let mut stream = String::new();
    let files = [(WORD_FILE, word("wrong")), ("src/test/java/WordTest.java", test.to_owned())];
    add_commit(&mut stream, 0, &files.map(|(path, text)| (path.to_owned(), text)));
    let pool = tempfile::tempdir().unwrap();
    for number in 0..PATCHES {
        let kind = if number < FIXING_PATCHES { "right" } else { "other" };
        let header = format!("--- a/{WORD_FILE}\n+++ b/{WORD_FILE}\n@@ -1 +1 @@\n");
        let patch = format!("{header}-{}+{}", word("wrong"), word(&format!("{kind} {number}")));
        std::fs::write(pool.path().join(format!("{number}.patch")), patch).unwrap();
    }
    let arguments = to_owned(&["validate", "--pool", pool.path().to_str().unwrap()]);
    let test = Arc::new(move |read: &dyn Fn(&str) -> Option<String>| {
        thread::sleep(Duration::from_secs_f64(sleep));
        let failure = Failure {
            exception: "java.lang.IllegalStateException".to_owned(),
            message: None,
            frames: Vec::new(),
        };
        let is_right = read(WORD_FILE).is_some_and(|text| text.contains("right"));
        let status = if is_right { TestStatus::Passed } else { TestStatus::Failed(failure) };
        let results = vec![TestResult::new("WordTest#main", status)];
        let outcome = Outcome::Tests { results };
        let mode = ExecutionMode::Process;
        Execution { build: Some(Duration::ZERO), mode, ..Execution::from_outcome(outcome) }
    });
    let oracle = to_owned(&["--test", "WordTest"]);
    let dir = import(&stream);
    Scenario { name: "patches", dir, pool: Some(pool), arguments, oracle, test }
}

fn measure(scenario: &Scenario, workers: usize) -> Measurement {
    let server = FakeServer::start(WorkerKind::Simulated(Arc::clone(&scenario.test)), workers);
    let run = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_git-mend"))
        .args(&scenario.arguments)
        .args(["--executor", server.address(), "--executor-program", "/bin/true"])
        .args(["--executor-workers", &workers.to_string(), "--format", "json", "--output"])
        .arg(run.path().join("run"))
        .args(&scenario.oracle)
        .current_dir(scenario.dir.path())
        .output()
        .unwrap();
    let time = start.elapsed();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(result["status"], "found", "{stderr}");
    assert!(!stderr.contains("on this machine"), "{stderr}");
    check_result(scenario, &result);
    // The cache would answer the next search.
    drop(std::fs::remove_dir_all(scenario.dir.path().join(".git/mend")));
    Measurement {
        time,
        trials: server.trial_count(),
        actions: server.action_count(),
        bytes: server.written_bytes(),
    }
}

/// Checks that the result does not depend on the number of workers.
fn check_result(scenario: &Scenario, result: &Value) {
    match (scenario.name, &scenario.pool) {
        ("components", _) => assert_eq!(result["culprit"]["components"], CULPRITS.len()),
        (_, Some(_)) => {
            let patches = result["patches"].as_array().unwrap().iter();
            let plausible = patches.filter(|patch| patch["verdict"] == "pass").count();
            assert_eq!(
                (result["patches"].as_array().unwrap().len(), plausible),
                (PATCHES, FIXING_PATCHES)
            );
        }
        _ => assert_eq!(result["culprit"]["tokens"], 2),
    }
}
