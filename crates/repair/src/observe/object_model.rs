//! Behavioural model of objects: state transitions of routines, as observed in passing tests (`AutoFix`, section
//! 4.3.3).
//!
//! A state consists of an object's answers to simple queries: booleans, signs of numbers, null and emptiness. States
//! and routines form a finite automaton for each class.

use crate::observe::values::{ObservedValue, RecordedValues};
use mend_java::Code;
use mend_java::facts::{NodeKind, SymbolId};
use mend_model::RepoPath;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of recorded transitions of one routine.
const MOST: usize = 200;

/// Abstract value of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AbstractValue {
    /// Asking throws, or the answer is no number.
    Unknown,
    Null,
    Boolean(bool),
    /// Sign of a number.
    Sign(Ordering),
    /// Empty or non-empty value.
    Sized {
        is_empty: bool,
    },
    Object,
}

impl From<ObservedValue> for AbstractValue {
    fn from(value: ObservedValue) -> Self {
        match value {
            ObservedValue::Thrown => Self::Unknown,
            ObservedValue::Null => Self::Null,
            ObservedValue::Boolean(truth) => Self::Boolean(truth),
            ObservedValue::Number(number) => {
                number.partial_cmp(&0.0).map_or(Self::Unknown, Self::Sign)
            }
            ObservedValue::Sized { size, .. } => Self::Sized { is_empty: size == 0.0 },
            ObservedValue::Object(_) => Self::Object,
        }
    }
}

/// Answers by question.
type ObjectState = BTreeMap<String, AbstractValue>;

/// Observed transitions of one routine in passing tests: states before and after a call.
type StateTransitions = BTreeSet<(ObjectState, ObjectState)>;

/// The automata of all classes, by routine.
#[derive(Debug, Default)]
pub(crate) struct ObjectModel {
    steps: BTreeMap<SymbolId, StateTransitions>,
}

/// A condition on the state of an object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StateCondition<'a> {
    question: &'a str,
    about: QueryCondition,
    is_negated: bool,
}

/// Condition on an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueryCondition {
    IsTrue,
    IsNull,
    IsEmpty,
    /// Comparison with zero.
    Sign(&'static str),
}

impl ObjectModel {
    /// Learns from what passing tests found at both ends of routines.
    pub(crate) fn from_observations(
        main: &[(RepoPath, Code<'_>)],
        observed: &RecordedValues,
    ) -> Self {
        let mut model = Self::default();
        for (file, (_, code)) in main.iter().enumerate() {
            for method in code.nodes_of_kind(NodeKind::Method) {
                let place = observed.observations_at(file, method);
                let (Some(place), Some(routine)) = (place, code.node(method).symbol) else {
                    continue;
                };
                let steps: StateTransitions = place.passing().map(step).take(MOST).collect();
                model.steps.insert(routine, steps);
            }
        }
        model
    }

    /// Returns the routines that passing tests executed.
    pub(crate) fn routines(&self) -> impl Iterator<Item = SymbolId> {
        self.steps.keys().copied()
    }

    /// Returns true if a routine was observed to end a condition, and never to leave it unchanged.
    pub(crate) fn ends(&self, routine: SymbolId, claim: &StateCondition<'_>) -> bool {
        let steps = self.steps.get(&routine).into_iter().flatten();
        let held = steps.filter(|(before, _)| claim.evaluate(before) == Some(true));
        let mut after = held.map(|(_, after)| claim.evaluate(after)).peekable();
        after.peek().is_some() && after.all(|holds| holds == Some(false))
    }

    /// Returns true if two routines of a class end a condition together, though neither does so alone: the first was
    /// observed to lead to a state in which the second always ended it.
    pub(crate) fn ends_after(
        &self,
        [first, second]: [SymbolId; 2],
        claim: &StateCondition<'_>,
    ) -> bool {
        let steps = |routine| self.steps.get(&routine).into_iter().flatten();
        let holds = |state: &ObjectState| claim.evaluate(state) == Some(true);
        let is_step = |(before, after): &&(ObjectState, ObjectState)| {
            before != after && holds(before) && holds(after)
        };
        let mut led_to = steps(first).filter(is_step).map(|(_, after)| after).peekable();
        let ends = |state: &ObjectState| {
            let mut on = steps(second).filter(|(before, _)| may_be_one(state, before)).peekable();
            on.peek().is_some() && on.all(|(_, after)| claim.evaluate(after) == Some(false))
        };
        let is_alone = |routine| self.ends(routine, claim);
        led_to.peek().is_some() && led_to.all(ends) && !is_alone(first) && !is_alone(second)
    }
}

/// Returns true if two states are compatible: no answer contradicts another one.
fn may_be_one(one: &ObjectState, other: &ObjectState) -> bool {
    let mut common =
        one.iter().filter_map(|(question, answer)| Some((answer, other.get(question)?)));
    common.all(|(own, other)| own == other)
}

/// Returns the states before and after one call.
fn step<'a>(answers: impl Iterator<Item = (&'a str, ObservedValue)>) -> (ObjectState, ObjectState) {
    let (mut before, mut after) = (ObjectState::new(), ObjectState::new());
    for (name, value) in answers {
        let (state, question) = match name.strip_suffix(AFTER) {
            Some(question) => (&mut after, question),
            None => (&mut before, name),
        };
        state.insert(question.to_owned(), value.into());
    }
    (before, after)
}

/// Comparisons with zero.
const SIGNS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

