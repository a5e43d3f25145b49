//! A cast of a number that is not needed, is to another type, or is of too little or too much.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::closed;
use mend_java::code::types::is_ordered;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Types that a number is cast to.
const TYPES: [&str; 3] = ["int", "long", "double"];

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for id in code.own_nodes(site.statement) {
        if code.is(id, NodeKind::TypeCast) && is_ordered(code.type_of(id)) {
            cast(site, id, out);
        }
        if code.is(id, NodeKind::IntLiteral) && code.operator(code.parent(id)).is_some() {
            for wider in ["L", ".0"] {
                let text = format!("{}{wider}", code.written(id));
                out.replace(site, id, &text, FixOperator::Widening.with_weight(0.4));
            }
        }
    }
}

fn cast(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let (Some(ty), Some(value)) = (code.child(id, NodeRole::Type), code.child(id, NodeRole::Value))
    else {
        return;
    };
    let (to, of) = (code.written(ty), code.written(value));
    out.replace(site, id, of, FixOperator::Widening.with_weight(0.5));
    for other in TYPES.iter().filter(|other| **other != to) {
        out.replace(site, ty, other, FixOperator::Widening.with_weight(0.4));
    }
    let parent = code.parent(id);
    // `(int) a * b` is cast before it is multiplied.
    if let Some((_, operator, right)) = code.binary(parent).filter(|(left, ..)| *left == id) {
        let rest = format!("{} {}", &code.text[operator], code.written(right));
        let whole = format!("({to}) ({} {rest})", code.written(value));
        out.replace(site, parent, &whole, FixOperator::Widening.with_weight(0.6));
    }
    // `(double) (a / b)` after it is divided.
    let inner =
        code.children(value).first().copied().filter(|_| code.is(value, NodeKind::Parenthesized));
    if let Some((left, operator, right)) = inner.and_then(|inner| code.binary(inner)) {
        let first = format!("({to}) {}", closed(code.written(left)));
        let whole = format!("{first} {} {}", &code.text[operator], code.written(right));
        out.replace(site, id, &whole, FixOperator::Widening.with_weight(0.6));
    }
}
