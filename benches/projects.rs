//! Plants a regression in checkouts of real projects, and measures if `git mend bisect` finds it without any option.
//!
//! ```sh
//! cargo bench --bench projects -- DIR…             # chooses a test class of each checkout
//! cargo bench --bench projects -- DIR=TEST=FILE…   # the test class, and the file to break
//! ```
//!
//! A checkout is cloned; its HEAD becomes good. Five commits follow, and the third one changes an operator in a class
//! that a test class is named after.

#![allow(clippy::print_stdout, reason = "a bench prints its result")]
#![allow(clippy::unwrap_used, reason = "a bench stops at the first error")]

#[path = "shared/answer.rs"]
mod answer;
#[path = "shared/repository.rs"]
mod repository;

use answer::{Answer, run_command};
use repository::{clone_shared, commit_all, git, git_text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Exit code of a search whose bad version does not fail.
const NOT_REPRODUCED: i32 = 3;
/// Maximum number of operators that no test notices.
const MAX_MUTANTS: usize = 12;
/// Maximum number of operators that are changed in one file.
const MAX_MUTANTS_PER_FILE: usize = 4;
/// Number of tokens that the minimal culprit of a changed operator has: one is deleted and one inserted.
const CULPRIT_TOKENS: u64 = 2;
/// Operators and their replacements, those that tests notice most often first.
const MUTATIONS: [(&str, &str); 8] = [
    (" == ", " != "),
    (" != ", " == "),
    (" && ", " || "),
    (" || ", " && "),
    (" < ", " >= "),
    (" > ", " <= "),
    (" + 1", " - 1"),
    (" - 1", " + 1"),
];

fn main() {
    println!("| project | test | found | tokens | warm JVM | commits tested | seconds | answer |");
    println!("|---|---|---|---|---|---|---|---|");
    let arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (mut projects, mut found) = (0, 0);
    for argument in arguments {
        let row = try_project(&argument);
        projects += 1;
        found += usize::from(row.is_found);
        println!("{}", row.line);
    }
    println!("\n{found} of {projects} at the first attempt, without any option");
}

struct Row {
    line: String,
    is_found: bool,
}

/// Test class with the file that it tests.
struct TestedFile {
    test: String,
    file: PathBuf,
}

/// Change of one operator.
struct Mutant {
    tested: TestedFile,
    text: String,
}

fn try_project(argument: &str) -> Row {
    let mut parts = argument.split('=');
    let checkout = Path::new(parts.next().unwrap());
    let name = checkout.file_name().unwrap().to_string_lossy().into_owned();
    let clone = tempfile::tempdir().unwrap();
    clone_shared(checkout, clone.path());
    let base = git_text(clone.path(), &["rev-parse", "HEAD"]);
    let candidates = match (parts.next(), parts.next()) {
        (Some(test), Some(file)) => vec![TestedFile { test: test.into(), file: file.into() }],
        _ => tested_files(clone.path()),
    };
    let mutants = candidates.iter().flat_map(|tested| mutants(clone.path(), tested));
    let mut last = None;
    for mutant in mutants.take(MAX_MUTANTS) {
        let culprit = plant(clone.path(), &base, &mutant);
        let test = &mutant.tested.test;
        let answer = run_command(clone.path(), &["bisect", "--good", "HEAD~5", "--test", test]);
        if answer.code == NOT_REPRODUCED && answer.message.contains("does not fail") {
            // No test notices the operator.
            continue;
        }
        last = Some(to_row(&name, test, &answer, &culprit));
        break;
    }
    last.unwrap_or_else(|| Row {
        line: format!("| {name} | – | no | | | | | no test class notices a changed operator |"),
        is_found: false,
    })
}

/// Returns the test classes that are named after a class of the same package, the smallest class first.
fn tested_files(root: &Path) -> Vec<TestedFile> {
    let files = git_text(root, &["ls-files", "*.java"]);
    let by_suffix: BTreeMap<&str, &str> = files
        .lines()
        .filter_map(|file| Some((file.split_once("src/main/java/")?.1, file)))
        .collect();
    let mut all: Vec<(usize, TestedFile)> = Vec::new();
    for file in files.lines() {
        let Some((_, suffix)) = file.split_once("src/test/java/") else { continue };
        let Some(class) = suffix.strip_suffix("Test.java") else { continue };
        let Some(main) = by_suffix.get(&*format!("{class}.java")) else { continue };
        let text = std::fs::read_to_string(root.join(main)).unwrap_or_default();
        let test = format!("{class}Test").replace('/', ".");
        all.push((operator_count(&text), TestedFile { test, file: (*main).into() }));
    }
    // A class with few operators is tested most completely.
    all.retain(|(count, _)| *count >= 3);
    all.sort_by(|(one, a), (other, b)| (one, &a.test).cmp(&(other, &b.test)));
    all.into_iter().map(|(_, tested)| tested).collect()
}

fn operator_count(text: &str) -> usize {
    code_lines(text)
        .map(|(_, line)| MUTATIONS.iter().filter(|(old, _)| line.contains(old)).count())
        .sum()
}

/// Returns the lines that are no comments, with their numbers from 0.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim_start();
        !line.starts_with('*')
            && !line.starts_with("//")
            && !line.starts_with("/*")
            && !line.contains('"')
    })
}

