//! Runs `git mend upgrade` on a case, and compares the answer with what is known.

use crate::answer::{Answer, last_run, run_command};
use crate::case::Case;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Answer of `git mend upgrade` to a case, compared with what is known.
pub(crate) struct Measurement {
    name: String,
    message: String,
    changed: usize,
    /// Number of libraries that break the test.
    breakers: usize,
    is_set_right: bool,
    are_versions_right: bool,
    is_declared_right: bool,
    set_runs: usize,
    version_runs: usize,
    fix: Option<String>,
    seconds: f64,
}

impl Measurement {
    pub(crate) fn take(dir: &Path, case: &Case) -> Self {
        let answer =
            run_command(dir, &["upgrade", "--good", "HEAD~1", "--test", "shop.ClientTest"]);
        let upgrades = answer.result["upgrades"].as_array().cloned().unwrap_or_default();
        let find = |library: &String| upgrades.iter().find(|one| one["artifact"] == *library);
        let known: Vec<_> = case.culprits.iter().flatten().collect();
        let is_direct = |found: &Value| found["direct"].as_bool();
        let (set_runs, version_runs) = count_runs(&answer);
        Self {
            name: case.name.clone(),
            changed: count_changed(dir),
            breakers: known.len(),
            is_set_right: is_set_right(case, &upgrades),
            are_versions_right: known.iter().all(|one| {
                find(&one.library).is_some_and(|found| found["first_bad"] == one.first_failing)
            }),
            is_declared_right: known.iter().all(|one| {
                find(&one.library).and_then(is_direct) == Some(case.is_declared(&one.library))
            }),
            set_runs,
            version_runs,
            fix: describe_fix(&answer),
            seconds: answer.seconds,
            message: message_of(&answer),
        }
    }

    /// Returns the largest number of test runs for the set that the bench accepts.
    fn limit(&self) -> usize {
        let halvings = usize::BITS - self.changed.max(1).saturating_sub(1).leading_zeros();
        self.breakers * (2 * halvings as usize + 6)
    }

    pub(crate) fn describe(&self) -> String {
        format!("{}\n{}", self.row(), self.message)
    }

    fn row(&self) -> String {
        let word = |is_right: bool| if is_right { "right" } else { "wrong" };
        format!(
            "| {} | {} | {} | {} | {} | {}/{} | {} | {} | {:.0} |",
            self.name,
            self.changed,
            word(self.is_set_right),
            word(self.are_versions_right),
            word(self.is_declared_right),
            self.set_runs,
            self.limit(),
            self.version_runs,
            self.fix.as_deref().unwrap_or("–"),
            self.seconds
        )
    }
}

fn message_of(answer: &Answer) -> String {
    let message = answer.result["message"].as_str().unwrap_or_default();
    let notes = &answer.result["not_checked"];
    format!("  {} {}: {message} {notes}\n", answer.code, answer.message)
}

/// Returns true if the culprits found are those known, with the same members.
fn is_set_right(case: &Case, upgrades: &[Value]) -> bool {
    let mut known: Vec<Vec<&str>> = Vec::new();
    for culprit in &case.culprits {
        known.push(culprit.iter().map(|one| one.library.as_str()).collect());
    }
    let mut found: Vec<Vec<&str>> = Vec::new();
    for upgrade in upgrades {
        let number = usize::try_from(upgrade["culprit"].as_u64().unwrap()).unwrap();
        found.resize_with(found.len().max(number), Vec::new);
        found[number - 1].push(upgrade["artifact"].as_str().unwrap());
    }
    known.iter_mut().chain(&mut found).for_each(|culprit| culprit.sort_unstable());
    known.sort();
    found.sort();
    known == found
}

/// Counts the test runs for the set and those for versions. Cached ones and the verification of the patch are excluded.
fn count_runs(answer: &Answer) -> (usize, usize) {
    let what = |trial: &Value| trial["what"].as_str().unwrap_or_default().to_owned();
    let is_search = |trial: &&Value| trial["cached"] == false && !what(trial).starts_with("fix.");
    let fresh = answer.trials.iter().filter(is_search);
    let of_versions = |trial: &&Value| what(trial).contains(':');
    let (versions, sets): (Vec<&Value>, Vec<&Value>) = fresh.partition(of_versions);
    (sets.len(), versions.len())
}

/// Returns the number of libraries, plugins and Java versions that differ between good and bad, from the log of the run.
fn count_changed(dir: &Path) -> usize {
    let log = last_run(dir).and_then(|run| fs::read_to_string(run.join("log.txt")).ok());
    let log = log.unwrap_or_default();
    let numbers = |line: &str| {
        let counts = line.strip_prefix("searching ")?.split(", ");
        let number = |count: &str| count.split_once(" changed ")?.0.parse::<usize>().ok();
        counts.map(number).sum::<Option<usize>>()
    };
    log.lines().find_map(numbers).unwrap_or_default()
}

/// Returns the number of upgrades that the fix keeps, as in `12 of 13`.
fn describe_fix(answer: &Answer) -> Option<String> {
    answer.result["fix"].as_object()?;
    let message = answer.result["message"].as_str().unwrap_or_default();
    let (_, rest) = message.split_once("the fix keeps ")?;
    Some(rest.split(" upgrades").next().unwrap_or_default().to_owned())
}

/// Prints all rows, and how many are right.
pub(crate) fn print_table(rows: &[Measurement]) {
    println!("| case | changed | set | version | declared | runs/limit | for versions | fix | s |");
    println!("|---|--:|---|---|---|--:|--:|---|--:|");
    for row in rows {
        println!("{}", row.row());
    }
    let count = |test: &dyn Fn(&Measurement) -> bool| rows.iter().filter(|row| test(row)).count();
    println!(
        "{} cases: set right {}, version right {}, declared right {}, within the limit {}, fix {}",
        rows.len(),
        count(&|row| row.is_set_right),
        count(&|row| row.are_versions_right),
        count(&|row| row.is_declared_right),
        count(&|row| row.set_runs <= row.limit()),
        count(&|row| row.fix.is_some())
    );
}
