//! Arithmetic in a wider type, without overflow or truncation.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};

/// Factor for a change of two declarations relative to one.
const TOGETHER: f64 = 0.8;

/// Prior likelihood of a wider type if only failing tests observed large values.
const SEEN: f64 = 1.0;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for id in code.own_nodes(site.statement) {
        let is_whole = code.type_of(id) == "int";
        match code.operator(id) {
            Some("*" | "<<") if is_whole => widened(site, id, "long", 1.0, out),
            Some("+" | "-") if is_whole => widened(site, id, "long", 0.5, out),
            Some("/") if is_whole || code.type_of(id) == "long" => {
                widened(site, id, "double", 0.5, out);
            }
            _ => {}
        }
    }
}

fn widened(site: &RepairSite<'_>, id: NodeIndex, ty: &str, weight: f64, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some((left, operator, right)) = code.binary(id) else { return };
    let first = format!("({ty}) {}", code.fitted(id, code.written(left)));
    let whole = format!("{first} {} {}", &code.text[operator], code.written(right));
    out.replace(site, id, &whole, FixOperator::Widening.with_weight(weight));
    if ty == "long" {
        narrowed(site, id, &whole, weight, out);
    }
}

/// Calculates in the wider type and converts the result back.
fn narrowed(
    site: &RepairSite<'_>,
    id: NodeIndex,
    widened: &str,
    weight: f64,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let is_calculation = |node: &NodeIndex| {
        code.is(*node, NodeKind::Parenthesized)
            || matches!(code.operator(*node), Some("*" | "/" | "%"))
    };
    let around = code.self_and_ancestors(id).skip(1).take_while(is_calculation).collect::<Vec<_>>();
    for outer in around.into_iter().chain([id]) {
        let (whole, part) = (code.bytes(outer), code.bytes(id));
        let before = &code.text[whole.start..part.start];
        let after = &code.text[part.end..whole.end];
        // The first operand needs no parentheses at equal precedence.
        let fitted = if before.is_empty() { widened.to_owned() } else { code.fitted(id, widened) };
        let text = format!("(int) ({before}{fitted}{after})");
        out.replace(site, outer, &text, FixOperator::Widening.with_weight(weight));
    }
}

/// Replaces `int` with `long` or `double` in a declaration.
pub(crate) fn declared(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some(ty) = code.child(site.statement, NodeRole::Type) else { return };
    if !code.is(site.statement, NodeKind::Variable) || code.written(ty) != "int" {
        return;
    }
    let name = code.node(site.statement).symbol.map_or("", |symbol| code.facts.name(symbol));
    let others = counted_with(code, site.statement);
    for (wider, weight) in widths(site) {
        let edit = |ty: NodeIndex| Edit::replace(code.bytes(ty), wider);
        let weight_of = |names: &[&str]| {
            let is_seen = names.iter().any(|name| site.overflowing.contains(name));
            if is_seen { SEEN } else { weight }
        };
        let why = format!("`int` becomes `{wider}`");
        out.add(FixOperator::Widening.with_weight(weight_of(&[name])), vec![edit(ty)], why.clone());
        for (other, of) in &others {
            let mut edits = vec![edit(ty), edit(*of)];
            edits.sort_by_key(|edit| edit.bytes);
            let why = format!("{why} in two declarations");
            out.add(
                FixOperator::Widening.with_weight(weight_of(&[name, other]) * TOGETHER),
                edits,
                why,
            );
        }
    }
}

/// Returns wider types with their weights; the result type of the method comes first.
fn widths(site: &RepairSite<'_>) -> [(&'static str, f64); 2] {
    let code = &site.code;
    let method = code.method_of(site.statement).and_then(|method| code.symbol(method));
    let is_fraction = method.is_some_and(|one| code.facts.text(one.ty.erased) == "double");
    let (first, second) = if is_fraction { ("double", "long") } else { ("long", "double") };
    [(first, 0.4), (second, 0.3)]
}

/// Returns other `int` variables that a variable's value is computed from, or whose values are computed from it, each
/// with the position of its type.
fn counted_with<'a>(code: &Code<'a>, declaration: NodeIndex) -> Vec<(&'a str, NodeIndex)> {
    let (Some(symbol), Some(method)) = (code.node(declaration).symbol, code.method_of(declaration))
    else {
        return Vec::new();
    };
    let inside = method..code.node(method).end;
    let names = |id: NodeIndex, wanted: SymbolId| {
        (id..code.node(id).end).any(|node| code.node(node).symbol == Some(wanted))
    };
    let values = inside.clone().filter_map(|id| {
        let target =
            if code.is(id, NodeKind::Variable) { id } else { code.child(id, NodeRole::Target)? };
        Some((code.node(target).symbol?, code.child(id, NodeRole::Value)?))
    });
    let values: Vec<(SymbolId, NodeIndex)> = values.collect();
    let is_related = |other: SymbolId| {
        let mut values = values.iter();
        values.any(|(of, value)| {
            *of == symbol && names(*value, other) || *of == other && names(*value, symbol)
        })
    };
    let declared = inside.filter(|id| {
        code.is(*id, NodeKind::Variable) && code.is_in_list(*id) && *id != declaration
    });
    let related = declared.filter_map(|id| {
        let other = code.node(id).symbol.filter(|other| is_related(*other))?;
        Some((code.facts.name(other), code.child(id, NodeRole::Type)?))
    });
    related.filter(|(_, ty)| code.written(*ty) == "int").collect()
}
