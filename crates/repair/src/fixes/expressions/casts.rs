//! Fix operators for numeric casts: removes a cast, changes its type, or casts the result or an operand instead.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::code::types::is_ordered_type;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::parenthesise;

/// Target types of numeric casts.
const CAST_TARGETS: [&str; 3] = ["int", "long", "double"];

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for id in code.own_nodes(site.statement) {
        if code.has_kind(id, NodeKind::TypeCast) && is_ordered_type(code.type_of(id)) {
            propose_cast_changes(site, id, out);
        }
        if code.has_kind(id, NodeKind::IntLiteral)
            && code.binary_operator(code.parent(id)).is_some()
        {
            for wider in ["L", ".0"] {
                let text = format!("{}{wider}", code.source_text(id));
                out.replace(site, id, &text, FixOperator::Widening.with_weight(0.4));
            }
        }
    }
}

fn propose_cast_changes(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let (Some(ty), Some(value)) = (code.child(id, NodeRole::Type), code.child(id, NodeRole::Value))
    else {
        return;
    };
    let (type_name, operand) = (code.source_text(ty), code.source_text(value));
    out.replace(site, id, operand, FixOperator::Widening.with_weight(0.5));
    for other in CAST_TARGETS.iter().filter(|other| **other != type_name) {
        out.replace(site, ty, other, FixOperator::Widening.with_weight(0.4));
    }
    let parent = code.parent(id);
    // `(int) a * b` casts `a` before the multiplication.
    if let Some((_, operator, right)) =
        code.binary_operands(parent).filter(|(left, ..)| *left == id)
    {
        let rest = format!("{} {}", &code.text[operator], code.source_text(right));
        let whole = format!("({type_name}) ({} {rest})", code.source_text(value));
        out.replace(site, parent, &whole, FixOperator::Widening.with_weight(0.6));
    }
    // `(double) (a / b)` casts after the division.
    let inner = code
        .children(value)
        .first()
        .copied()
        .filter(|_| code.has_kind(value, NodeKind::Parenthesized));
    if let Some((left, operator, right)) = inner.and_then(|inner| code.binary_operands(inner)) {
        let first = format!("({type_name}) {}", parenthesise(code.source_text(left)));
        let whole = format!("{first} {} {}", &code.text[operator], code.source_text(right));
        out.replace(site, id, &whole, FixOperator::Widening.with_weight(0.6));
    }
}
