//! Members and types that move to another file.

use super::*;

const METHOD: &str = "int sum(int a, int b) { return a + b * 2; }";

fn changes(files: &[(&str, Option<&str>, Option<&str>)]) -> Vec<FileChange> {
    let side = |path: &str, text: Option<&str>| {
        text.map(|text| (RepoPath::from(path), FileState::regular(text.as_bytes())))
    };
    files
        .iter()
        .map(|(path, old, new)| FileChange { old: side(path, *old), new: side(path, *new) })
        .collect()
}

pub(super) fn delta_of_files(files: &[(&str, Option<&str>, Option<&str>)]) -> Delta {
    Delta::between(TreeId(String::new()), &changes(files), JavaGranularity::Ast)
}

pub(super) fn rendered_texts(
    delta: &Delta,
    is_enabled: &dyn Fn(HunkId) -> bool,
) -> Vec<(String, Option<String>)> {
    let text = |state: FileState| String::from_utf8_lossy(&state.content).into_owned();
    let changes = delta.render(is_enabled).changes.into_iter();
    changes.map(|(path, state)| (path.to_string(), state.map(text))).collect()
}

fn move_hunks(delta: &Delta) -> Vec<HunkId> {
    let all = 0..delta.hunks().len();
    all.filter(|hunk| delta.hunks()[*hunk].kind == HunkKind::Move).collect()
}

#[test]
fn method_moved_between_files_is_one_hunk() {
    let [with_a, with_b] = ["A", "B"].map(|name| format!("class {name} {{ int x; {METHOD} }}"));
    let delta = delta_of_files(&[
        ("A.java", Some(&with_a), Some("class A { int x; }")),
        ("B.java", Some("class B { int x; }"), Some(&with_b)),
    ]);
    let [hunk] = delta.hunks() else { panic!("{:?}", delta.hunks()) };
    assert_eq!((hunk.kind, hunk.tokens), (HunkKind::Move, 36));
    assert_eq!(
        (hunk.old_path.clone(), hunk.path.clone()),
        (Some("A.java".into()), "B.java".into())
    );
    let there = |range: &Option<std::ops::Range<usize>>, text: &str| {
        text[range.clone().unwrap()].to_owned()
    };
    assert_eq!(there(&hunk.old, &with_a), METHOD);
    assert_eq!(there(&hunk.new, &with_b), METHOD);
    assert_eq!(
        rendered_texts(&delta, &|_| true),
        [
            ("A.java".to_owned(), Some("class A { int x; }".to_owned())),
            ("B.java".to_owned(), Some(with_b))
        ]
    );
}

#[test]
fn types_swapping_files_are_two_moves() {
    let [one, two] = ["One", "Two"].map(|name| format!("class {name} {{ {METHOD} }}\n"));
    let delta =
        delta_of_files(&[("A.java", Some(&one), Some(&two)), ("B.java", Some(&two), Some(&one))]);
    assert_eq!(move_hunks(&delta), [0, 1]);
    assert_eq!(delta.hunks().len(), 2);
    let moved = rendered_texts(&delta, &|hunk| delta.hunks()[hunk].path == "B.java".into());
    assert_eq!(moved[0], ("A.java".to_owned(), Some("\n".to_owned())));
    let both = moved[1].1.as_deref().unwrap();
    assert!(both.contains(one.trim()) && both.contains(two.trim()), "{both}");
}

#[test]
fn type_moved_into_added_file_needs_file() {
    let inner = format!("class Inner {{ {METHOD} }}");
    let old = format!("package a; class A {{ int x; }} {inner}");
    let new = format!("package a; {inner}");
    let delta = delta_of_files(&[
        ("a/A.java", Some(&old), Some("package a; class A { int x; }")),
        ("a/Inner.java", None, Some(&new)),
    ]);
    let [moved] = move_hunks(&delta)[..] else { panic!("{:?}", delta.hunks()) };
    let file = delta.hunks().iter().position(|hunk| hunk.kind == HunkKind::File).unwrap();
    let needs = HunkDependency { from: moved, to: vec![file], rule: DependencyRule::Inside };
    assert!(delta.dependencies().contains(&needs), "{:?}", delta.dependencies());
}

#[test]
fn code_in_several_files_is_not_moved() {
    let class = |name: &str| format!("class {name} {{ {METHOD} }}");
    let delta = delta_of_files(&[
        ("A.java", Some(&class("A")), Some("class A { }")),
        ("B.java", Some("class B { }"), Some(&class("B"))),
        ("C.java", Some("class C { }"), Some(&class("C"))),
    ]);
    assert!(move_hunks(&delta).is_empty());
}

