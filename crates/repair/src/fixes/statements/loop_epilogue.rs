//! Statements missing after a loop: calls that pass its remainder to the receiver of each iteration, such as the last
//! line of a wrapped text.

use crate::fixes::site::RepairSite;
use crate::fixes::statements::early_exits::has_variables_in_scope;
use mend_java::code::scope::Variable;
use mend_java::code::types::is_assignable;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};
use mend_java::{Edit, apply_edits};
use std::collections::HashSet;

/// Maximum number of remainders that are passed on.
const MAX_REMAINDERS: usize = 4;

/// Prior likelihoods of a forgotten remainder: of the variable in the loop condition, and of any other variable that
/// the loop changes.
const FORGOTTEN_WEIGHTS: [f64; 2] = [0.9, 0.7];

/// Returns the statements that may be missing directly before or after a loop's end, each with its likelihood.
pub(crate) fn missing_remainder_calls(site: &RepairSite<'_>) -> Vec<(String, f64)> {
    let Some(loop_node) = find_ended_loop(site) else { return Vec::new() };
    let code = &site.code;
    let body_nodes = loop_node + 1..code.node(loop_node).subtree_end;
    let calls: Vec<NodeIndex> =
        body_nodes.clone().filter(|id| is_receiver_call(site, *id)).collect();
    let target =
        |id: NodeIndex| code.child(id, NodeRole::Target).filter(|_| code.kind(id).is_assignment());
    let changed: HashSet<SymbolId> =
        body_nodes.filter_map(target).filter_map(|id| code.node(id).symbol).collect();
    let condition = code.child(loop_node, NodeRole::Condition);
    let condition_nodes = condition.map_or(0..0, |id| id..code.node(id).subtree_end);
    let is_changed = |one: &&Variable| !one.is_field && changed.contains(&one.symbol);
    let (condition_variables, others): (Vec<&Variable>, Vec<&Variable>) =
        site.variables().iter().filter(is_changed).partition(|one| {
            condition_nodes.clone().any(|id| code.node(id).symbol == Some(one.symbol))
        });
    let calls_with_variables = |(variables, likely): (Vec<&Variable>, f64)| {
        let texts = variables
            .into_iter()
            .flat_map(|one| calls.iter().flat_map(|call| with_argument_replaced(site, *call, one)));
        texts.map(|text| (text, likely)).collect::<Vec<_>>()
    };
    [condition_variables, others]
        .into_iter()
        .zip(FORGOTTEN_WEIGHTS)
        .flat_map(calls_with_variables)
        .take(MAX_REMAINDERS)
        .collect()
}

/// Returns the loop that ends directly before a statement, or the statement itself if it is the last one.
fn find_ended_loop(site: &RepairSite<'_>) -> Option<NodeIndex> {
    let code = &site.code;
    let siblings = code.children(code.parent(site.statement));
    let at = siblings.iter().position(|id| *id == site.statement)?;
    let is_last = at + 1 == siblings.len();
    let previous = at.checked_sub(1).map(|previous| siblings[previous]);
    let own = Some(site.statement).filter(|_| is_last);
    [previous, own].into_iter().flatten().find(|id| code.is_loop(*id))
}

/// Returns true if a statement is only a method call on an object.
fn is_receiver_call(site: &RepairSite<'_>, id: NodeIndex) -> bool {
    let code = &site.code;
    let call = code.children(id).first().copied();
    let call = call.filter(|call| code.has_kind(*call, NodeKind::MethodInvocation));
    let callee = call.and_then(|call| code.child(call, NodeRole::Callee));
    code.has_kind(id, NodeKind::ExpressionStatement)
        && callee.is_some_and(|id| code.has_kind(id, NodeKind::MemberSelect))
}

/// Returns the variants of a statement in which the variable replaces one argument of a matching type.
fn with_argument_replaced(
    site: &RepairSite<'_>,
    statement: NodeIndex,
    variable: &Variable,
) -> Vec<String> {
    let code = &site.code;
    let start = code.bytes(statement).start;
    let Some(call) = code.children(statement).first().copied() else { return Vec::new() };
    let children = code.children(call).into_iter();
    let (arguments, others): (Vec<NodeIndex>, Vec<NodeIndex>) =
        children.partition(|id| code.role(*id) == NodeRole::Argument);
    let fitting = arguments.iter().filter(|argument| {
        let mut rest = arguments.iter().filter(|other| other != argument).chain(&others);
        let is_itself = |id: NodeIndex| code.node(id).symbol == Some(variable.symbol);
        let is_other = |id: NodeIndex| !(id..code.node(id).subtree_end).any(is_itself);
        is_assignable(code.facts, &variable.ty, code.type_of(**argument))
            && rest.all(|id| has_variables_in_scope(site, *id) && is_other(*id))
    });
    let text = fitting.filter_map(|argument| {
        let bytes = code.bytes(*argument);
        let edit = Edit::replace(bytes.start - start..bytes.end - start, &*variable.name);
        apply_edits(code.source_text(statement), &[edit])
    });
    text.filter(|text| !text.contains('\n')).collect()
}
