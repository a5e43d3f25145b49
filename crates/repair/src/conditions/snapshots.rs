//! Candidate conditions of a place, with their observations and suspicion (`AutoFix`, section 4.1: snapshots).

use super::compounds::{ConditionPart, Implication, differences, implications};
use super::predicates::{Predicate, PredicateOperand, PredicateSubject, predicates};
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

/// Evidence about a place.
#[derive(Clone, Copy)]
pub(crate) struct ConditionEvidence<'a> {
    /// Recorded observations at the place.
    pub(crate) place: Option<&'a Observations>,
    /// Violated clauses of the routine, each with the nearness of the place.
    pub(crate) violated: &'a [(f64, String)],
    /// Implications stated by the routine.
    pub(crate) spoken: &'a [Implication],
    /// Preconditions and invariants that still hold.
    pub(crate) standing: &'a [String],
}

/// A condition, and what tests saw of it.
pub(crate) struct ScoredCondition {
    pub(crate) condition: Condition,
    /// Score of an action that runs if the condition holds; `None` if no failing test observed that.
    pub(crate) if_true: Option<f64>,
    /// Score of an action that runs if the condition is false.
    pub(crate) if_false: Option<f64>,
}

/// Returns the conditions over variables that can matter at a place, simpler ones first. Of several equivalent
/// comparisons of whole numbers, only the simplest is kept. Of conditions that tests never distinguished, one is kept,
/// besides comparisons of the same terms. Conditions that were always true, or always false, are dropped.
pub(crate) fn conditions(
    code: &Code<'_>,
    statement: NodeIndex,
    terms: &[ConditionTerm],
    evidence: ConditionEvidence<'_>,
) -> Vec<ScoredCondition> {
    let all = predicates(code, statement, terms, evidence.place.is_some());
    let all: Vec<_> = all.into_iter().map(|(one, near)| (one.condition(), one, near)).collect();
    let bearing = StaticScore::new(
        evidence.violated,
        terms,
        &all.iter().map(|(condition, ..)| condition.text()),
    );
    let whole = IntegerTerms::from_terms(code, terms, evidence.standing);
    let mut snapshots = Snapshots { bearing, whole, ..Snapshots::default() };
    for (condition, predicate, nearness) in all {
        snapshots.add(evidence.place, condition, &predicate, nearness);
    }
    if let Some(place) = evidence.place {
        snapshots.compound(place, evidence.spoken);
    }
    snapshots.all
}

/// The conditions of a place on their way.
#[derive(Default)]
struct Snapshots<'a> {
    bearing: StaticScore<'a>,
    whole: IntegerTerms,
    all: Vec<ScoredCondition>,
    /// Comparisons without recorded observations, by their compared terms.
    unseen: HashMap<ComparedTerms, Vec<KeptComparison>>,
    /// Conditions with observations that vary.
    parts: Vec<ConditionPart>,
    /// Representatives of the conditions that tests never distinguished.
    known: HashMap<Vec<bool>, Representative>,
}

impl Snapshots<'_> {
    fn add(
        &mut self,
        place: Option<&Observations>,
        condition: Condition,
        predicate: &Predicate,
        nearness: f64,
    ) {
        let compared = predicate.compared(&self.whole);
        let Some(truths) = place.and_then(|place| place.truths(|row| predicate.evaluate(row)))
        else {
            return self.add_unseen(condition, compared, nearness);
        };
        if truths.is_constant() {
            return;
        }
        let part = ConditionPart { condition, nearness, truths };
        let known = self.known.get(&part.truths.row_by_row);
        let kept = known.map_or(&[][..], |known| &known.kept);
        if let Some(same) = self.same_among(kept, compared.as_ref()) {
            self.all[same].or_said_as(&part.condition);
        } else {
            let entry = self.known.entry(part.truths.row_by_row.clone());
            let kept = compared.map(|compared| KeptComparison { at: self.all.len(), compared });
            if let Some(share) = share(entry, predicate.subject(), kept) {
                self.all.push(self.weighed(&part, share));
            }
        }
        self.parts.push(part);
    }

    /// Adds a condition without recorded observations.
    fn add_unseen(
        &mut self,
        condition: Condition,
        compared: Option<LinearComparison>,
        nearness: f64,
    ) {
        if let Some(compared) = compared {
            if self.whole.is_settled(&compared) {
                return;
            }
            let compares = compared.compares();
            let kept = self.unseen.get(&compares).map_or(&[][..], |kept| kept);
            if let Some(same) = self.same_among(kept, Some(&compared)) {
                return self.all[same].or_said_as(&condition);
            }
            let kept = KeptComparison { at: self.all.len(), compared };
            self.unseen.entry(compares).or_default().push(kept);
        }
        let unseen = Some(self.bearing.weighed(condition.text(), UNSEEN) * nearness);
        self.all.push(ScoredCondition { condition, if_true: unseen, if_false: unseen });
    }

    /// Returns the index of the condition that is equivalent to a comparison.
    fn same_among(
        &self,
        kept: &[KeptComparison],
        compared: Option<&LinearComparison>,
    ) -> Option<usize> {
        let compared = compared?;
        let same = kept.iter().find(|kept| self.whole.are_same(&kept.compared, compared));
        same.map(|kept| kept.at)
    }

    fn weighed(&self, part: &ConditionPart, share: f64) -> ScoredCondition {
        let weight = |seen| {
            let weighed = self.bearing.weighed(part.condition.text(), promise(seen)?);
            Some(weighed * part.nearness * share)
        };
        let (if_true, if_false) = (weight(part.truths.seen_true), weight(part.truths.seen_false));
        ScoredCondition { condition: part.condition.clone(), if_true, if_false }
    }

    /// Adds two-part conditions that separate better than any single one.
    fn compound(&mut self, place: &Observations, spoken: &[Implication]) {
        let mut known = std::mem::take(&mut self.known).into_keys().collect();
        let mut all = implications(place, &self.parts, spoken, &mut known);
        all.extend(differences(place, &self.parts, &mut known));
        let all: Vec<ScoredCondition> =
            all.iter().map(|part| self.weighed(part, COMPOUND)).collect();
        self.all.extend(all);
    }
}

