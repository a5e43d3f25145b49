//! A guard that refuses what is right.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::brief;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeRole};

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let guard = code.self_and_ancestors(site.statement).find(|id| code.is_guard(*id));
    let Some(guard) = guard.filter(|guard| code.is_in_list(*guard)) else { return };
    let edit = Edit::replace(code.whole_lines(guard), "");
    let condition = code.child(guard, NodeRole::Condition).map_or("", |id| code.written(id));
    let why = format!("the guard `{}` is removed, as it may be too strict", brief(condition));
    out.add(FixOperator::WrongGuard.with_weight(0.5), vec![edit], why);
    parts(site, guard, out);
}

/// Removes one alternative of a guard's condition.
fn parts(site: &RepairSite<'_>, guard: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let inside = (guard..code.node(guard).end).filter(|id| code.operator(*id) == Some("||"));
    for either in inside {
        let Some((left, _, right)) = code.binary(either) else { continue };
        for kept in [left, right] {
            out.replace(site, either, code.written(kept), FixOperator::WrongGuard.with_weight(0.6));
        }
    }
}
