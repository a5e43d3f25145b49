//! Generates and ranks the candidates for all suspicious statements.

use super::candidate::{FixOperator, LocatedCandidate};
use crate::candidates::edit_priors::edit_prior;
use crate::candidates::multi_location;
use crate::candidates::repair_input::RepairInput;
use crate::candidates::trial_order::order_by_location_share;
use crate::contracts::Contracts;
use crate::fixes::{RepairSite, StatementEvidence, propose_all};
use crate::localisation::diagnosis::Diagnosis;
use crate::localisation::suspect::SuspiciousStatement;
use crate::localisation::violated_clauses::ViolatedClauses;
use crate::observe::object_model::ObjectModel;
use crate::observe::values::RecordedValues;
use crate::overfitting::classifier::{ClassifiedEdits, OverfittingClassifier};
use std::collections::HashMap;

/// Maximum number of candidates. All suspicious statements get an equal share.
const MAX_CANDIDATES: usize = 80_000;

/// Factor for each further candidate of the same kind for one statement.
const SAME_OPERATOR_PENALTY: f64 = 0.1;

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
    let classifier = OverfittingClassifier::new(main, contracts, diagnosis);
    let mut candidates: Vec<LocatedCandidate> = Vec::new();
    let share = MAX_CANDIDATES / suspects.len().max(1);
    for suspect in suspects {
        let mut ranks: HashMap<FixOperator, f64> = HashMap::new();
        let (path, code) = &main[suspect.file];
        let line = code.line(suspect.statement);
        let method = code.enclosing_method(suspect.statement);
        let observations = recorded_values.observations_at(suspect.file, suspect.statement);
        let is_in_same_method = |(file, other)| {
            file == suspect.file && method.is_some() && code.enclosing_method(other) == method
        };
        let location = (suspect.file, suspect.statement);
        let statement_classifier = classifier.at(code, location, true);
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
            let edits = ClassifiedEdits::new(proposal.operator, &proposal.edits);
            let overfitting = statement_classifier.classify(edits);
            let statement_prior = edit_prior(code, suspect.statement, &proposal);
            // The kind of the failure says more than other fixes.
            let statement_prior = if diagnosis.indicates(&proposal) {
                statement_prior.sqrt()
            } else {
                statement_prior
            };
            let prior = diagnosis.operator_prior(&proposal) * statement_prior * overfitting.factor;
            let score = suspect.score * prior * proposal.weight * crowding_factor;
            candidates.push(LocatedCandidate {
                change: proposal.into_candidate(path, score),
                path: path.clone(),
                line,
                statement: Some(location),
                method,
                overfitting: overfitting.kind,
            });
        }
    }
    sort_by_score(&mut candidates);
    multi_location::add_candidates(main, suspects, &mut candidates);
    order_by_location_share(&mut candidates, |one| one.change.score, |one| one.statement);
    candidates
}

fn sort_by_score(all: &mut [LocatedCandidate]) {
    // Candidates with equal scores stay in the order of suspicion.
    all.sort_by(|one, other| other.change.score.total_cmp(&one.change.score));
}
