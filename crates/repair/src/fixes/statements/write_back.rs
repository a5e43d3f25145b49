//! Writes a result back to the place from which its input was read.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::brief;
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::HashSet;

/// Prior likelihood that a value is stored in the wrong place.
const ASTRAY: f64 = 0.7;

/// Maximum number of other places tried.
const TRIED: usize = 4;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some((place, value)) = written(code, site.statement) else { return };
    let mut known = HashSet::new();
    let others = sources(code, value).into_iter().filter_map(|id| read(code, id));
    let others = others.filter(|other| {
        let is_like = code.type_of(other[0]) == code.type_of(place[0]);
        let texts = other.map(|id| code.written(id));
        let is_plain = other.iter().all(|id| is_pure(code, *id)) && !texts.concat().contains('\n');
        is_like && is_plain && texts != place.map(|id| code.written(id)) && known.insert(texts)
    });
    for other in others.take(TRIED) {
        let pairs = place.iter().zip(&other);
        let changed = pairs.filter(|(was, is)| code.written(**was) != code.written(**is));
        let edit = |(was, is): (&NodeIndex, &NodeIndex)| {
            Edit::replace(code.bytes(*was), code.fitted(*was, code.written(*is)))
        };
        let [of, at] = other.map(|id| brief(code.written(id)));
        let why =
            format!("the result is written back to `{of}` at `{at}`, where its input was read");
        out.add(FixOperator::Value.with_weight(ASTRAY), changed.map(edit).collect(), why);
    }
}

/// Returns the container and the index or key that a statement stores to, and the stored value.
fn written(code: &Code<'_>, statement: NodeIndex) -> Option<([NodeIndex; 2], NodeIndex)> {
    let inside = code.children(statement).first().copied();
    let inside = inside.filter(|_| code.is(statement, NodeKind::ExpressionStatement))?;
    if code.is(inside, NodeKind::Assignment) {
        let place = element(code, code.child(inside, NodeRole::Target)?)?;
        return Some((place, code.child(inside, NodeRole::Value)?));
    }
    match receiver_and_arguments(code, inside, &["put", "set"])?[..] {
        [object, at, value] => Some(([object, at], value)),
        _ => None,
    }
}

/// Returns the container and the index or key that an expression reads from.
fn read(code: &Code<'_>, id: NodeIndex) -> Option<[NodeIndex; 2]> {
    element(code, id).or_else(|| {
        match receiver_and_arguments(code, id, &["get", "getOrDefault"])?[..] {
            [object, at, ..] => Some([object, at]),
            _ => None,
        }
    })
}

/// Returns an array, and an index of it.
fn element(code: &Code<'_>, id: NodeIndex) -> Option<[NodeIndex; 2]> {
    match code.children(id)[..] {
        [array, index] if code.is(id, NodeKind::ArrayAccess) => Some([array, index]),
        _ => None,
    }
}

/// Returns the object and the arguments of a call of a method with one of some names.
fn receiver_and_arguments(
    code: &Code<'_>,
    id: NodeIndex,
    names: &[&str],
) -> Option<Vec<NodeIndex>> {
    let called = code.symbol(id).filter(|_| code.is(id, NodeKind::MethodInvocation))?;
    let callee =
        code.child(id, NodeRole::Callee).filter(|id| code.is(*id, NodeKind::MemberSelect))?;
    let object = code.children(callee).first().copied();
    let object = object.filter(|_| names.contains(&code.facts.text(called.name)))?;
    let arguments = code.children(id).into_iter().filter(|id| code.role(*id) == NodeRole::Argument);
    Some(std::iter::once(object).chain(arguments).collect())
}

/// Returns the expressions that a value is computed from, including the value of its variable.
fn sources(code: &Code<'_>, value: NodeIndex) -> Vec<NodeIndex> {
    let is_declared = |id: &NodeIndex| {
        code.is(*id, NodeKind::Variable) && code.node(*id).symbol == code.node(value).symbol
    };
    let method = code.method_of(value).filter(|_| code.is(value, NodeKind::Identifier));
    let inside = method.map_or(0..0, |method| method..code.node(method).end);
    let first = inside.into_iter().find(is_declared).and_then(|id| code.child(id, NodeRole::Value));
    let all = std::iter::once(value).chain(first);
    all.flat_map(|id| id..code.node(id).end).collect()
}
