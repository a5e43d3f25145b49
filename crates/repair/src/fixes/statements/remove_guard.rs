//! Fix operator for guards that are too strict: removes the guard, or a disjunct of its condition.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::abbreviate;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeRole};

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let guard = code.self_and_ancestors(site.statement).find(|id| code.is_guard(*id));
    let Some(guard) = guard.filter(|guard| code.is_in_statement_list(*guard)) else { return };
    let edit = Edit::replace(code.whole_line_range(guard), "");
    let condition = code.child(guard, NodeRole::Condition).map_or("", |id| code.source_text(id));
    let why = format!("the guard `{}` is removed, as it may be too strict", abbreviate(condition));
    out.add(FixOperator::WrongGuard.with_weight(0.5), vec![edit], why);
    remove_alternatives(site, guard, out);
}

/// Removes one disjunct of a guard's condition.
fn remove_alternatives(site: &RepairSite<'_>, guard: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let inside =
        (guard..code.node(guard).subtree_end).filter(|id| code.binary_operator(*id) == Some("||"));
    for disjunction in inside {
        let Some((left, _, right)) = code.binary_operands(disjunction) else { continue };
        for kept in [left, right] {
            out.replace(
                site,
                disjunction,
                code.source_text(kept),
                FixOperator::WrongGuard.with_weight(0.6),
            );
        }
    }
}
