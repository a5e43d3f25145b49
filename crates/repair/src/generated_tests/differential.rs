//! Behaviour of versions in generated tests, and its use to compare repairs.

use super::transitions::{TestRunId, Transitions};
use crate::generated_tests::origins::{OriginVerdict, TestOrigins};
use crate::generated_tests::suite::GeneratedTests;
use crate::localisation::exception_kinds::is_fault;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash as _, Hasher as _};

/// Observed behaviour of one version in one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TestTrace {
    /// Hash of all observations.
    seen: u64,
    /// True if the test ended with an exception.
    has_thrown: bool,
    /// True if the exception is one that only a fault causes, such as a null dereference.
    is_faulty: bool,
}

/// Behaviour of one version in generated tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestBehaviour {
    traces: BTreeMap<TestRunId, TestTrace>,
    /// Violated postconditions, by run.
    broken: BTreeMap<TestRunId, BTreeSet<usize>>,
    /// Recorded effects of calls.
    calls: Transitions,
    /// A test that did not end.
    unfinished: Option<usize>,
}

impl TestBehaviour {
    /// Reads the recorder's output; invalid lines are ignored.
    pub fn read(text: &str) -> Self {
        let mut lines: BTreeMap<TestRunId, Vec<&str>> = BTreeMap::new();
        let mut broken: BTreeMap<TestRunId, BTreeSet<usize>> = BTreeMap::new();
        let mut times: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut current, mut unfinished) = (None, None);
        let mut calls = Transitions::default();
        for line in text.lines() {
            match line.split_at_checked(2) {
                Some(("T ", number)) => {
                    unfinished = number.parse().ok();
                    current = unfinished.map(|number| {
                        let time = times.entry(number).or_default();
                        *time += 1;
                        (number, *time - 1)
                    });
                    lines.extend(current.map(|run| (run, Vec::new())));
                }
                Some(("P ", promise)) => {
                    if let (Some(run), Ok(promise)) = (current, promise.parse()) {
                        broken.entry(run).or_default().insert(promise);
                    }
                }
                Some(("L ", written)) => {
                    if let Some(run) = current {
                        calls.add(run, written);
                    }
                }
                Some((kind, _)) => {
                    if matches!(kind, "X " | "E ") {
                        unfinished = None;
                    }
                    if let Some(of_test) = current.and_then(|run| lines.get_mut(&run)) {
                        of_test.push(line);
                    }
                }
                None => {}
            }
        }
        let traces = lines.into_iter().map(|(run, lines)| (run, TestTrace::from_lines(&lines)));
        Self { traces: traces.collect(), broken, calls, unfinished }
    }

    /// Returns the test that hung or crashed the run, if any.
    pub fn unfinished(&self) -> Option<usize> {
        self.unfinished
    }

    /// Counts the tests with observations.
    pub fn tests(&self) -> usize {
        self.traces.len()
    }

    /// Returns the tests in which another version, or another run, behaves differently.
    pub fn differing(&self, other: &Self) -> BTreeSet<usize> {
        let runs = self.traces.keys().chain(other.traces.keys());
        let differs = |run: &&TestRunId| self.traces.get(run) != other.traces.get(run);
        runs.filter(differs).map(|(number, _)| *number).collect()
    }

    /// Returns the behaviour without some tests.
    #[must_use]
    pub fn without_tests(&self, numbers: &BTreeSet<usize>) -> Self {
        let mut kept = self.clone();
        kept.traces.retain(|(number, _), _| !numbers.contains(number));
        kept.broken.retain(|(number, _), _| !numbers.contains(number));
        kept
    }

    /// Keeps only the tests that behave the same in a second run.
    #[must_use]
    pub fn with_again(&self, again: &Self) -> Self {
        let mut both = self.without_tests(&self.differing(again));
        both.calls.extend(&again.calls);
        both
    }

    /// Returns true if another version, or another run, shows the same observable behaviour.
    pub fn is_like(&self, other: &Self) -> bool {
        (&self.traces, &self.broken, self.unfinished)
            == (&other.traces, &other.broken, other.unfinished)
    }

    /// Returns true if this version behaves like another one wherever that one has no fault, and has fewer faults.
    fn outdoes(&self, other: &Self) -> bool {
        let is_kept = |(run, trace): (&TestRunId, &TestTrace)| match self.traces.get(run) {
            Some(own) => trace.is_faulty || own == trace,
            None => false,
        };
        self.faults() < other.faults() && other.traces.iter().all(is_kept)
    }

    /// Counts the tests with a fault or a violated postcondition.
    fn faults(&self) -> usize {
        let is_wrong = |(run, trace): &(&TestRunId, &TestTrace)| {
            trace.is_faulty || self.broken.contains_key(run)
        };
        self.traces.iter().filter(is_wrong).count()
    }

    /// Returns the tests in which it violates a postcondition that another version satisfies, each with the first such
    /// postcondition.
    fn breaks(&self, other: &Self) -> BTreeMap<TestRunId, usize> {
        let known = self.broken.iter().filter(|(run, _)| other.traces.contains_key(run));
        let new = known.filter_map(|(run, broken)| {
            let before = other.broken.get(run);
            let mut new =
                broken.iter().filter(|one| before.is_none_or(|before| !before.contains(one)));
            Some((*run, *new.next()?))
        });
        new.collect()
    }
}

