//! Added and removed files.

use super::*;

const JAVA_TEXT: &str = "\
/* Licence. */
package a;

import java.util.List;

/** Says something. */
public class A {
    int x = 1; // one

    int m(List<String> list) {
        say(list);
        return x;
    }
}

class Other {}
";

fn delta_of_added_file(text: &str) -> Delta {
    one_sided_delta(None, Some(text))
}

fn one_sided_delta(old: Option<&str>, new: Option<&str>) -> Delta {
    let side = |text: Option<&str>| {
        text.map(|text| (RepoPath::from("a/A.java"), FileState::regular(text.as_bytes())))
    };
    let change = FileChange { old: side(old), new: side(new) };
    Delta::between(TreeId(String::new()), &[change], JavaGranularity::Ast)
}

/// Returns the file's text under a subset; `None` if it is unchanged or absent.
fn render_text(delta: &Delta, is_enabled: &dyn Fn(HunkId) -> bool) -> Option<String> {
    let state = delta.render(is_enabled).changes.into_values().next()??;
    Some(String::from_utf8_lossy(&state.content).into_owned())
}

#[test]
fn added_file_is_split_into_members_and_statements() {
    let delta = delta_of_added_file(JAVA_TEXT);
    let nodes: Vec<&str> = delta.hunks().iter().map(|hunk| hunk.node_kind.as_str()).collect();
    assert_eq!(
        nodes,
        [
            "added file",
            "import_declaration",
            "field_declaration",
            "method_declaration",
            "expression_statement",
            "return_statement",
            "class_declaration",
        ]
    );
    assert_eq!(render_text(&delta, &|_| true).unwrap(), JAVA_TEXT);
    assert!(delta.render(&|_| false).changes.is_empty());
}

#[test]
fn added_file_alone_is_package_and_empty_type() {
    let text = render_text(&delta_of_added_file(JAVA_TEXT), &|hunk| hunk == 0).unwrap();
    assert_eq!(text, "/* Licence. */\npackage a;\n\n/** Says something. */\npublic class A {\n}\n");
}

#[test]
fn parts_of_added_file_need_file() {
    let delta = delta_of_added_file(JAVA_TEXT);
    assert_eq!(delta.render(&|hunk| hunk != 0).changes.len(), 0);
    let needs = |from: HunkId, to: HunkId| {
        delta.dependencies().contains(&HunkDependency {
            from,
            to: vec![to],
            rule: DependencyRule::Inside,
        })
    };
    assert!((1..4).chain([6]).all(|hunk| needs(hunk, 0)));
    assert!(needs(4, 3) && needs(5, 3));
}

#[test]
fn removed_file_can_be_emptied_first() {
    let (forward, backward) =
        (delta_of_added_file(JAVA_TEXT), one_sided_delta(Some(JAVA_TEXT), None));
    assert_eq!(backward.hunks()[0].node_kind, "removed file");
    assert!(backward.hunks()[1..].iter().all(|hunk| hunk.kind == HunkKind::Delete));
    let nesting = HunkDependency { from: 0, to: vec![2], rule: DependencyRule::Inside };
    assert!(backward.dependencies().contains(&nesting));
    assert_eq!(render_text(&backward, &|hunk| hunk == 2), render_text(&forward, &|hunk| hunk != 2));
    assert_eq!(backward.render(&|_| true).changes.into_values().next(), Some(None));
    assert!(backward.render(&|_| false).changes.is_empty());
}

#[test]
fn added_file_without_java_tokens_is_one_hunk() {
    for text in ["", "// nothing\n", "class {\n"] {
        let delta = delta_of_added_file(text);
        assert_eq!(delta.hunks().len(), 1, "{text}");
        assert_eq!(self::render_text(&delta, &|_| true).unwrap(), text);
    }
}
