//! Fix operators that establish a violated postcondition at exit, with the nearest value that satisfies it.

use super::commands::assignable_variables;
use crate::candidates::candidate::FixOperator;
use crate::contracts::RESULT_PLACEHOLDER;
use crate::fixes::code_text::abbreviate;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::insert_guarded_code;
use crate::localisation::postcondition_violations::condition_at_statement;
use mend_java::Edit;
use mend_java::code::condition::Condition;
use mend_java::code::types::is_whole;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::parenthesise;

/// Prior likelihood that the code merely forgot to establish the postcondition.
const POSTCONDITION_WEIGHT: f64 = 0.7;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let value = code.child(site.statement, NodeRole::Value);
    for postcondition in &site.violated_postconditions {
        for comparison in RequiredComparison::parse(postcondition) {
            match value.filter(|_| {
                code.has_kind(site.statement, NodeKind::Return)
                    && comparison.name == RESULT_PLACEHOLDER
            }) {
                Some(value) => adjust_result(site, value, &comparison, out),
                None => assign_before_end(site, postcondition, &comparison, out),
            }
        }
    }
}

/// A required comparison: the compared value, the operator and the limit.
struct RequiredComparison<'a> {
    name: &'a str,
    operator: &'static str,
    limit: &'a str,
}

/// Comparison operators, each with its mirror image.
const MIRRORED_OPERATORS: [(&str, &str); 5] =
    [("<=", ">="), (">=", "<="), ("==", "=="), ("<", ">"), (">", "<")];

impl<'a> RequiredComparison<'a> {
    /// Reads a comparison with a name on either side.
    fn parse(condition: &'a str) -> Vec<Self> {
        let found =
            MIRRORED_OPERATORS.into_iter().find(|(operator, _)| condition.contains(operator));
        let sides = found.and_then(|(operator, turned)| {
            let (left, right) = condition.split_once(operator)?;
            let [left, right] = [left.trim(), right.trim()];
            let is_operand = |side: &str| !side.contains(['<', '>', '=', '!', '?', '|']);
            let sides = [(left, operator, right), (right, turned, left)];
            (is_operand(left) && is_operand(right)).then_some(sides)
        });
        let is_name = |text: &str| {
            text.starts_with(char::is_alphabetic)
                && text.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        let sides = sides.into_iter().flatten().filter(|(what, ..)| is_name(what));
        sides.map(|(what, operator, with)| Self { name: what, operator, limit: with }).collect()
    }

    /// Returns the nearest whole number in range to a value.
    fn clamp(&self, value: &str) -> String {
        let limit = self.limit;
        match self.operator {
            ">=" => format!("Math.max({value}, {limit})"),
            ">" => format!("Math.max({value}, {} + 1)", parenthesise(limit)),
            "<=" => format!("Math.min({value}, {limit})"),
            "<" => format!("Math.min({value}, {} - 1)", parenthesise(limit)),
            _ => limit.to_owned(),
        }
    }
}

/// Replaces the returned value by one that satisfies the postcondition.
fn adjust_result(
    site: &RepairSite<'_>,
    value: NodeIndex,
    comparison: &RequiredComparison<'_>,
    out: &mut CandidateEdits,
) {
    let written = site.code.source_text(value);
    if comparison.operator == "==" || is_whole(site.code.required_type(value)) {
        out.replace(
            site,
            value,
            &comparison.clamp(written),
            FixOperator::Value.with_weight(POSTCONDITION_WEIGHT),
        );
    }
    let postcondition =
        format!("{RESULT_PLACEHOLDER} {} {}", comparison.operator, comparison.limit);
    let condition = condition_at_statement(&site.code, site.statement, &postcondition);
    if let Some(condition) = condition.filter(|_| comparison.operator.ends_with('=')) {
        let exit = format!("return {};", comparison.limit);
        let postcondition = Condition::parse(&condition).negation();
        insert_guarded_code(
            site,
            postcondition.text(),
            &exit,
            FixOperator::EarlyExit.with_weight(POSTCONDITION_WEIGHT),
            out,
        );
    }
}

/// Sets a variable to a value that satisfies the postcondition, at the end or before a return.
fn assign_before_end(
    site: &RepairSite<'_>,
    postcondition: &str,
    comparison: &RequiredComparison<'_>,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some(variable) =
        assignable_variables(site).find(|one| one.name == comparison.name && one.is_field)
    else {
        return;
    };
    let block = code.parent(site.statement);
    let is_last = code.has_kind(code.parent(block), NodeKind::Method)
        && code.children(block).last() == Some(&site.statement);
    let is_possible = comparison.operator == "==" || is_whole(&variable.ty);
    if !is_possible || !code.is_in_statement_list(site.statement) {
        return;
    }
    let text = format!("{} = {};", comparison.name, comparison.clamp(comparison.name));
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let bytes = code.bytes(site.statement);
    let edit = match code.kind(site.statement) {
        NodeKind::Return => Edit::insert(bytes.start, format!("{text}{end}{indent}")),
        NodeKind::Throw => return,
        _ if is_last => Edit::insert(bytes.end, format!("{end}{indent}{text}")),
        _ => return,
    };
    let why = format!(
        "`{}` is inserted, so that `{}` holds",
        abbreviate(&text),
        abbreviate(postcondition)
    );
    out.add(FixOperator::Assignment.with_weight(POSTCONDITION_WEIGHT), vec![edit], why);
}