impl TestTrace {
    fn from_lines(lines: &[&str]) -> Self {
        let mut seen = DefaultHasher::new();
        lines.hash(&mut seen);
        let thrown = lines.iter().filter_map(|line| thrown(line)?.split(' ').next());
        let thrown: Vec<&str> = thrown.collect();
        Self {
            seen: seen.finish(),
            has_thrown: !thrown.is_empty(),
            is_faulty: thrown.iter().any(|class| is_fault(class)),
        }
    }
}

/// Returns the exception of a line, either one that ended the test or one caught after an additional call.
fn thrown(line: &str) -> Option<&str> {
    line.strip_prefix("X ").or_else(|| line.strip_prefix("C "))
}

/// Result of generated tests for one repair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DifferentialResult {
    /// Number of tests in which the repair was compared.
    pub compared: usize,
    /// Number of these tests in which the repair behaves differently from the reference version, whether the test
    /// observes it or not.
    pub changed: usize,
    /// Weight of this result as evidence for the repair, from 0 to 1.
    pub weight: f64,
    /// Repairs with the same number did the same in all tests.
    pub kind: usize,
    /// Number of a postcondition that it violates where the previous version satisfied it, in more tests than another
    /// repair does.
    pub breaks: Option<usize>,
}

/// Steepness with which the score of a repair falls with the share of tests in which it changes correct behaviour: if
/// only exceptions have to disappear, and if results are wrong. In the latter case other results may be wrong too.
const CHANGE: [f64; 2] = [40.0, 5.0];

/// Penalty per percent of tests with a fault beyond those of the best repair.
const FAULT: f64 = 0.1;

/// Remaining share of a repair's score if a rival behaves the same with fewer faults, however much longer the rival is.
/// If two values are used alike, a guard for only one of them is rarely sufficient.
const OUTDONE: f64 = 0.3;

/// Weighs what repairs do in generated tests; nothing is known of one that could not be built with them. `is_rival`
/// says whether a repair, the second, is to be measured with another one.
pub fn agreements(
    tests: &GeneratedTests,
    bad: &TestBehaviour,
    good: Option<&TestBehaviour>,
    repairs: &[Option<TestBehaviour>],
    is_rival: impl Fn(usize, usize) -> bool,
) -> Vec<Option<DifferentialResult>> {
    let mut weighed = weigh(&tests.origins(), bad, good, repairs);
    discount_outdone(&mut weighed, repairs, is_rival);
    weighed
}

fn discount_outdone(
    weighed: &mut [Option<DifferentialResult>],
    repairs: &[Option<TestBehaviour>],
    is_rival: impl Fn(usize, usize) -> bool,
) {
    for (at, (agreement, own)) in weighed.iter_mut().zip(repairs).enumerate() {
        let (Some(agreement), Some(own)) = (agreement, own) else { continue };
        let mut others = repairs.iter().enumerate().filter(|(other, _)| is_rival(at, *other));
        if others.any(|(_, other)| other.as_ref().is_some_and(|other| other.outdoes(own))) {
            agreement.weight *= OUTDONE;
        }
    }
}

