//! Conditions of two parts: implications that a routine or its contracts speak of, with their mutations (`AutoFix`,
//! section 3.3), and what all failing tests saw together and no passing one did (section 4.1.1: invariant differences).

use crate::contracts::Contracts;
use crate::contracts::Postcondition;
use crate::observe::values::{Observations, PredicateOutcomes};
use mend_java::Code;
use mend_java::code::condition::{Condition, Junction};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::HashSet;

/// Maximum number of two-part conditions of each kind.
const MOST: usize = 4;

/// Maximum number of conditions that are combined with each other.
const JOINED: usize = 16;

/// A condition that can be a part of another one.
pub(crate) struct ConditionPart {
    pub(crate) condition: Condition,
    pub(crate) nearness: f64,
    pub(crate) truths: PredicateOutcomes,
}

/// An implication in a routine, as a disjunction of two conditions: `a ==> b` is `!a || b`.
pub(crate) type Implication = [Condition; 2];

/// Collects the implications of a statement's routine: from its conditions, from checks within a condition, and from
/// contracts.
pub(crate) fn spoken(
    code: &Code<'_>,
    statement: NodeIndex,
    contracts: &Contracts,
) -> Vec<Implication> {
    let Some(method) = code.method_of(statement) else { return Vec::new() };
    let (demands, assurances) = contracts.of_method(code, method);
    let promises = assurances.into_iter().filter(Postcondition::is_of_state);
    let said = demands.into_iter().chain(promises.map(|one| one.condition));
    let said = said.filter_map(|text| implication(Condition::parse(&text).disjuncts()?));
    let written = (method..code.node(method).end).filter_map(|id| implied(code, id));
    let mut known = HashSet::new();
    let all = said.chain(written).collect::<Vec<_>>();
    all.into_iter().filter(|one| known.insert(one.clone())).collect()
}

/// Returns the implication of a disjunction; `None` if a side is divided further.
fn implication(sides: [Condition; 2]) -> Option<Implication> {
    let sides = sides.map(|side| side.without_parentheses().clone());
    (!sides.iter().any(Condition::is_compound)).then_some(sides)
}

