//! Measures schedules per second, and the number of schedules until a concurrency bug is found.
//!
//! `cargo bench --bench schedules -- CASES [--schedules N] [--seed S] [--only NAME] [--classpath JARS]` runs
//! `git mend explore` on each case of a folder with the layout of `fixtures/concurrency` (see `fixtures/README.md`).

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may panic")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Jars that run the tests of the cases.
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

struct Arguments {
    cases: PathBuf,
    schedules: String,
    seed: String,
    only: Option<String>,
    class_path: String,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        let mut read = Self {
            cases: words.next()?.into(),
            schedules: "300".to_owned(),
            seed: "0".to_owned(),
            only: None,
            class_path: JUNIT.to_owned(),
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--schedules" => read.schedules = words.next()?,
                "--seed" => read.seed = words.next()?,
                "--only" => read.only = words.next(),
                "--classpath" => read.class_path = words.next()?,
                _ => return None,
            }
        }
        Some(read)
    }
}

/// Result of one case.
struct Row {
    name: String,
    run: u64,
    failing: u64,
    /// Number of the first failing schedule.
    first: Option<u64>,
    races: usize,
    cycles: usize,
    /// Schedules per second, without JVM start-up.
    rate: f64,
}

impl Row {
    fn is_exposed(&self) -> bool {
        self.failing > 0 || self.races > 0 || self.cycles > 0
    }
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!(
            "cargo bench --bench schedules -- CASES [--schedules N] [--seed S] [--only NAME] [--classpath JARS]"
        );
        return;
    };
    let mut cases: Vec<PathBuf> =
        fs::read_dir(&arguments.cases).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    println!("| program | schedules | failing | first | races | cycles | a second |");
    println!("|---|---|---|---|---|---|---|");
    let is_meant = |case: &&PathBuf| {
        arguments.only.as_ref().is_none_or(|name| case.file_name().unwrap() == name.as_str())
    };
    let rows: Vec<Row> =
        cases.iter().filter(is_meant).map(|case| explored(case, &arguments)).collect();
    sum_up(&rows);
}

/// Explores one case and prints its row.
fn explored(case: &Path, arguments: &Arguments) -> Row {
    let name = case.file_name().unwrap().to_str().unwrap().to_owned();
    let run = tempfile::tempdir().unwrap();
    let test = format!("{}.*Test", name.replace('-', ""));
    let Arguments { schedules, seed, class_path, .. } = arguments;
    let output = Command::new(env!("CARGO_BIN_EXE_git-mend"))
        .args(["explore", "--format", "json", "--quiet", "--bad", ".", "--test", &test, "-C"])
        .arg(case)
        .args(["--schedules", schedules, "--seed", seed, "--classpath", class_path, "--output"])
        .arg(run.path())
        .output()
        .unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = &result["schedules"];
    let count = |key: &str| found[key].as_u64().unwrap();
    let listed = |key: &str| found[key].as_array().unwrap().len();
    let failures = found["failures"].as_array().unwrap().iter();
    let firsts = failures.filter_map(|failure| failure["first"].as_u64());
    let count_run = count("run");
    let seconds = result["cost"]["seconds_test"].as_f64().unwrap();
    let row = Row {
        name,
        run: count_run,
        failing: count("failing"),
        first: firsts.filter(|first| *first > 0).min(),
        races: listed("races"),
        cycles: listed("lock_cycles"),
        rate: f64::from(u32::try_from(count_run).unwrap()) / seconds.max(0.001),
    };
    let first = row.first.map_or("-".to_owned(), |first| first.to_string());
    let Row { name, run, failing, races, cycles, rate, .. } = &row;
    println!("| {name} | {run} | {failing} | {first} | {races} | {cycles} | {rate:.0} |");
    row
}

fn sum_up(rows: &[Row]) {
    let exposed = rows.iter().filter(|row| row.is_exposed()).count();
    let mut firsts: Vec<u64> = rows.iter().filter_map(|row| row.first).collect();
    firsts.sort_unstable();
    let mut rates: Vec<f64> = rows.iter().map(|row| row.rate).collect();
    rates.sort_by(f64::total_cmp);
    let (first, rate) = (firsts.get(firsts.len() / 2), rates.get(rates.len() / 2));
    println!(
        "\n{exposed} of {} exposed; first failing schedule: median {}, maximum {}; \
         schedules per second: median {:.0}",
        rows.len(),
        first.unwrap_or(&0),
        firsts.last().unwrap_or(&0),
        rate.unwrap_or(&0.0)
    );
}
