//! Measures the repair of programs with concurrency bugs, and compares it with the fix of a maintainer.
//!
//! `cargo bench --bench concurrency_repair -- CASES [--only NAME,…] [--classpath JARS] [--seed S] [--schedules N]` runs
//! `git mend fix --technique concurrency` on each case of a folder with the layout of `fixtures/concurrency` (see
//! `fixtures/README.md`), and prints a row for each. With `--schedules N` each fixed program then runs N sampled
//! schedules in its own JVM, to measure schedules per second without failures.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may panic")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Jars that run the tests of the cases.
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

struct Arguments {
    cases: PathBuf,
    only: Option<Vec<String>>,
    class_path: String,
    seed: String,
    /// Number of schedules for the measurement of schedules per second.
    schedules: Option<String>,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        let cases = words.next()?.into();
        let (class_path, seed) = (JUNIT.to_owned(), "0".to_owned());
        let mut arguments = Self { cases, only: None, class_path, seed, schedules: None };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--only" => {
                    arguments.only = Some(words.next()?.split(',').map(str::to_owned).collect());
                }
                "--classpath" => arguments.class_path = words.next()?,
                "--seed" => arguments.seed = words.next()?,
                "--schedules" => arguments.schedules = Some(words.next()?),
                _ => return None,
            }
        }
        Some(arguments)
    }
}

/// Result of one case.
struct Row {
    /// Operator of the first fix, if there is a fix.
    operator: Option<String>,
    /// Operator of the maintainer's fix, from the README of the case.
    maintainer_operator: String,
    /// Number of deleted and inserted lines.
    lines: u64,
    /// Number of changed lines; a replaced line counts once.
    changed_lines: usize,
    seconds: f64,
    /// Schedules per second of the fixed program, without JVM start-up.
    schedules_per_second: Option<f64>,
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!(
            "cargo bench --bench concurrency_repair -- CASES [--only NAME,…] [--classpath JARS] [--seed S] [--schedules N]"
        );
        return;
    };
    let mut cases: Vec<PathBuf> =
        fs::read_dir(&arguments.cases).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    println!(
        "| program | operator | maintainer | lines | schedules | seconds | schedules per second | fix |"
    );
    println!("|---|---|---|--:|--:|--:|--:|---|");
    let name = |case: &PathBuf| case.file_name().unwrap().to_str().unwrap().to_owned();
    let is_selected =
        |case: &&PathBuf| arguments.only.as_ref().is_none_or(|only| only.contains(&name(case)));
    let rows: Vec<Row> = cases
        .iter()
        .filter(is_selected)
        .map(|case| repair_case(case, &name(case), &arguments))
        .collect();
    print_summary(&rows);
}

/// Repairs one case and prints its row.
fn repair_case(case: &Path, name: &str, arguments: &Arguments) -> Row {
    let run = tempfile::tempdir().unwrap();
    let test = format!("{}.*Test", name.replace('-', ""));
    let technique = ["--technique", "concurrency", "--top", "1", "--seed", &arguments.seed];
    let result =
        run_program(&[&["fix"], &technique[..]].concat(), case, &test, run.path(), arguments);
    let fix = &result["fixes"][0];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let patch = fix["patch"].as_str().map(|file| run.path().join(file));
    let row = Row {
        operator: text(&fix["operator"]),
        maintainer_operator: maintainer_operator(case),
        lines: fix["lines"].as_u64().unwrap_or(0),
        changed_lines: patch
            .as_ref()
            .map_or(0, |patch| count_changed_lines(&fs::read_to_string(patch).unwrap())),
        seconds: result["cost"]["seconds"].as_f64().unwrap_or(0.0),
        schedules_per_second: patch.and_then(|patch| measure_rate(case, &test, &patch, arguments)),
    };
    let schedules = fix["validated"]["schedules"].as_u64().unwrap_or(0);
    let why = text(&fix["why"]).or(text(&result["message"])).unwrap_or_default();
    let Row {
        operator,
        maintainer_operator: human,
        lines,
        seconds,
        schedules_per_second: rate,
        ..
    } = &row;
    let operator = operator.as_deref().unwrap_or("-");
    let rate = rate.map_or("-".to_owned(), |rate| format!("{rate:.0}"));
    println!(
        "| {name} | {operator} | {human} | {lines} | {schedules} | {seconds:.1} | {rate} | {why} |"
    );
    row
}

