//! A value with something added, taken away or multiplied.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::nearness;
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::scope::Variable;
use mend_java::code::types::{is_ordered, is_whole};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of variables tried per value.
const TRIED: usize = 3;

pub(crate) fn propose(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    stepped(site, id, out);
    multiplied(site, id, out);
}

/// Adds or subtracts one, or the value of a variable.
fn stepped(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    if !is_whole(code.type_of(id)) || code.kind(id).is_literal() {
        return;
    }
    let parent = code.parent(id);
    let is_summand = matches!(code.operator(parent), Some("+" | "-"));
    if is_summand || code.is(parent, NodeKind::TypeCast) {
        return;
    }
    let is_edge = matches!(code.role(id), NodeRole::Argument | NodeRole::Value)
        || matches!(
            code.kind(parent),
            NodeKind::ArrayAccess | NodeKind::Return | NodeKind::NewArray
        )
        || code.operator(parent).is_some();
    let weight = if is_edge { 0.6 } else { 0.3 };
    for sign in ["+", "-"] {
        let other = format!("{} {sign} 1", code.fitted(id, code.written(id)));
        out.replace(site, id, &other, FixOperator::Value.with_weight(weight));
    }
    let written = code.written(id);
    let is_other = |one: &&Variable| is_whole(&one.ty) && one.name != written;
    let others = site.inner_variables_for(code.type_of(id)).filter(is_other);
    for variable in others.take(TRIED).filter(|_| is_edge) {
        let weight = if are_compared_around(code, id, &variable.name) { 0.7 } else { 0.25 };
        for sign in ["+", "-"] {
            let other = format!("{} {sign} {}", code.fitted(id, written), variable.name);
            out.replace(site, id, &other, FixOperator::Value.with_weight(weight));
        }
    }
}

/// Returns true if the statement is under a condition that compares a value with a variable.
fn are_compared_around(code: &Code<'_>, id: NodeIndex, variable: &str) -> bool {
    let compares = |node: NodeIndex| {
        let is_order = matches!(code.operator(node), Some("<" | "<=" | ">" | ">="));
        let Some((left, _, right)) = code.binary(node).filter(|_| is_order) else { return false };
        let (left, right, value) = (code.written(left), code.written(right), code.written(id));
        (left, right) == (value, variable) || (left, right) == (variable, value)
    };
    let conditions =
        code.self_and_ancestors(id).filter_map(|holder| code.child(holder, NodeRole::Condition));
    conditions.into_iter().any(|condition| (condition..code.node(condition).end).any(compares))
}

/// Multiplies a compared, added or subtracted value, by itself or by a nearby value.
fn multiplied(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_operand = matches!(
        code.operator(code.parent(id)),
        Some("+" | "-" | "<" | "<=" | ">" | ">=" | "==" | "!=")
    );
    let is_number = is_ordered(code.type_of(id)) && code.type_of(id) != "char";
    if !code.is(id, NodeKind::Identifier) || !is_operand || !is_number {
        return;
    }
    let written = code.written(id);
    let others = site.inner_variables_for(code.type_of(id)).map(|one| one.name.as_str());
    let others = others.filter(|name| *name != written).take(TRIED);
    for (at, factor) in std::iter::once(written).chain(others).enumerate() {
        let product = format!("{written} * {factor}");
        let edit = Edit::replace(code.bytes(id), &*product);
        let why = format!("`{written}` becomes `{product}`");
        out.add(FixOperator::Value.with_weight(0.25 * nearness(at, 0.2)), vec![edit], why);
    }
}
