//! Fix operators for overflow and truncation: calculate in a wider type.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};

/// Factor for a change of two declarations relative to one.
const TWO_DECLARATIONS_FACTOR: f64 = 0.8;

/// Prior likelihood of a wider type if only failing tests observed large values.
const OBSERVED_OVERFLOW_WEIGHT: f64 = 1.0;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for id in code.own_nodes(site.statement) {
        let is_whole = code.type_of(id) == "int";
        match code.binary_operator(id) {
            Some("*" | "<<") if is_whole => propose_widening(site, id, "long", 1.0, out),
            Some("+" | "-") if is_whole => propose_widening(site, id, "long", 0.5, out),
            Some("/") if is_whole || code.type_of(id) == "long" => {
                propose_widening(site, id, "double", 0.5, out);
            }
            _ => {}
        }
    }
}

fn propose_widening(
    site: &RepairSite<'_>,
    id: NodeIndex,
    ty: &str,
    weight: f64,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some((left, operator, right)) = code.binary_operands(id) else { return };
    let first = format!("({ty}) {}", code.parenthesise_if_needed(id, code.source_text(left)));
    let widened = format!("{first} {} {}", &code.text[operator], code.source_text(right));
    out.replace(site, id, &widened, FixOperator::Widening.with_weight(weight));
    if ty == "long" {
        propose_widening_with_cast(site, id, &widened, weight, out);
    }
}

/// Calculates in the wider type and casts the result back.
fn propose_widening_with_cast(
    site: &RepairSite<'_>,
    id: NodeIndex,
    widened: &str,
    weight: f64,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let is_calculation = |node: &NodeIndex| {
        code.has_kind(*node, NodeKind::Parenthesized)
            || matches!(code.binary_operator(*node), Some("*" | "/" | "%"))
    };
    let enclosing =
        code.self_and_ancestors(id).skip(1).take_while(is_calculation).collect::<Vec<_>>();
    for outer in enclosing.into_iter().chain([id]) {
        let (whole, part) = (code.bytes(outer), code.bytes(id));
        let before = &code.text[whole.start..part.start];
        let after = &code.text[part.end..whole.end];
        // The first operand needs no parentheses at equal precedence.
        let fitted = if before.is_empty() {
            widened.to_owned()
        } else {
            code.parenthesise_if_needed(id, widened)
        };
        let text = format!("(int) ({before}{fitted}{after})");
        out.replace(site, outer, &text, FixOperator::Widening.with_weight(weight));
    }
}

/// Replaces `int` with `long` or `double` in a declaration.
pub(crate) fn widen_declaration(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some(ty) = code.child(site.statement, NodeRole::Type) else { return };
    if !code.has_kind(site.statement, NodeKind::Variable) || code.source_text(ty) != "int" {
        return;
    }
    let name = code.node(site.statement).symbol.map_or("", |symbol| code.facts.name(symbol));
    let others = find_related_variables(code, site.statement);
    for (wider, weight) in wider_types(site) {
        let edit = |ty: NodeIndex| Edit::replace(code.bytes(ty), wider);
        let weight_of = |names: &[&str]| {
            let has_overflow = names.iter().any(|name| site.overflowing_terms.contains(name));
            if has_overflow { OBSERVED_OVERFLOW_WEIGHT } else { weight }
        };
        let why = format!("`int` becomes `{wider}`");
        out.add(FixOperator::Widening.with_weight(weight_of(&[name])), vec![edit(ty)], why.clone());
        for (other, of) in &others {
            let mut edits = vec![edit(ty), edit(*of)];
            edits.sort_by_key(|edit| edit.bytes);
            let why = format!("{why} in two declarations");
            out.add(
                FixOperator::Widening
                    .with_weight(weight_of(&[name, other]) * TWO_DECLARATIONS_FACTOR),
                edits,
                why,
            );
        }
    }
}

/// Returns wider types with their weights; the result type of the method comes first.
fn wider_types(site: &RepairSite<'_>) -> [(&'static str, f64); 2] {
    let code = &site.code;
    let method = code.enclosing_method(site.statement).and_then(|method| code.symbol(method));
    let is_fraction = method.is_some_and(|one| code.facts.text(one.ty.erased) == "double");
    let (first, second) = if is_fraction { ("double", "long") } else { ("long", "double") };
    [(first, 0.4), (second, 0.3)]
}

/// Returns other `int` variables that a variable's value is computed from, or whose values are computed from it, each
/// with the position of its type.
fn find_related_variables<'a>(
    code: &Code<'a>,
    declaration: NodeIndex,
) -> Vec<(&'a str, NodeIndex)> {
    let (Some(symbol), Some(method)) =
        (code.node(declaration).symbol, code.enclosing_method(declaration))
    else {
        return Vec::new();
    };
    let method_nodes = method..code.node(method).subtree_end;
    let mentions = |id: NodeIndex, wanted: SymbolId| {
        (id..code.node(id).subtree_end).any(|node| code.node(node).symbol == Some(wanted))
    };
    let values = method_nodes.clone().filter_map(|id| {
        let target = if code.has_kind(id, NodeKind::Variable) {
            id
        } else {
            code.child(id, NodeRole::Target)?
        };
        Some((code.node(target).symbol?, code.child(id, NodeRole::Value)?))
    });
    let values: Vec<(SymbolId, NodeIndex)> = values.collect();
    let is_related = |other: SymbolId| {
        let mut values = values.iter();
        values.any(|(of, value)| {
            *of == symbol && mentions(*value, other) || *of == other && mentions(*value, symbol)
        })
    };
    let declared = method_nodes.filter(|id| {
        code.has_kind(*id, NodeKind::Variable)
            && code.is_in_statement_list(*id)
            && *id != declaration
    });
    let related = declared.filter_map(|id| {
        let other = code.node(id).symbol.filter(|other| is_related(*other))?;
        Some((code.facts.name(other), code.child(id, NodeRole::Type)?))
    });
    related.filter(|(_, ty)| code.source_text(*ty) == "int").collect()
}