impl<'a> StateCondition<'a> {
    /// Returns the possible readings of a condition as state conditions, simplest first. A list query can also be a
    /// query of the object.
    pub(crate) fn parse_all(condition: &'a str) -> Vec<Self> {
        let (text, is_negated) = match condition.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (condition, false),
        };
        let of = |question, about| Self { question, about, is_negated };
        let null =
            text.strip_suffix(" == null").map(|question| of(question, QueryCondition::IsNull));
        let object = text.strip_suffix(" != null");
        let object = object.map(|question| Self {
            is_negated: !is_negated,
            ..of(question, QueryCondition::IsNull)
        });
        let number = text.strip_suffix(" 0").and_then(|rest| {
            let (question, operator) = rest.rsplit_once(' ')?;
            let operator = SIGNS.into_iter().find(|sign| *sign == operator)?;
            Some(of(question, QueryCondition::Sign(operator)))
        });
        let empty =
            text.strip_suffix(".isEmpty()").map(|question| of(question, QueryCondition::IsEmpty));
        let compared = null.or(object).or(number);
        let truth = compared.is_none().then(|| of(text, QueryCondition::IsTrue));
        compared.into_iter().chain(truth).chain(empty).collect()
    }

    /// Evaluates the condition in a state; `None` if the state has no answer to it.
    fn evaluate(&self, state: &ObjectState) -> Option<bool> {
        let holds = match (self.about, *state.get(self.question)?) {
            (QueryCondition::IsTrue, AbstractValue::Boolean(truth)) => truth,
            (QueryCondition::IsNull, answer) if answer != AbstractValue::Unknown => {
                answer == AbstractValue::Null
            }
            (QueryCondition::IsEmpty, AbstractValue::Sized { is_empty }) => is_empty,
            (QueryCondition::Sign(operator), AbstractValue::Sign(sign)) => match operator {
                "==" => sign.is_eq(),
                "!=" => sign.is_ne(),
                "<=" => sign.is_le(),
                ">=" => sign.is_ge(),
                "<" => sign.is_lt(),
                _ => sign.is_gt(),
            },
            _ => return None,
        };
        Some(holds != self.is_negated)
    }
}

/// Suffix of a query whose answer was recorded after the call.
pub(crate) const AFTER: &str = " afterwards";

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds the model of one routine from the answers to one query before and after it.
    fn model(steps: &[(&str, ObservedValue, ObservedValue)]) -> ObjectModel {
        let step = |(question, before, after): &(&str, ObservedValue, ObservedValue)| {
            let afterwards = format!("{question}{AFTER}");
            super::step([(*question, *before), (&*afterwards, *after)].into_iter())
        };
        ObjectModel { steps: BTreeMap::from([(7, steps.iter().map(step).collect())]) }
    }

    fn ends(model: &ObjectModel, condition: &str) -> bool {
        StateCondition::parse_all(condition).iter().any(|claim| model.ends(7, claim))
    }

    #[test]
    fn a_routine_that_was_seen_to_change_an_answer_ends_what_held_before() {
        let [no, yes] = [false, true].map(ObservedValue::Boolean);
        let opens = model(&[("isOpen()", no, yes), ("isOpen()", yes, yes)]);
        assert!(ends(&opens, "!isOpen()"));
        assert!(!ends(&opens, "isOpen()"));
        assert!(!ends(&opens, "!isReady()"));
        let sometimes = model(&[("isOpen()", no, yes), ("isOpen()", no, no)]);
        assert!(!ends(&sometimes, "!isOpen()"));
        let never_called_there = model(&[("isOpen()", yes, yes)]);
        assert!(!ends(&never_called_there, "!isOpen()"));
    }

    #[test]
    fn two_routines_end_together_what_neither_of_them_ends_alone() {
        let state = |is_powered, is_open| {
            let answers = [("isPowered()", is_powered), ("isOpen()", is_open)];
            answers.map(|(question, is)| (question.to_owned(), AbstractValue::Boolean(is))).into()
        };
        let power = BTreeSet::from([(state(false, false), state(true, false))]);
        let opens = (state(true, false), state(true, true));
        let jams = (state(false, false), state(false, false));
        let shake = BTreeSet::from([(state(false, false), state(false, false))]);
        let open = BTreeSet::from([opens.clone(), jams]);
        let model =
            ObjectModel { steps: BTreeMap::from([(1, power.clone()), (2, open), (3, shake)]) };
        let claim = &StateCondition::parse_all("!isOpen()")[0];
        assert!(!model.ends(1, claim) && !model.ends(2, claim));
        assert!(model.ends_after([1, 2], claim));
        assert!(
            ![[2, 1], [3, 2], [1, 3], [1, 1]].iter().any(|pair| model.ends_after(*pair, claim))
        );
        // What one of them does alone needs no other one.
        let model =
            ObjectModel { steps: BTreeMap::from([(1, power), (2, BTreeSet::from([opens]))]) };
        assert!(!model.ends_after([1, 2], claim));
    }

    #[test]
    fn answers_of_every_kind_are_told_apart() {
        let sized = |size| ObservedValue::Sized { size, identity: 1 };
        for (question, before, after, condition) in [
            ("head", ObservedValue::Null, ObservedValue::Object(3), "head == null"),
            ("head", ObservedValue::Object(3), ObservedValue::Null, "head != null"),
            ("size()", ObservedValue::Number(0.0), ObservedValue::Number(2.0), "size() <= 0"),
            ("left", ObservedValue::Number(-4.0), ObservedValue::Number(0.0), "left < 0"),
            ("all", sized(0.0), sized(1.0), "all.isEmpty()"),
            (
                "isEmpty()",
                ObservedValue::Boolean(false),
                ObservedValue::Boolean(true),
                "!isEmpty()",
            ),
        ] {
            assert!(ends(&model(&[(question, before, after)]), condition), "{condition}");
            assert!(!ends(&model(&[(question, after, before)]), condition), "{condition}");
        }
        assert!(!ends(
            &model(&[("head", ObservedValue::Null, ObservedValue::Thrown)]),
            "head == null"
        ));
    }
}
