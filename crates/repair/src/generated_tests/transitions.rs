//! State transitions of routine calls: states before and after them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A routine, and a number for the state of its object and its arguments.
type CallState = (usize, u64);

/// Effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum CallEffect {
    /// The state of the object, the arguments and the result after the call.
    NewState(u64),
    /// An exception of a class was thrown.
    Threw(u64),
}

/// Effects of calls, with the runs of tests that showed them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Transitions(BTreeMap<CallState, BTreeMap<CallEffect, BTreeSet<TestRunId>>>);

/// Transitions in correct tests, and the tests that reached each state.
pub(crate) struct PassingTransitions<'a>(BTreeMap<CallState, (CallEffect, Vec<&'a TestRunId>)>);

impl Transitions {
    /// Takes in what the recorder wrote of one; what makes no sense says nothing.
    pub(crate) fn add(&mut self, run: TestRunId, written: &str) {
        let mut words = written.split(' ');
        let routine = words.next().and_then(|word| word.parse().ok());
        let mut number = || words.next().map(|word| u64::from_str_radix(word, 16));
        let (Some(routine), Some(Ok(before)), Some(after)) = (routine, number(), number()) else {
            return;
        };
        let led = after.map_or_else(
            |_| {
                let mut thrown = DefaultHasher::new();
                written.rsplit(' ').next().hash(&mut thrown);
                CallEffect::Threw(thrown.finish())
            },
            CallEffect::NewState,
        );
        self.0.entry((routine, before)).or_default().entry(led).or_default().insert(run);
    }

    /// Takes in what was written in another run of the same.
    pub(crate) fn extend(&mut self, other: &Self) {
        for (state, led) in &other.0 {
            for (led, runs) in led {
                self.0.entry(*state).or_default().entry(*led).or_default().extend(runs);
            }
        }
    }

    /// Returns the transitions in some runs that always had the same effect, without an exception.
    pub(crate) fn passing<'a>(
        &'a self,
        is_right: impl Fn(&TestRunId) -> bool,
    ) -> PassingTransitions<'a> {
        let only = |(state, led): (&CallState, &'a BTreeMap<CallEffect, BTreeSet<TestRunId>>)| {
            let (led, runs) = led.first_key_value().filter(|_| led.len() == 1)?;
            let right: Vec<&TestRunId> = runs.iter().filter(|run| is_right(run)).collect();
            let is_passing = matches!(led, CallEffect::NewState(_)) && !right.is_empty();
            is_passing.then_some((*state, (*led, right)))
        };
        PassingTransitions(self.0.iter().filter_map(only).collect())
    }

    /// Returns the runs that reached a state which is also reached here, but never with the same effect.
    pub(crate) fn elsewhere<'a>(
        &self,
        passing: &PassingTransitions<'a>,
    ) -> BTreeSet<&'a TestRunId> {
        let is_elsewhere = |(state, (led, _)): &(&CallState, &(CallEffect, Vec<&TestRunId>))| {
            self.0.get(state).is_some_and(|own| !own.contains_key(led))
        };
        let elsewhere = passing.0.iter().filter(is_elsewhere);
        elsewhere.flat_map(|(_, (_, runs))| runs.iter().copied()).collect()
    }
}

/// One run of a generated test: its number, and how often it ran before, with other rows or in other classes.
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

    fn elsewhere(bad: &Transitions, repair: &[(usize, &str)]) -> Vec<usize> {
        let passing = bad.passing(|(test, _)| *test != 9);
        transitions_of(repair).elsewhere(&passing).into_iter().map(|(test, _)| *test).collect()
    }

    #[test]
    fn tests_are_told_that_came_upon_a_state_that_leads_elsewhere_now() {
        let bad = transitions_of(&[(1, "0 a b"), (2, "0 a b"), (2, "1 a b"), (3, "0 f0 c")]);
        assert!(elsewhere(&bad, &[(1, "0 a b"), (7, "1 a b")]).is_empty());
        assert_eq!(elsewhere(&bad, &[(7, "0 a c")]), [1, 2]);
        assert_eq!(elsewhere(&bad, &[(7, "0 f0 X java.lang.RuntimeException")]), [3]);
        // It depends on more than was written down.
        assert!(elsewhere(&bad, &[(7, "0 a c"), (8, "0 a b")]).is_empty());
    }

    #[test]
    fn nothing_is_expected_of_states_that_led_to_this_and_that_or_to_an_exception_or_in_other_tests()
     {
        let mut bad = transitions_of(&[(1, "0 a b"), (1, "0 b X p.E"), (1, "0 c d"), (9, "0 d e")]);
        bad.extend(&transitions_of(&[(1, "0 a c")]));
        let other = [(1, "0 a 0"), (1, "0 b 0"), (1, "0 c d"), (1, "0 d 0"), (1, "0 x"), (1, "")];
        assert!(elsewhere(&bad, &other).is_empty());
    }
}
