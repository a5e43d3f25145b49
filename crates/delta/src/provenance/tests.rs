//! Provenance of hunks in generated histories.

use super::*;
use crate::Hunk;
use mend_model::{FileState, RepoPath, TreeId};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The files of a version.
type Version = BTreeMap<&'static str, String>;

fn version_with_files<const N: usize>(files: [(&'static str, &str); N]) -> Version {
    files.map(|(path, text)| (path, text.to_owned())).into()
}

/// Returns the difference of two versions, by path alone.
fn file_changes(old: &Version, new: &Version) -> Vec<FileChange> {
    let paths: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    let side = |version: &Version, path: &str| {
        let text = version.get(path)?;
        Some((RepoPath::from(path), FileState::regular(text.as_bytes())))
    };
    let differ = paths.into_iter().filter(|path| old.get(*path) != new.get(*path));
    differ.map(|path| FileChange { old: side(old, path), new: side(new, path) }).collect()
}

/// Returns the steps to `versions` after the first, each from its named parents.
fn steps(versions: &[Version], parents: &[&[usize]]) -> Vec<IntermediateVersion> {
    let step = |(number, parents): (usize, &&[usize])| {
        let parent = |parent: &usize| ParentVersion {
            ancestor: match parent.checked_sub(1) {
                Some(step) => Ancestor::Intermediate(step),
                None => Ancestor::Outside(Vec::new()),
            },
            changes: file_changes(&versions[*parent], &versions[number + 1]),
        };
        IntermediateVersion { parents: parents.iter().map(parent).collect() }
    };
    parents.iter().enumerate().map(step).collect()
}

/// Returns the text that each hunk between the first and last version inserts or deletes, and the versions to which it
/// is attributed.
fn attribute_hunks(versions: &[Version], parents: &[&[usize]]) -> Vec<(String, Vec<usize>)> {
    let (first, last) = (&versions[0], &versions[versions.len() - 1]);
    let delta =
        Delta::between(TreeId(String::new()), &file_changes(first, last), JavaGranularity::Ast);
    let brought = delta.introducing_steps(&steps(versions, parents), JavaGranularity::Ast);
    let text = |hunk: &Hunk| {
        let path = hunk.path.to_string();
        let new = hunk.new.clone().map(|range| &last[&*path][range]);
        let from = hunk.old_path.as_ref().unwrap_or(&hunk.path).to_string();
        let old = hunk.old.clone().map(|range| &first[&*from][range]);
        match (old, new) {
            (Some(old), Some(new)) if old != new => format!("{old} → {new}"),
            (old, new) => new.or(old).unwrap_or(&path).to_owned(),
        }
    };
    let steps = |steps: &BTreeSet<usize>| steps.iter().map(|step| step + 1).collect();
    let all = delta.hunks().iter().zip(&brought).filter(|(hunk, _)| !hunk.is_layout);
    all.map(|(hunk, by)| (text(hunk), steps(by))).collect()
}

fn attribute_linear_history(versions: &[Version]) -> Vec<(String, Vec<usize>)> {
    let parents: Vec<[usize; 1]> = (0..versions.len() - 1).map(|version| [version]).collect();
    attribute_hunks(versions, &parents.iter().map(|one| &one[..]).collect::<Vec<_>>())
}

fn expected_attribution<const N: usize>(
    wanted: [(&str, &[usize]); N],
) -> Vec<(String, Vec<usize>)> {
    wanted.map(|(text, by)| (text.to_owned(), by.to_vec())).to_vec()
}

fn java_version(body: &str) -> Version {
    version_with_files([("A.java", &format!("class A {{ {body} }}"))])
}

#[test]
fn hunk_is_attributed_even_to_unparsable_version() {
    let versions = [
        java_version("void a() { x(); } void b() { y(); }"),
        java_version("void a() { x(); } void c() { z(); } void b() { y(); }"),
        java_version("void a() { x(); } void c() { z( } void b() { w(); }"),
        java_version("void a() { } void c() { z(); } void b() { w(); }"),
    ];
    let attributed: BTreeMap<_, _> = attribute_linear_history(&versions).into_iter().collect();
    assert_eq!(attributed["x();"], [3]);
    assert_eq!(attributed["y → w"], [2]);
    assert_eq!(attributed["void c() { z(); }"], [1]);
}

#[test]
fn hunk_is_attributed_to_all_its_versions() {
    let versions = [
        java_version("int a = 1;"),
        java_version("int a = 1 + x;"),
        java_version("int a = 1 + x + y;"),
    ];
    let attributed = attribute_linear_history(&versions);
    let all: BTreeSet<usize> = attributed.iter().flat_map(|(_, by)| by.clone()).collect();
    assert_eq!(all, BTreeSet::from([1, 2]), "{attributed:?}");
}

#[test]
fn reapplied_change_is_attributed_to_all_its_versions() {
    let versions = [1, 2, 1, 2].map(|value| java_version(&format!("int a = {value};")));
    assert_eq!(attribute_linear_history(&versions), expected_attribution([("1 → 2", &[1, 3])]));
}

#[test]
fn text_lines_are_attributed_separately() {
    let versions = ["a b\nc\n", "a B\nc\n", "a B\nc\nd\n", "A B\nc\nd\n"]
        .map(|text| version_with_files([("x.txt", text)]));
    assert_eq!(
        attribute_linear_history(&versions),
        expected_attribution([("a b\n → A B\n", &[1, 3]), ("d\n", &[2])])
    );
}

#[test]
fn added_and_removed_files_are_attributed() {
    let versions = [
        version_with_files([("gone.txt", "1\n")]),
        version_with_files([("gone.txt", "1\n"), ("come.txt", "1\n")]),
        version_with_files([("come.txt", "1\n")]),
        version_with_files([("come.txt", "1\n2\n")]),
    ];
    assert_eq!(
        attribute_linear_history(&versions),
        expected_attribution([("come.txt", &[1, 3]), ("gone.txt", &[2])])
    );
}

#[test]
fn code_moved_between_files_keeps_its_author() {
    let method = "int sum(int a, int b) { int c = a + b; log(c); return c; }";
    let (one, other) = (format!("class A {{ {method} }}"), format!("class B {{ {method} }}"));
    let (no_a, no_b) = ("class A { }", "class B { }");
    let versions = [
        version_with_files([("A.java", no_a), ("B.java", no_b)]),
        version_with_files([("A.java", &one), ("B.java", no_b)]),
        version_with_files([("A.java", no_a), ("B.java", &other)]),
    ];
    let attributed = attribute_linear_history(&versions);
    assert!(attributed.iter().all(|(_, by)| *by == [1]), "{attributed:?}");
}

#[test]
fn moved_method_is_attributed_to_mover() {
    let (long, short) = ("int a(int x, int y) { return x * y + x; }", "void b() { }");
    let versions = [
        java_version(&format!("{long} {short} int n;")),
        java_version(&format!("{long} {short} int m;")),
        java_version(&format!("{short} int m; {long}")),
        java_version(&format!("{short} int k; {long}")),
    ];
    assert_eq!(
        attribute_linear_history(&versions),
        expected_attribution([(short, &[2]), ("int k;", &[3]), ("int n;", &[1])])
    );
}

#[test]
fn edit_during_cross_file_move_is_attributed() {
    let method = "int sum(int a, int b) { return a + b * 2; }";
    let (other, last) = (method.replace('+', "-"), method.replace('+', "-").replace('2', "3"));
    let classes = |a: &str, b: &str| {
        let text = |name: &str, body: &str| format!("class {name} {{ int x; {body} }}");
        version_with_files([("A.java", &text("A", a)), ("B.java", &text("B", b))])
    };
    let versions =
        [classes(method, ""), classes(&other, ""), classes("", &other), classes("", &last)];
    let attributed: BTreeMap<_, _> = attribute_linear_history(&versions).into_iter().collect();
    assert_eq!((&attributed["+ → -"], &attributed["2 → 3"]), (&vec![1], &vec![3]));
}

#[test]
fn untraceable_hunk_is_attributed_to_file_changers() {
    // For swapped statements, it is arbitrary which of them has moved.
    let versions = [
        java_version("void a() { first(1); second(2, 3); }"),
        java_version("int n; void a() { first(1); second(2, 3); }"),
        java_version("int n; void a() { second(2, 3); first(1); }"),
    ];
    let attributed = attribute_linear_history(&versions);
    let swap = attributed.iter().find(|(text, _)| text.contains("first(1)"));
    assert_eq!(swap.unwrap().1, [1, 2], "{attributed:?}");
}

#[test]
fn merge_introduces_only_code_missing_in_parents() {
    let lines = |lines: [&str; 5]| version_with_files([("x.txt", &(lines.join("\n") + "\n"))]);
    let versions = [
        lines(["a", "b", "c", "d", "e"]),
        lines(["A", "b", "c", "d", "e"]),
        lines(["a", "b", "c", "d", "E"]),
        lines(["A", "b", "C", "d", "E"]),
    ];
    let attributed = attribute_hunks(&versions, &[&[0], &[0], &[1, 2]]);
    assert_eq!(
        attributed,
        expected_attribution([("a\n → A\n", &[1]), ("c\n → C\n", &[3]), ("e\n → E\n", &[2])])
    );
}

#[test]
fn code_merged_from_outside_is_unattributed() {
    let text = |text: &str| version_with_files([("x.txt", text)]);
    // The good version has a line that the branch never had, and the branch has one that the good version removed.
    let (good, fork) = (text("good\nb\nc\n"), text("fork\nb\nc\n"));
    let (branch, merge) = (text("fork\nb\nC\n"), text("good\nb\nC\n"));
    let outside = Ancestor::Outside(file_changes(&good, &fork));
    let step = |ancestor, from, to| ParentVersion { ancestor, changes: file_changes(from, to) };
    let steps = [
        IntermediateVersion { parents: vec![step(outside, &fork, &branch)] },
        IntermediateVersion {
            parents: vec![
                step(Ancestor::Intermediate(0), &branch, &merge),
                step(Ancestor::Outside(Vec::new()), &good, &merge),
            ],
        },
    ];
    let delta =
        Delta::between(TreeId(String::new()), &file_changes(&good, &merge), JavaGranularity::Ast);
    assert_eq!(delta.introducing_steps(&steps, JavaGranularity::Ast), [BTreeSet::from([0])]);
}

#[test]
fn no_versions_attribute_nothing() {
    let (old, new) = (java_version("int a;"), java_version("int b;"));
    let delta =
        Delta::between(TreeId(String::new()), &file_changes(&old, &new), JavaGranularity::Ast);
    assert!(delta.introducing_steps(&[], JavaGranularity::Ast).iter().all(BTreeSet::is_empty));
}

/// Generates edits of the methods, with their times: another value, another name, one more statement, or removal.
fn edits() -> impl Strategy<Value = Vec<(usize, u8)>> {
    prop::collection::vec((1_usize..6, 0_u8..4), 1..6)
}

/// Generates the methods of a class after the first `version` versions, and the author of each change.
fn methods(edits: &[(usize, u8)], version: usize) -> String {
    let method = |(at, (when, what)): (usize, &(usize, u8))| match what {
        _ if version < *when => format!("int m{at}() {{ return {at}00; }}"),
        0 => format!("int m{at}() {{ return {at}99; }}"),
        1 => format!("int n{at}() {{ return {at}00; }}"),
        2 => format!("int m{at}() {{ s{at}(); return {at}00; }}"),
        _ => String::new(),
    };
    edits.iter().enumerate().map(method).collect::<Vec<_>>().join(" ")
}

proptest! {
    #[test]
    fn every_hunk_of_a_history_without_overlaps_is_by_its_own_version(edits in edits(), lines: bool) {
        let versions: Vec<Version> = (0..6)
            .map(|number| {
                let text = format!("class A {{ {} }}", methods(&edits, number));
                let text = if lines { text.replace("} ", "}\n") } else { text };
                version_with_files([(if lines { "a.txt" } else { "A.java" }, &text)])
            })
            .collect();
        for (text, by) in attribute_linear_history(&versions) {
            let is_named = |at: usize| {
                ["m", "n", "s"].iter().any(|name| text.contains(&format!("{name}{at}(")))
            };
            let is_touched = |at: usize| is_named(at) || text.contains(&format!("{at}99"));
            let all = edits.iter().enumerate();
            let owners: BTreeSet<usize> =
                all.filter(|(at, _)| is_touched(*at)).map(|(_, (when, _))| *when).collect();
            if owners.len() == 1 {
                prop_assert_eq!(by, owners.into_iter().collect::<Vec<_>>(), "{}", text);
            }
        }
    }
}
