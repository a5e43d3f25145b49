//! Dependency rule: the simple name of a member is inside its class.

use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolId, SymbolKind};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        let is_simple_name = |node: &NodeRef| context.kind(*node) == NodeKind::Identifier;
        for name in context.changed_nodes(version).filter(is_simple_name) {
            add_move_dependencies(context, name, collector);
        }
    }
}

/// Adds dependencies of a name that is new or has a qualifier in the other version, in moved code: the move brings it
/// into its class.
fn add_move_dependencies(
    context: &RuleContext<'_>,
    name: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(enclosing_move), Some(class)) =
        (context.enclosing_move(name), member_class(context, name))
    else {
        return;
    };
    let twin_name = context.twin_node(name);
    let qualifier = twin_name.map(|twin| context.qualification_hunks(name, twin));
    let edits = context.node_owner(name).into_iter().chain(qualifier.unwrap_or_default()).collect();
    let twin_ancestor = context.ancestors(name).find_map(|node| context.twin_node(node));
    let twin_class = context.twin_symbol(name.version, class);
    let is_inside_in_twin =
        twin_ancestor.zip(twin_class).is_some_and(|(twin, class)| is_inside(context, twin, class));
    if is_inside(context, name, class) && !is_inside_in_twin {
        collector.require_in_version(
            name.version,
            &edits,
            &HunkSet::from([enclosing_move]),
            DependencyRule::Definition,
        );
    }
}

/// Returns the class of the member that a name refers to.
fn member_class(context: &RuleContext<'_>, name: NodeRef) -> Option<SymbolId> {
    let facts = context.facts(name.version);
    let symbol = facts.symbol(context.node(name).symbol?);
    let is_member =
        matches!(symbol.kind, SymbolKind::Field | SymbolKind::EnumConstant | SymbolKind::Method);
    symbol.owner.filter(|_| is_member)
}

/// Returns true for a node in a class, in a subclass, or in a class inside one of these.
fn is_inside(context: &RuleContext<'_>, node: NodeRef, class: SymbolId) -> bool {
    let facts = context.facts(node.version);
    let classes = context
        .enclosing_class(node)
        .into_iter()
        .flat_map(|innermost| facts.enclosing_symbols(innermost).chain([innermost]));
    classes.into_iter().any(|one| facts.supertypes_with_self(one).contains(&class))
}
