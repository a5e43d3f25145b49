//! Dependency rule: a local variable is in scope where it is used.

use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::SymbolKind;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context.changed_nodes(version).filter(|node| context.is_use(*node)) {
            if let Some(declarations) = kept_local_declaration(context, node) {
                add_move_dependencies(context, node, declarations, collector);
                add_wrapper_dependencies(context, node, declarations.1, collector);
            }
        }
    }
}

/// Returns the declarations in both versions of a local variable that both have.
fn kept_local_declaration(context: &RuleContext<'_>, node: NodeRef) -> Option<(NodeRef, NodeRef)> {
    let symbol = context.node(node).symbol?;
    if context.facts(node.version).symbol(symbol).kind != SymbolKind::Local {
        return None;
    }
    let declaration = context.declaration(node.version, symbol)?;
    Some((declaration, context.twin_node(declaration)?))
}

/// Adds dependencies of a local variable that moves to another body, or within its block: its uses move with it.
fn add_move_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    (declaration, twin): (NodeRef, NodeRef),
    collector: &mut DependencyCollector,
) {
    let Some(enclosing_move) = context.enclosing_move(declaration) else { return };
    let moves_alone =
        context.enclosing_move(node).is_some_and(|move_of_use| move_of_use != enclosing_move);
    if !moves_alone && follows_in_both(context, node, declaration, twin) {
        return;
    }
    let required = HunkSet::from([enclosing_move]);
    if let Some(owner) = context.node_owner(node) {
        let code = HunkSet::from([owner]);
        collector.require_in_version(node.version, &code, &required, DependencyRule::Definition);
    } else if let Some(moved) = context.owner_or_move(node) {
        collector.require_each_other(
            &HunkSet::from([moved, enclosing_move]),
            DependencyRule::Definition,
        );
    }
}

/// Returns true if a kept statement with the use follows the declaration in one block in both versions.
fn follows_in_both(
    context: &RuleContext<'_>,
    node: NodeRef,
    declaration: NodeRef,
    twin: NodeRef,
) -> bool {
    let (block, twin_block) = (context.parent(declaration), context.parent(twin));
    let statement = context.ancestors(node).find(|one| context.parent(*one) == block);
    let twin_statement = statement.and_then(|statement| context.twin_node(statement));
    twin_statement.is_some_and(|statement| {
        context.parent(statement) == twin_block && statement.node > twin.node
    })
}

/// Adds dependencies of a use outside the statements that only the other version has around the declaration.
fn add_wrapper_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    twin_declaration: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(owner) = context.node_owner(node) else { return };
    let wrappers: Vec<NodeRef> = context
        .ancestors(twin_declaration)
        .take_while(|one| context.node_owner(*one).is_some())
        .collect();
    let Some(innermost) = wrappers.first() else { return };
    let enclosing = context.ancestors(node).find_map(|one| context.twin_node(one));
    if enclosing.is_some_and(|one| context.ancestors(one).any(|one| one == *innermost)) {
        return;
    }
    let wrapper_hunks = wrappers.iter().filter_map(|one| context.node_owner(*one)).collect();
    collector.require_in_version(
        node.version,
        &HunkSet::from([owner]),
        &wrapper_hunks,
        DependencyRule::Definition,
    );
}
