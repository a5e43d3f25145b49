//! Measures `git mend explore` and `git mend fix` on concurrency bugs that maintainers of libraries fixed.
//!
//! ```sh
//! cargo bench --bench bug_reports -- CHECKOUTS [--only TEXT] [--schedules N]
//! ```
//!
//! Each line of `list.txt` names a repository, the commit of the fix, and a test of `tests` with its folder. CHECKOUTS
//! contains a clone of each repository. The subject is the commit's parent with the test. For each subject the bench
//! prints schedules run and failed, the explanation, and the first fix. A reader compares these with the
//! maintainer's fix.

#![allow(clippy::print_stdout, reason = "a bench prints its result")]
#![allow(clippy::unwrap_used, reason = "a bench stops at the first error")]

#[path = "../shared/answer.rs"]
mod answer;
#[path = "../shared/repository.rs"]
mod repository;

use answer::{Answer, last_run, run_command};
use repository::{clone_shared, commit_all, git, git_text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "benches/bug_reports";

struct Arguments {
    checkouts: PathBuf,
    only: Option<String>,
    schedules: String,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        let checkouts = words.next()?.into();
        let mut arguments = Self { checkouts, only: None, schedules: "200".to_owned() };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--only" => arguments.only = words.next(),
                "--schedules" => arguments.schedules = words.next()?,
                _ => return None,
            }
        }
        Some(arguments)
    }
}

/// Bug with a test that exposes it.
struct BugReport<'a> {
    /// Owner and name of the repository.
    repository: &'a str,
    /// Commit of the maintainer's fix.
    commit: &'a str,
    /// Folder of the test in the repository.
    folder: &'a str,
    test_class: &'a str,
}

impl<'a> BugReport<'a> {
    fn parse(line: &'a str) -> Self {
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap();
        Self { repository: next(), commit: next(), folder: next(), test_class: next() }
    }

    /// Returns the name of the clone.
    fn project(&self) -> &str {
        self.repository.rsplit('/').next().unwrap()
    }

    /// Returns the qualified name of the test class.
    fn test(&self) -> String {
        let (_, package) = self.folder.split_once("src/test/java/").unwrap();
        format!("{}.{}", package.replace('/', "."), self.test_class)
    }

    /// Checks out the parent of the fix with the test.
    fn prepare(&self, checkouts: &Path, root: &Path) {
        clone_shared(&checkouts.join(self.project()), root);
        git(root, &["checkout", "-q", "--detach", &format!("{}^", self.commit)]);
        let (folder, file) = (root.join(self.folder), format!("{}.java", self.test_class));
        fs::create_dir_all(&folder).unwrap();
        let test = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join("tests").join(&file);
        fs::copy(test, folder.join(file)).unwrap();
        commit_all(root, "Test of the report");
    }
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!("cargo bench --bench bug_reports -- CHECKOUTS [--only TEXT] [--schedules N]");
        return;
    };
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join("list.txt");
    let list = fs::read_to_string(list).unwrap();
    let reports = list.lines().filter(|line| !line.starts_with('#')).map(BugReport::parse);
    let is_selected = |report: &BugReport<'_>| {
        arguments.only.as_ref().is_none_or(|text| report.test().contains(text))
    };
    for report in reports.filter(is_selected) {
        measure(&report, &arguments);
    }
}

/// Explores and repairs a subject, and prints the result.
fn measure(report: &BugReport<'_>, arguments: &Arguments) {
    let clone = tempfile::tempdir().unwrap();
    let root = clone.path();
    report.prepare(&arguments.checkouts, root);
    let test = report.test();
    let subject = git_text(root, &["log", "-1", "--format=%h %s", report.commit]);
    println!("## {} {test}\n\nmaintainer: {subject}", report.project());
    print_exploration(&run_command(
        root,
        &["explore", "--test", &test, "--schedules", &arguments.schedules],
    ));
    let fix = ["fix", "--technique", "concurrency", "--top", "1", "--test", &test];
    print_fix(&run_command(root, &fix), root);
}

fn print_exploration(answer: &Answer) {
    let schedules = &answer.result["schedules"];
    let first = schedules["failures"][0]["first"].as_u64();
    println!(
        "explore: {} of {} schedules fail, the first is number {}, {} data races, {:.0} s, exit code {}, {}",
        schedules["failing"],
        schedules["run"],
        first.map_or("–".to_owned(), |first| first.to_string()),
        schedules["races"].as_array().map_or(0, Vec::len),
        answer.seconds,
        answer.code,
        answer.message,
    );
    println!("why: {}\n", schedules["patterns"][0]["why"].as_str().unwrap_or("–"));
}

fn print_fix(answer: &Answer, root: &Path) {
    let fixes = answer.result["fixes"].as_array();
    let Answer { seconds, code, message, trials, .. } = answer;
    println!("fix: {} trials, {seconds:.0} s, exit code {code}, {message}", trials.len());
    let Some(fix) = fixes.and_then(|fixes| fixes.first()) else {
        println!("no fix\n");
        return;
    };
    println!("{}: {}", text(&fix["operator"]), text(&fix["why"]));
    let patch = last_run(root).unwrap().join(text(&fix["patch"]));
    println!("```diff\n{}```\n", fs::read_to_string(patch).unwrap());
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("–")
}