#[test]
fn members_of_removed_class_move_separately() {
    let old = format!("class A {{ int x; {METHOD} }}");
    let new = format!("class B {{ int y; {METHOD} }}");
    let delta = delta_of_files(&[
        ("A.java", Some(&old), None),
        ("B.java", Some("class B { int y; }"), Some(&new)),
    ]);
    let [moved] = move_hunks(&delta)[..] else { panic!("{:?}", delta.hunks()) };
    assert_eq!(
        rendered_texts(&delta, &|hunk| hunk == moved),
        [
            ("A.java".to_owned(), Some("class A { int x; }".to_owned())),
            ("B.java".to_owned(), Some(new.clone()))
        ]
    );
}

const EDITED_METHOD: &str = "int sum(int a, int b) { log(a); return a - b * 2; }";

/// Computes the delta of a method that moves to another class with edits.
fn edited_move_delta() -> (Delta, [String; 2]) {
    let old = format!("class A {{ int x; {METHOD} }}");
    let new = format!("class B {{ int x; {EDITED_METHOD} }}");
    let delta = delta_of_files(&[
        ("A.java", Some(&old), Some("class A { int x; }")),
        ("B.java", Some("class B { int x; }"), Some(&new)),
    ]);
    (delta, [old, new])
}

fn hunk_of_kind(delta: &Delta, kind: HunkKind) -> HunkId {
    delta.hunks().iter().position(|hunk| hunk.kind == kind).unwrap()
}

#[test]
fn edit_during_cross_file_move_is_separate_hunk() {
    let (delta, [old, _]) = edited_move_delta();
    let [moved, relabel, insert] = [HunkKind::Move, HunkKind::Relabel, HunkKind::Insert]
        .map(|kind| hunk_of_kind(&delta, kind));
    assert_eq!(delta.hunks()[moved].tokens, 2 * 18 - 2);
    assert_eq!(
        rendered_texts(&delta, &|hunk| hunk == relabel),
        [("A.java".to_owned(), Some(old.replace('+', "-")))]
    );
    let moved_only = format!("class B {{ int x; {METHOD} }}");
    assert_eq!(
        rendered_texts(&delta, &|hunk| hunk == moved),
        [
            ("A.java".to_owned(), Some("class A { int x; }".to_owned())),
            ("B.java".to_owned(), Some(moved_only))
        ]
    );
    // Only the new file declares the name.
    let needs = HunkDependency { from: insert, to: vec![moved], rule: DependencyRule::Definition };
    assert!(delta.dependencies().contains(&needs), "{:?}", delta.dependencies());
    assert!(
        delta.dependencies().iter().all(|one| one.from != relabel && !one.to.contains(&relabel))
    );
}

#[test]
fn method_header_changes_with_move() {
    let old = format!("class A {{ int x; {METHOD} }}");
    let new = format!("class B {{ int x; static {} }}", METHOD.replace("int b", "final int b"));
    let delta = delta_of_files(&[
        ("A.java", Some(&old), Some("class A { int x; }")),
        ("B.java", Some("class B { int x; }"), Some(&new)),
    ]);
    assert_eq!(delta.components().len(), 1, "{:?}", delta.hunks());
}

#[test]
fn edits_of_moved_type_are_separate() {
    let old = format!("package a; class A {{ int x; class Inner {{ int y = 1; {METHOD} }} }}");
    let new = format!("package a; class Inner {{ int y = 2; {EDITED_METHOD} }}");
    let delta = delta_of_files(&[
        ("a/A.java", Some(&old), Some("package a; class A { int x; }")),
        ("a/Inner.java", None, Some(&new)),
    ]);
    let relabels = |hunk: HunkId| delta.hunks()[hunk].kind == HunkKind::Relabel;
    let expected = old.replace('+', "-").replace("= 1", "= 2");
    assert_eq!(rendered_texts(&delta, &relabels), [("a/A.java".to_owned(), Some(expected))]);
}

#[test]
fn error_in_moved_code_maps_to_both_files() {
    let (delta, [old, new]) = edited_move_delta();
    let file = &delta.files[1];
    let positions = |on: &dyn Fn(HunkId) -> bool, text: &str| {
        let byte = text.find("a -").or(text.find("a +")).unwrap();
        let positions = file.original_positions(on, &"B.java".into(), byte).unwrap();
        let describe_position =
            |position: file_delta::OriginalPosition| (position.path.to_string(), position.byte);
        positions.into_iter().map(describe_position).collect::<Vec<_>>()
    };
    let expected = [("A.java", old.find("a +")), ("B.java", new.find("a -"))]
        .map(|(path, byte)| (path.to_owned(), byte.unwrap()));
    assert_eq!(positions(&|_| true, &new), expected);
    let moved = hunk_of_kind(&delta, HunkKind::Move);
    assert_eq!(positions(&|hunk| hunk == moved, &new.replace(EDITED_METHOD, METHOD)), expected);
}
