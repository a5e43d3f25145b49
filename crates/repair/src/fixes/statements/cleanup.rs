//! Fix operator that moves clean-up code into a `finally` block, so that it also runs after an exception.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::{abbreviate, reindent};
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::indent_unit;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind};
use std::ops::Range;

/// Maximum distance, in statements, at which a clean-up statement is searched.
const MAX_STATEMENT_DISTANCE: usize = 4;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if !code.is_in_statement_list(site.statement) {
        return;
    }
    let siblings = code.children(code.parent(site.statement));
    let Some(at) = siblings.iter().position(|id| *id == site.statement) else { return };
    let following = siblings.iter().enumerate().skip(at + 1).take(MAX_STATEMENT_DISTANCE);
    for (end, cleanup) in following {
        if code.has_kind(*cleanup, NodeKind::ExpressionStatement) {
            wrap_in_try_finally(site, &siblings[at..end], *cleanup, out);
        }
    }
}

/// Builds `try { inside } finally { cleanup }`, unless variables declared inside are used after it.
fn wrap_in_try_finally(
    site: &RepairSite<'_>,
    statements: &[NodeIndex],
    cleanup: NodeIndex,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some(&first) = statements.first() else { return };
    let block = code.parent(first);
    let declared: Vec<_> = statements
        .iter()
        .filter(|id| code.has_kind(**id, NodeKind::Variable))
        .filter_map(|id| code.node(*id).symbol)
        .collect();
    let uses_declared = |id: usize| code.node(id).symbol.is_some_and(|one| declared.contains(&one));
    if (cleanup..code.node(block).subtree_end).any(uses_declared) {
        return;
    }
    let (indent, end, step) = (code.indent(first), code.line_end(), indent_unit(site));
    // Comments between the statements are kept.
    let body = code.text[code.bytes(first).start..code.bytes(cleanup).start].trim_end();
    let body = reindent(body, indent, &format!("{indent}{step}"));
    let written = code.source_text(cleanup);
    let text = format!(
        "try {{{end}{indent}{step}{body}{end}{indent}}} finally {{{end}{indent}{step}{written}{end}{indent}}}"
    );
    let whole: Range<usize> = code.bytes(first).start..code.bytes(cleanup).end;
    let why = format!("`{}` runs in a finally block, even after an exception", abbreviate(written));
    out.add(FixOperator::Order.with_weight(0.6), vec![Edit::replace(whole, text)], why);
}
