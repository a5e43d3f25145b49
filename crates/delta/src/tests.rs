//! Deltas of small changes of one file.

pub(crate) mod cross_file_moves;
mod files;
mod hidden_edits;

use super::*;
use mend_java::ParsedSource;
use mend_model::{FileChange, FileMode, FileState, RepoPath, TreeId};

fn delta_of_file(old: &[u8], new: &[u8]) -> Delta {
    let side = |text: &[u8]| Some((RepoPath::from("a/A.java"), FileState::regular(text)));
    Delta::between(
        TreeId(String::new()),
        &[FileChange { old: side(old), new: side(new) }],
        JavaGranularity::Ast,
    )
}

fn component_texts(old: &str, new: &str) -> Vec<String> {
    let delta = delta_of_file(old.as_bytes(), new.as_bytes());
    (0..delta.components().len())
        .map(|at| {
            let on = |component| component == at;
            let edit = delta.render_components(&on, false);
            let state = edit.changes.values().next().cloned().flatten();
            state.map_or(old.to_owned(), |state| {
                String::from_utf8_lossy(&state.content).into_owned()
            })
        })
        .collect()
}

#[test]
fn statements_are_separate_components() {
    let old = "class A { void m() { a(); b(); } }";
    let new = "class A { void m() { a(1); b(2); } }";
    assert_eq!(
        component_texts(old, new),
        ["class A { void m() { a(1); b(); } }", "class A { void m() { a(); b(2); } }"]
    );
}

#[test]
fn unnamed_annotation_value_excludes_named_ones() {
    let old = "@A(x = 1, y = 2) class A { @B(1) int z; }";
    let new = "@A(3) class A { @B(v = 1) int z; }";
    let texts = component_texts(old, new);
    let expected =
        ["@A(3) class A { @B(1) int z; }", "@A(x = 1, y = 2) class A { @B(v = 1) int z; }"];
    assert_eq!(texts, expected);
}

#[test]
fn renamed_field_with_uses_is_one_component() {
    let old = "class A { int x; int m() { return x + this.x; } }";
    let new = "class A { int y; int m() { return y + this.y; } }";
    assert_eq!(component_texts(old, new), [new]);
}

#[test]
fn edits_in_moved_method_are_separate_from_move() {
    let old = "class A { void a() { x(1); } void b() { y(); y(); y(); } }";
    let new = "class A { void b() { y(); y(); y(); } void a() { x(2); } }";
    let texts = component_texts(old, new);
    assert!(
        texts.contains(&"class A { void a() { x(2); } void b() { y(); y(); y(); } }".to_owned()),
        "{texts:?}"
    );
    assert!(
        texts.contains(&"class A { void b() { y(); y(); y(); } void a() { x(1); } }".to_owned()),
        "{texts:?}"
    );
}

#[test]
fn use_of_inserted_variable_needs_declaration() {
    let delta = delta_of_file(
        b"class A { void m() { f(1); } }",
        b"class A { void m() { int k = 2; f(k); } }",
    );
    let rules: Vec<_> = delta.dependencies().iter().map(|coupling| coupling.rule).collect();
    assert_eq!(rules, [DependencyRule::Definition]);
    assert_eq!(delta.components().len(), 2);
}

#[test]
fn reformatted_file_has_no_components() {
    let delta = delta_of_file(b"class A { int x; } // a\n", b"class A {\n  int x;\n}\n");
    assert!(delta.components().is_empty());
    assert_eq!(delta.tokens(), 0);
}

#[test]
fn arguments_include_their_commas() {
    let old = "class A { void m() { f(a, b); } }";
    let new = "class A { void m() { f(c0(), a, d0()); } }";
    for text in component_texts(old, new) {
        assert!(ParsedSource::is_valid(text.as_bytes()), "{text}");
    }
}

