//! How faulty programs with threads are repaired, and how that compares with what a person would do.
//!
//! `cargo bench --bench mending -- CASES [--only NAME,…] [--classpath JARS] [--seed S] [--schedules N]` has
//! `git mend fix --technique concurrency` repair each case of a folder laid out as `fixtures/concurrency` (see
//! `fixtures/README.md`), and writes a row for each. With `--schedules` each repaired program then runs so many sampled
//! schedules in a JVM of its own, which says how many a second there are where none fails.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may stop")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What runs the tests of the cases.
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

struct Arguments {
    cases: PathBuf,
    only: Option<Vec<String>>,
    class_path: String,
    seed: String,
    /// How many schedules of a repaired program say how fast they run.
    schedules: Option<String>,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        let cases = words.next()?.into();
        let (class_path, seed) = (JUNIT.to_owned(), "0".to_owned());
        let mut read = Self { cases, only: None, class_path, seed, schedules: None };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--only" => read.only = Some(words.next()?.split(',').map(str::to_owned).collect()),
                "--classpath" => read.class_path = words.next()?,
                "--seed" => read.seed = words.next()?,
                "--schedules" => read.schedules = Some(words.next()?),
                _ => return None,
            }
        }
        Some(read)
    }
}

/// What became of one case.
struct Row {
    /// The first repair's strategy, if there is a repair.
    strategy: Option<String>,
    /// The strategy of a person, as the case's README has it.
    human: String,
    /// Deleted plus inserted lines.
    lines: u64,
    /// The same, where a line that is changed counts once.
    lines_once: usize,
    seconds: f64,
    /// Schedules a second of the repaired program, without the start of the JVM.
    rate: Option<f64>,
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!(
            "cargo bench --bench mending -- CASES [--only NAME,…] [--classpath JARS] [--seed S] [--schedules N]"
        );
        return;
    };
    let mut cases: Vec<PathBuf> =
        fs::read_dir(&arguments.cases).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    println!("| program | repair | a person | lines | schedules | seconds | a second | what |");
    println!("|---|---|---|--:|--:|--:|--:|---|");
    let name = |case: &PathBuf| case.file_name().unwrap().to_str().unwrap().to_owned();
    let is_meant =
        |case: &&PathBuf| arguments.only.as_ref().is_none_or(|only| only.contains(&name(case)));
    let rows: Vec<Row> =
        cases.iter().filter(is_meant).map(|case| mended(case, &name(case), &arguments)).collect();
    sum_up(&rows);
}

/// Repairs one case, and writes its row.
fn mended(case: &Path, name: &str, arguments: &Arguments) -> Row {
    let run = tempfile::tempdir().unwrap();
    let test = format!("{}.*Test", name.replace('-', ""));
    let technique = ["--technique", "concurrency", "--top", "1", "--seed", &arguments.seed];
    let result = told(&[&["fix"], &technique[..]].concat(), case, &test, run.path(), arguments);
    let fix = &result["fixes"][0];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let patch = fix["patch"].as_str().map(|file| run.path().join(file));
    let row = Row {
        strategy: text(&fix["strategy"]),
        human: human(case),
        lines: fix["lines"].as_u64().unwrap_or(0),
        lines_once: patch
            .as_ref()
            .map_or(0, |patch| lines_once(&fs::read_to_string(patch).unwrap())),
        seconds: result["cost"]["seconds"].as_f64().unwrap_or(0.0),
        rate: patch.and_then(|patch| rate(case, &test, &patch, arguments)),
    };
    let schedules = fix["validated"]["schedules"].as_u64().unwrap_or(0);
    let why = text(&fix["why"]).or(text(&result["message"])).unwrap_or_default();
    let Row { strategy, human, lines, seconds, rate, .. } = &row;
    let strategy = strategy.as_deref().unwrap_or("-");
    let rate = rate.map_or("-".to_owned(), |rate| format!("{rate:.0}"));
    println!(
        "| {name} | {strategy} | {human} | {lines} | {schedules} | {seconds:.1} | {rate} | {why} |"
    );
    row
}

/// What a command of the program has to say of the sources in a folder.
fn told(words: &[&str], dir: &Path, test: &str, run: &Path, arguments: &Arguments) -> Value {
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

/// How many sampled schedules a second there are of a case with its repair, if that is asked for.
fn rate(case: &Path, test: &str, patch: &Path, arguments: &Arguments) -> Option<f64> {
    let schedules = arguments.schedules.as_ref()?;
    let copy = tempfile::tempdir().unwrap();
    let copied = Command::new("cp").arg("-r").arg(case.join("src")).arg(copy.path()).status();
    let applied = Command::new("git").arg("apply").arg(patch).current_dir(copy.path()).status();
    assert!(copied.unwrap().success() && applied.unwrap().success(), "{}", patch.display());
    let strategies = ["--strategy", "pos,random,pct", "--schedules", schedules];
    let words = [&["explore"], &strategies[..], &["--seed", &arguments.seed]].concat();
    let result = told(&words, copy.path(), test, &copy.path().join("run"), arguments);
    let run = result["schedules"]["run"].as_f64()?;
    Some(run / result["cost"]["seconds_test"].as_f64()?)
}

/// How many lines a patch changes, where one that is deleted and one that stands in its place count once.
fn lines_once(patch: &str) -> usize {
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

/// The strategy that a case's README names.
fn human(case: &Path) -> String {
    let text = fs::read_to_string(case.join("README.md")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Strategy: "));
    line.unwrap_or("?").trim().to_owned()
}

fn sum_up(rows: &[Row]) {
    let repaired: Vec<&Row> = rows.iter().filter(|row| row.strategy.is_some()).collect();
    let alike = repaired.iter().filter(|row| row.strategy.as_deref() == Some(&row.human)).count();
    let seconds = sorted(rows.iter().map(|row| row.seconds));
    println!(
        "\n{} of {} repaired, {alike} as a person would; changed lines: median {}, or {} where a \
         changed line counts once; seconds: median {:.1}, most {:.1}",
        repaired.len(),
        rows.len(),
        median(&sorted(repaired.iter().map(|row| row.lines))),
        median(&sorted(repaired.iter().map(|row| row.lines_once))),
        median(&seconds),
        seconds.last().unwrap_or(&0.0)
    );
    let rates = sorted(rows.iter().filter_map(|row| row.rate));
    if let (Some(least), Some(most)) = (rates.first(), rates.last()) {
        let (median, count) = (median(&rates), rates.len());
        println!(
            "schedules a second of {count} repaired: median {median:.0}, from {least:.0} to {most:.0}"
        );
    }
}

fn sorted<T: PartialOrd>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut sorted: Vec<T> = values.collect();
    sorted.sort_by(|one, other| one.partial_cmp(other).unwrap());
    sorted
}

fn median<T: Copy + Default>(sorted: &[T]) -> T {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
