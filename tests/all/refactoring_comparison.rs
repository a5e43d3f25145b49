//! The comparison of `benches/refactorings`.

#![allow(dead_code, reason = "the bench uses the rest")]

#[path = "../../benches/refactorings/comparison.rs"]
mod comparison;
#[path = "../../benches/refactorings/kinds.rs"]
mod kinds;
#[path = "../../benches/refactorings/mined.rs"]
mod mined;
#[path = "../../benches/refactorings/places.rs"]
mod places;

use comparison::{Agreement, CommitFindings, Finding};
use kinds::{Kind, kind_in_git_mend, kind_in_refactoring_miner};
use places::{FileLines, Place};
use std::ops::RangeInclusive;

const MINED: &str = r#"{"commits": [{"sha1": "1", "refactorings": [{
    "type": "Extract Method",
    "description": "Extract Method total()",
    "leftSideLocations": [{"filePath": "Shop.java", "startLine": 3, "endLine": 9}],
    "rightSideLocations": [{"filePath": "Shop.java", "startLine": 5, "endLine": 5},
                           {"filePath": "Shop.java", "startLine": 20, "endLine": 24}]
}]}]}"#;

fn place(old: &[RangeInclusive<usize>], new: &[RangeInclusive<usize>]) -> Place {
    let to_lines = |lines: &RangeInclusive<usize>| FileLines {
        path: "Shop.java".to_owned(),
        lines: lines.clone(),
    };
    Place { old: old.iter().map(to_lines).collect(), new: new.iter().map(to_lines).collect() }
}

fn finding(kind: Option<&'static Kind>, place: Place) -> Finding {
    Finding { kind, description: String::new(), place }
}

fn agreement(git_mend: &[&str], moved_code: Vec<Place>, mined: Place) -> Agreement {
    let own = |name: &&str| finding(kind_in_git_mend(name), place(&[4..=4], &[21..=22]));
    let findings = CommitFindings {
        git_mend: git_mend.iter().map(own).collect(),
        refactoring_miner: vec![finding(kind_in_refactoring_miner("Extract Method"), mined)],
        moved_code,
    };
    findings.compare_refactoring_miner().next().unwrap().1
}

#[test]
fn each_name_belongs_to_one_kind() {
    for (name, kind) in [("hide method", "change visibility"), ("push down field", "move field")] {
        assert_eq!(kind_in_git_mend(name).unwrap().name, kind);
    }
    assert_eq!(kind_in_refactoring_miner("Rename Parameter").unwrap().name, "rename variable");
    assert!(kind_in_refactoring_miner("Change Variable Type").is_none());
}

#[test]
fn places_overlap_in_every_version_that_both_have() {
    let base = place(&[3..=9], &[20..=24]);
    assert!(base.overlaps(&place(&[9..=12], &[24..=24])));
    assert!(base.overlaps(&place(&[], &[1..=2, 20..=20])));
    assert!(!base.overlaps(&place(&[3..=3], &[25..=30])));
    assert!(!base.overlaps(&place(&[], &[])));
}

#[test]
fn refactorings_of_one_kind_and_place_agree() {
    let mined = || place(&[3..=9], &[20..=24]);
    assert_eq!(agreement(&["extract method"], Vec::new(), mined()), Agreement::Both);
    assert_eq!(agreement(&["inline method"], Vec::new(), mined()), Agreement::Alone);
    let elsewhere = place(&[30..=39], &[20..=24]);
    assert_eq!(agreement(&["extract method"], Vec::new(), elsewhere), Agreement::Alone);
}

#[test]
fn extracted_code_that_moves_is_not_a_named_refactoring() {
    let moved = vec![place(&[5..=6], &[22..=23])];
    assert_eq!(agreement(&[], moved, place(&[3..=9], &[20..=24])), Agreement::MovedCode);
}

#[test]
fn json_of_refactoring_miner_has_lines_of_both_versions() {
    let (name, mined) = mined::parse_findings(MINED.as_bytes()).unwrap().remove(0);
    assert_eq!((&*name, mined.kind.unwrap().name), ("Extract Method", "extract method"));
    assert_eq!(mined.place, place(&[3..=9], &[5..=5, 20..=24]));
    assert_eq!(mined.place.describe(), "Shop.java:3-9 > Shop.java:5-5");
}
