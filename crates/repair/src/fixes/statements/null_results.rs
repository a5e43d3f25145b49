//! Fix operator for a null result where a test expects another value: returns a default instead.

use super::early_exits::default_values;
use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::{class_reference, position_weight};
use crate::fixes::implicit_preconditions::MAX_REPEATED_LEN;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::code::purity::is_pure;
use mend_java::code::types::is_reference_type;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::parenthesise;

/// Prior likelihood of the default that a failing test expects.
const EXPECTED_DEFAULT_WEIGHT: f64 = 1.0;

/// Prior likelihood of any other default.
const OTHER_DEFAULT_WEIGHT: f64 = 0.4;

/// Returns a default if the returned value is null: `return Objects.toString(a, "");`.
pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if !code.has_kind(site.statement, NodeKind::Return) || !site.diagnosis.has_null_result {
        return;
    }
    let may_be_null = |id: &NodeIndex| {
        is_reference_type(code.type_of(*id))
            && !code.kind(*id).is_literal()
            && !code.has_kind(*id, NodeKind::NewClass)
    };
    let Some(value) = code.child(site.statement, NodeRole::Value).filter(may_be_null) else {
        return;
    };
    let defaults = default_values(site, code.type_of(value));
    let defaults = defaults.iter().filter(|one| !matches!(one.as_str(), "null" | "this"));
    for (at, default) in defaults.enumerate() {
        let is_expected = site.diagnosis.expects_result(default);
        let prior = if is_expected { EXPECTED_DEFAULT_WEIGHT } else { OTHER_DEFAULT_WEIGHT };
        let text = with_default(site, value, default);
        let weight = prior * position_weight(at, 0.2);
        out.replace(site, value, &text, FixOperator::Value.with_weight(weight));
    }
}

/// Returns an expression with a default instead of null, which evaluates the value once unless it has no side effects.
fn with_default(site: &RepairSite<'_>, value: NodeIndex, default: &str) -> String {
    let code = &site.code;
    let written = code.source_text(value);
    if is_pure(code, value) && written.len() <= MAX_REPEATED_LEN {
        let operand = parenthesise(written);
        return format!("{operand} == null ? {default} : {operand}");
    }
    let objects = class_reference(code, "java.util.Objects");
    let method =
        if code.type_of(value) == "java.lang.String" { "toString" } else { "requireNonNullElse" };
    format!("{objects}.{method}({written}, {default})")
}
