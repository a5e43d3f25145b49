//! How faulty programs with threads are repaired, and how that compares with what a person would do.
//!
//! `cargo bench --bench mending -- CASES [--only NAME,…] [--classpath JARS] [--seed S]` has
//! `git mend fix --technique concurrency` repair each case of a folder laid out as `fixtures/concurrency` (see
//! `fixtures/README.md`), and writes a row for each.

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
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        let cases = words.next()?.into();
        let (class_path, seed) = (JUNIT.to_owned(), "0".to_owned());
        let mut read = Self { cases, only: None, class_path, seed };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--only" => read.only = Some(words.next()?.split(',').map(str::to_owned).collect()),
                "--classpath" => read.class_path = words.next()?,
                "--seed" => read.seed = words.next()?,
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
    lines: u64,
    seconds: f64,
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!(
            "cargo bench --bench mending -- CASES [--only NAME,…] [--classpath JARS] [--seed S]"
        );
        return;
    };
    let mut cases: Vec<PathBuf> =
        fs::read_dir(&arguments.cases).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    println!("| program | repair | a person | lines | schedules | seconds | what |");
    println!("|---|---|---|--:|--:|--:|---|");
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
    let Arguments { class_path, seed, .. } = arguments;
    let technique = ["--technique", "concurrency", "--top", "1"];
    let output = Command::new(env!("CARGO_BIN_EXE_git-mend"))
        .args(["fix", "--format", "json", "--quiet", "--bad", ".", "--test", &test])
        .args(technique)
        .args(["--seed", seed, "--classpath", class_path, "-C"])
        .arg(case)
        .arg("--output")
        .arg(run.path())
        .output()
        .unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let fix = &result["fixes"][0];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let row = Row {
        strategy: text(&fix["strategy"]),
        human: human(case),
        lines: fix["lines"].as_u64().unwrap_or(0),
        seconds: result["cost"]["seconds"].as_f64().unwrap_or(0.0),
    };
    let schedules = fix["validated"]["schedules"].as_u64().unwrap_or(0);
    let why = text(&fix["why"]).or(text(&result["message"])).unwrap_or_default();
    let Row { strategy, human, lines, seconds } = &row;
    let strategy = strategy.as_deref().unwrap_or("-");
    println!("| {name} | {strategy} | {human} | {lines} | {schedules} | {seconds:.1} | {why} |");
    row
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
    let mut lines: Vec<u64> = repaired.iter().map(|row| row.lines).collect();
    lines.sort_unstable();
    let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    println!(
        "\n{} of {} repaired, {alike} as a person would; changed lines: median {}; \
         seconds: median {:.1}, most {:.1}",
        repaired.len(),
        rows.len(),
        lines.get(lines.len() / 2).unwrap_or(&0),
        seconds.get(seconds.len() / 2).unwrap_or(&0.0),
        seconds.last().unwrap_or(&0.0)
    );
}
