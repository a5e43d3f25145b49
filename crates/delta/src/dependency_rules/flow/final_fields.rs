//! Dependency rule: every constructor assigns each final field, or calls another constructor of its class.

use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::flow::variable_accesses::{
    VariableAccesses, initialiser, owners_or_moves,
};
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolKind};

/// Adds dependencies of a final field of one version on its assignments, and on the absence of constructors that do not
/// assign it.
pub(super) fn add_field_dependencies(
    context: &RuleContext<'_>,
    accesses: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    let Some(declared) = accesses.declaration else { return };
    let mut required = owners_or_moves(context, &accesses.writes);
    if initialiser(context, accesses).is_none() {
        required.extend(constructor_delegation_hunks(context, declared));
        required.extend(other_constructor_hunks(context, declared));
    }
    collector.require_in_version(
        declared.version,
        &owners_or_moves(context, [&declared]),
        &required,
        DependencyRule::Initialisation,
    );
}

/// Adds dependencies of a constructor of one version on the assignment of a final field in it.
pub(super) fn add_constructor_dependencies(
    context: &RuleContext<'_>,
    accesses: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    for write in &accesses.writes {
        let routine =
            context.enclosing_routine(*write).and_then(|routine| context.node_owner(routine));
        let (Some(owner), Some(placer)) = (routine, context.owner_or_move(*write)) else {
            continue;
        };
        collector.require_in_version(
            write.version,
            &HunkSet::from([owner]),
            &HunkSet::from([placer]),
            DependencyRule::Initialisation,
        );
    }
}

/// Returns the hunks of calls of a class's own constructors, which assign the fields instead.
pub(super) fn constructor_delegation_hunks(context: &RuleContext<'_>, field: NodeRef) -> HunkSet {
    constructors(context, context.parent(field))
        .into_iter()
        .filter_map(|constructor| delegation(context, constructor))
        .filter_map(|call| context.node_owner(call))
        .collect()
}

/// Returns the hunks that add or remove the constructors that only the other version has, and that do not call another
/// one.
fn other_constructor_hunks(context: &RuleContext<'_>, field: NodeRef) -> HunkSet {
    let Some(class) = context.twin_node(context.parent(field)) else { return HunkSet::new() };
    constructors(context, class)
        .into_iter()
        .filter(|constructor| delegation(context, *constructor).is_none())
        .filter_map(|constructor| context.node_owner(constructor))
        .collect()
}

fn constructors(context: &RuleContext<'_>, class: NodeRef) -> Vec<NodeRef> {
    let is_constructor = |member: &NodeRef| {
        let symbol = context.node(*member).symbol;
        symbol.is_some_and(|symbol| {
            context.facts(member.version).symbol(symbol).kind == SymbolKind::Constructor
        })
    };
    let members = context.children(class).into_iter();
    members
        .filter(|member| context.kind(*member) == NodeKind::Method)
        .filter(is_constructor)
        .collect()
}

/// Returns the call of another constructor of the class with which a constructor begins.
fn delegation(context: &RuleContext<'_>, constructor: NodeRef) -> Option<NodeRef> {
    let body = context.child(constructor, NodeRole::Body)?;
    let statement = context.children(body).first().copied()?;
    let call = context.children(statement).first().copied()?;
    let callee = context.facts(call.version).symbol(context.node(call).symbol?);
    let is_delegation = context.kind(call) == NodeKind::MethodInvocation
        && callee.kind == SymbolKind::Constructor
        && callee.owner == context.node(context.parent(constructor)).symbol;
    is_delegation.then_some(call)
}
