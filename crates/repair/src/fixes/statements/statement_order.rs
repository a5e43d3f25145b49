//! Two statements in the other order.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::brief;
use mend_java::Edit;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if !code.is_in_list(site.statement) {
        return;
    }
    let siblings = code.children(code.parent(site.statement));
    let at = siblings.iter().position(|id| *id == site.statement);
    let Some(&next) = at.and_then(|at| siblings.get(at + 1)) else { return };
    if !code.is_statement(next) {
        return;
    }
    let (first, second) = (code.written(site.statement), code.written(next));
    let edits = vec![
        Edit::replace(code.bytes(site.statement), second),
        Edit::replace(code.bytes(next), first),
    ];
    let why = format!("`{}` runs before `{}`", brief(second), brief(first));
    out.add(FixOperator::Order.with_weight(0.5), edits, why);
}
