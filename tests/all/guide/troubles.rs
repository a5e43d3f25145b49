//! Tests that docs/troubleshooting.md explains every message of [`Problem`], and no other.

use super::page::Page;
use super::printed::matches_page;
use mend_model::{GoodOrBad, MissingRequirements, Problem};
use std::fs;
use std::path::Path;
use std::time::Duration;
use walkdir::WalkDir;

fn placeholder() -> String {
    "word".to_owned()
}

/// Returns one problem of each kind that concerns the baseline, flakiness or the scheduler.
fn baseline_problems() -> Vec<Problem> {
    let (revision, output, limit) = (placeholder(), placeholder(), Duration::from_secs(600));
    vec![
        Problem::GoodDoesNotPass { revision: placeholder(), output: placeholder() },
        Problem::TestsNotCompiled {
            revision: placeholder(),
            output: placeholder(),
            selects_methods: true,
        },
        Problem::GoodTimedOut { revision: placeholder(), limit, output: placeholder() },
        Problem::BadDoesNotFail {
            revision: placeholder(),
            output: placeholder(),
            has_passed: true,
        },
        Problem::SymptomMissing { revision, output },
        Problem::Swapped,
        Problem::MergeBaseFails { merge_base: placeholder() },
        Problem::NoGoodCommit { bad: placeholder(), tried: 9 },
        Problem::FlakyBaseline { side: GoodOrBad::Good, passed: 1, runs: 2 },
        Problem::NoSignificantDifference { good: 1, bad: 1, runs: 9 },
        Problem::RunBudgetExhausted { runs: 9 },
        Problem::NotReproduced { what: placeholder(), output: placeholder(), is_flaky: true },
        Problem::UncontrolledThreads { why: placeholder(), output: placeholder() },
        Problem::IncomparableRuns { why: placeholder() },
        Problem::Interrupted,
    ]
}

fn input_problems() -> Vec<Problem> {
    vec![
        Problem::NotARepository(placeholder().into()),
        Problem::UnknownRevision { spec: placeholder(), near: vec![placeholder()] },
        Problem::UnsupportedRepository { what: placeholder(), remedy: placeholder() },
        Problem::IncompleteClone { kind: "shallow", remedy: placeholder() },
        Problem::UnreadableRepository { reason: placeholder() },
        Problem::DownloadFailed { remote: placeholder(), reason: placeholder() },
        Problem::IdenticalTrees,
        Problem::NoSuchTest { selector: placeholder(), near: vec![placeholder()] },
        Problem::NoJdk { detail: placeholder() },
        Problem::JdkTooOld { what: "what was asked", needed: 9, found: placeholder() },
        Problem::ProgramMissing { program: placeholder(), reason: placeholder() },
        Problem::BuildBroken {
            side: GoodOrBad::Bad,
            revision: placeholder(),
            output: placeholder(),
            missing: MissingRequirements { libraries: vec![placeholder()], java_version: None },
        },
        Problem::NoSandbox { option: "--trust-generator" },
        Problem::NoSources { looked: placeholder() },
        Problem::LibraryMissing { file: placeholder().into(), library: placeholder() },
        Problem::LibraryReplaced { library: placeholder(), used: placeholder() },
        Problem::BuildToolFailed { tool: "Maven", reason: placeholder() },
        Problem::ExecutorFailed { address: placeholder(), reason: placeholder() },
        Problem::CommandBroken { side: GoodOrBad::Bad, code: 127, output: placeholder() },
        Problem::CommandStopped { code: 130, output: placeholder() },
        Problem::DiskFull { path: placeholder().into() },
    ]
}

fn all_problems() -> Vec<Problem> {
    baseline_problems().into_iter().chain(input_problems()).collect()
}

/// Returns the number of kinds with, or without, a fixed message. A new kind must be added here and above.
fn count_kinds(problem: &Problem) -> usize {
    match problem {
        Problem::NotARepository(_)
        | Problem::UnknownRevision { .. }
        | Problem::UnsupportedRepository { .. }
        | Problem::IncompleteClone { .. }
        | Problem::UnreadableRepository { .. }
        | Problem::DownloadFailed { .. }
        | Problem::IdenticalTrees
        | Problem::NoSuchTest { .. }
        | Problem::NoJdk { .. }
        | Problem::JdkTooOld { .. }
        | Problem::ProgramMissing { .. }
        | Problem::NoSandbox { .. }
        | Problem::BuildBroken { .. }
        | Problem::NoSources { .. }
        | Problem::LibraryMissing { .. }
        | Problem::LibraryReplaced { .. }
        | Problem::BuildToolFailed { .. }
        | Problem::ExecutorFailed { .. }
        | Problem::CommandBroken { .. }
        | Problem::CommandStopped { .. }
        | Problem::DiskFull { .. }
        | Problem::GoodDoesNotPass { .. }
        | Problem::TestsNotCompiled { .. }
        | Problem::GoodTimedOut { .. }
        | Problem::BadDoesNotFail { .. }
        | Problem::SymptomMissing { .. }
        | Problem::Swapped
        | Problem::MergeBaseFails { .. }
        | Problem::NoGoodCommit { .. }
        | Problem::FlakyBaseline { .. }
        | Problem::NoSignificantDifference { .. }
        | Problem::RunBudgetExhausted { .. }
        | Problem::NotReproduced { .. }
        | Problem::UncontrolledThreads { .. }
        | Problem::IncomparableRuns { .. }
        | Problem::Interrupted => 36,
        // The message of these kinds is a field.
        Problem::Usage { .. } | Problem::GitHubError { .. } | Problem::Internal(_) => 3,
    }
}

/// Returns the messages that the page explains: its headings in code.
fn documented_messages() -> Vec<String> {
    let headings = Page::read("docs/troubleshooting.md").headings(3);
    let unquoted = |heading: &String| heading.trim_matches('`').trim().to_owned();
    headings.iter().filter(|heading| heading.starts_with('`')).map(unquoted).collect()
}

/// Returns true if one source file contains all parts of a message, in this order.
fn is_in_sources(message: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = ["src", "crates"].into_iter().flat_map(|folder| WalkDir::new(root.join(folder)));
    let files = sources.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
    let has_all = |text: &str| {
        let parts = message.split('…').map(str::trim).filter(|part| !part.is_empty());
        parts.clone().any(|part| part.len() > 8) && {
            let mut rest = text;
            parts.into_iter().all(|part| match rest.find(part) {
                Some(at) => {
                    rest = &rest[at + part.len()..];
                    true
                }
                None => false,
            })
        }
    };
    files.into_iter().any(|path| fs::read_to_string(path).is_ok_and(|text| has_all(&text)))
}

#[test]
fn every_problem_message_is_documented() {
    let explained = documented_messages();
    let problems = all_problems();
    assert_eq!(problems.len(), count_kinds(&Problem::Swapped));
    for problem in problems {
        let is_told = explained.iter().any(|shown| matches_page(shown, &problem.to_string()));
        assert!(is_told, "docs/troubleshooting.md does not explain `{problem}`");
    }
}

#[test]
fn documented_messages_exist() {
    let problems = all_problems();
    let is_problem =
        |shown: &String| problems.iter().any(|problem| matches_page(shown, &problem.to_string()));
    for shown in documented_messages() {
        assert!(is_problem(&shown) || is_in_sources(&shown), "no source has the message `{shown}`");
    }
    assert!(!is_in_sources("the moon is … full today"));
}
