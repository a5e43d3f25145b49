//! Detection and removal of empty blocks, which no developer would write in a fix.

use mend_java::code::condition::Condition;
use mend_java::{Edit, apply_edits};
use mend_java::{Grammar, NodeId, ParsedSource};
use std::sync::Arc;

/// Counts the blocks of a Java file that contain neither a statement nor a comment; 0 if the file is not Java.
pub fn count_empty_blocks(text: &Arc<[u8]>) -> usize {
    let Some(source) = ParsedSource::parse(Arc::clone(text)) else { return 0 };
    let block = Grammar::get().kind_id("block");
    let blocks = (0..source.nodes().len()).filter(|id| source.node(*id).kind == block);
    blocks.filter(|id| is_hollow(source.node_text(*id))).count()
}

/// Returns true if a block contains neither a statement nor a comment.
fn is_hollow(block: &[u8]) -> bool {
    let content = block.strip_prefix(b"{").and_then(|content| content.strip_suffix(b"}"));
    content.is_some_and(|content| content.trim_ascii().is_empty())
}

/// Simplifies each new statement of the form `if (p) { } else { … }` to `if (!p) { … }`, and removes the empty `else`
/// of `if (p) { … } else { }`. Statements in `original` are kept.
pub fn remove_empty_branches(text: &str, original: &str) -> String {
    let mut text = text.to_owned();
    while let Some(simplified) = remove_empty_branch(&text, original) {
        text = simplified;
    }
    text
}

/// Removes one such statement; `None` if there is none.
fn remove_empty_branch(text: &str, original: &str) -> Option<String> {
    let source = ParsedSource::parse(text.as_bytes().into())?;
    let grammar = Grammar::get();
    let written = |id: NodeId| text.get(source.byte_range(id));
    let is_hollow = |id: NodeId| is_hollow(source.node_text(id));
    let simplify = |id: NodeId| {
        let child = |field| source.child(id, grammar.field_id(field));
        let parts = [child("condition")?, child("consequence")?, child("alternative")?];
        let [condition, then, otherwise] = parts.map(|part| source.byte_range(part));
        let condition_text = text.get(condition.clone())?;
        if is_hollow(parts[2]) {
            return Some(Edit::replace(then.end..otherwise.end, ""));
        }
        let is_block = text.get(otherwise.clone())?.starts_with('{');
        let condition_text = condition_text.strip_prefix('(')?.strip_suffix(')')?;
        let opposite = format!("({}) ", Condition::parse(condition_text).negation());
        let is_invertible = is_hollow(parts[1]) && is_block;
        is_invertible.then(|| Edit::replace(condition.start..otherwise.start, opposite))
    };
    let mut ifs = (0..source.nodes().len())
        .filter(|id| source.node(*id).kind == grammar.kind_id("if_statement"))
        .filter(|id| written(*id).is_some_and(|text| !original.contains(text)));
    apply_edits(text, &[ifs.find_map(simplify)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_without_statement_and_comment_is_empty() {
        let count = |body: &str| {
            count_empty_blocks(&format!("class A {{ void m() {{ {body} }} }}").into_bytes().into())
        };
        assert_eq!(count("if (p) { } else { a(); }"), 1);
        assert_eq!(count("if (p) { a(); } else {\n}"), 1);
        assert_eq!(count("while (p) {} for (;;) { }"), 2);
        assert_eq!(count("if (p) { /* nothing to do */ } else { a(); }"), 0);
        assert_eq!(count("int[] a = {}; a(new B() { });"), 0);
    }

    #[test]
    fn empty_branches_are_removed() {
        let class = |body: &str| format!("class A {{ void m() {{ {body} }} }}");
        let tidied =
            |body: &str| remove_empty_branches(&class(body), &class("if (q) { } else { }"));
        for (body, wanted) in [
            ("if (p == null) {\n} else {\n  a();\n}", "if (p != null) {\n  a();\n}"),
            ("if (p) { a(); } else { }", "if (p) { a(); }"),
            ("if (p) { if (r) { } else { a(); } } else { }", "if (p) { if (!r) { a(); } }"),
            ("if (p) { } else if (r) { a(); }", "if (p) { } else if (r) { a(); }"),
            ("if (q) { } else { }", "if (q) { } else { }"),
        ] {
            assert_eq!(tidied(body), class(wanted));
        }
    }
}
