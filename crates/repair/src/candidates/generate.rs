//! Generates and ranks the candidates for all suspicious statements.

use super::candidate::{CandidateEdit, FixOperator, LocatedCandidate, OverfittingKind};
use crate::candidates::edit_priors::edit_prior;
use crate::candidates::multi_location;
use crate::candidates::repair_input::RepairInput;
use crate::candidates::schedule::schedule;
use crate::contracts::Contracts;
use crate::fixes::{RepairSite, StatementEvidence, propose_all};
use crate::localisation::diagnosis::Diagnosis;
use crate::localisation::stack_trace_suspicion::locate_frame;
use crate::localisation::suspect::SuspiciousStatement;
use crate::localisation::violated_clauses::ViolatedClauses;
use crate::observe::object_model::ObjectModel;
use crate::observe::values::RecordedValues;
use crate::overfitting::constant_result::makes_result_constant;
use crate::overfitting::skipped_effects::{SkippedEffect, classify_skipped_effect};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, SymbolKind};
use mend_model::{Failure, RepoPath};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Maximum number of candidates. All suspicious statements get an equal share.
const MAX_CANDIDATES: usize = 80_000;

/// Factor for a candidate that avoids a check, relative to one that satisfies it.
const CHECK_BYPASS_FACTOR: f64 = 0.3;

/// Factor for each further candidate of the same kind for one statement.
const SAME_OPERATOR_PENALTY: f64 = 0.1;

/// Factors for a candidate that makes a command do nothing after a wrong result: if the command reports success, and if
/// it reports nothing. In the latter case one execution may be sufficient.
const SKIPPED_EFFECT_FACTORS: [f64; 2] = [0.2, 0.6];

/// Factor for a candidate that leaves a variable unused.
const UNUSED_VARIABLE_FACTOR: f64 = 0.3;

/// Generates the candidates for a failure, best first.
pub fn generate_candidates(
    input: RepairInput<'_>,
    contracts: &Contracts,
    suspects: &[SuspiciousStatement],
    recorded_values: &RecordedValues,
    diagnosis: &Diagnosis,
) -> Vec<LocatedCandidate> {
    let main = input.main;
    let clauses =
        ViolatedClauses::collect(main, contracts, &diagnosis.failures, &diagnosis.violations);
    let model = ObjectModel::from_observations(main, recorded_values);
    let statements_on_stacks = find_statements_on_stacks(main, &diagnosis.failures);
    let mut candidates: Vec<LocatedCandidate> = Vec::new();
    let share = MAX_CANDIDATES / suspects.len().max(1);
    for suspect in suspects {
        let mut ranks: HashMap<FixOperator, f64> = HashMap::new();
        let (path, code) = &main[suspect.file];
        let line = code.line(suspect.statement);
        let method = code.enclosing_method(suspect.statement);
        let check = contracts.enclosing_check(code, suspect.statement);
        let observations = recorded_values.observations_at(suspect.file, suspect.statement);
        let sole_uses = find_sole_uses(code, suspect.statement);
        let is_in_same_method = |(file, other)| {
            file == suspect.file && method.is_some() && code.enclosing_method(other) == method
        };
        let location = (suspect.file, suspect.statement);
        let violated_clauses = clauses.clauses_before(location, code);
        let overflowing = &recorded_values.overflowing_terms(is_in_same_method);
        let evidence = StatementEvidence {
            observations,
            overflowing_terms: overflowing,
            violated_clauses: &violated_clauses,
            object_model: &model,
        };
        let site = RepairSite::new(*code, input, contracts, location, evidence, diagnosis);
        let mut proposals = propose_all(&site);
        proposals.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        for proposal in proposals.into_iter().take(share) {
            // Many candidates of one operator must not delay those of the others.
            let rank = ranks.entry(proposal.operator).or_insert(0.0);
            let crowding_factor = 1.0 / (1.0 + *rank * SAME_OPERATOR_PENALTY);
            *rank += 1.0;
            let is_bypass = check.is_some_and(|check| {
                bypasses_check(code, &proposal, contracts.is_precondition_check(code, check))
            });
            let (overfitting_factor, overfitting) = if is_bypass {
                (CHECK_BYPASS_FACTOR, Some(OverfittingKind::AvoidsCheck))
            } else if statements_on_stacks.contains(&location)
                && proposal.operator == FixOperator::Removal
            {
                (1.0, Some(OverfittingKind::RemovesFailure))
            } else {
                classify_overfitting(code, suspect.statement, &proposal.edits, diagnosis)
            };
            let unused_factor = if leaves_variable_unused(&sole_uses, &proposal.edits) {
                UNUSED_VARIABLE_FACTOR
            } else {
                1.0
            };
            let statement_prior = edit_prior(code, suspect.statement, &proposal);
            // The kind of the failure says more than other fixes.
            let statement_prior = if diagnosis.indicates(proposal.operator) {
                statement_prior.sqrt()
            } else {
                statement_prior
            };
            let prior = diagnosis.operator_prior(proposal.operator)
                * statement_prior
                * overfitting_factor
                * unused_factor;
            let score = suspect.score * prior * proposal.weight * crowding_factor;
            candidates.push(LocatedCandidate {
                change: proposal.into_candidate(path, score),
                path: path.clone(),
                line,
                statement: Some(location),
                method,
                overfitting,
            });
        }
    }
    sort_by_score(&mut candidates);
    multi_location::add_candidates(main, suspects, &mut candidates);
    schedule(&mut candidates, |one| one.change.score, |one| one.statement);
    candidates
}