#[test]
fn non_java_file_is_split_by_lines() {
    let delta = delta_of_file(b"class A {\n int x\n}\n", b"class A {\n int y\n}\n");
    assert_eq!(delta.unparsed_files(), [RepoPath::from("a/A.java")]);
    assert_eq!(delta.hunks()[0].kind, HunkKind::Text);
}

#[test]
fn windows_line_breaks_are_kept() {
    let old = b"class A {\r\n  int x = 1; // one\r\n  int y = 2;\r\n}\r\n";
    let new = b"class A {\r\n  int x = 1; // one\r\n  int z = 3;\r\n  int y = 5;\r\n}\r\n";
    let delta = delta_of_file(old, new);
    let edit = delta.render_components(&|component| component == 0, false);
    let state = edit.changes.values().next().cloned().flatten().unwrap();
    assert_eq!(
        &state.content[..],
        b"class A {\r\n  int x = 1; // one\r\n  int z = 3;\r\n  int y = 2;\r\n}\r\n"
    );
}

fn file_with_mode(path: &str, content: &[u8], mode: FileMode) -> (RepoPath, FileState) {
    (path.into(), FileState { mode, content: content.into() })
}

#[test]
fn whole_file_changes_are_hunks() {
    let regular = FileMode::Regular;
    let changes = [
        FileChange { old: None, new: Some(file_with_mode("added.txt", b"a\n", regular)) },
        FileChange { old: Some(file_with_mode("gone.bin", b"\0x", regular)), new: None },
        FileChange {
            old: Some(file_with_mode("b.bin", b"\0x", regular)),
            new: Some(file_with_mode("b.bin", b"\0y", regular)),
        },
        FileChange {
            old: Some(file_with_mode("run", b"x\n", regular)),
            new: Some(file_with_mode("run", b"x\n", FileMode::Executable)),
        },
        FileChange {
            old: Some(file_with_mode("from.txt", b"x\ny\n", regular)),
            new: Some(file_with_mode("to.txt", b"x\nz\n", regular)),
        },
    ];
    let delta = Delta::between(TreeId(String::new()), &changes, JavaGranularity::Ast);
    assert_eq!(delta.components().len(), 6);
    assert!(delta.render(&|_| false).changes.is_empty());
    let all = delta.render(&|_| true).changes;
    for change in changes {
        if let Some((path, state)) = change.new {
            assert_eq!(all[&path], Some(state));
        } else if let Some((path, _)) = change.old {
            assert_eq!(all[&path], None);
        }
    }
    assert_eq!(all[&RepoPath::from("from.txt")], None);
}

#[test]
fn public_class_is_renamed_with_its_file() {
    let regular = FileMode::Regular;
    let old = b"public class A { A() {} int x = 1; }";
    let new = b"public class B { B() {} int x = 2; }";
    let changes = [FileChange {
        old: Some(file_with_mode("A.java", old, regular)),
        new: Some(file_with_mode("B.java", new, regular)),
    }];
    let delta = Delta::between(TreeId(String::new()), &changes, JavaGranularity::Ast);
    assert_eq!(delta.components().len(), 2);
}

fn hunk_kinds(old: &str, new: &str) -> Vec<(HunkKind, u64)> {
    let delta = delta_of_file(old.as_bytes(), new.as_bytes());
    delta
        .hunks()
        .iter()
        .filter(|hunk| !hunk.is_layout)
        .map(|hunk| (hunk.kind, hunk.tokens))
        .collect()
}

fn check_both_directions(old: &str, new: &str, there: &[(HunkKind, u64)]) {
    assert_eq!(hunk_kinds(old, new), there);
    let back = |kind| match kind {
        HunkKind::Insert => HunkKind::Delete,
        HunkKind::Delete => HunkKind::Insert,
        kind => kind,
    };
    let back: Vec<_> = there.iter().map(|(kind, tokens)| (back(*kind), *tokens)).collect();
    assert_eq!(hunk_kinds(new, old), back);
}

