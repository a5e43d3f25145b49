//! Conditions of two parts (`AutoFix`): implications in a routine or its contracts with their mutations (section 3.3),
//! and pairs of conditions that held together in all failing tests and in no passing one (invariant differences,
//! section 4.1.1).

use crate::contracts::Contracts;
use crate::contracts::Postcondition;
use crate::observe::values::{Observations, PredicateOutcomes};
use mend_java::Code;
use mend_java::code::condition::{Condition, Junction};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::HashSet;

/// Maximum number of two-part conditions of each kind.
const MAX_COMPOUNDS: usize = 4;

/// Maximum number of conditions that are combined with each other.
const MAX_COMBINED_CONDITIONS: usize = 16;

/// A condition that can be a part of another one.
pub(crate) struct ConditionPart {
    pub(crate) condition: Condition,
    pub(crate) nearness: f64,
    pub(crate) outcomes: PredicateOutcomes,
}

/// An implication in a routine, as a disjunction of two conditions: `a ==> b` is `!a || b`.
pub(crate) type Implication = [Condition; 2];

/// Collects the implications of a statement's routine: from its conditions, from checks within a condition, and from
/// contracts.
pub(crate) fn collect_implications(
    code: &Code<'_>,
    statement: NodeIndex,
    contracts: &Contracts,
) -> Vec<Implication> {
    let Some(method) = code.enclosing_method(statement) else { return Vec::new() };
    let (preconditions, postconditions) = contracts.method_contract(code, method);
    let state_postconditions =
        postconditions.into_iter().filter(Postcondition::depends_on_state_only);
    let contract_conditions =
        preconditions.into_iter().chain(state_postconditions.map(|one| one.condition));
    let contract_conditions =
        contract_conditions.filter_map(|text| implication(Condition::parse(&text).disjuncts()?));
    let code_implications =
        (method..code.node(method).subtree_end).filter_map(|id| read_implication(code, id));
    let mut distinct = HashSet::new();
    let all = contract_conditions.chain(code_implications).collect::<Vec<_>>();
    all.into_iter().filter(|one| distinct.insert(one.clone())).collect()
}

/// Returns the implication of a disjunction; `None` if a side is divided further.
fn implication(sides: [Condition; 2]) -> Option<Implication> {
    let sides = sides.map(|side| side.without_parentheses().clone());
    (!sides.iter().any(Condition::is_compound)).then_some(sides)
}

/// Reads the implication that a node of a routine expresses, if any.
fn read_implication(code: &Code<'_>, id: NodeIndex) -> Option<Implication> {
    let parsed = |id: NodeIndex| Condition::parse(code.source_text(id));
    match (code.kind(id), &code.children(id)[..]) {
        (NodeKind::ConditionalOr, &[left, right])
            if !code.has_kind(left, NodeKind::ConditionalOr) =>
        {
            implication([parsed(left), parsed(right)])
        }
        (NodeKind::ConditionalExpression, &[condition, then, other]) => {
            let sides = match (code.source_text(then), code.source_text(other)) {
                (_, "true") => [parsed(condition).negation(), parsed(then)],
                ("true", _) => [parsed(condition), parsed(other)],
                _ => return None,
            };
            implication(sides)
        }
        (NodeKind::If, _) if code.is_guard(id) => {
            // A nested guard `if (a) { if (b) throw … }` states the implication `a ==> !b`.
            let block = code.parent(id);
            let outer =
                if code.has_kind(block, NodeKind::Block) { code.parent(block) } else { block };
            let guarded_branch = if outer == block { id } else { block };
            let is_first = code.child(outer, NodeRole::Then) == Some(guarded_branch)
                && (guarded_branch == id || code.children(block).first() == Some(&id));
            let condition = code.child(outer, NodeRole::Condition).filter(|_| is_first)?;
            let inner = code.child(id, NodeRole::Condition)?;
            let refused = |id| parsed(id).without_parentheses().negation();
            implication([refused(condition), refused(inner)])
        }
        _ => None,
    }
}

/// Returns the implications with recorded observations, each with its mutations. Constant ones, and those equivalent to
/// another condition, are dropped.
pub(crate) fn observed_implications(
    observations: &Observations,
    parts: &[ConditionPart],
    implications: &[Implication],
    known_outcomes: &mut HashSet<Vec<bool>>,
) -> Vec<ConditionPart> {
    let mut found = Vec::new();
    for [left, right] in implications {
        let (Some(left), Some(right)) = (find_operand(parts, left), find_operand(parts, right))
        else {
            continue;
        };
        for is_left in [true, false] {
            for is_right in [true, false] {
                let sides =
                    [(&left, is_left), (&right, is_right)].map(|(one, is)| one.with_polarity(is));
                let compound = combine(observations, &sides[0], Junction::Or, &sides[1]);
                if found.len() < MAX_COMPOUNDS && add_if_new(&compound, known_outcomes) {
                    found.push(compound);
                }
            }
        }
    }
    found
}

