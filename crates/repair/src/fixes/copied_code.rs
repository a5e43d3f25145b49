//! Conditions on statements that are copied to another place.

use super::site::RepairSite;
use mend_java::Code;
use mend_java::code::types::{fits, is_reference};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// A donor longer than this stays where it is.
pub(super) const LONGEST: usize = 160;

/// Returns true if a donor does not leave the routine, or leaves it in a way that is valid here.
pub(super) fn may_leave(site: &RepairSite<'_>, other: &Code<'_>, donor: NodeIndex) -> bool {
    let code = &site.code;
    let method = code.method_of(site.statement).and_then(|method| code.symbol(method));
    let returned = method.map_or("void", |method| code.facts.text(method.ty.erased));
    let is_in_loop = code.self_and_ancestors(site.statement).skip(1).any(|id| code.is_loop(id));
    (donor..other.node(donor).end).all(|id| match other.kind(id) {
        NodeKind::Return => other.child(id, NodeRole::Value).map_or(returned == "void", |value| {
            let is_null = other.is(value, NodeKind::NullLiteral) && is_reference(returned);
            is_null || fits(code.facts, other.type_of(value), returned)
        }),
        NodeKind::Continue => is_in_loop,
        _ => true,
    })
}
