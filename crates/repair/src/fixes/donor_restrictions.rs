//! Restrictions on donor code: maximum length, and exits that are valid at the target.

use super::site::RepairSite;
use mend_java::Code;
use mend_java::code::types::{is_assignable, is_reference_type};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum length of a donor.
pub(super) const MAX_DONOR_LEN: usize = 160;

/// Returns true if a donor does not leave the routine, or leaves it in a way that is valid here.
pub(super) fn has_valid_exits(site: &RepairSite<'_>, other: &Code<'_>, donor: NodeIndex) -> bool {
    let code = &site.code;
    let method = code.enclosing_method(site.statement).and_then(|method| code.symbol(method));
    let return_type = method.map_or("void", |method| code.facts.text(method.ty.erased));
    let is_in_loop = code.self_and_ancestors(site.statement).skip(1).any(|id| code.is_loop(id));
    (donor..other.node(donor).subtree_end).all(|id| match other.kind(id) {
        NodeKind::Return => {
            other.child(id, NodeRole::Value).map_or(return_type == "void", |value| {
                let is_null =
                    other.has_kind(value, NodeKind::NullLiteral) && is_reference_type(return_type);
                is_null || is_assignable(code.facts, other.type_of(value), return_type)
            })
        }
        NodeKind::Continue => is_in_loop,
        _ => true,
    })
}
