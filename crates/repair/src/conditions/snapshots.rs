//! Scored conditions at a statement, with their observations (snapshots; `AutoFix`, section 4.1).

use super::compounds::{
    ConditionPart, Implication, find_invariant_differences, observed_implications,
};
use super::predicates::{Predicate, PredicateOperand, PredicateSubject, generate_predicates};
use crate::conditions::equivalence::IntegerTerms;
use crate::conditions::linear::{ComparedTerms, LinearComparison};
use crate::conditions::static_score::StaticScore;
use crate::conditions::terms::ConditionTerm;
use crate::observe::values::{Observations, TestCounts};
use mend_java::Code;
use mend_java::code::condition::Condition;
use mend_java::facts::NodeIndex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Evidence about the conditions at a statement.
#[derive(Clone, Copy)]
pub(crate) struct ConditionEvidence<'a> {
    /// Recorded observations at the place.
    pub(crate) observations: Option<&'a Observations>,
    /// Violated clauses of the routine, each with the nearness of the place.
    pub(crate) violated_clauses: &'a [(f64, String)],
    /// Implications stated by the routine.
    pub(crate) implications: &'a [Implication],
    /// Preconditions and invariants that still hold.
    pub(crate) facts: &'a [String],
}

/// A condition with the scores of actions that depend on it.
pub(crate) struct ScoredCondition {
    pub(crate) condition: Condition,
    /// Score of an action that runs if the condition holds; `None` if no failing test observed that.
    pub(crate) score_if_true: Option<f64>,
    /// Score of an action that runs if the condition is false.
    pub(crate) score_if_false: Option<f64>,
}

/// Returns the scored conditions at a statement, simpler ones first. Of equivalent integer comparisons, only the
/// simplest is kept. Of conditions that no test distinguishes, one is kept, besides comparisons of the same terms.
/// Conditions that were always true, or always false, are dropped, except what held until a failing test ended.
pub(crate) fn score_conditions(
    code: &Code<'_>,
    statement: NodeIndex,
    terms: &[ConditionTerm],
    evidence: ConditionEvidence<'_>,
) -> Vec<ScoredCondition> {
    let all = generate_predicates(code, statement, terms, evidence.observations.is_some());
    let all: Vec<_> = all.into_iter().map(|(one, near)| (one.condition(), one, near)).collect();
    let static_score = StaticScore::new(
        evidence.violated_clauses,
        terms,
        &all.iter().map(|(condition, ..)| condition.text()),
    );
    let integer_terms = IntegerTerms::from_terms(code, terms, evidence.facts);
    let mut snapshots = Snapshots { static_score, integer_terms, ..Snapshots::default() };
    for (condition, predicate, nearness) in all {
        snapshots.add(evidence.observations, condition, &predicate, nearness);
    }
    if let Some(observations) = evidence.observations {
        snapshots.add_compounds(observations, evidence.implications);
    }
    snapshots.conditions
}

/// Collector of the conditions at a statement.
#[derive(Default)]
struct Snapshots<'a> {
    static_score: StaticScore<'a>,
    integer_terms: IntegerTerms,
    conditions: Vec<ScoredCondition>,
    /// Comparisons without recorded observations, by their compared terms.
    unobserved_comparisons: HashMap<ComparedTerms, Vec<KeptComparison>>,
    /// Conditions with observations that vary.
    varying_conditions: Vec<ConditionPart>,
    /// Representatives of the conditions that tests never distinguished.
    representatives: HashMap<Vec<bool>, Representative>,
}

