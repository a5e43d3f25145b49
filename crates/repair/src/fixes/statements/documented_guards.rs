//! Fix operator that adds the guard of a documented exception: `@throws IllegalArgumentException if …`.

use super::early_exits::{guarded_code_edit, possible_exits};
use crate::candidates::candidate::FixOperator;
use crate::contracts::DocumentedThrow;
use crate::contracts::checks::is_constructor_delegation;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::facts::NodeKind;

/// Proposes the guards that the Javadoc of the method promises and that its code lacks, if a test expects the exception.
pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some(method) = code.enclosing_method(site.statement).filter(|_| is_first_statement(site))
    else {
        return;
    };
    for DocumentedThrow { exception, condition } in site.contracts.unchecked_throws(code, method) {
        let is_expected = |class: &String| class.strip_prefix("java.lang.") == Some(exception);
        if !site.diagnosis.expected_exceptions.iter().any(is_expected) {
            continue;
        }
        // A `throw` with the message form of a neighbour, or one without a message.
        let prefix = format!("throw new {exception}(");
        let exit = possible_exits(site).into_iter().find(|exit| exit.starts_with(&prefix));
        let exit = exit.unwrap_or_else(|| format!("{prefix});"));
        let (edit, why) = guarded_code_edit(site, condition, &exit);
        out.add(FixOperator::EarlyExit.with_weight(1.0), vec![edit], why);
    }
}

/// Returns true if the statement is the first one in its method after `super(…)` or `this(…)`.
fn is_first_statement(site: &RepairSite<'_>) -> bool {
    let code = &site.code;
    let block = code.parent(site.statement);
    let statements = code.children(block);
    let mut own = statements.iter().filter(|id| !is_constructor_delegation(code, **id));
    code.has_kind(code.parent(block), NodeKind::Method) && own.next() == Some(&site.statement)
}
