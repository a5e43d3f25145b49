//! Fix operators for arithmetic: add or subtract an offset, or multiply by a value.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::position_weight;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::scope::Variable;
use mend_java::code::types::{is_ordered_type, is_whole};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolKind};

/// Maximum number of variables tried per value.
const MAX_OPERAND_VARIABLES: usize = 3;

/// Prior likelihood of the neighbour of a constant that the program names and returns.
const NAMED_CONSTANT_WEIGHT: f64 = 0.15;

pub(crate) fn propose(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    propose_offsets(site, id, out);
    propose_products(site, id, out);
}

/// Adds or subtracts one or a variable.
fn propose_offsets(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    if !is_whole(code.type_of(id)) || code.kind(id).is_literal() {
        return;
    }
    let parent = code.parent(id);
    let is_summand = matches!(code.binary_operator(parent), Some("+" | "-"));
    if is_summand || code.has_kind(parent, NodeKind::TypeCast) {
        return;
    }
    let is_likely_context = matches!(code.role(id), NodeRole::Argument | NodeRole::Value)
        || matches!(
            code.kind(parent),
            NodeKind::ArrayAccess | NodeKind::Return | NodeKind::NewArray
        )
        || code.binary_operator(parent).is_some();
    let weight = if is_likely_context { 0.6 } else { 0.3 };
    let weight = if is_named_constant(code, id) { NAMED_CONSTANT_WEIGHT } else { weight };
    for sign in ["+", "-"] {
        let other = format!("{} {sign} 1", code.parenthesise_if_needed(id, code.source_text(id)));
        out.replace(site, id, &other, FixOperator::Value.with_weight(weight));
    }
    let written = code.source_text(id);
    let is_other = |one: &&Variable| is_whole(&one.ty) && one.name != written;
    let others = site.inner_variables_for(code.type_of(id)).filter(is_other);
    for variable in others.take(MAX_OPERAND_VARIABLES).filter(|_| is_likely_context) {
        let weight = if are_compared_by_guard(code, id, &variable.name) { 0.7 } else { 0.25 };
        for sign in ["+", "-"] {
            let other =
                format!("{} {sign} {}", code.parenthesise_if_needed(id, written), variable.name);
            out.replace(site, id, &other, FixOperator::Value.with_weight(weight));
        }
    }
}

/// Returns true if a value is a constant that the program names, as in `return NOT_FOUND;`. Another value is more likely
/// than its neighbour.
fn is_named_constant(code: &Code<'_>, id: NodeIndex) -> bool {
    let is_constant = |symbol: &Symbol| {
        symbol.kind == SymbolKind::Field
            && symbol.flags.has(SymbolFlags::STATIC)
            && symbol.flags.has(SymbolFlags::FINAL)
    };
    code.symbol(id).is_some_and(is_constant) && code.has_kind(code.parent(id), NodeKind::Return)
}

/// Returns true if an enclosing condition compares a value with a variable.
fn are_compared_by_guard(code: &Code<'_>, id: NodeIndex, variable: &str) -> bool {
    let compares = |node: NodeIndex| {
        let is_order = matches!(code.binary_operator(node), Some("<" | "<=" | ">" | ">="));
        let Some((left, _, right)) = code.binary_operands(node).filter(|_| is_order) else {
            return false;
        };
        let (left, right, value) =
            (code.source_text(left), code.source_text(right), code.source_text(id));
        (left, right) == (value, variable) || (left, right) == (variable, value)
    };
    let conditions =
        code.self_and_ancestors(id).filter_map(|holder| code.child(holder, NodeRole::Condition));
    conditions
        .into_iter()
        .any(|condition| (condition..code.node(condition).subtree_end).any(compares))
}

/// Multiplies a compared, added or subtracted value, by itself or by a nearby value.
fn propose_products(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_operand = matches!(
        code.binary_operator(code.parent(id)),
        Some("+" | "-" | "<" | "<=" | ">" | ">=" | "==" | "!=")
    );
    let is_number = is_ordered_type(code.type_of(id)) && code.type_of(id) != "char";
    if !code.has_kind(id, NodeKind::Identifier) || !is_operand || !is_number {
        return;
    }
    let written = code.source_text(id);
    let others = site.inner_variables_for(code.type_of(id)).map(|one| one.name.as_str());
    let others = others.filter(|name| *name != written).take(MAX_OPERAND_VARIABLES);
    for (at, factor) in std::iter::once(written).chain(others).enumerate() {
        let product = format!("{written} * {factor}");
        let edit = Edit::replace(code.bytes(id), &*product);
        let why = format!("`{written}` becomes `{product}`");
        out.add(FixOperator::Value.with_weight(0.25 * position_weight(at, 0.2)), vec![edit], why);
    }
}
