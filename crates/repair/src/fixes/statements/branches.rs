//! Splits two conditions that are checked in sequence or as `else if`, or joins them, and adds a missing `else` branch.

use super::commands::free;
use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::step;
use crate::fixes::text::brief;
use mend_java::Edit;
use mend_java::facts::{NodeKind, NodeRole};

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let statement = site.statement;
    let Some(condition) = code.child(statement, NodeRole::Condition) else { return };
    if !code.is(statement, NodeKind::If) {
        return;
    }
    let written = code.written(condition);
    let inside = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let asked = brief(inside.unwrap_or(written));
    otherwise(site, &asked, out);
    let start = code.bytes(statement).start;
    if code.role(statement) == NodeRole::Else {
        let Some(then) = code.child(code.parent(statement), NodeRole::Then) else { return };
        let is_alone = code.is_in_list(code.parent(statement)) && code.is(then, NodeKind::Block);
        let apart = format!("{}{}", code.line_end(), code.indent(code.parent(statement)));
        let edit = Edit::replace(code.bytes(then).end..start, apart);
        if is_alone {
            out.add(
                FixOperator::Condition.with_weight(0.4),
                vec![edit],
                format!("`{asked}` is checked even if the preceding condition holds"),
            );
        }
        return;
    }
    if !code.is_in_list(statement) {
        return;
    }
    let siblings = code.children(code.parent(statement));
    let at = siblings.iter().position(|id| *id == statement);
    let before = at.and_then(|at| at.checked_sub(1)).map(|at| siblings[at]);
    let is_open = |id: &usize| {
        let then = code.child(*id, NodeRole::Then).filter(|then| code.is(*then, NodeKind::Block));
        code.is(*id, NodeKind::If) && then.is_some() && code.child(*id, NodeRole::Else).is_none()
    };
    let Some(before) = before.filter(is_open) else { return };
    let between = code.bytes(before).end..start;
    if code.text[between.clone()].trim().is_empty() {
        let why = format!("`{asked}` is checked only if the preceding condition is false");
        out.add(
            FixOperator::Condition.with_weight(0.4),
            vec![Edit::replace(between, " else ")],
            why,
        );
    }
}

/// Maximum number of values tried for a null field.
const VALUES: usize = 3;

/// Assigns a value to a null field in a new `else` branch.
fn otherwise(site: &RepairSite<'_>, asked: &str, out: &mut CandidateEdits) {
    let code = &site.code;
    let then =
        code.child(site.statement, NodeRole::Then).filter(|id| code.is(*id, NodeKind::Block));
    let Some(then) = then.filter(|_| code.child(site.statement, NodeRole::Else).is_none()) else {
        return;
    };
    let is_null = |name: &str| site.diagnosis.nulls.iter().any(|null| null == name);
    let (indent, end, step) = (code.indent(site.statement), code.line_end(), step(site));
    for field in free(site).filter(|one| one.is_field && is_null(&one.name)) {
        let values = site.variables_for(&field.ty).filter(|one| one.name != field.name);
        for value in values.take(VALUES) {
            let set = format!("{} = {};", field.name, value.name);
            let text = format!(" else {{{end}{indent}{step}{set}{end}{indent}}}");
            let why = format!("`{set}` runs if `{asked}` is false");
            let edit = Edit::insert(code.bytes(then).end, text);
            out.add(FixOperator::NullCheck.with_weight(0.8), vec![edit], why);
        }
    }
}
