//! Checks in code: guards, assertions and calls of check methods, which throw if a condition is false.

use super::statement_call::find_statement_call;
use crate::contracts::Contracts;
use crate::contracts::library_checks;
use mend_java::Code;
use mend_java::code::condition::Condition;
use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

impl Contracts {
    /// Returns the check that contains a node: a statement that only throws if a condition is false.
    pub(crate) fn enclosing_check(&self, code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
        match code.kind(id) {
            NodeKind::Throw => {
                code.self_and_ancestors(id).skip(1).find(|holder| code.is_guard(*holder))
            }
            _ => Some(id).filter(|id| self.is_check(code, *id)),
        }
    }

    /// Returns true if a check belongs to the preconditions of its method: only other checks and declarations precede
    /// it.
    pub(crate) fn is_precondition_check(&self, code: &Code<'_>, check: NodeIndex) -> bool {
        let block = code.parent(check);
        let mut preceding = code.children(block).into_iter().take_while(|id| *id != check);
        let is_body = code.has_kind(code.parent(block), NodeKind::Method);
        is_body
            && preceding.all(|id| {
                self.is_check(code, id)
                    || is_constructor_delegation(code, id)
                    || is_pure_declaration(code, id)
            })
    }

    /// Returns true for a guard, an assertion, or a call of a method that only checks.
    fn is_check(&self, code: &Code<'_>, statement: NodeIndex) -> bool {
        code.has_kind(statement, NodeKind::Assert)
            || code.is_guard(statement)
            || find_statement_call(code, statement).is_some_and(|call| {
                let is_project_check =
                    code.node(call).symbol.is_some_and(|id| self.check_methods.contains(&id));
                is_project_check || library_checks::is_check(code, call)
            })
    }

    /// Returns the conditions that a method's leading checks require.
    pub(super) fn guard_preconditions(&self, code: &Code<'_>, method: NodeIndex) -> Vec<String> {
        let Some(body) = code.child(method, NodeRole::Body) else { return Vec::new() };
        let statements = code.children(body).into_iter();
        let leading = statements.skip_while(|id| is_constructor_delegation(code, *id));
        let checks = leading.take_while(|id| self.is_check(code, *id));
        checks.flat_map(|check| self.conditions_of_check(code, check)).collect()
    }

    /// Returns the conditions that a check requires, as written; empty for any other statement.
    pub(crate) fn conditions_if_check(&self, code: &Code<'_>, statement: NodeIndex) -> Vec<String> {
        if self.is_check(code, statement) {
            self.conditions_of_check(code, statement)
        } else {
            Vec::new()
        }
    }

    fn conditions_of_check(&self, code: &Code<'_>, check: NodeIndex) -> Vec<String> {
        let first = code.children(check).first().copied();
        match (code.kind(check), first) {
            (NodeKind::Assert, Some(condition)) => {
                vec![code.source_text(strip_parentheses(code, condition)).to_owned()]
            }
            (NodeKind::If, Some(condition)) => {
                let negated =
                    |id: &NodeIndex| Condition::parse(code.source_text(*id)).negation().to_string();
                disjuncts(code, condition).iter().map(negated).collect()
            }
            _ => find_statement_call(code, check).map_or_else(Vec::new, |call| {
                let mut preconditions = self.callee_preconditions(code, call);
                preconditions.extend(library_checks::required_condition(code, call));
                preconditions
            }),
        }
    }
}

/// Returns the disjuncts of a condition.
fn disjuncts(code: &Code<'_>, condition: NodeIndex) -> Vec<NodeIndex> {
    let condition = strip_parentheses(code, condition);
    match code
        .binary_operands(condition)
        .filter(|_| code.has_kind(condition, NodeKind::ConditionalOr))
    {
        Some((left, _, right)) => [disjuncts(code, left), disjuncts(code, right)].concat(),
        None => vec![condition],
    }
}

/// Returns the expression inside parentheses.
fn strip_parentheses(code: &Code<'_>, id: NodeIndex) -> NodeIndex {
    let inner =
        code.children(id).first().copied().filter(|_| code.has_kind(id, NodeKind::Parenthesized));
    inner.map_or(id, |inner| strip_parentheses(code, inner))
}

/// Returns true for a local variable whose initialiser has no side effects.
fn is_pure_declaration(code: &Code<'_>, statement: NodeIndex) -> bool {
    let value = code
        .child(statement, NodeRole::Value)
        .filter(|_| code.has_kind(statement, NodeKind::Variable));
    value.is_some_and(|value| is_pure(code, value))
}

/// Returns true for `super(…)` or `this(…)`.
pub(crate) fn is_constructor_delegation(code: &Code<'_>, statement: NodeIndex) -> bool {
    let is_named = |name: &str| {
        let rest = code.source_text(statement).strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start().starts_with('('))
    };
    is_named("super") || is_named("this")
}
