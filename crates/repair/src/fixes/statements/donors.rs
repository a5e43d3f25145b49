//! Fix operators that insert donor code or commands, replace the statement by them, or remove the statement.

use super::commands::find_commands;
use crate::candidates::candidate::{FixOperator, WeightedOperator};
use crate::conditions::snapshots::ScoredCondition;
use crate::fixes::code_text::{abbreviate, describe_replacement, position_weight, reindent};
use crate::fixes::donor_restrictions::{MAX_DONOR_LEN, has_valid_exits};
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::{
    has_variables_in_scope, indent_unit, insert_guarded_code, reindented_code,
};
use crate::fixes::statements::related_code;
use mend_java::code::scope::Variable;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};
use mend_java::{Edit, apply_edits};

/// Maximum number of the best conditions under which a command runs.
const MAX_CONDITIONS: usize = 25;

/// Maximum number of donors that replace the statement.
const MAX_REPLACEMENTS: usize = 8;

/// Maximum number of donors tried as an alternative, and of conditions for each.
const MAX_ALTERNATIVES: usize = 4;

/// Maximum number of donors tried at one place.
const MAX_DONORS: usize = 25;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if !code.is_in_statement_list(site.statement) {
        return;
    }
    remove_statement(site, out);
    let commands = find_commands(site);
    let separating: Vec<&ScoredCondition> =
        site.separating_conditions(|one| one.score_if_true).take(MAX_CONDITIONS).collect();
    for command in &commands {
        propose_conditional_command(site, command, &separating, out);
    }
    let (donors, others) = find_donors(site);
    for (at, donor) in donors.iter().take(MAX_DONORS).enumerate() {
        let nearness = position_weight(at, 0.05);
        insert_around(site, donor, classify_donor(site, donor).scale_weight(nearness), out);
        if at < MAX_REPLACEMENTS {
            replace_statement(site, donor, 0.3 * nearness, out);
        }
    }
    for (at, other) in others.iter().take(MAX_DONORS).enumerate() {
        insert_around(site, other, FixOperator::Donor.with_weight(0.3), out);
        if at < MAX_REPLACEMENTS {
            replace_statement(site, other, 0.25 * position_weight(at, 0.05), out);
        }
    }
    for (at, (donor, similarity)) in related_code::find_related_donors(site).iter().enumerate() {
        insert_around(site, donor, classify_donor(site, donor).scale_weight(*similarity), out);
        if at < MAX_ALTERNATIVES {
            replace_statement(site, donor, 0.3 * similarity, out);
        }
    }
    for (command, weight) in &commands {
        insert_around(site, command, FixOperator::Donor.with_weight(*weight), out);
    }
    propose_alternatives(site, &donors, out);
}

/// Returns the operator and the prior likelihood of a donor statement. A neighbouring guard that leaves early at the
/// same point checks the exact reason, so it is more likely, unless a test expects an exception that it does not throw.
fn classify_donor(site: &RepairSite<'_>, donor: &str) -> WeightedOperator {
    if exit_guard_condition(donor).is_some() {
        let is_expected = site.diagnosis.expected_exceptions.is_empty() || donor.contains("throw ");
        FixOperator::EarlyExit.with_weight(if is_expected { 1.0 } else { 0.5 })
    } else {
        FixOperator::Donor.with_weight(0.5)
    }
}

/// Replaces the statement with a donor.
fn replace_statement(site: &RepairSite<'_>, donor: &str, weight: f64, out: &mut CandidateEdits) {
    let code = &site.code;
    if !matches!(code.kind(site.statement), NodeKind::ExpressionStatement | NodeKind::If) {
        return;
    }
    let edit = Edit::replace(code.bytes(site.statement), donor);
    let why = describe_replacement(code.source_text(site.statement), donor);
    out.add(FixOperator::Donor.with_weight(weight), vec![edit], why);
}

/// Runs a donor instead of the statement, under a condition that holds in failing tests only.
fn propose_alternatives(site: &RepairSite<'_>, donors: &[String], out: &mut CandidateEdits) {
    for condition in
        site.separating_conditions(|condition| condition.score_if_true).take(MAX_ALTERNATIVES)
    {
        for donor in donors.iter().take(MAX_ALTERNATIVES) {
            let score = condition.score_if_true.unwrap_or(0.0);
            insert_if_else(
                site,
                condition.text(),
                donor,
                FixOperator::Donor.with_weight(0.4 * score),
                out,
            );
        }
    }
}

