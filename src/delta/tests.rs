//! Laws of the delta.

use super::*;
use crate::java::Source;
use crate::model::{FileMode, FileState};
use proptest::prelude::*;

const SAMPLES: [&str; 6] = [
    include_str!("samples/Garage.java.txt"),
    include_str!("samples/Ledger.java.txt"),
    include_str!("samples/Modern.java.txt"),
    include_str!("samples/Old.java.txt"),
    include_str!("samples/Shapes.java.txt"),
    include_str!("samples/Tiny.java.txt"),
];

fn delta(old: &[u8], new: &[u8]) -> Delta {
    let side = |text: &[u8]| Some((RepoPath::from("a/A.java"), FileState::regular(text)));
    Delta::between(
        TreeId(String::new()),
        &[FileChange { old: side(old), new: side(new) }],
        JavaMode::Ast,
    )
}

fn text(delta: &Delta, old: &[u8], is_on: &dyn Fn(HunkId) -> bool) -> Vec<u8> {
    match delta.render(is_on).changes.get(&RepoPath::from("a/A.java")) {
        Some(Some(state)) => state.content.to_vec(),
        _ => old.to_vec(),
    }
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// A subset with all that it needs, in the way the couplings say.
fn closed(delta: &Delta, mut on: Vec<bool>) -> Vec<bool> {
    loop {
        let mut changed = false;
        for coupling in delta.couplings() {
            if on[coupling.from] && !coupling.to.iter().any(|to| on[*to]) {
                on[coupling.to[0]] = true;
                changed = true;
            }
        }
        if !changed {
            return on;
        }
    }
}

/// One random edit: an element of a body goes, comes twice or changes places, or a word changes.
fn mutate(text: &[u8], seed: usize) -> Option<Vec<u8>> {
    let source = Source::parse(text.into())?;
    let grammar = crate::java::Grammar::get();
    let elements: Vec<_> = (1..source.nodes().len())
        .filter(|id| {
            let node = source.node(*id);
            grammar.is_body(source.node(node.parent).kind) && node.named
        })
        .collect();
    let element = source.byte_range(*elements.get((seed / 8) % elements.len().max(1))?);
    let other = source.byte_range(elements[(seed / 977) % elements.len()]);
    let mut out = text.to_vec();
    match seed % 8 {
        0 | 1 => drop(out.splice(element, [])),
        2 => {
            let copy = text[element.clone()].to_vec();
            out.splice(other.start..other.start, copy.into_iter().chain(*b"\n  "));
        }
        3 | 4 => {
            let copy = text[element.clone()].to_vec();
            if other.start >= element.end {
                out.splice(other.end..other.end, copy);
                out.splice(element, []);
            } else if other.start < element.start {
                out.splice(element, []);
                out.splice(other.start..other.start, copy.into_iter().chain(*b" "));
            }
        }
        5 => {
            let token = source.tokens()[(seed / 8) % source.tokens().len()].clone();
            let with = source.tokens()[(seed / 977) % source.tokens().len()].clone();
            out.splice(token, text[with].to_vec());
        }
        6 => drop(out.splice(element.start..element.start, *b"// why\n")),
        _ => {
            let token = source.tokens()[(seed / 8) % source.tokens().len()].clone();
            out.splice(token.end..token.end, *b" /* c */ ");
        }
    }
    Source::is_valid(&out).then_some(out)
}

fn pair() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let edits = proptest::collection::vec(any::<u32>(), 0..12);
    (0..SAMPLES.len(), 0..SAMPLES.len() * 3, edits).prop_map(|(from, to, edits)| {
        let old = SAMPLES[from].as_bytes().to_vec();
        let start = SAMPLES.get(to).map_or(old.clone(), |sample| sample.as_bytes().to_vec());
        let new = edits
            .into_iter()
            .fold(start, |text, seed| mutate(&text, seed as usize).unwrap_or(text));
        (old, new)
    })
}

proptest! {
    #[test]
    fn the_empty_subset_is_the_old_file_and_the_full_one_the_new_to_the_byte((old, new) in pair()) {
        let delta = delta(&old, &new);
        prop_assert_eq!(shown(&text(&delta, &old, &|_| false)), shown(&old));
        prop_assert_eq!(shown(&text(&delta, &old, &|_| true)), shown(&new));
    }

    #[test]
    fn every_closed_subset_parses((old, new) in pair(), choice in any::<u64>(), dense in 1u64..4) {
        let delta = delta(&old, &new);
        let mut state = choice | 1;
        let on = (0..delta.hunks().len()).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % 4 < dense
        }).collect();
        let on = closed(&delta, on);
        let variant = text(&delta, &old, &|hunk| on[hunk]);
        prop_assert!(Source::is_valid(&variant), "{}", String::from_utf8_lossy(&variant));
    }

    #[test]
    fn every_hunk_alone_with_what_it_needs_parses((old, new) in pair()) {
        let delta = delta(&old, &new);
        for hunk in 0..delta.hunks().len() {
            let mut on = vec![false; delta.hunks().len()];
            on[hunk] = true;
            let on = closed(&delta, on);
            let variant = text(&delta, &old, &|hunk| on[hunk]);
            prop_assert!(Source::is_valid(&variant), "{}", String::from_utf8_lossy(&variant));
        }
    }
}

