//! Proposals that establish a violated postcondition at the end of a routine, with the nearest value that satisfies it.

use super::commands::free;
use crate::candidates::candidate::FixOperator;
use crate::contracts::RESULT;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::leave;
use crate::fixes::text::brief;
use crate::localisation::postcondition_violations::condition_at_statement;
use mend_java::Edit;
use mend_java::closed;
use mend_java::code::condition::Condition;
use mend_java::code::types::is_whole;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Prior likelihood that the code merely forgot to establish the postcondition.
const LIKELY: f64 = 0.7;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let value = code.child(site.statement, NodeRole::Value);
    for broken in &site.broken {
        for limit in RequiredComparison::parse(broken) {
            match value
                .filter(|_| code.is(site.statement, NodeKind::Return) && limit.what == RESULT)
            {
                Some(value) => adjust_result(site, value, &limit, out),
                None => assign_before_end(site, broken, &limit, out),
            }
        }
    }
}

/// A comparison that has to hold: the compared value, the operator and the limit.
struct RequiredComparison<'a> {
    what: &'a str,
    operator: &'static str,
    with: &'a str,
}

/// Comparisons, each with what it is from the other side.
const COMPARISONS: [(&str, &str); 5] =
    [("<=", ">="), (">=", "<="), ("==", "=="), ("<", ">"), (">", "<")];

impl<'a> RequiredComparison<'a> {
    /// Reads a comparison with a name on either side.
    fn parse(condition: &'a str) -> Vec<Self> {
        let found = COMPARISONS.into_iter().find(|(operator, _)| condition.contains(operator));
        let sides = found.and_then(|(operator, turned)| {
            let (left, right) = condition.split_once(operator)?;
            let [left, right] = [left.trim(), right.trim()];
            let is_one = |side: &str| !side.contains(['<', '>', '=', '!', '?', '|']);
            let sides = [(left, operator, right), (right, turned, left)];
            (is_one(left) && is_one(right)).then_some(sides)
        });
        let is_name = |text: &str| {
            text.starts_with(char::is_alphabetic)
                && text.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        let sides = sides.into_iter().flatten().filter(|(what, ..)| is_name(what));
        sides.map(|(what, operator, with)| Self { what, operator, with }).collect()
    }

    /// Returns the nearest whole number in range to a value.
    fn nearest(&self, value: &str) -> String {
        let with = self.with;
        match self.operator {
            ">=" => format!("Math.max({value}, {with})"),
            ">" => format!("Math.max({value}, {} + 1)", closed(with)),
            "<=" => format!("Math.min({value}, {with})"),
            "<" => format!("Math.min({value}, {} - 1)", closed(with)),
            _ => with.to_owned(),
        }
    }
}

/// Returns a value that satisfies the postcondition.
fn adjust_result(
    site: &RepairSite<'_>,
    value: NodeIndex,
    limit: &RequiredComparison<'_>,
    out: &mut CandidateEdits,
) {
    let written = site.code.written(value);
    if limit.operator == "==" || is_whole(site.code.wanted_for(value)) {
        out.replace(site, value, &limit.nearest(written), FixOperator::Value.with_weight(LIKELY));
    }
    let broken = format!("{RESULT} {} {}", limit.operator, limit.with);
    let kept = condition_at_statement(&site.code, site.statement, &broken);
    if let Some(kept) = kept.filter(|_| limit.operator.ends_with('=')) {
        let exit = format!("return {};", limit.with);
        let broken = Condition::parse(&kept).negation();
        leave(site, broken.text(), &exit, FixOperator::EarlyExit.with_weight(LIKELY), out);
    }
}

/// Sets a variable to a value that satisfies the postcondition, at the end or before a return.
fn assign_before_end(
    site: &RepairSite<'_>,
    broken: &str,
    limit: &RequiredComparison<'_>,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some(variable) = free(site).find(|one| one.name == limit.what && one.is_field) else {
        return;
    };
    let block = code.parent(site.statement);
    let is_last = code.is(code.parent(block), NodeKind::Method)
        && code.children(block).last() == Some(&site.statement);
    let is_possible = limit.operator == "==" || is_whole(&variable.ty);
    if !is_possible || !code.is_in_list(site.statement) {
        return;
    }
    let text = format!("{} = {};", limit.what, limit.nearest(limit.what));
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let bytes = code.bytes(site.statement);
    let edit = match code.kind(site.statement) {
        NodeKind::Return => Edit::insert(bytes.start, format!("{text}{end}{indent}")),
        NodeKind::Throw => return,
        _ if is_last => Edit::insert(bytes.end, format!("{end}{indent}{text}")),
        _ => return,
    };
    let why = format!("`{}` is inserted, so that `{}` holds", brief(&text), brief(broken));
    out.add(FixOperator::Assignment.with_weight(LIKELY), vec![edit], why);
}
