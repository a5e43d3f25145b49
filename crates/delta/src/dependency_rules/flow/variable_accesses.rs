//! Assignments and reads of variables.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{NodeKind, NodeRole, SymbolId, SymbolKind};
use std::collections::HashMap;

/// Assignments and reads of a variable in one version.
#[derive(Default)]
pub(super) struct VariableAccesses {
    pub(super) declaration: Option<NodeRef>,
    pub(super) writes: Vec<NodeRef>,
    pub(super) reads: Vec<NodeRef>,
}

pub(super) type AccessesByVariable = HashMap<SymbolId, VariableAccesses>;

pub(super) fn collect_accesses(context: &RuleContext<'_>, version: Version) -> AccessesByVariable {
    let mut accesses_by_variable = AccessesByVariable::new();
    let facts = context.facts(version);
    for node in context.changed_nodes(version) {
        let Some(id) = context.node(node).symbol else { continue };
        let symbol = facts.symbol(id);
        if symbol.position.is_none()
            || !matches!(symbol.kind, SymbolKind::Local | SymbolKind::Field)
        {
            continue;
        }
        let accesses = accesses_by_variable.entry(id).or_default();
        match context.kind(node) {
            NodeKind::Variable => accesses.declaration = Some(node),
            NodeKind::Identifier | NodeKind::MemberSelect
                if is_assignment_target(context, node) =>
            {
                accesses.writes.push(node);
            }
            NodeKind::Identifier | NodeKind::MemberSelect => accesses.reads.push(node),
            _ => {}
        }
    }
    accesses_by_variable
}

pub(super) fn is_assignment_target(context: &RuleContext<'_>, node: NodeRef) -> bool {
    context.node(node).role == NodeRole::Target
        && context.kind(context.parent(node)) == NodeKind::Assignment
}

pub(super) fn initialiser(
    context: &RuleContext<'_>,
    accesses: &VariableAccesses,
) -> Option<NodeRef> {
    accesses.declaration.and_then(|at| context.child(at, NodeRole::Value))
}

pub(super) fn owners_or_moves<'a>(
    context: &RuleContext<'_>,
    nodes: impl IntoIterator<Item = &'a NodeRef>,
) -> HunkSet {
    nodes.into_iter().filter_map(|at| context.owner_or_move(*at)).collect()
}
