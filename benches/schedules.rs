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
        let mut arguments = Self {
            cases: words.next()?.into(),
            schedules: "300".to_owned(),
            seed: "0".to_owned(),
            only: None,
            class_path: JUNIT.to_owned(),
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--schedules" => arguments.schedules = words.next()?,
                "--seed" => arguments.seed = words.next()?,
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
    run_count: u64,
    failing_count: u64,
    /// Number of the first failing schedule.
    first_failing: Option<u64>,
    race_count: usize,
    cycle_count: usize,
    /// Schedules per second, without JVM start-up.
    schedules_per_second: f64,
}

impl Row {
    fn is_exposed(&self) -> bool {
        self.failing_count > 0 || self.race_count > 0 || self.cycle_count > 0
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
    let is_selected = |case: &&PathBuf| {
        arguments.only.as_ref().is_none_or(|name| case.file_name().unwrap() == name.as_str())
    };
    let rows: Vec<Row> =
        cases.iter().filter(is_selected).map(|case| explore_case(case, &arguments)).collect();
    print_summary(&rows);
}

/// Explores one case and prints its row.
fn explore_case(case: &Path, arguments: &Arguments) -> Row {
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
    let schedules_json = &result["schedules"];
    let count = |key: &str| schedules_json[key].as_u64().unwrap();
    let list_length = |key: &str| schedules_json[key].as_array().unwrap().len();
    let failures = schedules_json["failures"].as_array().unwrap().iter();
    let firsts = failures.filter_map(|failure| failure["first"].as_u64());
    let count_run = count("run");
    let seconds = result["cost"]["seconds_test"].as_f64().unwrap();
    let row = Row {
        name,
        run_count: count_run,
        failing_count: count("failing"),
        first_failing: firsts.filter(|first| *first > 0).min(),
        race_count: list_length("races"),
        cycle_count: list_length("lock_cycles"),
        schedules_per_second: f64::from(u32::try_from(count_run).unwrap()) / seconds.max(0.001),
    };
    let first = row.first_failing.map_or("-".to_owned(), |first| first.to_string());
    let Row {
        name,
        run_count: run,
        failing_count: failing,
        race_count: races,
        cycle_count: cycles,
        schedules_per_second: rate,
        ..
    } = &row;
    println!("| {name} | {run} | {failing} | {first} | {races} | {cycles} | {rate:.0} |");
    row
}

fn print_summary(rows: &[Row]) {
    let exposed = rows.iter().filter(|row| row.is_exposed()).count();
    let mut firsts: Vec<u64> = rows.iter().filter_map(|row| row.first_failing).collect();
    firsts.sort_unstable();
    let mut rates: Vec<f64> = rows.iter().map(|row| row.schedules_per_second).collect();
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
