//! Checks in code: statements that throw where something does not hold, and do nothing else that matters.

use super::calls::called;
use crate::contracts::Contracts;
use crate::contracts::library_checks;
use mend_java::Code;
use mend_java::code::condition::Condition;
use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

impl Contracts {
    /// Returns the check that contains a node: a statement that only throws if a condition is false.
    pub(crate) fn check_of(&self, code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
        match code.kind(id) {
            NodeKind::Throw => {
                code.self_and_ancestors(id).skip(1).find(|holder| code.is_guard(*holder))
            }
            _ => Some(id).filter(|id| self.is_check(code, *id)),
        }
    }

    /// Returns true if a check belongs to the preconditions of its method: only other checks and declarations precede
    /// it.
    pub(crate) fn is_demand(&self, code: &Code<'_>, check: NodeIndex) -> bool {
        let block = code.parent(check);
        let mut before = code.children(block).into_iter().take_while(|id| *id != check);
        let is_body = code.is(code.parent(block), NodeKind::Method);
        is_body
            && before
                .all(|id| self.is_check(code, id) || is_delegation(code, id) || is_look(code, id))
    }

    /// Returns true for a guard, an assertion, or a call of a method that only checks.
    fn is_check(&self, code: &Code<'_>, statement: NodeIndex) -> bool {
        code.is(statement, NodeKind::Assert)
            || code.is_guard(statement)
            || called(code, statement).is_some_and(|call| {
                let is_own = code.node(call).symbol.is_some_and(|id| self.checkers.contains(&id));
                is_own || library_checks::is_check(code, call)
            })
    }

    /// Returns the conditions that a method's leading checks require.
    pub(super) fn guarded(&self, code: &Code<'_>, method: NodeIndex) -> Vec<String> {
        let Some(body) = code.child(method, NodeRole::Body) else { return Vec::new() };
        let statements = code.children(body).into_iter();
        let leading = statements.skip_while(|id| is_delegation(code, *id));
        let checks = leading.take_while(|id| self.is_check(code, *id));
        checks.flat_map(|check| self.demanded(code, check)).collect()
    }

    /// Returns the conditions that a check requires, as written; empty for any other statement.
    pub(crate) fn checked(&self, code: &Code<'_>, statement: NodeIndex) -> Vec<String> {
        if self.is_check(code, statement) { self.demanded(code, statement) } else { Vec::new() }
    }

    fn demanded(&self, code: &Code<'_>, check: NodeIndex) -> Vec<String> {
        let first = code.children(check).first().copied();
        match (code.kind(check), first) {
            (NodeKind::Assert, Some(condition)) => {
                vec![code.written(unwrapped(code, condition)).to_owned()]
            }
            (NodeKind::If, Some(condition)) => {
                let negated =
                    |id: &NodeIndex| Condition::parse(code.written(*id)).negation().to_string();
                reasons(code, condition).iter().map(negated).collect()
            }
            _ => called(code, check).map_or_else(Vec::new, |call| {
                let mut demands = self.demands_of(code, call);
                demands.extend(library_checks::demanded(code, call));
                demands
            }),
        }
    }
}

/// Returns the disjuncts of a condition.
fn reasons(code: &Code<'_>, condition: NodeIndex) -> Vec<NodeIndex> {
    let condition = unwrapped(code, condition);
    match code.binary(condition).filter(|_| code.is(condition, NodeKind::ConditionalOr)) {
        Some((left, _, right)) => [reasons(code, left), reasons(code, right)].concat(),
        None => vec![condition],
    }
}

/// Returns the expression inside parentheses.
fn unwrapped(code: &Code<'_>, id: NodeIndex) -> NodeIndex {
    let inner = code.children(id).first().copied().filter(|_| code.is(id, NodeKind::Parenthesized));
    inner.map_or(id, |inner| unwrapped(code, inner))
}

/// Returns true for a local variable whose initialiser has no side effects.
fn is_look(code: &Code<'_>, statement: NodeIndex) -> bool {
    let value =
        code.child(statement, NodeRole::Value).filter(|_| code.is(statement, NodeKind::Variable));
    value.is_some_and(|value| is_pure(code, value))
}

/// Returns true for `super(…)` and `this(…)`, which come first in a constructor.
fn is_delegation(code: &Code<'_>, statement: NodeIndex) -> bool {
    let is_named = |name: &str| {
        let rest = code.written(statement).strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start().starts_with('('))
    };
    is_named("super") || is_named("this")
}
