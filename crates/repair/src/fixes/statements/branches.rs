//! Fix operators for branches: make consecutive conditions exclusive or independent, and add a missing `else`.

use super::commands::assignable_variables;
use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::abbreviate;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::indent_unit;
use mend_java::Edit;
use mend_java::facts::{NodeKind, NodeRole};

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let statement = site.statement;
    let Some(condition) = code.child(statement, NodeRole::Condition) else { return };
    if !code.has_kind(statement, NodeKind::If) {
        return;
    }
    let written = code.source_text(condition);
    let inner = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let condition_text = abbreviate(inner.unwrap_or(written));
    propose_else_assignment(site, &condition_text, out);
    let start = code.bytes(statement).start;
    if code.role(statement) == NodeRole::Else {
        let Some(then) = code.child(code.parent(statement), NodeRole::Then) else { return };
        let is_separable = code.is_in_statement_list(code.parent(statement))
            && code.has_kind(then, NodeKind::Block);
        let separator = format!("{}{}", code.line_end(), code.indent(code.parent(statement)));
        let edit = Edit::replace(code.bytes(then).end..start, separator);
        if is_separable {
            out.add(
                FixOperator::Condition.with_weight(0.4),
                vec![edit],
                format!("`{condition_text}` is checked even if the preceding condition holds"),
            );
        }
        return;
    }
    if !code.is_in_statement_list(statement) {
        return;
    }
    let siblings = code.children(code.parent(statement));
    let at = siblings.iter().position(|id| *id == statement);
    let previous = at.and_then(|at| at.checked_sub(1)).map(|at| siblings[at]);
    let is_if_without_else = |id: &usize| {
        let then =
            code.child(*id, NodeRole::Then).filter(|then| code.has_kind(*then, NodeKind::Block));
        code.has_kind(*id, NodeKind::If)
            && then.is_some()
            && code.child(*id, NodeRole::Else).is_none()
    };
    let Some(previous) = previous.filter(is_if_without_else) else { return };
    let between = code.bytes(previous).end..start;
    if code.text[between.clone()].trim().is_empty() {
        let why = format!("`{condition_text}` is checked only if the preceding condition is false");
        out.add(
            FixOperator::Condition.with_weight(0.4),
            vec![Edit::replace(between, " else ")],
            why,
        );
    }
}

/// Maximum number of values tried for a null field.
const MAX_VALUES: usize = 3;

/// Assigns a value to a null field in a new `else` branch.
fn propose_else_assignment(site: &RepairSite<'_>, condition_text: &str, out: &mut CandidateEdits) {
    let code = &site.code;
    let then =
        code.child(site.statement, NodeRole::Then).filter(|id| code.has_kind(*id, NodeKind::Block));
    let Some(then) = then.filter(|_| code.child(site.statement, NodeRole::Else).is_none()) else {
        return;
    };
    let is_null = |name: &str| site.diagnosis.null_expressions.iter().any(|null| null == name);
    let (indent, end, step) = (code.indent(site.statement), code.line_end(), indent_unit(site));
    for field in assignable_variables(site).filter(|one| one.is_field && is_null(&one.name)) {
        let values = site.variables_for(&field.ty).filter(|one| one.name != field.name);
        for value in values.take(MAX_VALUES) {
            let assignment = format!("{} = {};", field.name, value.name);
            let text = format!(" else {{{end}{indent}{step}{assignment}{end}{indent}}}");
            let why = format!("`{assignment}` runs if `{condition_text}` is false");
            let edit = Edit::insert(code.bytes(then).end, text);
            out.add(FixOperator::NullCheck.with_weight(0.8), vec![edit], why);
        }
    }
}