impl Snapshots<'_> {
    fn add(
        &mut self,
        observations: Option<&Observations>,
        condition: Condition,
        predicate: &Predicate,
        nearness: f64,
    ) {
        let comparison = predicate.as_linear_comparison(&self.integer_terms);
        let Some(outcomes) = observations.and_then(|observations| {
            observations.evaluate_condition(|row| predicate.evaluate(row))
        }) else {
            let score = [UNOBSERVED_SCORE; 2].map(Some);
            return self.add_without_outcomes(condition, comparison, nearness, score);
        };
        if outcomes.is_constant() {
            // A failing test ends at its failure, so what it would observe later is unknown.
            if outcomes.true_counts.failing > 0 && outcomes.true_counts.passing == 0 {
                let score = [Some(UNFINISHED_SCORE), None];
                self.add_without_outcomes(condition, comparison, nearness, score);
            }
            return;
        }
        let part = ConditionPart { condition, nearness, outcomes };
        let representative = self.representatives.get(&part.outcomes.truth_by_visit);
        let comparisons =
            representative.map_or(&[][..], |representative| &representative.comparisons);
        if let Some(equivalent_index) = self.find_equivalent(comparisons, comparison.as_ref()) {
            self.conditions[equivalent_index].keep_shorter_text(&part.condition);
        } else {
            let entry = self.representatives.entry(part.outcomes.truth_by_visit.clone());
            let kept_comparison = comparison
                .map(|comparison| KeptComparison { index: self.conditions.len(), comparison });
            if let Some(share) = claim_share(entry, predicate.subject(), kept_comparison) {
                self.conditions.push(self.score_condition(&part, share));
            }
        }
        self.varying_conditions.push(part);
    }

    /// Adds a condition without recorded observations that distinguish it, with the scores if it is true and false.
    fn add_without_outcomes(
        &mut self,
        condition: Condition,
        comparison: Option<LinearComparison>,
        nearness: f64,
        scores: [Option<f64>; 2],
    ) {
        if let Some(comparison) = comparison {
            if self.integer_terms.is_constant(&comparison) {
                return;
            }
            let compared_terms = comparison.compared_terms();
            let comparisons = self
                .unobserved_comparisons
                .get(&compared_terms)
                .map_or(&[][..], |comparisons| comparisons);
            if let Some(equivalent_index) = self.find_equivalent(comparisons, Some(&comparison)) {
                return self.conditions[equivalent_index].keep_shorter_text(&condition);
            }
            let kept_comparison = KeptComparison { index: self.conditions.len(), comparison };
            self.unobserved_comparisons.entry(compared_terms).or_default().push(kept_comparison);
        }
        let combined = |score| self.static_score.combined_score(condition.text(), score) * nearness;
        let [score_if_true, score_if_false] = scores.map(|score| score.map(combined));
        self.conditions.push(ScoredCondition { condition, score_if_true, score_if_false });
    }

    /// Returns the index of the condition that is equivalent to a comparison.
    fn find_equivalent(
        &self,
        candidates: &[KeptComparison],
        comparison: Option<&LinearComparison>,
    ) -> Option<usize> {
        let comparison = comparison?;
        let same = candidates
            .iter()
            .find(|candidate| self.integer_terms.are_equivalent(&candidate.comparison, comparison));
        same.map(|candidate| candidate.index)
    }

    fn score_condition(&self, part: &ConditionPart, share: f64) -> ScoredCondition {
        let weight = |seen| {
            let weighed =
                self.static_score.combined_score(part.condition.text(), dynamic_score(seen)?);
            Some(weighed * part.nearness * share)
        };
        let (if_true, if_false) =
            (weight(part.outcomes.true_counts), weight(part.outcomes.false_counts));
        ScoredCondition {
            condition: part.condition.clone(),
            score_if_true: if_true,
            score_if_false: if_false,
        }
    }

    /// Adds two-part conditions that separate better than any single one.
    fn add_compounds(&mut self, observations: &Observations, implications: &[Implication]) {
        let mut known_outcomes = std::mem::take(&mut self.representatives).into_keys().collect();
        let mut all = observed_implications(
            observations,
            &self.varying_conditions,
            implications,
            &mut known_outcomes,
        );
        all.extend(find_invariant_differences(
            observations,
            &self.varying_conditions,
            &mut known_outcomes,
        ));
        let all: Vec<ScoredCondition> =
            all.iter().map(|part| self.score_condition(part, COMPOUND_FACTOR)).collect();
        self.conditions.extend(all);
    }
}

