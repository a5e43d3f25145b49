//! Fix operator for stores: stores a result where its input was read.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::abbreviate;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::HashSet;

/// Prior likelihood that a value is stored in the wrong place.
const WRONG_TARGET_WEIGHT: f64 = 0.7;

/// Maximum number of other places tried.
const MAX_TARGETS: usize = 4;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some((target, value)) = find_store(code, site.statement) else { return };
    let mut distinct = HashSet::new();
    let others = source_expressions(code, value).into_iter().filter_map(|id| find_load(code, id));
    let others = others.filter(|other| {
        let is_like = code.type_of(other[0]) == code.type_of(target[0]);
        let texts = other.map(|id| code.source_text(id));
        let is_repeatable =
            other.iter().all(|id| is_pure(code, *id)) && !texts.concat().contains('\n');
        is_like
            && is_repeatable
            && texts != target.map(|id| code.source_text(id))
            && distinct.insert(texts)
    });
    for other in others.take(MAX_TARGETS) {
        let pairs = target.iter().zip(&other);
        let changed = pairs.filter(|(was, is)| code.source_text(**was) != code.source_text(**is));
        let edit = |(was, is): (&NodeIndex, &NodeIndex)| {
            Edit::replace(
                code.bytes(*was),
                code.parenthesise_if_needed(*was, code.source_text(*is)),
            )
        };
        let [of, at] = other.map(|id| abbreviate(code.source_text(id)));
        let why =
            format!("the result is written back to `{of}` at `{at}`, where its input was read");
        out.add(
            FixOperator::Value.with_weight(WRONG_TARGET_WEIGHT),
            changed.map(edit).collect(),
            why,
        );
    }
}

/// Returns the container and the index or key that a statement stores to, and the stored value.
fn find_store(code: &Code<'_>, statement: NodeIndex) -> Option<([NodeIndex; 2], NodeIndex)> {
    let expression = code.children(statement).first().copied();
    let expression =
        expression.filter(|_| code.has_kind(statement, NodeKind::ExpressionStatement))?;
    if code.has_kind(expression, NodeKind::Assignment) {
        let target = array_element(code, code.child(expression, NodeRole::Target)?)?;
        return Some((target, code.child(expression, NodeRole::Value)?));
    }
    match receiver_and_arguments(code, expression, &["put", "set"])?[..] {
        [object, at, value] => Some(([object, at], value)),
        _ => None,
    }
}

/// Returns the container and the index or key that an expression reads from.
fn find_load(code: &Code<'_>, id: NodeIndex) -> Option<[NodeIndex; 2]> {
    array_element(code, id).or_else(|| {
        match receiver_and_arguments(code, id, &["get", "getOrDefault"])?[..] {
            [object, at, ..] => Some([object, at]),
            _ => None,
        }
    })
}

/// Returns an array, and an index of it.
fn array_element(code: &Code<'_>, id: NodeIndex) -> Option<[NodeIndex; 2]> {
    match code.children(id)[..] {
        [array, index] if code.has_kind(id, NodeKind::ArrayAccess) => Some([array, index]),
        _ => None,
    }
}

/// Returns the object and the arguments of a call of a method with one of some names.
fn receiver_and_arguments(
    code: &Code<'_>,
    id: NodeIndex,
    names: &[&str],
) -> Option<Vec<NodeIndex>> {
    let called = code.symbol(id).filter(|_| code.has_kind(id, NodeKind::MethodInvocation))?;
    let callee =
        code.child(id, NodeRole::Callee).filter(|id| code.has_kind(*id, NodeKind::MemberSelect))?;
    let object = code.children(callee).first().copied();
    let object = object.filter(|_| names.contains(&code.facts.text(called.name)))?;
    let arguments = code.children(id).into_iter().filter(|id| code.role(*id) == NodeRole::Argument);
    Some(std::iter::once(object).chain(arguments).collect())
}

/// Returns the expressions that a value is computed from, including the value of its variable.
fn source_expressions(code: &Code<'_>, value: NodeIndex) -> Vec<NodeIndex> {
    let is_declared = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Variable) && code.node(*id).symbol == code.node(value).symbol
    };
    let method =
        code.enclosing_method(value).filter(|_| code.has_kind(value, NodeKind::Identifier));
    let inside = method.map_or(0..0, |method| method..code.node(method).subtree_end);
    let first = inside.into_iter().find(is_declared).and_then(|id| code.child(id, NodeRole::Value));
    let all = std::iter::once(value).chain(first);
    all.flat_map(|id| id..code.node(id).subtree_end).collect()
}