/// Returns the statements in the stack traces of failed tests: removing one removes the failure itself.
pub(crate) fn find_statements_on_stacks(
    main: &[(RepoPath, Code<'_>)],
    failures: &[Failure],
) -> HashSet<FileNode> {
    let frames = failures.iter().flat_map(|failure| &failure.frames);
    let locations = frames.filter_map(|frame| locate_frame(main, frame));
    locations.flat_map(|(file, all)| all.into_iter().map(move |id| (file, id))).collect()
}

/// Returns the factor for a candidate that makes a routine constant, or a command ineffective after a wrong result, and
/// the kind of evasion.
fn classify_overfitting(
    code: &Code<'_>,
    statement: NodeIndex,
    edits: &[Edit],
    diagnosis: &Diagnosis,
) -> (f64, Option<OverfittingKind>) {
    if makes_result_constant(code, statement, edits) {
        return (CHECK_BYPASS_FACTOR, Some(OverfittingKind::ConstantResult));
    }
    match diagnosis.is_wrong_result().then(|| classify_skipped_effect(code, statement, edits)) {
        Some(SkippedEffect::ReportingSuccess) => {
            (SKIPPED_EFFECT_FACTORS[0], Some(OverfittingKind::SkipsWork))
        }
        Some(SkippedEffect::Silently) => (SKIPPED_EFFECT_FACTORS[1], None),
        Some(SkippedEffect::Nothing) | None => (1.0, None),
    }
}

/// Returns the uses in a statement of local variables that nothing else in the method uses, with the variables' names.
fn find_sole_uses<'a>(code: &Code<'a>, statement: NodeIndex) -> Vec<(Range<usize>, &'a str)> {
    let Some(method) = code.enclosing_method(statement) else { return Vec::new() };
    let local_symbol = |id: NodeIndex| {
        let symbol = code.node(id).symbol.filter(|_| code.has_kind(id, NodeKind::Identifier))?;
        (code.facts.symbol(symbol).kind == SymbolKind::Local).then_some(symbol)
    };
    let method_nodes = method..code.node(method).subtree_end;
    let is_sole_use = |id: &NodeIndex| {
        let symbol = local_symbol(*id);
        symbol.is_some()
            && method_nodes.clone().filter(|other| local_symbol(*other) == symbol).count() == 1
    };
    let sole_uses = code.own_nodes(statement).into_iter().filter(is_sole_use);
    sole_uses.map(|id| (code.bytes(id), code.source_text(id))).collect()
}

/// Returns true if the edits remove the only use of a variable.
fn leaves_variable_unused(sole_uses: &[(Range<usize>, &str)], edits: &[Edit]) -> bool {
    let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mentions = |edit: &Edit, name: &str| {
        edit.text.split(|c| !is_identifier_char(c)).any(|word| word == name)
    };
    sole_uses.iter().any(|(bytes, name)| {
        let covers = |edit: &Edit| edit.bytes.0 <= bytes.start && bytes.end <= edit.bytes.1;
        edits.iter().any(|edit| covers(edit) && !edit.text.is_empty())
            && !edits.iter().any(|edit| mentions(edit, name))
    })
}

/// Returns true if a candidate avoids a check. A precondition can be too strict. A check in the middle of a method is
/// right, except for its boundary value.
fn bypasses_check(code: &Code<'_>, proposal: &CandidateEdit, is_precondition: bool) -> bool {
    let only_deletes = proposal.edits.iter().all(|edit| edit.text.is_empty());
    only_deletes
        || proposal.operator.bypasses_checks()
        || !is_precondition && !only_changes_strictness(code, &proposal.edits)
}

/// Returns true if an edit switches an order comparison between strict and non-strict.
fn only_changes_strictness(code: &Code<'_>, edits: &[Edit]) -> bool {
    let [Edit { bytes, text }] = edits else { return false };
    let old_operator = code.text.get(bytes.0..bytes.1).unwrap_or_default();
    matches!((old_operator, text.as_str()), ("<", "<=") | ("<=", "<") | (">", ">=") | (">=", ">"))
}

fn sort_by_score(all: &mut [LocatedCandidate]) {
    // Candidates with equal scores stay in the order of suspicion.
    all.sort_by(|one, other| other.change.score.total_cmp(&one.change.score));
}