/// Reads the implication that a node of a routine expresses, if any.
fn implied(code: &Code<'_>, id: NodeIndex) -> Option<Implication> {
    let parsed = |id: NodeIndex| Condition::parse(code.written(id));
    match (code.kind(id), &code.children(id)[..]) {
        (NodeKind::ConditionalOr, &[left, right]) if !code.is(left, NodeKind::ConditionalOr) => {
            implication([parsed(left), parsed(right)])
        }
        (NodeKind::ConditionalExpression, &[condition, then, other]) => {
            let sides = match (code.written(then), code.written(other)) {
                (_, "true") => [parsed(condition).negation(), parsed(then)],
                ("true", _) => [parsed(condition), parsed(other)],
                _ => return None,
            };
            implication(sides)
        }
        (NodeKind::If, _) if code.is_guard(id) => {
            // What is refused under a condition is implied not to be where that holds.
            let block = code.parent(id);
            let outer = if code.is(block, NodeKind::Block) { code.parent(block) } else { block };
            let under = if outer == block { id } else { block };
            let is_first = code.child(outer, NodeRole::Then) == Some(under)
                && (under == id || code.children(block).first() == Some(&id));
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
pub(crate) fn implications(
    place: &Observations,
    parts: &[ConditionPart],
    spoken: &[Implication],
    known: &mut HashSet<Vec<bool>>,
) -> Vec<ConditionPart> {
    let mut found = Vec::new();
    for [left, right] in spoken {
        let (Some(left), Some(right)) = (side(parts, left), side(parts, right)) else { continue };
        for is_left in [true, false] {
            for is_right in [true, false] {
                let sides = [(&left, is_left), (&right, is_right)].map(|(one, is)| one.turned(is));
                let whole = joined(place, &sides[0], Junction::Or, &sides[1]);
                if found.len() < MOST && is_new(&whole, known) {
                    found.push(whole);
                }
            }
        }
    }
    found
}

/// Returns pairs of conditions that held together in all failing tests and in no passing test, where no single
/// condition separates them. Pairs about nearby terms come first.
pub(crate) fn differences(
    place: &Observations,
    parts: &[ConditionPart],
    known: &mut HashSet<Vec<bool>>,
) -> Vec<ConditionPart> {
    let failing = place.failing();
    let in_all = |one: &&ConditionPart| failing > 0 && one.truths.seen_true.failing == failing;
    let is_clear = |one: &ConditionPart| in_all(&one) && one.truths.seen_true.passing == 0;
    if parts.iter().any(is_clear) {
        return Vec::new();
    }
    let mut all: Vec<&ConditionPart> = parts.iter().filter(in_all).collect();
    all.sort_by(|one, other| {
        let passing = |part: &ConditionPart| part.truths.seen_true.passing;
        passing(one).cmp(&passing(other)).then(other.nearness.total_cmp(&one.nearness))
    });
    all.truncate(JOINED);
    let all = &all;
    let later = |at: usize| all[at + 1..].iter().map(move |other| (all[at], *other));
    let pairs = (0..all.len()).flat_map(later);
    let joined = pairs.map(|(one, other)| joined(place, one, Junction::And, other));
    let mut found: Vec<ConditionPart> =
        joined.filter(|whole| is_clear(whole) && is_new(whole, known)).collect();
    found.sort_by(|one, other| other.nearness.total_cmp(&one.nearness));
    found.truncate(MOST);
    found
}

/// Returns true if a condition is not constant, and differs from all known conditions and from their negations.
fn is_new(whole: &ConditionPart, known: &mut HashSet<Vec<bool>>) -> bool {
    let rows = &whole.truths.row_by_row;
    let opposite: Vec<bool> = rows.iter().map(|row| !row).collect();
    !whole.truths.is_constant() && !known.contains(&opposite) && known.insert(rows.clone())
}

/// Returns the observations of one side of an implication.
fn side(parts: &[ConditionPart], condition: &Condition) -> Option<ConditionPart> {
    let find = |wanted: &Condition| parts.iter().find(|part| part.condition.is_same(wanted));
    let itself = find(condition).map(|part| part.turned(true));
    itself.or_else(|| Some(find(&condition.negation())?.turned(false)))
}

impl ConditionPart {
    /// Returns the same part, or its negation.
    fn turned(&self, is_itself: bool) -> Self {
        let nearness = self.nearness;
        if is_itself {
            return Self {
                condition: self.condition.clone(),
                nearness,
                truths: self.truths.clone(),
            };
        }
        let PredicateOutcomes { seen_true, seen_false, row_by_row } = self.truths.clone();
        let row_by_row = row_by_row.into_iter().map(|row| !row).collect();
        let truths = PredicateOutcomes { seen_true: seen_false, seen_false: seen_true, row_by_row };
        Self { condition: self.condition.negation(), nearness, truths }
    }

    /// Returns the condition as a side of another one, in parentheses if it has parts itself.
    fn as_side(&self) -> Condition {
        let condition = self.condition.clone();
        if condition.is_compound() { condition.parenthesize() } else { condition }
    }
}

/// Joins two parts by a conjunction or a disjunction.
fn joined(
    place: &Observations,
    one: &ConditionPart,
    junction: Junction,
    other: &ConditionPart,
) -> ConditionPart {
    let rows = one.truths.row_by_row.iter().zip(&other.truths.row_by_row);
    let rows = rows.map(|(one, other)| match junction {
        Junction::And => *one && *other,
        Junction::Or => *one || *other,
    });
    let truths = place.count_outcomes(rows.collect());
    let condition = Condition::join(junction, vec![one.as_side(), other.as_side()]);
    ConditionPart { condition, nearness: one.nearness.min(other.nearness), truths }
}
