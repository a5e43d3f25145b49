//! Measures contract repair: the number of fixed programs, the correctness of the fixes, and the time.
//!
//! `cargo bench --bench contracts -- CASES [--budget TIME] [--only NAME] [--classpath JARS]` runs `git mend fix`
//! on each case of a folder with the layout of `fixtures/contracts` (see `fixtures/README.md`). The held-out tests of
//! the case, which the search never sees, decide whether a fix is correct.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may panic")]
#![expect(clippy::cast_precision_loss, reason = "counts and times are far below 2^52")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Jars that run the tests of the cases.
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

struct Arguments {
    cases: PathBuf,
    budget: String,
    only: Option<String>,
    class_path: String,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        let mut arguments = Self {
            cases: words.next()?.into(),
            budget: "2m".to_owned(),
            only: None,
            class_path: JUNIT.to_owned(),
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--budget" => arguments.budget = words.next()?,
                "--only" => arguments.only = words.next(),
                "--classpath" => arguments.class_path = words.next()?,
                _ => return None,
            }
        }
        Some(arguments)
    }
}

/// Result of one case.
struct Row {
    name: String,
    shown_fixes: usize,
    /// Rank of the first fix that passes the held-out tests.
    correct_rank: Option<usize>,
    seconds: f64,
    /// Operator of the best fix.
    operator: String,
    /// Confidence in each shown fix, and whether it passes the held-out tests.
    rated_fixes: Vec<(String, bool)>,
    /// Time for candidates in the warm compiler and JVM, and for fixes in fresh processes.
    resident_pace: Pace,
    fresh_pace: Pace,
}

/// Number and total time of executions.
#[derive(Clone, Copy, Default)]
struct Pace {
    executions: usize,
    milliseconds: u64,
}

impl Pace {
    /// Computes the pace of the trials in these execution modes. Excludes timeouts, because they always take the whole
    /// time limit.
    fn from_trials(trials: &str, modes: &[&str]) -> Self {
        let all = trials.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let finished = all.filter(|trial| trial["phase"] != "timed_out");
        let selected = finished.filter(|trial| modes.iter().any(|mode| trial["rung"] == *mode));
        selected.fold(Self::default(), |pace, trial| Self {
            executions: pace.executions + 1,
            milliseconds: pace.milliseconds + trial["milliseconds"].as_u64().unwrap_or(0),
        })
    }

    fn add(self, other: Self) -> Self {
        Self {
            executions: self.executions + other.executions,
            milliseconds: self.milliseconds + other.milliseconds,
        }
    }

    /// Returns the milliseconds per execution.
    fn milliseconds_per_execution(self) -> f64 {
        self.milliseconds as f64 / self.executions.max(1) as f64
    }
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!(
            "cargo bench --bench contracts -- CASES [--budget TIME] [--only NAME] [--classpath JARS]"
        );
        return;
    };
    let mut cases: Vec<PathBuf> = fs::read_dir(&arguments.cases)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    cases.retain(|case| {
        let name = case.file_name().unwrap().to_string_lossy();
        arguments.only.as_ref().is_none_or(|only| name.contains(only))
    });
    println!("| case | fixes shown | rank of the correct one | candidates | seconds | operator |");
    println!("|---|--:|--:|--:|--:|---|");
    let rows: Vec<Row> = cases.iter().map(|case| repair_case(case, &arguments)).collect();
    print_summary(&rows);
}

fn repair_case(case: &Path, arguments: &Arguments) -> Row {
    let folder = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let run = folder.path().join("run");
    let subject = folder.path().join("subject");
    copy_folder(&case.join("src"), &subject.join("src"));
    let mut fix = Command::new(env!("CARGO_BIN_EXE_git-mend"));
    fix.arg("-C").arg(folder.path()).args(["-q", "--format", "json", "fix", "--bad", "subject"]);
    fix.args(["--test", "*", "--budget", &arguments.budget]);
    fix.args(["--classpath", &arguments.class_path, "--output"]).arg(&run);
    let output = fix.stderr(Stdio::inherit()).output().unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let fixes = result["fixes"].as_array().cloned().unwrap_or_default();
    let rate = |fix: &Value| {
        let patch = run.join(fix["patch"].as_str().unwrap());
        let is_correct = passes_held_out_tests(case, &patch, &arguments.class_path);
        (fix["confidence"].as_str().unwrap_or("unknown").to_owned(), is_correct)
    };
    let rated_fixes: Vec<(String, bool)> = fixes.iter().map(rate).collect();
    let correct = rated_fixes.iter().position(|(_, is_correct)| *is_correct).map(|at| at + 1);
    let trials = fs::read_to_string(run.join("trials.jsonl")).unwrap_or_default();
    let best = fixes.get(correct.map_or(0, |rank| rank - 1));
    let row = Row {
        name: case.file_name().unwrap().to_string_lossy().into_owned(),
        shown_fixes: fixes.len(),
        correct_rank: correct,
        seconds,
        operator: best.map_or(String::new(), |fix| fix["operator"].as_str().unwrap().to_owned()),
        rated_fixes,
        resident_pace: Pace::from_trials(&trials, &["warm-jvm", "identical-classes", "fresh-jvm"]),
        fresh_pace: Pace::from_trials(&trials, &["clean-build"]),
    };
    let rank = correct.map_or("-".to_owned(), |rank| rank.to_string());
    let Row { name, shown_fixes: shown, operator, resident_pace: resident, .. } = &row;
    let tried = resident.executions;
    println!("| {name} | {shown} | {rank} | {tried} | {seconds:.1} | {operator} |");
    row
}

