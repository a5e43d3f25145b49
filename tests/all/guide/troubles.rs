//! Tests that docs/troubleshooting.md explains every message of [`Problem`], and no other.

use super::page::Page;
use super::printed::is_as_shown;
use mend_model::{GoodOrBad, Problem};
use std::fs;
use std::path::Path;
use std::time::Duration;
use walkdir::WalkDir;

fn word() -> String {
    "word".to_owned()
}

/// Returns one of each kind that concerns the baseline, flakiness or the scheduler.
fn premises() -> Vec<Problem> {
    let (revision, output, limit) = (word(), word(), Duration::from_secs(600));
    vec![
        Problem::GoodDoesNotPass { revision: word(), output: word() },
        Problem::GoodTimedOut { revision: word(), limit, output: word() },
        Problem::BadDoesNotFail { revision, output },
        Problem::Swapped,
        Problem::MergeBaseFails { merge_base: word() },
        Problem::NoGoodCommit { bad: word(), tried: 9 },
        Problem::FlakyBaseline { side: GoodOrBad::Good, passed: 1, runs: 2 },
        Problem::NoSignificantDifference { good: 1, bad: 1, runs: 9 },
        Problem::RunBudgetExhausted { runs: 9 },
        Problem::NotReproduced { what: word(), output: word() },
        Problem::UncontrolledThreads { why: word(), output: word() },
        Problem::IncomparableRuns { why: word() },
        Problem::Interrupted,
    ]
}

fn inputs() -> Vec<Problem> {
    vec![
        Problem::NotARepository(word().into()),
        Problem::UnknownRevision { spec: word(), near: vec![word()] },
        Problem::UnsupportedRepository { what: word(), remedy: word() },
        Problem::IncompleteClone { kind: "shallow", remedy: word() },
        Problem::IdenticalTrees,
        Problem::NoSuchTest { selector: word(), near: vec![word()] },
        Problem::NoJdk { detail: word() },
        Problem::JdkTooOld { what: "what was asked", needed: 9, found: word() },
        Problem::ProgramMissing { program: word(), reason: word() },
        Problem::BuildBroken {
            side: GoodOrBad::Bad,
            revision: word(),
            output: word(),
            missing: vec![word()],
        },
        Problem::NoSources { looked: word() },
        Problem::LibraryMissing { file: word().into(), library: word() },
        Problem::CommandBroken { side: GoodOrBad::Bad, code: 127, output: word() },
        Problem::CommandStopped { code: 130, output: word() },
        Problem::DiskFull { path: word().into() },
    ]
}

fn problems() -> Vec<Problem> {
    premises().into_iter().chain(inputs()).collect()
}

/// Returns the number of kinds with, or without, a fixed message. A new kind must be added here and above.
fn kinds_like(problem: &Problem) -> usize {
    match problem {
        Problem::NotARepository(_)
        | Problem::UnknownRevision { .. }
        | Problem::UnsupportedRepository { .. }
        | Problem::IncompleteClone { .. }
        | Problem::IdenticalTrees
        | Problem::NoSuchTest { .. }
        | Problem::NoJdk { .. }
        | Problem::JdkTooOld { .. }
        | Problem::ProgramMissing { .. }
        | Problem::BuildBroken { .. }
        | Problem::NoSources { .. }
        | Problem::LibraryMissing { .. }
        | Problem::CommandBroken { .. }
        | Problem::CommandStopped { .. }
        | Problem::DiskFull { .. }
        | Problem::GoodDoesNotPass { .. }
        | Problem::GoodTimedOut { .. }
        | Problem::BadDoesNotFail { .. }
        | Problem::Swapped
        | Problem::MergeBaseFails { .. }
        | Problem::NoGoodCommit { .. }
        | Problem::FlakyBaseline { .. }
        | Problem::NoSignificantDifference { .. }
        | Problem::RunBudgetExhausted { .. }
        | Problem::NotReproduced { .. }
        | Problem::UncontrolledThreads { .. }
        | Problem::IncomparableRuns { .. }
        | Problem::Interrupted => 28,
        // Their message is a field.
        Problem::Usage { .. } | Problem::GitHubError { .. } | Problem::Internal(_) => 3,
    }
}

/// Returns the messages that the page explains: its headings in code.
fn explained() -> Vec<String> {
    let headings = Page::read("docs/troubleshooting.md").headings(3);
    let unquoted = |heading: &String| heading.trim_matches('`').trim().to_owned();
    headings.iter().filter(|heading| heading.starts_with('`')).map(unquoted).collect()
}

/// Returns true if one source file contains all parts of a message, in this order.
fn is_in_the_sources(message: &str) -> bool {
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
fn every_problem_is_explained_in_its_own_words() {
    let explained = explained();
    let problems = problems();
    assert_eq!(problems.len(), kinds_like(&Problem::Swapped));
    for problem in problems {
        let is_told = explained.iter().any(|shown| is_as_shown(shown, &problem.to_string()));
        assert!(is_told, "docs/troubleshooting.md does not explain `{problem}`");
    }
}

#[test]
fn no_message_is_explained_that_the_program_does_not_say() {
    let problems = problems();
    let is_problem =
        |shown: &String| problems.iter().any(|problem| is_as_shown(shown, &problem.to_string()));
    for shown in explained() {
        assert!(
            is_problem(&shown) || is_in_the_sources(&shown),
            "no source has the message `{shown}`"
        );
    }
    assert!(!is_in_the_sources("the moon is … full today"));
}