impl ScoredCondition {
    /// Returns the source text of the condition.
    pub(crate) fn text(&self) -> &str {
        self.condition.text()
    }

    /// Replaces the condition by an equivalent one if that has fewer tokens.
    fn keep_shorter_text(&mut self, other: &Condition) {
        let words = |one: &Condition| one.text().split_whitespace().count();
        if words(other) < words(&self.condition) {
            other.clone_into(&mut self.condition);
        }
    }
}

/// A comparison, and the index of its condition.
struct KeptComparison {
    index: usize,
    comparison: LinearComparison,
}

/// The first of several conditions that no test distinguishes, and the comparisons kept besides it.
struct Representative {
    subject: PredicateSubject,
    sibling_count: usize,
    comparisons: Vec<KeptComparison>,
    /// True if an entry compares two variables.
    has_variable_pair: bool,
}

/// Returns the share of a condition with the same observations as an entry; `None` if the entry already represents it.
/// `comparison` is the condition, if it is a comparison to be tried.
fn claim_share(
    entry: Entry<'_, Vec<bool>, Representative>,
    subject: PredicateSubject,
    comparison: Option<KeptComparison>,
) -> Option<f64> {
    let is_pair = matches!(subject.2, PredicateOperand::Variable(_));
    match entry {
        Entry::Vacant(entry) => {
            let comparison = comparison.into_iter().collect();
            entry.insert(Representative {
                subject,
                sibling_count: 1,
                comparisons: comparison,
                has_variable_pair: is_pair,
            });
            Some(1.0)
        }
        Entry::Occupied(mut entry) => {
            let representative = entry.get_mut();
            // Conditions that tests did not distinguish can still differ: `n == 0` and `n <= 0`, or `n == 0` and `n <
            // m`.
            let share = if representative.subject == subject
                && representative.sibling_count < MAX_SIBLINGS
            {
                representative.sibling_count += 1;
                SIBLING_FACTOR
            } else if is_pair && !representative.has_variable_pair {
                representative.has_variable_pair = true;
                VARIABLE_PAIR_FACTOR
            } else {
                return None;
            };
            representative.comparisons.extend(comparison);
            Some(share)
        }
    }
}

/// Returns the dynamic score of contract repair (`AutoFix`, section 4.3), with its constants, scaled to 0 to 1; `None`
/// if no failing test observed it.
fn dynamic_score(counts: TestCounts) -> Option<f64> {
    const ALPHA: f64 = 1.0 / 3.0;
    const BETA: f64 = 2.0 / 3.0;
    let score = 1.0 - BETA + BETA * ALPHA.powi(counts.passing) - ALPHA.powi(counts.failing);
    (counts.failing > 0).then(|| score.clamp(MIN_DYNAMIC_SCORE, 1.0))
}

/// Maximum number of further comparisons of the same terms that tests did not distinguish.
const MAX_SIBLINGS: usize = 2;

/// Factor for the score of the second of them.
const SIBLING_FACTOR: f64 = 0.4;

/// Factor for the score of the first condition that compares two variables, relative to one about a single variable.
const VARIABLE_PAIR_FACTOR: f64 = 0.7;

/// Score of a condition without observations.
const UNOBSERVED_SCORE: f64 = 0.3;

/// Score of a condition that held at all visits, by failing tests only.
const UNFINISHED_SCORE: f64 = 0.2;

/// Score of a condition that passing tests observe as often as failing ones.
const MIN_DYNAMIC_SCORE: f64 = 0.05;

/// Factor for the score of a two-part condition relative to a single one.
const COMPOUND_FACTOR: f64 = 0.6;