/// Returns true if the tests of the case and its held-out tests pass with a patch.
fn passes_held_out_tests(case: &Path, patch: &Path, class_path: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    for part in ["src", "judge"] {
        copy_folder(&case.join(part), &folder.path().join(part));
    }
    let mut git = Command::new("git");
    let applied = git.arg("apply").arg(patch).current_dir(folder.path()).status().unwrap();
    if !applied.success() {
        println!("{} does not apply", patch.display());
        return false;
    }
    let files = java_files(folder.path());
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-d", "classes", "-cp", class_path]).args(&files);
    let is_built =
        javac.current_dir(folder.path()).stderr(Stdio::null()).status().unwrap().success();
    let is_test = |file: &&PathBuf| {
        let stem = file.file_stem().unwrap().to_string_lossy();
        stem.ends_with("Test") || stem.ends_with("Judge")
    };
    let tests = files.iter().filter(is_test).map(|file| class_of(file));
    let mut java = Command::new("timeout");
    java.args(["60", "java", "-ea", "-cp"]).arg(format!("classes:{class_path}"));
    java.arg("org.junit.runner.JUnitCore").args(tests).current_dir(folder.path());
    is_built && java.stdout(Stdio::null()).status().unwrap().success()
}

/// Returns the class name of a source file, with its package.
fn class_of(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let package = text.lines().find_map(|line| line.strip_prefix("package ")?.strip_suffix(';'));
    format!("{}.{}", package.unwrap(), file.file_stem().unwrap().to_string_lossy())
}

fn java_files(folder: &Path) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.unwrap().into_path());
    all.filter(|path| path.extension().is_some_and(|end| end == "java")).collect()
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn print_summary(rows: &[Row]) {
    let count = |is_meant: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is_meant(row)).count();
    let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let (median, worst) = (seconds.get(seconds.len() / 2), seconds.last());
    let (any, right) =
        (count(&|row| row.shown_fixes > 0), count(&|row| row.correct_rank.is_some()));
    println!(
        "\n{} cases: {any} with a fix, {} correct at rank 1, {} correct in the first three, {right} correct at any rank ({:.0} % of those with a fix); seconds: median {:.0}, maximum {:.0}",
        rows.len(),
        count(&|row| row.correct_rank == Some(1)),
        count(&|row| row.correct_rank.is_some_and(|rank| rank <= 3)),
        100.0 * right as f64 / any.max(1) as f64,
        median.unwrap_or(&0.0),
        worst.unwrap_or(&0.0),
    );
    for level in ["high", "medium", "low"] {
        let rated = rows.iter().flat_map(|row| &row.rated_fixes).filter(|(one, _)| one == level);
        let correct = rated.clone().filter(|(_, is_correct)| *is_correct).count();
        println!("confidence {level}: {correct} of {} correct", rated.count());
    }
    let all = |pace: fn(&Row) -> Pace| rows.iter().map(pace).fold(Pace::default(), Pace::add);
    let (resident, fresh) = (all(|row| row.resident_pace), all(|row| row.fresh_pace));
    println!(
        "{} candidates without timeouts: {:.0} ms each; clean builds in a fresh JVM: {:.0} ms each ({} executions), {:.1} times as long",
        resident.executions,
        resident.milliseconds_per_execution(),
        fresh.milliseconds_per_execution(),
        fresh.executions,
        fresh.milliseconds_per_execution() / resident.milliseconds_per_execution()
    );
}
