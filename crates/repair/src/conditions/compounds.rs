//! Conditions of two parts: implications that a routine or its contracts speak of, with their mutations (`AutoFix`,
//! section 3.3), and what all failing tests saw together and no passing one did (section 4.1.1: invariant differences).

use crate::contracts::Contracts;
use crate::contracts::Postcondition;
use crate::observe::values::{Observations, PredicateOutcomes};
use mend_java::Code;
use mend_java::code::negation::negated;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::HashSet;

/// Maximum number of two-part conditions of each kind.
const MOST: usize = 4;

/// Maximum number of conditions that are combined with each other.
const JOINED: usize = 16;

/// A condition that can be a part of another one.
pub(crate) struct ConditionPart {
    pub(crate) text: String,
    pub(crate) nearness: f64,
    pub(crate) truths: PredicateOutcomes,
}

/// An implication in a routine, as a disjunction of two conditions: `a ==> b` is `!a || b`.
pub(crate) type Implication = (String, String);

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
    let said = said.filter_map(|text| either(&text));
    let written = (method..code.node(method).end).filter_map(|id| implied(code, id));
    let mut known = HashSet::new();
    let all = said.chain(written).collect::<Vec<_>>();
    all.into_iter().filter(|one| known.insert(one.clone())).collect()
}

/// Reads the two sides of a disjunction.
fn either(text: &str) -> Option<Implication> {
    let (left, right) = text.split_once(" || ")?;
    let inside = |side: &str| {
        let inner = side.strip_prefix('(').and_then(|side| side.strip_suffix(')'));
        let inner = inner.filter(|inner| !inner.contains([')', '('])).unwrap_or(side).trim();
        let count = |c: char| inner.matches(c).count();
        let is_one =
            count('(') == count(')') && !["&&", "||", "?"].iter().any(|word| inner.contains(word));
        is_one.then(|| inner.to_owned())
    };
    Some((inside(left)?, inside(right)?))
}

/// Reads the implication that a node of a routine expresses, if any.
fn implied(code: &Code<'_>, id: NodeIndex) -> Option<Implication> {
    let written = |id: NodeIndex| code.written(id);
    match (code.kind(id), &code.children(id)[..]) {
        (NodeKind::ConditionalOr, _) => either(written(id)),
        (NodeKind::ConditionalExpression, &[condition, then, other]) => {
            match (written(then), written(other)) {
                (then, "true") => either(&format!("{} || {then}", negated(written(condition)))),
                ("true", other) => either(&format!("{} || {other}", written(condition))),
                _ => None,
            }
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
            either(&format!(
                "{} || {}",
                negated(bare(written(condition))),
                negated(bare(written(inner)))
            ))
        }
        _ => None,
    }
}

/// Returns a condition without its outer parentheses.
fn bare(condition: &str) -> &str {
    condition.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(condition)
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
    for (left, right) in spoken {
        let (Some(left), Some(right)) = (side(parts, left), side(parts, right)) else { continue };
        for is_left in [true, false] {
            for is_right in [true, false] {
                let sides = [(&left, is_left), (&right, is_right)].map(|(one, is)| one.turned(is));
                let whole = joined(place, &sides[0], "||", &sides[1]);
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
    let joined = pairs.map(|(one, other)| joined(place, one, "&&", other));
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
fn side(parts: &[ConditionPart], text: &str) -> Option<ConditionPart> {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let find = |text: &str| parts.iter().find(|part| squeezed(&part.text) == squeezed(text));
    find(text).map(|part| part.turned(true)).or_else(|| Some(find(&negated(text))?.turned(false)))
}

impl ConditionPart {
    /// Returns the same part, or its negation.
    fn turned(&self, is_itself: bool) -> Self {
        let PredicateOutcomes { seen_true, seen_false, row_by_row } = self.truths.clone();
        let nearness = self.nearness;
        if is_itself {
            return Self { text: self.text.clone(), nearness, truths: self.truths.clone() };
        }
        let row_by_row = row_by_row.into_iter().map(|row| !row).collect();
        let truths = PredicateOutcomes { seen_true: seen_false, seen_false: seen_true, row_by_row };
        Self { text: negated(&self.text), nearness, truths }
    }
}

fn joined(
    place: &Observations,
    one: &ConditionPart,
    operator: &str,
    other: &ConditionPart,
) -> ConditionPart {
    let apart = |text: &str| {
        let is_divided = ["&&", "||", "?"].iter().any(|word| text.contains(word));
        if is_divided { format!("({text})") } else { text.to_owned() }
    };
    let text = format!("{} {operator} {}", apart(&one.text), apart(&other.text));
    let rows = one.truths.row_by_row.iter().zip(&other.truths.row_by_row);
    let is_both = operator == "&&";
    let rows = rows.map(|(one, other)| if is_both { *one && *other } else { *one || *other });
    let truths = place.count_outcomes(rows.collect());
    ConditionPart { text, nearness: one.nearness.min(other.nearness), truths }
}