/// Runs a command of the program on the sources in a folder and returns its result.
fn run_program(words: &[&str], dir: &Path, test: &str, run: &Path, arguments: &Arguments) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_git-mend"))
        .args(words)
        .args(["--format", "json", "--quiet", "--bad", ".", "--test", test])
        .args(["--classpath", &arguments.class_path, "-C"])
        .arg(dir)
        .arg("--output")
        .arg(run)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Measures the sampled schedules per second of a fixed case, if `--schedules` is set.
fn measure_rate(case: &Path, test: &str, patch: &Path, arguments: &Arguments) -> Option<f64> {
    let schedules = arguments.schedules.as_ref()?;
    let copy = tempfile::tempdir().unwrap();
    let copied = Command::new("cp").arg("-r").arg(case.join("src")).arg(copy.path()).status();
    let applied = Command::new("git").arg("apply").arg(patch).current_dir(copy.path()).status();
    assert!(copied.unwrap().success() && applied.unwrap().success(), "{}", patch.display());
    let strategies = ["--scheduler", "pos,random,pct", "--schedules", schedules];
    let words = [&["explore"], &strategies[..], &["--seed", &arguments.seed]].concat();
    let result = run_program(&words, copy.path(), test, &copy.path().join("run"), arguments);
    let run = result["schedules"]["run"].as_f64()?;
    Some(run / result["cost"]["seconds_test"].as_f64()?)
}

/// Counts the changed lines of a patch; a deleted line and its replacement count once.
fn count_changed_lines(patch: &str) -> usize {
    let (mut count, mut deleted, mut inserted) = (0, 0, 0);
    let body = patch.lines().filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ "));
    for line in body.chain(["end"]) {
        match line.as_bytes().first() {
            Some(b'-') => deleted += 1,
            Some(b'+') => inserted += 1,
            _ => {
                count += usize::max(deleted, inserted);
                (deleted, inserted) = (0, 0);
            }
        }
    }
    count
}

/// Returns the operator that the README of a case names.
fn maintainer_operator(case: &Path) -> String {
    let text = fs::read_to_string(case.join("README.md")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Operator: "));
    line.unwrap_or("?").trim().to_owned()
}

fn print_summary(rows: &[Row]) {
    let repaired: Vec<&Row> = rows.iter().filter(|row| row.operator.is_some()).collect();
    let same_operator = repaired
        .iter()
        .filter(|row| row.operator.as_deref() == Some(&row.maintainer_operator))
        .count();
    let seconds = sort(rows.iter().map(|row| row.seconds));
    println!(
        "\n{} of {} fixed, {same_operator} with the operator of the maintainer; changed lines: median {}, or {} \
         if a replaced line counts once; seconds: median {:.1}, maximum {:.1}",
        repaired.len(),
        rows.len(),
        median(&sort(repaired.iter().map(|row| row.lines))),
        median(&sort(repaired.iter().map(|row| row.changed_lines))),
        median(&seconds),
        seconds.last().unwrap_or(&0.0)
    );
    let rates = sort(rows.iter().filter_map(|row| row.schedules_per_second));
    if let (Some(least), Some(most)) = (rates.first(), rates.last()) {
        let (median, count) = (median(&rates), rates.len());
        println!(
            "schedules per second of {count} fixed programs: median {median:.0}, from {least:.0} to {most:.0}"
        );
    }
}

fn sort<T: PartialOrd>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut sorted: Vec<T> = values.collect();
    sorted.sort_by(|one, other| one.partial_cmp(other).unwrap());
    sorted
}

fn median<T: Copy + Default>(sorted: &[T]) -> T {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
