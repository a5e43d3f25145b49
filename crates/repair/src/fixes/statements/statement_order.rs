//! Fix operator that swaps a statement with the next one.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::abbreviate;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Edit;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if !code.is_in_statement_list(site.statement) {
        return;
    }
    let siblings = code.children(code.parent(site.statement));
    let at = siblings.iter().position(|id| *id == site.statement);
    let Some(&next) = at.and_then(|at| siblings.get(at + 1)) else { return };
    if !code.is_statement(next) {
        return;
    }
    let (first, second) = (code.source_text(site.statement), code.source_text(next));
    let edits = vec![
        Edit::replace(code.bytes(site.statement), second),
        Edit::replace(code.bytes(next), first),
    ];
    let why = format!("`{}` runs before `{}`", abbreviate(second), abbreviate(first));
    out.add(FixOperator::Order.with_weight(0.5), edits, why);
}
