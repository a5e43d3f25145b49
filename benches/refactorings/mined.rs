//! Reads the refactorings that RefactoringMiner wrote as JSON.

use super::comparison::Finding;
use super::kinds::kind_in_refactoring_miner;
use super::places::{FileLines, Place};
use serde::Deserialize;

#[derive(Deserialize)]
struct Output {
    commits: Vec<Commit>,
}

#[derive(Deserialize)]
struct Commit {
    refactorings: Vec<Refactoring>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Refactoring {
    #[serde(rename = "type")]
    kind: String,
    description: String,
    left_side_locations: Vec<Location>,
    right_side_locations: Vec<Location>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    file_path: String,
    start_line: usize,
    end_line: usize,
}

/// Returns the refactorings of a commit, each with RefactoringMiner's name for its kind.
pub(crate) fn parse_findings(text: &[u8]) -> serde_json::Result<Vec<(String, Finding)>> {
    let output: Output = serde_json::from_slice(text)?;
    let refactorings = output.commits.into_iter().flat_map(|commit| commit.refactorings);
    Ok(refactorings.map(|one| (one.kind.clone(), finding_of(one))).collect())
}

fn finding_of(refactoring: Refactoring) -> Finding {
    let place = Place {
        old: lines_of(refactoring.left_side_locations),
        new: lines_of(refactoring.right_side_locations),
    };
    let kind = kind_in_refactoring_miner(&refactoring.kind);
    Finding { kind, description: refactoring.description, place }
}

fn lines_of(locations: Vec<Location>) -> Vec<FileLines> {
    let to_lines =
        |one: Location| FileLines { path: one.file_path, lines: one.start_line..=one.end_line };
    locations.into_iter().map(to_lines).collect()
}