/// Runs other code instead of the statement if a condition holds.
pub(crate) fn insert_if_else(
    site: &RepairSite<'_>,
    condition: &str,
    replacement: &str,
    how: WeightedOperator,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    if !matches!(code.kind(site.statement), NodeKind::ExpressionStatement | NodeKind::If) {
        return;
    }
    let (indent, end, step) = (code.indent(site.statement), code.line_end(), indent_unit(site));
    let inner = format!("{indent}{step}");
    let old = reindent(code.source_text(site.statement), indent, &inner);
    let new = reindent(replacement, indent, &inner);
    let text = format!(
        "if ({condition}) {{{end}{inner}{new}{end}{indent}}} else {{{end}{inner}{old}{end}{indent}}}"
    );
    let edit = Edit::replace(code.bytes(site.statement), text);
    let why = format!(
        "if `{}`, `{}` runs instead of the statement",
        abbreviate(condition),
        abbreviate(replacement)
    );
    out.add(how, vec![edit], why);
}

/// Runs a command under a condition that held in failing tests and not in passing ones, or unconditionally.
fn propose_conditional_command(
    site: &RepairSite<'_>,
    (command, weight): &(String, f64),
    separating: &[&ScoredCondition],
    out: &mut CandidateEdits,
) {
    let scores = separating.iter().filter_map(|condition| condition.score_if_true);
    if let Some(best) = scores.max_by(f64::total_cmp) {
        insert_around(site, command, FixOperator::Assignment.with_weight(weight * best), out);
    }
    for condition in separating {
        if let Some(score) = condition.score_if_true {
            insert_guarded_code(
                site,
                condition.text(),
                command,
                FixOperator::Assignment.with_weight(weight * score),
                out,
            );
        }
    }
}

/// Removes the statement.
fn remove_statement(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if code.has_kind(site.statement, NodeKind::Variable) {
        return;
    }
    let edit = Edit::replace(code.whole_line_range(site.statement), "");
    let why = format!("`{}` is removed", abbreviate(code.source_text(site.statement)));
    out.add(FixOperator::Removal.with_weight(0.5), vec![edit], why);
}

/// Inserts code before the statement.
pub(crate) fn insert_before(
    site: &RepairSite<'_>,
    text: &str,
    operator_and_weight: WeightedOperator,
    out: &mut CandidateEdits,
) {
    let (edit, why) = insert_before_statement(site, text);
    out.add(operator_and_weight, vec![edit], why);
}

/// Returns the edit that inserts code before a statement in a list, and its description.
pub(crate) fn insert_before_statement(site: &RepairSite<'_>, text: &str) -> (Edit, String) {
    let code = &site.code;
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let edit = Edit::insert(code.bytes(site.statement).start, format!("{text}{end}{indent}"));
    (edit, format!("`{}` is inserted before the statement", abbreviate(text)))
}

fn insert_around(
    site: &RepairSite<'_>,
    text: &str,
    how: WeightedOperator,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    if !is_skipped_guard(site, text) {
        insert_before(site, text, how, out);
    }
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let bytes = code.bytes(site.statement);
    if !matches!(
        code.kind(site.statement),
        NodeKind::Return | NodeKind::Throw | NodeKind::Break | NodeKind::Continue
    ) {
        let after = Edit::insert(bytes.end, format!("{end}{indent}{text}"));
        out.add(
            how,
            vec![after],
            format!("`{}` is inserted after the statement", abbreviate(text)),
        );
    }
}

/// Returns the condition of a statement that only leaves the routine or loop.
fn exit_guard_condition(text: &str) -> Option<&str> {
    let (condition, body) = text.strip_prefix("if (")?.split_once(") {")?;
    let body = body.trim_start();
    let leaves = ["return", "throw", "continue"].iter().any(|exit| body.starts_with(exit));
    (leaves && !text.contains("else")).then_some(condition)
}