/// Scores the behaviour of repairs against the good version, if it is known. Otherwise the reference is the bad
/// version, in fault-free tests generated from passing tests: these must not change. Repairs are also compared with
/// each other, for faults that only some of them leave.
fn weigh<'a>(
    origins: &BTreeMap<usize, &TestOrigins>,
    bad: &TestBehaviour,
    good: Option<&TestBehaviour>,
    repairs: &'a [Option<TestBehaviour>],
) -> Vec<Option<DifferentialResult>> {
    let is_sound = |((number, row), trace): &(&TestRunId, &TestTrace)| match origins
        .get(number)
        .map(|origins| origins.of_row(*row))
    {
        Some(OriginVerdict::Passed) => !trace.is_faulty,
        Some(OriginVerdict::ThrewException) => !trace.has_thrown,
        _ => false,
    };
    let expected: BTreeMap<TestRunId, TestTrace> = match good {
        Some(good) => good.traces.clone(),
        None => bad.traces.iter().filter(is_sound).map(|(run, trace)| (*run, *trace)).collect(),
    };
    let is_right =
        |run: &TestRunId| expected.contains_key(run) && expected.get(run) == bad.traces.get(run);
    let passing = bad.calls.passing(is_right);
    let is_any_wrong =
        origins.values().any(|origins| origins.combined_verdict() == OriginVerdict::WrongResult);
    let steepness = CHANGE[usize::from(is_any_wrong)];
    let finished = repairs.iter().flatten().filter(|repair| repair.unfinished.is_none());
    let fewest = finished.clone().map(TestBehaviour::faults).min().unwrap_or(0);
    // What no repair keeps, inputs may not allow to keep.
    let least = finished.map(|repair| repair.breaks(bad).len()).min().unwrap_or(0);
    let mut kinds: Vec<&TestBehaviour> = Vec::new();
    let mut weighed = |repair: &'a TestBehaviour| {
        // What did not run before the time was over says nothing.
        let is_known = |(run, _): &(&TestRunId, &TestTrace)| {
            repair.unfinished.is_none() || repair.traces.contains_key(run)
        };
        let known: Vec<_> = expected.iter().filter(is_known).collect();
        let elsewhere = repair.calls.elsewhere(&passing);
        let differs = |(run, trace): &&(&TestRunId, &TestTrace)| {
            repair.traces.get(run) != Some(trace) || elsewhere.contains(run)
        };
        let changed = known.iter().filter(differs).count();
        let kind = kinds.iter().position(|known| known.is_like(repair)).unwrap_or_else(|| {
            kinds.push(repair);
            kinds.len() - 1
        });
        let lost = share(changed, known.len());
        let more = share(repair.faults().saturating_sub(fewest), bad.traces.len()) * 100.0;
        let weight = (-lost * steepness).exp() / (1.0 + more * FAULT);
        let broken = repair.breaks(bad);
        let breaks = broken.values().next().copied().filter(|_| broken.len() > least);
        DifferentialResult { compared: known.len(), changed, weight, kind, breaks }
    };
    repairs.iter().map(|repair| repair.as_ref().map(&mut weighed)).collect()
}

fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: &str = "T 0\nX java.lang.NullPointerException null\nT 1\nW 2\nE \nT 2\nW 3\nE \n";

    fn weighed(
        origins: &[(usize, OriginVerdict)],
        repairs: &[&str],
        good: Option<&str>,
    ) -> Vec<DifferentialResult> {
        let origins: Vec<(usize, TestOrigins)> =
            origins.iter().map(|(number, origin)| (*number, (*origin).into())).collect();
        let origins = origins.iter().map(|(number, origins)| (*number, origins)).collect();
        let repairs: Vec<_> = repairs.iter().map(|text| Some(TestBehaviour::read(text))).collect();
        let good = good.map(TestBehaviour::read);
        let found = weigh(&origins, &TestBehaviour::read(BAD), good.as_ref(), &repairs);
        found.into_iter().flatten().collect()
    }

    #[test]
    fn a_test_without_an_end_is_named() {
        assert_eq!(TestBehaviour::read("T 4\nE \nT 7\nW 1\n").unfinished(), Some(7));
        assert_eq!(TestBehaviour::read(BAD).unfinished(), None);
    }

    #[test]
    fn a_fault_of_a_further_call_is_one_and_ends_nothing() {
        let read = TestBehaviour::read("T 4\nC java.lang.NullPointerException null\nW 1\n");
        assert_eq!((read.faults(), read.unfinished()), (1, Some(4)));
    }

    #[test]
    fn of_what_could_not_be_built_with_the_tests_nothing_is_known() {
        let passed = OriginVerdict::Passed.into();
        let origins = BTreeMap::from([(1, &passed)]);
        let bad = TestBehaviour::read(BAD);
        let found = weigh(&origins, &bad, None, &[None, Some(bad.clone()), None]);
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn what_was_right_must_not_change_and_faults_must_go() {
        let origins = [
            (0, OriginVerdict::ThrewException),
            (1, OriginVerdict::Passed),
            (2, OriginVerdict::ThrewException),
        ];
        let mends = "T 0\nW 0\nE \nT 1\nW 2\nE \nT 2\nW 3\nE \n";
        let changes = "T 0\nW 0\nE \nT 1\nW 2\nE \nT 2\nW 9\nE \n";
        let found = weighed(&origins, &[mends, changes, BAD, mends], None);
        assert_eq!((found[0].compared, found[0].changed, found[1].changed), (2, 0, 1));
        assert!(found[0].weight > found[2].weight && found[0].weight > found[1].weight);
        assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), [0, 1, 2, 0]);
    }

    #[test]
    fn what_did_not_run_in_time_says_nothing() {
        let origins = [
            (0, OriginVerdict::ThrewException),
            (1, OriginVerdict::Passed),
            (2, OriginVerdict::Passed),
        ];
        let slow = weighed(&origins, &["T 0\nE \nT 1\nW 2\nE \nT 7\n"], None);
        assert_eq!((slow[0].compared, slow[0].changed), (1, 0));
        let endless = weighed(&origins, &["T 0\nE \nT 1\nW 2\nE \nT 2\n"], None);
        assert_eq!((endless[0].compared, endless[0].changed), (2, 1));
    }

    #[test]
    fn what_a_rival_does_with_fewer_faults_counts_for_less() {
        let both = "T 0\nE \nT 1\nW 2\nE \nT 2\nW 3\nE \n";
        let one = "T 0\nX java.lang.NullPointerException null\nT 1\nW 2\nE \nT 2\nW 3\nE \n";
        let other = "T 0\nE \nT 1\nW 9\nE \nT 2\nW 3\nE \n";
        let repairs = [one, both, other].map(|text| Some(TestBehaviour::read(text)));
        let weights = |is_rival: fn(usize, usize) -> bool| -> Vec<f64> {
            let mut weighed =
                vec![Some(DifferentialResult { weight: 1.0, ..DifferentialResult::default() }); 3];
            discount_outdone(&mut weighed, &repairs, is_rival);
            weighed.into_iter().flatten().map(|one| one.weight).collect()
        };
        assert_eq!(weights(|_, _| true), [OUTDONE, 1.0, 1.0]);
        // What does something else elsewhere outdoes nothing.
        assert_eq!(weights(|_, other| other == 2), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_promise_that_is_broken_is_a_fault_and_told_if_it_was_kept_before() {
        let origins = [(0, OriginVerdict::ThrewException), (1, OriginVerdict::Passed)];
        let keeps = "T 0\nW 0\nE \nT 1\nW 2\nE \n";
        let breaks = "T 0\nP 7\nW 0\nE \nT 1\nW 2\nE \n";
        let found = weighed(&origins, &[keeps, breaks], None);
        assert_eq!([found[0].breaks, found[1].breaks], [None, Some(7)]);
        assert!(found[0].weight > found[1].weight);
        assert_eq!(weighed(&origins, &[breaks, breaks], None)[0].breaks, None);
        assert!(TestBehaviour::read(breaks).breaks(&TestBehaviour::read(breaks)).is_empty());
        assert!(TestBehaviour::read(keeps).outdoes(&TestBehaviour::read(breaks)));
    }

    #[test]
    fn a_call_that_leads_elsewhere_is_a_change_though_no_test_sees_it() {
        let with = |led: &str| BAD.replace("W 2\n", &format!("L 0 a {led}\nW 2\n"));
        let passed = OriginVerdict::Passed.into();
        let origins = BTreeMap::from([(1, &passed), (2, &passed)]);
        let bad = TestBehaviour::read(&with("b"));
        let repairs = ["b", "c"].map(|led| Some(TestBehaviour::read(&with(led))));
        let found: Vec<_> = weigh(&origins, &bad, None, &repairs).into_iter().flatten().collect();
        assert_eq!([found[0].changed, found[1].changed], [0, 1]);
        assert_eq!(found[0].kind, found[1].kind);
        assert!(found[0].weight > found[1].weight);
        // What was wrong all the same is no measure.
        let good = TestBehaviour::read(&BAD.replace("W 2", "W 9"));
        let found = weigh(&origins, &bad, Some(&good), &repairs);
        assert!(found.iter().flatten().all(|one| one.changed == 1));
    }

    #[test]
    fn what_a_failing_assertion_saw_is_no_measure_but_what_good_does_is() {
        let origins = [
            (0, OriginVerdict::WrongResult),
            (1, OriginVerdict::WrongResult),
            (2, OriginVerdict::WrongResult),
        ];
        let other = "T 0\nW 0\nE \nT 1\nW 5\nE \nT 2\nW 3\nE \n";
        assert_eq!(weighed(&origins, &[other], None)[0].compared, 0);
        let by_good = weighed(&origins, &[other, BAD], Some(other));
        assert_eq!((by_good[0].changed, by_good[1].changed), (0, 2));
    }
}
