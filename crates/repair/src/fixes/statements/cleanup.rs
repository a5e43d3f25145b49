//! Moves clean-up code into a `finally` block, so that it also runs after an exception.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::step;
use crate::fixes::text::{brief, reindented};
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind};
use std::ops::Range;

/// Maximum distance, in statements, at which a clean-up statement is searched.
const REACH: usize = 4;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if !code.is_in_list(site.statement) {
        return;
    }
    let siblings = code.children(code.parent(site.statement));
    let Some(at) = siblings.iter().position(|id| *id == site.statement) else { return };
    let following = siblings.iter().enumerate().skip(at + 1).take(REACH);
    for (end, cleanup) in following {
        if code.is(*cleanup, NodeKind::ExpressionStatement) {
            finally(site, &siblings[at..end], *cleanup, out);
        }
    }
}

/// Builds `try { inside } finally { cleanup }`, unless variables declared inside are used after it.
fn finally(
    site: &RepairSite<'_>,
    inside: &[NodeIndex],
    cleanup: NodeIndex,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some(&first) = inside.first() else { return };
    let block = code.parent(first);
    let declared: Vec<_> = inside
        .iter()
        .filter(|id| code.is(**id, NodeKind::Variable))
        .filter_map(|id| code.node(*id).symbol)
        .collect();
    let is_wanted = |id: usize| code.node(id).symbol.is_some_and(|one| declared.contains(&one));
    if (cleanup..code.node(block).end).any(is_wanted) {
        return;
    }
    let (indent, end, step) = (code.indent(first), code.line_end(), step(site));
    // What stands between the two, as a comment, stays.
    let body = code.text[code.bytes(first).start..code.bytes(cleanup).start].trim_end();
    let body = reindented(body, indent, &format!("{indent}{step}"));
    let written = code.written(cleanup);
    let text = format!(
        "try {{{end}{indent}{step}{body}{end}{indent}}} finally {{{end}{indent}{step}{written}{end}{indent}}}"
    );
    let whole: Range<usize> = code.bytes(first).start..code.bytes(cleanup).end;
    let why = format!("`{}` runs in a finally block, even after an exception", brief(written));
    out.add(FixOperator::Order.with_weight(0.6), vec![Edit::replace(whole, text)], why);
}
