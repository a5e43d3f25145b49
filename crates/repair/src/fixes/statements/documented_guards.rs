//! Fix operator that adds the guard of a documented exception: `@throws IllegalArgumentException if …`.

use super::early_exits::{guarded_code_edit, is_first_statement, possible_exits};
use crate::candidates::candidate::FixOperator;
use crate::contracts::DocumentedThrow;
use crate::fixes::site::{CandidateEdits, RepairSite};

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