/// Returns pairs of conditions that held together in all failing tests and in no passing test, where no single
/// condition separates them. Pairs about nearby terms come first.
pub(crate) fn find_invariant_differences(
    observations: &Observations,
    parts: &[ConditionPart],
    known_outcomes: &mut HashSet<Vec<bool>>,
) -> Vec<ConditionPart> {
    let failing = observations.failing_count();
    let in_all = |one: &&ConditionPart| failing > 0 && one.outcomes.true_counts.failing == failing;
    let separates_tests =
        |one: &ConditionPart| in_all(&one) && one.outcomes.true_counts.passing == 0;
    if parts.iter().any(separates_tests) {
        return Vec::new();
    }
    let mut all: Vec<&ConditionPart> = parts.iter().filter(in_all).collect();
    all.sort_by(|one, other| {
        let passing = |part: &ConditionPart| part.outcomes.true_counts.passing;
        passing(one).cmp(&passing(other)).then(other.nearness.total_cmp(&one.nearness))
    });
    all.truncate(MAX_COMBINED_CONDITIONS);
    let all = &all;
    let later_pairs = |at: usize| all[at + 1..].iter().map(move |other| (all[at], *other));
    let pairs = (0..all.len()).flat_map(later_pairs);
    let compounds = pairs.map(|(one, other)| combine(observations, one, Junction::And, other));
    let mut found: Vec<ConditionPart> = compounds
        .filter(|whole| separates_tests(whole) && add_if_new(whole, known_outcomes))
        .collect();
    found.sort_by(|one, other| other.nearness.total_cmp(&one.nearness));
    found.truncate(MAX_COMPOUNDS);
    found
}

/// Returns true if a condition is not constant, and differs from all known conditions and from their negations.
fn add_if_new(compound: &ConditionPart, known_outcomes: &mut HashSet<Vec<bool>>) -> bool {
    let rows = &compound.outcomes.truth_by_visit;
    let opposite: Vec<bool> = rows.iter().map(|row| !row).collect();
    !compound.outcomes.is_constant()
        && !known_outcomes.contains(&opposite)
        && known_outcomes.insert(rows.clone())
}

/// Returns the observations of one side of an implication.
fn find_operand(parts: &[ConditionPart], condition: &Condition) -> Option<ConditionPart> {
    let find = |wanted: &Condition| parts.iter().find(|part| part.condition.is_same(wanted));
    let itself = find(condition).map(|part| part.with_polarity(true));
    itself.or_else(|| Some(find(&condition.negation())?.with_polarity(false)))
}

impl ConditionPart {
    /// Returns the same part, or its negation.
    fn with_polarity(&self, is_positive: bool) -> Self {
        let nearness = self.nearness;
        if is_positive {
            return Self {
                condition: self.condition.clone(),
                nearness,
                outcomes: self.outcomes.clone(),
            };
        }
        let PredicateOutcomes {
            true_counts: seen_true,
            false_counts: seen_false,
            truth_by_visit: row_by_row,
        } = self.outcomes.clone();
        let row_by_row = row_by_row.into_iter().map(|row| !row).collect();
        let truths = PredicateOutcomes {
            true_counts: seen_false,
            false_counts: seen_true,
            truth_by_visit: row_by_row,
        };
        Self { condition: self.condition.negation(), nearness, outcomes: truths }
    }

    /// Returns the condition as a side of another one, in parentheses if it has parts itself.
    fn as_side(&self) -> Condition {
        let condition = self.condition.clone();
        if condition.is_compound() { condition.parenthesize() } else { condition }
    }
}

/// Joins two parts by a conjunction or a disjunction.
fn combine(
    observations: &Observations,
    one: &ConditionPart,
    junction: Junction,
    other: &ConditionPart,
) -> ConditionPart {
    let rows = one.outcomes.truth_by_visit.iter().zip(&other.outcomes.truth_by_visit);
    let rows = rows.map(|(one, other)| match junction {
        Junction::And => *one && *other,
        Junction::Or => *one || *other,
    });
    let truths = observations.count_outcomes(rows.collect());
    let condition = Condition::join(junction, vec![one.as_side(), other.as_side()]);
    ConditionPart { condition, nearness: one.nearness.min(other.nearness), outcomes: truths }
}
