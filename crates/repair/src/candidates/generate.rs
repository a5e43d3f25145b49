//! From suspects to candidates, the most promising first.

use super::candidate::{Candidate, CandidateEdit, FixOperator, OverfittingKind};
use crate::candidates::input::RepairInput;
use crate::candidates::multi_location;
use crate::contracts::Contracts;
use crate::fixes::{RepairSite, StatementEvidence, proposals};
use crate::localisation::diagnosis::Diagnosis;
use crate::localisation::stack_trace::located;
use crate::localisation::suspect::SuspiciousStatement;
use crate::localisation::violated_clauses::ViolatedClauses;
use crate::observe::object_model::ObjectModel;
use crate::observe::values::RecordedValues;
use crate::overfitting::constant_result::gives_the_same_always;
use crate::overfitting::skipped_effects::{SkippedEffect, skips_all};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, SymbolKind};
use mend_model::{Failure, RepoPath};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Factor for a candidate that avoids a check, relative to one that satisfies it.
const BYPASS: f64 = 0.3;

/// Factor for each further candidate of the same kind for one statement.
const CROWDING: f64 = 0.1;

/// Factors for a candidate that makes a command do nothing after a wrong result: if the command reports success, and if
/// it reports nothing. In the latter case one execution may be sufficient.
const UNDONE: [f64; 2] = [0.2, 0.6];

/// Factor for a candidate that leaves a variable unused.
const UNUSED: f64 = 0.3;

/// Generates the candidates for a failure, best first.
pub fn candidates(
    material: RepairInput<'_>,
    contracts: &Contracts,
    suspects: &[SuspiciousStatement],
    observed: &RecordedValues,
    diagnosis: &Diagnosis,
) -> Vec<Candidate> {
    let main = material.main;
    let clauses =
        ViolatedClauses::collect(main, contracts, &diagnosis.failures, &diagnosis.breaches);
    let model = ObjectModel::from_observations(main, observed);
    let failed = on_stacks(main, &diagnosis.failures);
    let mut all: Vec<Candidate> = Vec::new();
    for suspect in suspects {
        let mut ranks: HashMap<FixOperator, f64> = HashMap::new();
        let (path, code) = &main[suspect.file];
        let line = code.line(suspect.statement);
        let method = code.method_of(suspect.statement);
        let check = contracts.check_of(code, suspect.statement);
        let place = observed.observations_at(suspect.file, suspect.statement);
        let used_here = used_here(code, suspect.statement);
        let is_beside = |(file, other)| {
            file == suspect.file && method.is_some() && code.method_of(other) == method
        };
        let at = (suspect.file, suspect.statement);
        let violated = clauses.clauses_before(at, code);
        let overflowing = &observed.overflowing(is_beside);
        let known = StatementEvidence { place, overflowing, violated: &violated, model: &model };
        let site = RepairSite::new(*code, material, contracts, at, known, diagnosis);
        let mut proposals = proposals(&site);
        proposals.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        for proposal in proposals {
            // Many proposals of one kind must not keep the others waiting.
            let rank = ranks.entry(proposal.strategy).or_insert(0.0);
            let turn = 1.0 / (1.0 + *rank * CROWDING);
            *rank += 1.0;
            let is_bypass = check
                .is_some_and(|check| is_bypass(code, &proposal, contracts.is_demand(code, check)));
            let (evades, evasion) = if is_bypass {
                (BYPASS, Some(OverfittingKind::AvoidsCheck))
            } else if failed.contains(&at) && proposal.strategy == FixOperator::Removal {
                (1.0, Some(OverfittingKind::RemovesFailure))
            } else {
                evaded(code, suspect.statement, &proposal.edits, diagnosis)
            };
            let idle = if leaves_unused(&used_here, &proposal.edits) { UNUSED } else { 1.0 };
            let prior = diagnosis.prior(proposal.strategy) * evades * idle;
            all.push(Candidate {
                path: path.clone(),
                edits: proposal.edits,
                strategy: proposal.strategy,
                why: proposal.why,
                line,
                statement: (suspect.file, suspect.statement),
                method,
                evasion,
                score: suspect.score * prior * proposal.weight * turn,
            });
        }
    }
    sort(&mut all);
    multi_location::add(main, suspects, &mut all);
    sort(&mut all);
    all
}