/// Returns true if a statement leaves the routine or loop under a condition that held in no failing test before the
/// statement.
fn is_skipped_guard(site: &RepairSite<'_>, text: &str) -> bool {
    let outcomes = exit_guard_condition(text).and_then(|condition| {
        site.observed_outcomes(condition).filter(|_| site.loop_head.is_none())
    });
    outcomes.is_some_and(|outcomes| outcomes.true_counts.failing == 0)
}

/// Returns true if a condition compares a name with itself.
fn compares_with_itself(condition: &str) -> bool {
    let compared = condition.split_once(" == ").or_else(|| condition.split_once(" != "));
    compared.is_some_and(|(left, right)| left.trim() == right.trim())
}

/// Returns the statements of the same class that are valid here, the nearest first, and their variants with one
/// variable replaced.
fn find_donors(site: &RepairSite<'_>) -> (Vec<String>, Vec<String>) {
    let code = &site.code;
    let start = code.bytes(site.statement).start;
    let class = code.enclosing_type(site.statement);
    let mut found: Vec<NodeIndex> = code
        .statements()
        .filter(|id| *id != site.statement && code.enclosing_type(*id) == class)
        .filter(|id| matches!(code.kind(*id), NodeKind::ExpressionStatement | NodeKind::If))
        .filter(|id| {
            code.source_text(*id).len() <= MAX_DONOR_LEN && has_valid_exits(site, code, *id)
        })
        .collect();
    let method = code.enclosing_method(site.statement);
    found.sort_by_key(|id| {
        (code.enclosing_method(*id) != method, code.bytes(*id).start.abs_diff(start))
    });
    let (mut texts, mut others): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for id in found {
        let text = if has_variables_in_scope(site, id) {
            others.extend(with_other_arguments(site, id));
            Some(reindented_code(site, id))
        } else {
            with_names_in_scope(site, id)
        };
        texts.extend(text.filter(|text| !texts.contains(text)));
    }
    others.retain(|other| !texts.contains(other));
    (texts, others)
}

/// Returns a donor's variants with another variable of the same type as argument.
fn with_other_arguments(site: &RepairSite<'_>, donor: NodeIndex) -> Vec<String> {
    let code = &site.code;
    let start = code.bytes(donor).start;
    let is_argument = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Identifier) && code.role(*id) == NodeRole::Argument
    };
    let variants_of = |id: NodeIndex| {
        let (name, bytes) = (code.source_text(id), code.bytes(id));
        let others = site.variables_for(code.type_of(id)).filter(|one| one.name != name).take(2);
        let others = others.filter_map(|one| {
            let edit = Edit::replace(bytes.start - start..bytes.end - start, &*one.name);
            apply_edits(code.source_text(donor), &[edit])
        });
        others.collect::<Vec<_>>()
    };
    let all = (donor..code.node(donor).subtree_end).filter(is_argument).flat_map(variants_of);
    all.map(|text| reindent(&text, code.indent(donor), code.indent(site.statement))).collect()
}

/// Returns a donor with the nearest variables of the same types in place of unknown ones; `None` if there are none.
fn with_names_in_scope(site: &RepairSite<'_>, donor: NodeIndex) -> Option<String> {
    let code = &site.code;
    let start = code.bytes(donor).start;
    let mut edits = Vec::new();
    for id in code.nodes_within(donor, NodeKind::Identifier) {
        let Some(symbol) = code.symbol(id).filter(|symbol| symbol.kind == SymbolKind::Local) else {
            continue;
        };
        let (name, ty) = (code.source_text(id), code.facts.text(symbol.ty.erased));
        let is_same_type_local = |one: &&Variable| one.ty == ty && !one.is_field;
        let candidates: Vec<&Variable> =
            site.variables().iter().filter(is_same_type_local).collect();
        if candidates.iter().all(|one| one.name != name) {
            let bytes = code.bytes(id);
            edits.push(Edit::replace(
                bytes.start - start..bytes.end - start,
                &*candidates.first()?.name,
            ));
        }
    }
    let text = apply_edits(code.source_text(donor), &edits)?;
    // Different names may become the same one.
    let is_constant = exit_guard_condition(&text).is_some_and(compares_with_itself);
    (!is_constant).then(|| reindent(&text, code.indent(donor), code.indent(site.statement)))
}