/// Returns the changes of one operator each in a file.
fn mutants(root: &Path, tested: &TestedFile) -> Vec<Mutant> {
    let Ok(text) = std::fs::read_to_string(root.join(&tested.file)) else { return Vec::new() };
    let mut all = Vec::new();
    for (old, new) in MUTATIONS {
        let line = code_lines(&text).find(|(_, line)| line.contains(old));
        let Some((number, line)) = line else { continue };
        let changed = line.replacen(old, new, 1);
        let lines = text.split('\n').enumerate();
        let lines: Vec<&str> =
            lines.map(|(at, line)| if at == number { &changed } else { line }).collect();
        let TestedFile { test, file } = tested;
        let tested = TestedFile { test: test.clone(), file: file.clone() };
        all.push(Mutant { tested, text: lines.join("\n") });
    }
    all.truncate(MAX_MUTANTS_PER_FILE);
    all
}

/// Commits the change on `base` between two innocent commits on each side, and returns its commit.
fn plant(root: &Path, base: &str, mutant: &Mutant) -> String {
    git(root, &["checkout", "-q", "--force", "--detach", base]);
    let mut culprit = String::new();
    for number in 0..5 {
        if number == 2 {
            std::fs::write(root.join(&mutant.tested.file), &mutant.text).unwrap();
        } else {
            std::fs::write(root.join("NOTES-git-mend.txt"), format!("note {number}\n")).unwrap();
        }
        commit_all(root, &format!("commit {number}"));
        if number == 2 {
            culprit = git_text(root, &["rev-parse", "HEAD"]);
        }
    }
    culprit
}

fn to_row(name: &str, test: &str, answer: &Answer, culprit: &str) -> Row {
    let Answer { code, message, result, trials, seconds } = answer;
    let tokens = result["culprit"]["tokens"].as_u64();
    let is_found = *code == 0
        && result["culprit_commit"] == culprit
        && tokens.is_some_and(|tokens| tokens <= CULPRIT_TOKENS);
    let is_warm = |trial: &&Value| trial["rung"].as_str().is_some_and(|rung| rung != "clean-build");
    let line = format!(
        "| {name} | {test} | {} | {} | {} of {} | {} | {seconds:.0} | {message} |",
        if is_found { "yes" } else { "no" },
        tokens.map(|tokens| tokens.to_string()).unwrap_or_default(),
        trials.iter().filter(is_warm).count(),
        trials.len(),
        result["commits_tested"],
    );
    Row { line, is_found }
}