fn component_texts(old: &str, new: &str) -> Vec<String> {
    let delta = delta(old.as_bytes(), new.as_bytes());
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
fn two_statements_in_one_method_are_two_components() {
    let old = "class A { void m() { a(); b(); } }";
    let new = "class A { void m() { a(1); b(2); } }";
    assert_eq!(
        component_texts(old, new),
        ["class A { void m() { a(1); b(); } }", "class A { void m() { a(); b(2); } }"]
    );
}

#[test]
fn the_rename_of_a_field_with_all_its_uses_is_one_component() {
    let old = "class A { int x; int m() { return x + this.x; } }";
    let new = "class A { int y; int m() { return y + this.y; } }";
    assert_eq!(component_texts(old, new), [new]);
}

#[test]
fn a_moved_method_keeps_its_inner_changes_apart_from_the_move() {
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
fn a_use_of_an_inserted_variable_needs_its_declaration() {
    let delta =
        delta(b"class A { void m() { f(1); } }", b"class A { void m() { int k = 2; f(k); } }");
    let rules: Vec<_> = delta.couplings().iter().map(|coupling| coupling.rule).collect();
    assert_eq!(rules, [Rule::Definition]);
    assert_eq!(delta.components().len(), 2);
}

#[test]
fn a_reformatted_file_has_no_component() {
    let delta = delta(b"class A { int x; } // a\n", b"class A {\n  int x;\n}\n");
    assert!(delta.components().is_empty());
    assert_eq!(delta.tokens(), 0);
}

#[test]
fn arguments_come_and_go_with_their_commas() {
    let old = "class A { void m() { f(a, b); } }";
    let new = "class A { void m() { f(c0(), a, d0()); } }";
    for text in component_texts(old, new) {
        assert!(Source::is_valid(text.as_bytes()), "{text}");
    }
}

#[test]
fn a_file_that_is_no_java_is_taken_apart_by_lines() {
    let delta = delta(b"class A {\n int x\n}\n", b"class A {\n int y\n}\n");
    assert_eq!(delta.unparsed(), [RepoPath::from("a/A.java")]);
    assert_eq!(delta.hunks()[0].kind, HunkKind::Text);
}

#[test]
fn line_breaks_of_windows_are_kept() {
    let old = b"class A {\r\n  int x = 1; // one\r\n  int y = 2;\r\n}\r\n";
    let new = b"class A {\r\n  int x = 1; // one\r\n  int z = 3;\r\n  int y = 5;\r\n}\r\n";
    let delta = delta(old, new);
    let edit = delta.render_components(&|component| component == 0, false);
    let state = edit.changes.values().next().cloned().flatten().unwrap();
    assert_eq!(
        &state.content[..],
        b"class A {\r\n  int x = 1; // one\r\n  int z = 3;\r\n  int y = 2;\r\n}\r\n"
    );
}

fn file(path: &str, content: &[u8], mode: FileMode) -> (RepoPath, FileState) {
    (path.into(), FileState { mode, content: content.into() })
}

#[test]
fn whole_files_are_hunks_of_their_own() {
    let regular = FileMode::Regular;
    let changes = [
        FileChange { old: None, new: Some(file("added.txt", b"a\n", regular)) },
        FileChange { old: Some(file("gone.bin", b"\0x", regular)), new: None },
        FileChange {
            old: Some(file("b.bin", b"\0x", regular)),
            new: Some(file("b.bin", b"\0y", regular)),
        },
        FileChange {
            old: Some(file("run", b"x\n", regular)),
            new: Some(file("run", b"x\n", FileMode::Executable)),
        },
        FileChange {
            old: Some(file("from.txt", b"x\ny\n", regular)),
            new: Some(file("to.txt", b"x\nz\n", regular)),
        },
    ];
    let delta = Delta::between(TreeId(String::new()), &changes, JavaMode::Ast);
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
fn the_rename_of_a_public_class_comes_with_that_of_its_file() {
    let regular = FileMode::Regular;
    let old = b"public class A { A() {} int x = 1; }";
    let new = b"public class B { B() {} int x = 2; }";
    let changes = [FileChange {
        old: Some(file("A.java", old, regular)),
        new: Some(file("B.java", new, regular)),
    }];
    let delta = Delta::between(TreeId(String::new()), &changes, JavaMode::Ast);
    assert_eq!(delta.components().len(), 2);
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let nested = |word: &str| {
        format!("class A {{ int x = {}{word}{}; }}", "(".repeat(5_000), ")".repeat(5_000))
    };
    let (old, new) = (nested("1"), nested("2"));
    let delta = delta(old.as_bytes(), new.as_bytes());
    assert_eq!(text(&delta, old.as_bytes(), &|_| true), new.into_bytes());
}
