//! Dependency rule: a jump needs an enclosing label of its name, and labels of one name are not nested.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::NodeKind;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context.changed_nodes(version) {
            match context.kind(node) {
                NodeKind::Break | NodeKind::Continue => {
                    add_jump_dependencies(context, node, collector);
                }
                NodeKind::LabeledStatement if version == Version::New => {
                    add_nested_label_dependencies(context, node, collector);
                }
                _ => {}
            }
        }
    }
}

/// Returns the name of a labelled statement, or the label of a jump.
fn label_name<'a>(context: &RuleContext<'a>, node: NodeRef) -> Option<&'a [u8]> {
    let bytes = context.node(node).bytes.clone();
    let text = context.tree_text(node.version, node.tree).and_then(|text| text.get(bytes))?;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b':' | b';' | b'/');
    let mut tokens = text.split(is_end).filter(|word| !word.is_empty());
    if context.kind(node) == NodeKind::LabeledStatement { tokens.next() } else { tokens.nth(1) }
}

/// Returns the hunks that add or remove a label's own token.
fn label_token_hunks(context: &RuleContext<'_>, node: NodeRef, label: &[u8]) -> HunkSet {
    let start = context.node(node).bytes.start;
    if context.kind(node) == NodeKind::LabeledStatement {
        return context.token_owner(node.version, node.tree, start).into_iter().collect();
    }
    let word = std::str::from_utf8(label).unwrap_or_default();
    context.word_owners_in_range(node, context.node(node).bytes.clone(), &[word])
}

/// Returns the innermost enclosing statement with a label.
fn find_labelled_statement(
    context: &RuleContext<'_>,
    node: NodeRef,
    name: &[u8],
) -> Option<NodeRef> {
    context.ancestors(node).find(|one| {
        context.kind(*one) == NodeKind::LabeledStatement && label_name(context, *one) == Some(name)
    })
}

fn add_jump_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(name) = label_name(context, node) else { return };
    let Some(target) = find_labelled_statement(context, node, name) else { return };
    let (code, required) =
        (label_token_hunks(context, node, name), label_token_hunks(context, target, name));
    collector.require_in_version(node.version, &code, &required, rule_for_version(node.version));
    if let (true, Version::Old, Some(twin)) =
        (code.is_empty(), node.version, context.twin_node(node))
        && let Some(other) = find_labelled_statement(context, twin, name)
    {
        collector.require_all(
            &required,
            &label_token_hunks(context, other, name),
            DependencyRule::Definition,
        );
    }
}

fn rule_for_version(version: Version) -> DependencyRule {
    if version == Version::New { DependencyRule::Definition } else { DependencyRule::Use }
}

/// Adds dependencies of a new label inside a statement, or around one, that already had its name.
fn add_nested_label_dependencies(
    context: &RuleContext<'_>,
    node_ref: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(name) = label_name(context, node_ref) else { return };
    let added = label_token_hunks(context, node_ref, name);
    let Some(routine) =
        context.enclosing_method(node_ref).and_then(|routine| context.twin_node(routine))
    else {
        return;
    };
    if added.is_empty() {
        return;
    }
    let old = (routine.node..context.node(routine).subtree_end).map(|node| routine.with_node(node));
    for other in old.filter(|one| context.kind(*one) == NodeKind::LabeledStatement) {
        if label_name(context, other) == Some(name) {
            collector.require_all(
                &added,
                &label_token_hunks(context, other, name),
                DependencyRule::Duplicate,
            );
        }
    }
}
