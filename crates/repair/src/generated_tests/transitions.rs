//! State transitions of routine calls: the state before a call, and its effect.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A routine, and a hash of the states of its object and arguments.
type CallState = (usize, u64);

/// Effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum CallEffect {
    /// Hash of the states of the object, the arguments and the result after the call.
    NewState(u64),
    /// Hash of the exception class.
    Threw(u64),
}

/// Effects of calls by state, with the test runs in which they occurred.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Transitions(BTreeMap<CallState, BTreeMap<CallEffect, BTreeSet<TestRunId>>>);

/// Transitions in correct tests, and the tests that reached each state.
pub(crate) struct PassingTransitions<'a>(BTreeMap<CallState, (CallEffect, Vec<&'a TestRunId>)>);

impl Transitions {
    /// Adds a transition from a line of the recorder's output; malformed lines are ignored.
    pub(crate) fn add(&mut self, run: TestRunId, line: &str) {
        let mut words = line.split(' ');
        let routine = words.next().and_then(|word| word.parse().ok());
        let mut number = || words.next().map(|word| u64::from_str_radix(word, 16));
        let (Some(routine), Some(Ok(before)), Some(after)) = (routine, number(), number()) else {
            return;
        };
        let effect = after.map_or_else(
            |_| {
                let mut hasher = DefaultHasher::new();
                line.rsplit(' ').next().hash(&mut hasher);
                CallEffect::Threw(hasher.finish())
            },
            CallEffect::NewState,
        );
        self.0.entry((routine, before)).or_default().entry(effect).or_default().insert(run);
    }

    /// Adds the transitions of another run of the same version.
    pub(crate) fn extend(&mut self, other: &Self) {
        for (state, led) in &other.0 {
            for (led, runs) in led {
                self.0.entry(*state).or_default().entry(*led).or_default().extend(runs);
            }
        }
    }

    /// Returns the transitions in some runs that always had the same effect, without an exception.
    pub(crate) fn passing_transitions<'a>(
        &'a self,
        is_correct: impl Fn(&TestRunId) -> bool,
    ) -> PassingTransitions<'a> {
        let with_single_effect =
            |(state, led): (&CallState, &'a BTreeMap<CallEffect, BTreeSet<TestRunId>>)| {
                let (led, runs) = led.first_key_value().filter(|_| led.len() == 1)?;
                let correct_runs: Vec<&TestRunId> =
                    runs.iter().filter(|run| is_correct(run)).collect();
                let is_passing = matches!(led, CallEffect::NewState(_)) && !correct_runs.is_empty();
                is_passing.then_some((*state, (*led, correct_runs)))
            };
        PassingTransitions(self.0.iter().filter_map(with_single_effect).collect())
    }

    /// Returns the passing runs that contain a state which is also reached here, but never with the same effect.
    pub(crate) fn diverging_runs<'a>(
        &self,
        passing: &PassingTransitions<'a>,
    ) -> BTreeSet<&'a TestRunId> {
        let diverges = |(state, (led, _)): &(&CallState, &(CallEffect, Vec<&TestRunId>))| {
            self.0.get(state).is_some_and(|own| !own.contains_key(led))
        };
        let diverging = passing.0.iter().filter(diverges);
        diverging.flat_map(|(_, (_, runs))| runs.iter().copied()).collect()
    }
}

/// A run of a generated test: its number, and the number of its earlier runs with other parameter rows or classes.
pub(crate) type TestRunId = (usize, usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn transitions_of(lines: &[(usize, &str)]) -> Transitions {
        let mut all = Transitions::default();
        for (test, line) in lines {
            all.add((*test, 0), line);
        }
        all
    }

    fn diverging_tests(bad: &Transitions, repair: &[(usize, &str)]) -> Vec<usize> {
        let passing = bad.passing_transitions(|(test, _)| *test != 9);
        transitions_of(repair).diverging_runs(&passing).into_iter().map(|(test, _)| *test).collect()
    }

    #[test]
    fn tests_reaching_a_diverging_state_are_reported() {
        let bad = transitions_of(&[(1, "0 a b"), (2, "0 a b"), (2, "1 a b"), (3, "0 f0 c")]);
        assert!(diverging_tests(&bad, &[(1, "0 a b"), (7, "1 a b")]).is_empty());
        assert_eq!(diverging_tests(&bad, &[(7, "0 a c")]), [1, 2]);
        assert_eq!(diverging_tests(&bad, &[(7, "0 f0 X java.lang.RuntimeException")]), [3]);
        // The effect depends on unrecorded state.
        assert!(diverging_tests(&bad, &[(7, "0 a c"), (8, "0 a b")]).is_empty());
    }

    #[test]
    fn ambiguous_and_failing_transitions_are_ignored() {
        let mut bad = transitions_of(&[(1, "0 a b"), (1, "0 b X p.E"), (1, "0 c d"), (9, "0 d e")]);
        bad.extend(&transitions_of(&[(1, "0 a c")]));
        let other = [(1, "0 a 0"), (1, "0 b 0"), (1, "0 c d"), (1, "0 d 0"), (1, "0 x"), (1, "")];
        assert!(diverging_tests(&bad, &other).is_empty());
    }
}
