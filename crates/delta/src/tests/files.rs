//! Files that come and go.

use super::*;

const TEXT: &str = "\
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

fn added(text: &str) -> Delta {
    one_sided(None, Some(text))
}

fn one_sided(old: Option<&str>, new: Option<&str>) -> Delta {
    let side = |text: Option<&str>| {
        text.map(|text| (RepoPath::from("a/A.java"), FileState::regular(text.as_bytes())))
    };
    let change = FileChange { old: side(old), new: side(new) };
    Delta::between(TreeId(String::new()), &[change], JavaGranularity::Ast)
}

/// The file's text under a subset; `None` where it is not touched or not there.
fn text(delta: &Delta, is_on: &dyn Fn(HunkId) -> bool) -> Option<String> {
    let state = delta.render(is_on).changes.into_values().next()??;
    Some(String::from_utf8_lossy(&state.content).into_owned())
}

#[test]
fn an_added_file_is_divided_into_its_frame_imports_members_and_statements() {
    let delta = added(TEXT);
    let nodes: Vec<&str> = delta.hunks().iter().map(|hunk| hunk.node.as_str()).collect();
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
    assert_eq!(text(&delta, &|_| true).unwrap(), TEXT);
    assert!(delta.render(&|_| false).changes.is_empty());
}

#[test]
fn an_added_file_alone_is_its_package_and_an_empty_type() {
    let text = text(&added(TEXT), &|hunk| hunk == 0).unwrap();
    assert_eq!(text, "/* Licence. */\npackage a;\n\n/** Says something. */\npublic class A {\n}\n");
}

#[test]
fn nothing_of_an_added_file_comes_without_the_file() {
    let delta = added(TEXT);
    assert_eq!(delta.render(&|hunk| hunk != 0).changes.len(), 0);
    let needs = |from: HunkId, to: HunkId| {
        delta.couplings().contains(&HunkDependency {
            from,
            to: vec![to],
            rule: DependencyRule::Inside,
        })
    };
    assert!((1..4).chain([6]).all(|hunk| needs(hunk, 0)));
    assert!(needs(4, 3) && needs(5, 3));
}

#[test]
fn a_removed_file_shrinks_before_it_goes() {
    let (there, back) = (added(TEXT), one_sided(Some(TEXT), None));
    assert_eq!(back.hunks()[0].node, "removed file");
    assert!(back.hunks()[1..].iter().all(|hunk| hunk.kind == HunkKind::Delete));
    let inside = HunkDependency { from: 0, to: vec![2], rule: DependencyRule::Inside };
    assert!(back.couplings().contains(&inside));
    assert_eq!(text(&back, &|hunk| hunk == 2), text(&there, &|hunk| hunk != 2));
    assert_eq!(back.render(&|_| true).changes.into_values().next(), Some(None));
    assert!(back.render(&|_| false).changes.is_empty());
}

#[test]
fn an_added_file_without_tokens_or_of_no_java_is_one_hunk() {
    for text in ["", "// nothing\n", "class {\n"] {
        let delta = added(text);
        assert_eq!(delta.hunks().len(), 1, "{text}");
        assert_eq!(self::text(&delta, &|_| true).unwrap(), text);
    }
}