impl ScoredCondition {
    /// Returns the source text of the condition.
    pub(crate) fn text(&self) -> &str {
        self.condition.text()
    }

    /// Replaces the condition with an equivalent one if that has fewer words.
    fn or_said_as(&mut self, other: &Condition) {
        let words = |one: &Condition| one.text().split_whitespace().count();
        if words(other) < words(&self.condition) {
            other.clone_into(&mut self.condition);
        }
    }
}

/// A comparison that is tried, and its place among the conditions.
struct KeptComparison {
    at: usize,
    compared: LinearComparison,
}

/// The first of some conditions that tests never saw apart, and what else is tried of them.
struct Representative {
    subject: PredicateSubject,
    alike: usize,
    kept: Vec<KeptComparison>,
    /// True if an entry compares two variables.
    has_pair: bool,
}

/// Returns the share of a condition with the same observations as an entry; `None` if the entry already represents it.
/// `kept` is the condition, if it is a comparison to be tried.
fn share(
    entry: Entry<'_, Vec<bool>, Representative>,
    subject: PredicateSubject,
    kept: Option<KeptComparison>,
) -> Option<f64> {
    let is_pair = matches!(subject.2, PredicateOperand::Variable(_));
    match entry {
        Entry::Vacant(entry) => {
            let kept = kept.into_iter().collect();
            entry.insert(Representative { subject, alike: 1, kept, has_pair: is_pair });
            Some(1.0)
        }
        Entry::Occupied(mut entry) => {
            let known = entry.get_mut();
            // Conditions that tests did not distinguish can still differ: `n == 0` and `n <= 0`, or `n == 0` and `n <
            // m`.
            let share = if known.subject == subject && known.alike < ALIKE {
                known.alike += 1;
                SIBLING
            } else if is_pair && !known.has_pair {
                known.has_pair = true;
                PAIR
            } else {
                return None;
            };
            known.kept.extend(kept);
            Some(share)
        }
    }
}

/// Returns the dynamic score of contract repair (`AutoFix`, section 4.3), with its constants, scaled to 0 to 1; `None`
/// if no failing test observed it.
fn promise(seen: TestCounts) -> Option<f64> {
    const ALPHA: f64 = 1.0 / 3.0;
    const BETA: f64 = 2.0 / 3.0;
    let rise = 1.0 - BETA + BETA * ALPHA.powi(seen.passing) - ALPHA.powi(seen.failing);
    (seen.failing > 0).then(|| rise.clamp(LEAST, 1.0))
}

/// Maximum number of further comparisons of the same terms that tests did not distinguish.
const ALIKE: usize = 2;

/// Factor for the score of the second of them.
const SIBLING: f64 = 0.4;

/// Factor for the score of the first condition that compares two variables, relative to one about a single variable.
const PAIR: f64 = 0.7;

/// Score of a condition without observations.
const UNSEEN: f64 = 0.3;

/// Score of a condition that passing tests observe as often as failing ones.
const LEAST: f64 = 0.05;

/// Factor for the score of a two-part condition relative to a single one.
const COMPOUND: f64 = 0.6;