#[test]
fn statement_wrapper_keeps_statements() {
    let old = "class A { void m() { a(1); b(2); c(3); } }";
    let new = "class A { void m() { a(1); if (x) { b(2); c(3); } } }";
    check_both_directions(old, new, &[(HunkKind::Insert, 6)]);
    let new = "class A { void m() { try { a(1); b(4); c(3); } catch (E e) { } } }";
    check_both_directions(old, new, &[(HunkKind::Insert, 10), (HunkKind::Relabel, 2)]);
}

#[test]
fn expression_wrapper_keeps_expression() {
    let old = "class A { boolean m() { return a(1) && c; } }";
    let new = "class A { boolean m() { return a(1) && c && !d; } }";
    check_both_directions(old, new, &[(HunkKind::Insert, 3)]);
}

#[test]
fn else_if_branch_is_added_alone() {
    let old = "class A { void m() { if (a) x(1); else z(3); } }";
    let new = "class A { void m() { if (a) x(1); else if (b) y(2); else z(3); } }";
    check_both_directions(old, new, &[(HunkKind::Insert, 10)]);
}

#[test]
fn inserted_statement_is_split_at_optional_children() {
    let old = "class A { void m() { } }";
    let new = "class A { void m() { if (a && b) { x(); y(); } else { z(); } } }";
    let delta = delta_of_file(old.as_bytes(), new.as_bytes());
    let nodes: Vec<&str> = delta.hunks().iter().map(|hunk| hunk.node_kind.as_str()).collect();
    let statement = "expression_statement";
    assert_eq!(nodes, ["if_statement", "identifier", statement, statement, "block", statement]);
    assert!(delta.dependencies().iter().all(|coupling| coupling.rule == DependencyRule::Inside));
    assert_eq!(delta.components().len(), 6);
}

#[test]
fn method_moved_between_classes_is_one_hunk() {
    let method = "int sum(int a, int b) { return a + b * 2; }";
    let old = format!("class A {{ class B {{ {method} }} class C {{ int x; }} }}");
    let new = format!("class A {{ class B {{ }} class C {{ int x; {method} }} }}");
    check_both_directions(&old, &new, &[(HunkKind::Move, 36)]);
}

#[test]
fn statement_moved_into_new_method_needs_method() {
    let statement = "call(one, two, three + four * 5);";
    let old = format!("class A {{ void a() {{ {statement} x(); }} }}");
    let new = format!("class A {{ void a() {{ x(); }} void b() {{ {statement} }} }}");
    let delta = delta_of_file(old.as_bytes(), new.as_bytes());
    let moved = delta.hunks().iter().position(|hunk| hunk.kind == HunkKind::Move).unwrap();
    let inserted = delta.hunks().iter().position(|hunk| hunk.kind == HunkKind::Insert).unwrap();
    let coupling = HunkDependency { from: moved, to: vec![inserted], rule: DependencyRule::Inside };
    assert!(delta.dependencies().contains(&coupling));
}

#[test]
fn renamed_method_keeps_body() {
    let body = "{ int sum = 0; for (int x : list) sum += x; return sum; }";
    let old = format!("class A {{ int total(int[] list) {body} }}");
    let new = format!("class A {{ int sum(int[] list) {body} }}");
    check_both_directions(&old, &new, &[(HunkKind::Relabel, 2)]);
}

#[test]
fn header_is_kept_when_next_code_is_removed() {
    let old = "/*\n * Licence.\n */\nimport a.B;\nclass A {}\n";
    let new = "/*\n * Licence.\n */\nclass A { int x; }\n";
    assert!(component_texts(old, new).contains(&"/*\n * Licence.\n */\nclass A {}\n".to_owned()));
}

#[test]
fn wildcard_bound_is_removed_as_whole() {
    let old = "class A { List<? super T> x; }";
    let new = "class A { List<?> x; }";
    assert_eq!(component_texts(old, new), [new]);
}
