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
const MAX_TRANSITIONS: usize = 200;

/// Abstract value of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AbstractValue {
    /// The query throws, or its result is not a number.
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

/// Values by query.
type ObjectState = BTreeMap<String, AbstractValue>;

/// Observed transitions of one routine in passing tests: states before and after a call.
type StateTransitions = BTreeSet<(ObjectState, ObjectState)>;

/// Automata of all classes, by routine.
#[derive(Debug, Default)]
pub(crate) struct ObjectModel {
    transitions: BTreeMap<SymbolId, StateTransitions>,
}

/// A condition on the state of an object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StateCondition<'a> {
    query: &'a str,
    condition: QueryCondition,
    is_negated: bool,
}

/// Condition on a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueryCondition {
    IsTrue,
    IsNull,
    IsEmpty,
    /// Comparison with zero.
    Sign(&'static str),
}

impl ObjectModel {
    /// Learns the model from the states at entry and exit of routines in passing tests.
    pub(crate) fn from_observations(
        main: &[(RepoPath, Code<'_>)],
        recorded_values: &RecordedValues,
    ) -> Self {
        let mut model = Self::default();
        for (file, (_, code)) in main.iter().enumerate() {
            for method in code.nodes_of_kind(NodeKind::Method) {
                let observations = recorded_values.observations_at(file, method);
                let (Some(observations), Some(routine)) = (observations, code.node(method).symbol)
                else {
                    continue;
                };
                let transitions: StateTransitions = observations
                    .passing_visits()
                    .map(read_transition)
                    .take(MAX_TRANSITIONS)
                    .collect();
                model.transitions.insert(routine, transitions);
            }
        }
        model
    }

    /// Returns the routines that passing tests executed.
    pub(crate) fn routines(&self) -> impl Iterator<Item = SymbolId> {
        self.transitions.keys().copied()
    }

    /// Returns true if a routine was observed to end a condition, and never to leave it unchanged.
    pub(crate) fn ends_condition(&self, routine: SymbolId, condition: &StateCondition<'_>) -> bool {
        let transitions = self.transitions.get(&routine).into_iter().flatten();
        let held_before =
            transitions.filter(|(before, _)| condition.evaluate(before) == Some(true));
        let mut after = held_before.map(|(_, after)| condition.evaluate(after)).peekable();
        after.peek().is_some() && after.all(|holds| holds == Some(false))
    }

    /// Returns true if two routines of a class end a condition together, though neither does so alone: the first was
    /// observed to lead to a state in which the second always ended it.
    pub(crate) fn pair_ends_condition(
        &self,
        [first, second]: [SymbolId; 2],
        condition: &StateCondition<'_>,
    ) -> bool {
        let transitions_of = |routine| self.transitions.get(&routine).into_iter().flatten();
        let holds = |state: &ObjectState| condition.evaluate(state) == Some(true);
        let keeps_condition = |(before, after): &&(ObjectState, ObjectState)| {
            before != after && holds(before) && holds(after)
        };
        let mut reached =
            transitions_of(first).filter(keeps_condition).map(|(_, after)| after).peekable();
        let is_ended_by_second = |state: &ObjectState| {
            let mut on = transitions_of(second)
                .filter(|(before, _)| are_compatible(state, before))
                .peekable();
            on.peek().is_some() && on.all(|(_, after)| condition.evaluate(after) == Some(false))
        };
        let ends_alone = |routine| self.ends_condition(routine, condition);
        reached.peek().is_some()
            && reached.all(is_ended_by_second)
            && !ends_alone(first)
            && !ends_alone(second)
    }
}

/// Returns true if two states have no query with different values.
fn are_compatible(one: &ObjectState, other: &ObjectState) -> bool {
    let mut common =
        one.iter().filter_map(|(question, answer)| Some((answer, other.get(question)?)));
    common.all(|(own, other)| own == other)
}

/// Returns the states before and after one call.
fn read_transition<'a>(
    answers: impl Iterator<Item = (&'a str, ObservedValue)>,
) -> (ObjectState, ObjectState) {
    let (mut before, mut after) = (ObjectState::new(), ObjectState::new());
    for (name, value) in answers {
        let (state, question) = match name.strip_suffix(AFTER_CALL_SUFFIX) {
            Some(question) => (&mut after, question),
            None => (&mut before, name),
        };
        state.insert(question.to_owned(), value.into());
    }
    (before, after)
}

/// Comparisons with zero.
const ZERO_COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

impl<'a> StateCondition<'a> {
    /// Returns the possible readings of a condition as state conditions, simplest first. A list query can also be a
    /// query of the object.
    pub(crate) fn parse_all(condition: &'a str) -> Vec<Self> {
        let (text, is_negated) = match condition.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (condition, false),
        };
        let new_condition =
            |question, about| Self { query: question, condition: about, is_negated };
        let null = text
            .strip_suffix(" == null")
            .map(|question| new_condition(question, QueryCondition::IsNull));
        let not_null = text.strip_suffix(" != null");
        let not_null = not_null.map(|question| Self {
            is_negated: !is_negated,
            ..new_condition(question, QueryCondition::IsNull)
        });
        let zero_comparison = text.strip_suffix(" 0").and_then(|rest| {
            let (question, operator) = rest.rsplit_once(' ')?;
            let operator = ZERO_COMPARISONS.into_iter().find(|sign| *sign == operator)?;
            Some(new_condition(question, QueryCondition::Sign(operator)))
        });
        let empty = text
            .strip_suffix(".isEmpty()")
            .map(|question| new_condition(question, QueryCondition::IsEmpty));
        let compared = null.or(not_null).or(zero_comparison);
        let truth = compared.is_none().then(|| new_condition(text, QueryCondition::IsTrue));
        compared.into_iter().chain(truth).chain(empty).collect()
    }

    /// Evaluates the condition in a state; `None` if the state has no answer to it.
    fn evaluate(&self, state: &ObjectState) -> Option<bool> {
        let holds = match (self.condition, *state.get(self.query)?) {
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
pub(crate) const AFTER_CALL_SUFFIX: &str = " afterwards";

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds the model of one routine from the answers to one query before and after it.
    fn model_with_transitions(steps: &[(&str, ObservedValue, ObservedValue)]) -> ObjectModel {
        let step = |(question, before, after): &(&str, ObservedValue, ObservedValue)| {
            let afterwards = format!("{question}{AFTER_CALL_SUFFIX}");
            super::read_transition([(*question, *before), (&*afterwards, *after)].into_iter())
        };
        ObjectModel { transitions: BTreeMap::from([(7, steps.iter().map(step).collect())]) }
    }

    fn ends_condition(model: &ObjectModel, condition: &str) -> bool {
        StateCondition::parse_all(condition).iter().any(|claim| model.ends_condition(7, claim))
    }

    #[test]
    fn observed_change_of_answer_ends_condition() {
        let [no, yes] = [false, true].map(ObservedValue::Boolean);
        let opens = model_with_transitions(&[("isOpen()", no, yes), ("isOpen()", yes, yes)]);
        assert!(ends_condition(&opens, "!isOpen()"));
        assert!(!ends_condition(&opens, "isOpen()"));
        assert!(!ends_condition(&opens, "!isReady()"));
        let sometimes = model_with_transitions(&[("isOpen()", no, yes), ("isOpen()", no, no)]);
        assert!(!ends_condition(&sometimes, "!isOpen()"));
        let never_called_there = model_with_transitions(&[("isOpen()", yes, yes)]);
        assert!(!ends_condition(&never_called_there, "!isOpen()"));
    }

    #[test]
    fn pair_ends_condition_that_no_single_routine_ends() {
        let state = |is_powered, is_open| {
            let answers = [("isPowered()", is_powered), ("isOpen()", is_open)];
            answers.map(|(question, is)| (question.to_owned(), AbstractValue::Boolean(is))).into()
        };
        let power = BTreeSet::from([(state(false, false), state(true, false))]);
        let opens = (state(true, false), state(true, true));
        let jams = (state(false, false), state(false, false));
        let shake = BTreeSet::from([(state(false, false), state(false, false))]);
        let open = BTreeSet::from([opens.clone(), jams]);
        let model = ObjectModel {
            transitions: BTreeMap::from([(1, power.clone()), (2, open), (3, shake)]),
        };
        let claim = &StateCondition::parse_all("!isOpen()")[0];
        assert!(!model.ends_condition(1, claim) && !model.ends_condition(2, claim));
        assert!(model.pair_ends_condition([1, 2], claim));
        assert!(
            ![[2, 1], [3, 2], [1, 3], [1, 1]]
                .iter()
                .any(|pair| model.pair_ends_condition(*pair, claim))
        );
        // If one command suffices, no pair is needed.
        let model =
            ObjectModel { transitions: BTreeMap::from([(1, power), (2, BTreeSet::from([opens]))]) };
        assert!(!model.pair_ends_condition([1, 2], claim));
    }

    #[test]
    fn all_kinds_of_answers_are_distinguished() {
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
            assert!(
                ends_condition(&model_with_transitions(&[(question, before, after)]), condition),
                "{condition}"
            );
            assert!(
                !ends_condition(&model_with_transitions(&[(question, after, before)]), condition),
                "{condition}"
            );
        }
        assert!(!ends_condition(
            &model_with_transitions(&[("head", ObservedValue::Null, ObservedValue::Thrown)]),
            "head == null"
        ));
    }
}
