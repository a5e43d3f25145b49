//! Dependency rule: the simple name of a member is where the member is in scope.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::{DependencyRule, HunkId};
use mend_java::facts::{NodeKind, SymbolFlags, SymbolId, SymbolKind};
use std::collections::HashMap;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let mut positions = HashMap::new();
    for version in VERSIONS {
        let is_simple_name = |node: &NodeRef| context.kind(*node) == NodeKind::Identifier;
        for name in context.changed_nodes(version).filter(is_simple_name) {
            let Some(enclosing_move) = context.enclosing_move(name) else { continue };
            let position = *positions
                .entry((version, enclosing_move))
                .or_insert_with(|| other_position(context, name, enclosing_move));
            if let Some(position) = position {
                add_move_dependencies(context, name, (enclosing_move, position), collector);
            }
        }
    }
}

/// Adds dependencies of a name that is new or has a qualifier in the other version, in moved code: the move brings it
/// where its member is in scope.
fn add_move_dependencies(
    context: &RuleContext<'_>,
    name: NodeRef,
    (enclosing_move, other_position): (HunkId, NodeRef),
    collector: &mut DependencyCollector,
) {
    let Some(member) = member_of(context, name) else { return };
    let twin_name = context.twin_node(name);
    let qualifier = twin_name.map(|twin| context.qualification_hunks(name, twin));
    let edits: HunkSet =
        context.node_owner(name).into_iter().chain(qualifier.unwrap_or_default()).collect();
    let is_in_scope_there = context
        .twin_symbol(name.version, member)
        .is_some_and(|twin| is_in_scope(context, other_position, twin));
    if is_in_scope(context, name, member) && !is_in_scope_there {
        collector.require_in_version(
            name.version,
            &edits,
            &HunkSet::from([enclosing_move]),
            DependencyRule::Definition,
        );
    }
}

/// Returns the member that a name refers to.
fn member_of(context: &RuleContext<'_>, name: NodeRef) -> Option<SymbolId> {
    let symbol = context.node(name).symbol?;
    let is_member = matches!(
        context.facts(name.version).symbol(symbol).kind,
        SymbolKind::Field | SymbolKind::EnumConstant | SymbolKind::Method
    );
    is_member.then_some(symbol)
}

/// Returns the smallest node around the code of a move in the other version of a node's file.
fn other_position(context: &RuleContext<'_>, node: NodeRef, moved: HunkId) -> Option<NodeRef> {
    let moved = Some(&context.hunks[moved]).filter(|hunk| hunk.is_move_within_file())?;
    let version = node.version.opposite();
    let tree = context.twin_tree(node.version, node.tree)?;
    let range = if version == Version::Old { &moved.old } else { &moved.new }.as_ref()?;
    let nodes = &context.facts(version).trees()[tree].nodes;
    let node = nodes
        .iter()
        .rposition(|node| node.bytes.start <= range.start && range.end <= node.bytes.end)?;
    Some(NodeRef { version, tree, node })
}

/// Returns true if the simple name of a member is valid at a node.
fn is_in_scope(context: &RuleContext<'_>, node: NodeRef, member: SymbolId) -> bool {
    let facts = context.facts(node.version);
    let symbol = facts.symbol(member);
    let Some(class) = symbol.owner else { return false };
    let is_static = |symbol: SymbolId| facts.symbol(symbol).flags.has(SymbolFlags::STATIC);
    let needs_instance =
        !symbol.flags.has(SymbolFlags::STATIC) && symbol.kind != SymbolKind::EnumConstant;
    let method = context.enclosing_method(node).and_then(|method| context.node(method).symbol);
    let mut has_instance = !method.is_some_and(is_static);
    let innermost = context.enclosing_class(node);
    let classes = innermost
        .into_iter()
        .flat_map(|one| std::iter::once(one).chain(facts.enclosing_symbols(one)));
    for enclosing in classes.filter(|one| facts.symbol(*one).kind.is_type()) {
        if facts.supertypes_with_self(enclosing).contains(&class) {
            return has_instance || !needs_instance;
        }
        has_instance &= !is_static(enclosing);
    }
    false
}
