//! Facts at a statement: preconditions and invariants that still hold directly before it.

use crate::conditions::linear::LinearCondition;
use crate::contracts::Contracts;
use crate::contracts::unqualified_names;
use crate::observe::values::{Observations, ObservedValue};
use crate::overfitting::skipped_effects::has_external_effect;
use mend_java::Code;
use mend_java::code::scope::visible;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};
use std::collections::HashSet;

/// Returns the conditions that still hold at a statement: nothing has changed since the routine's entry, or they depend
/// on unmodified parameters. Conditions that a test observed to be false are excluded.
pub(crate) fn find_available_facts(
    code: &Code<'_>,
    statement: NodeIndex,
    contracts: &Contracts,
    observations: Option<&Observations>,
) -> Vec<String> {
    let Some(method) = code.enclosing_method(statement) else { return Vec::new() };
    let locals = LocalNames::visible_at(code, statement);
    let (preconditions, invariants) = contracts.conditions_at_entry(code, method, &locals.names);
    let is_after_checks = code.bytes(statement).start >= end_of_checks(code, method, contracts);
    let is_unchanged = is_state_unchanged(code, method, statement);
    let preconditions = preconditions.into_iter().filter(|demand| {
        is_after_checks
            && (is_unchanged || reads_names_only(demand))
            && locals.are_unmodified(demand, is_unchanged)
    });
    let object_invariants = invariants.into_iter().filter(|_| is_unchanged);
    let all = preconditions.chain(object_invariants);
    all.filter(|condition| !is_observed_false(observations, condition)).collect()
}

/// Local variables in scope at a statement.
struct LocalNames {
    names: Vec<String>,
    /// Parameters that the routine does not modify.
    unmodified_parameters: HashSet<String>,
}

impl LocalNames {
    fn visible_at(code: &Code<'_>, statement: NodeIndex) -> Self {
        let assigned = code.assigned_variables();
        let is_parameter = |id: NodeIndex| code.role(id) == NodeRole::Parameter;
        let parameters = (0..code.tree.nodes.len()).filter(|id| is_parameter(*id));
        let parameters: HashSet<SymbolId> =
            parameters.filter_map(|id| code.node(id).symbol).collect();
        let locals: Vec<_> =
            visible(code, statement).into_iter().filter(|one| !one.is_field).collect();
        let is_unmodified_parameter =
            |symbol: SymbolId| parameters.contains(&symbol) && !assigned.contains(&symbol);
        let given = locals.iter().filter(|one| is_unmodified_parameter(one.symbol));
        Self {
            unmodified_parameters: given.map(|one| one.name.clone()).collect(),
            names: locals.iter().map(|one| one.name.clone()).collect(),
        }
    }

    /// Returns true if the variables of a condition still have their values from the routine's entry. If state may have
    /// changed since, the condition must depend on nothing else.
    fn are_unmodified(&self, condition: &str, is_unchanged: bool) -> bool {
        unqualified_names(condition).is_some_and(|names| {
            names.into_iter().all(|name| {
                let is_local = self.names.iter().any(|local| local == name);
                self.unmodified_parameters.contains(name) || !is_local && is_unchanged
            })
        })
    }
}

/// Returns true if a condition reads no mutable object state.
fn reads_names_only(condition: &str) -> bool {
    !condition.replace(".length ", " ").contains(['(', '[', '.'])
}

/// Returns the end of the checks at a routine's start: before it, its preconditions may be violated.
fn end_of_checks(code: &Code<'_>, method: NodeIndex, contracts: &Contracts) -> usize {
    let body = code.child(method, NodeRole::Body);
    let statements = body.into_iter().flat_map(|body| code.children(body));
    let checks = statements.filter(|id| !contracts.conditions_if_check(code, *id).is_empty());
    checks.map(|id| code.bytes(id).end).max().unwrap_or(0)
}

/// Returns true if no externally visible state has changed since the routine's entry, in any loop iteration.
fn is_state_unchanged(code: &Code<'_>, method: NodeIndex, statement: NodeIndex) -> bool {
    if code.self_and_ancestors(statement).any(|id| code.has_kind(id, NodeKind::LambdaExpression)) {
        return false;
    }
    let loops = code.self_and_ancestors(statement).filter(|id| code.is_loop(*id));
    let repeated = loops.map(|id| code.bytes(id).end).max();
    let end = repeated.unwrap_or_else(|| code.bytes(statement).start);
    let preceding_nodes =
        (method..code.node(method).subtree_end).filter(|id| code.bytes(*id).start < end);
    let is_project_allocation = |id: NodeIndex| {
        code.has_kind(id, NodeKind::NewClass)
            && code.symbol(id).is_none_or(|symbol| symbol.position.is_some())
    };
    preceding_nodes
        .into_iter()
        .all(|id| !has_external_effect(code, id) && !is_project_allocation(id))
}

/// Returns true if a test observed a false condition, if it is linear in recorded numbers.
fn is_observed_false(observations: Option<&Observations>, condition: &str) -> bool {
    let Some((observations, linear)) = observations.zip(LinearCondition::read(condition)) else {
        return false;
    };
    let number = |value| match value {
        Some(ObservedValue::Number(number)) => Some(number),
        _ => None,
    };
    let outcomes = observations.evaluate_condition(|row| {
        Some(linear.evaluate(|term| number(row.value_of(term))) != Some(false))
    });
    outcomes.is_some_and(|outcomes| outcomes.truth_by_visit.contains(&false))
}