/// Returns the statements in the stack traces of failed tests: removing one removes the failure itself.
fn on_stacks(main: &[(RepoPath, Code<'_>)], failures: &[Failure]) -> HashSet<(usize, NodeIndex)> {
    let frames = failures.iter().flat_map(|failure| &failure.frames);
    let places = frames.filter_map(|frame| located(main, frame));
    places.flat_map(|(file, all)| all.into_iter().map(move |id| (file, id))).collect()
}

/// Returns the factor for a candidate that makes a routine constant, or a command ineffective after a wrong result, and
/// the kind of evasion.
fn evaded(
    code: &Code<'_>,
    statement: NodeIndex,
    edits: &[Edit],
    diagnosis: &Diagnosis,
) -> (f64, Option<OverfittingKind>) {
    if gives_the_same_always(code, statement, edits) {
        return (BYPASS, Some(OverfittingKind::ConstantResult));
    }
    match diagnosis.is_wrong().then(|| skips_all(code, statement, edits)) {
        Some(SkippedEffect::ReportingSuccess) => (UNDONE[0], Some(OverfittingKind::SkipsWork)),
        Some(SkippedEffect::Silently) => (UNDONE[1], None),
        Some(SkippedEffect::Nothing) | None => (1.0, None),
    }
}

/// Returns the uses in a statement of local variables that nothing else in the method uses, with the variables' names.
fn used_here<'a>(code: &Code<'a>, statement: NodeIndex) -> Vec<(Range<usize>, &'a str)> {
    let Some(method) = code.method_of(statement) else { return Vec::new() };
    let local = |id: NodeIndex| {
        let symbol = code.node(id).symbol.filter(|_| code.is(id, NodeKind::Identifier))?;
        (code.facts.symbol(symbol).kind == SymbolKind::Local).then_some(symbol)
    };
    let inside = method..code.node(method).end;
    let is_alone = |id: &NodeIndex| {
        let symbol = local(*id);
        symbol.is_some() && inside.clone().filter(|other| local(*other) == symbol).count() == 1
    };
    let alone = code.own_nodes(statement).into_iter().filter(is_alone);
    alone.map(|id| (code.bytes(id), code.written(id))).collect()
}

/// Returns true if the edits remove the only use of a variable.
fn leaves_unused(used: &[(Range<usize>, &str)], edits: &[Edit]) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let names = |edit: &Edit, name: &str| edit.text.split(|c| !is_part(c)).any(|word| word == name);
    used.iter().any(|(bytes, name)| {
        let covers = |edit: &Edit| edit.bytes.0 <= bytes.start && bytes.end <= edit.bytes.1;
        edits.iter().any(|edit| covers(edit) && !edit.text.is_empty())
            && !edits.iter().any(|edit| names(edit, name))
    })
}

/// Returns true if a candidate avoids a check. A precondition can be too strict. A check in the middle of a method is
/// right, except for its boundary value.
fn is_bypass(code: &Code<'_>, proposal: &CandidateEdit, is_demand: bool) -> bool {
    let is_left_out = proposal.edits.iter().all(|edit| edit.text.is_empty());
    is_left_out
        || proposal.strategy.bypasses_checks()
        || !is_demand && !moves_limit(code, &proposal.edits)
}

/// Returns true if an edit switches an order comparison between strict and non-strict.
fn moves_limit(code: &Code<'_>, edits: &[Edit]) -> bool {
    let [Edit { bytes, text }] = edits else { return false };
    let was = code.text.get(bytes.0..bytes.1).unwrap_or_default();
    matches!((was, text.as_str()), ("<", "<=") | ("<=", "<") | (">", ">=") | (">=", ">"))
}

fn sort(all: &mut [Candidate]) {
    // What is equally likely stays in the order of suspicion.
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
}
