//! Differential testing: observed behaviour of versions in generated tests, and the comparison of repairs by it.

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
    observations_hash: u64,
    /// True if the test ended with an exception.
    has_thrown: bool,
    /// True if the exception is one that only a fault causes, such as a null dereference.
    has_fault: bool,
}

/// Behaviour of one version in generated tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestBehaviour {
    traces: BTreeMap<TestRunId, TestTrace>,
    /// Violated postconditions, by run.
    violations: BTreeMap<TestRunId, BTreeSet<usize>>,
    /// Recorded effects of calls.
    transitions: Transitions,
    /// Called routines, by run.
    reached_routines: BTreeMap<TestRunId, BTreeSet<usize>>,
    /// Routines that the version changes; empty if their calls are not recorded.
    changed_routines: BTreeSet<usize>,
    /// A test that hung or crashed the run.
    unfinished_test: Option<usize>,
}

impl TestBehaviour {
    /// Reads the recorder's output; invalid lines are ignored.
    pub fn read(text: &str) -> Self {
        let mut lines: BTreeMap<TestRunId, Vec<&str>> = BTreeMap::new();
        let mut broken: BTreeMap<TestRunId, BTreeSet<usize>> = BTreeMap::new();
        let mut times: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut current_run, mut unfinished_test) = (None, None);
        let mut calls = Transitions::default();
        let mut reached: BTreeMap<TestRunId, BTreeSet<usize>> = BTreeMap::new();
        for line in text.lines() {
            match line.split_at_checked(2) {
                Some(("T ", number)) => {
                    unfinished_test = number.parse().ok();
                    current_run = unfinished_test.map(|number| {
                        let run_count = times.entry(number).or_default();
                        *run_count += 1;
                        (number, *run_count - 1)
                    });
                    lines.extend(current_run.map(|run| (run, Vec::new())));
                }
                Some(("P ", postcondition)) => {
                    if let (Some(run), Ok(postcondition)) = (current_run, postcondition.parse()) {
                        broken.entry(run).or_default().insert(postcondition);
                    }
                }
                Some(("R ", routine)) => {
                    if let (Some(run), Ok(routine)) = (current_run, routine.parse()) {
                        reached.entry(run).or_default().insert(routine);
                    }
                }
                Some(("L ", transition)) => {
                    if let Some(run) = current_run {
                        calls.add(run, transition);
                    }
                }
                Some((kind, _)) => {
                    if matches!(kind, "X " | "E ") {
                        unfinished_test = None;
                    }
                    if let Some(run_lines) = current_run.and_then(|run| lines.get_mut(&run)) {
                        run_lines.push(line);
                    }
                }
                None => {}
            }
        }
        let traces = lines.into_iter().map(|(run, lines)| (run, TestTrace::from_lines(&lines)));
        Self {
            traces: traces.collect(),
            violations: broken,
            transitions: calls,
            reached_routines: reached,
            changed_routines: BTreeSet::new(),
            unfinished_test,
        }
    }

    /// Sets the routines that the version changes and whose calls are recorded.
    #[must_use]
    pub fn with_changed_routines(self, changed_routines: BTreeSet<usize>) -> Self {
        Self { changed_routines, ..self }
    }

    /// Returns true if a run calls a routine that the version changes.
    fn reaches_change(&self, run: &TestRunId) -> bool {
        let reached = self.reached_routines.get(run);
        reached.is_some_and(|reached| !reached.is_disjoint(&self.changed_routines))
    }

    /// Returns the test that hung or crashed the run, if any.
    pub fn unfinished_test(&self) -> Option<usize> {
        self.unfinished_test
    }

    /// Returns the tests that ended before one that hung or crashed the run.
    pub fn finished_tests(&self) -> BTreeSet<usize> {
        let numbers = self.traces.keys().map(|(number, _)| *number);
        numbers.filter(|number| Some(*number) != self.unfinished_test).collect()
    }

    /// Counts the tests with observations.
    pub fn test_count(&self) -> usize {
        self.traces.len()
    }

    /// Returns the tests in which another version, or another run, behaves differently.
    pub fn differing_tests(&self, other: &Self) -> BTreeSet<usize> {
        let runs = self.traces.keys().chain(other.traces.keys());
        let differs = |run: &&TestRunId| self.traces.get(run) != other.traces.get(run);
        runs.filter(differs).map(|(number, _)| *number).collect()
    }

    /// Returns the behaviour without some tests.
    #[must_use]
    pub fn without_tests(&self, numbers: &BTreeSet<usize>) -> Self {
        let mut kept = self.clone();
        kept.traces.retain(|(number, _), _| !numbers.contains(number));
        kept.violations.retain(|(number, _), _| !numbers.contains(number));
        kept
    }

    /// Keeps only the tests that behave the same in a second run.
    #[must_use]
    pub fn retain_reproducible(&self, rerun: &Self) -> Self {
        let mut both = self.without_tests(&self.differing_tests(rerun));
        both.transitions.extend(&rerun.transitions);
        both
    }

    /// Returns true if another version, or another run, shows the same observable behaviour.
    pub fn behaves_like(&self, other: &Self) -> bool {
        (&self.traces, &self.violations, self.unfinished_test)
            == (&other.traces, &other.violations, other.unfinished_test)
    }

    /// Returns true if this version behaves like another one wherever that one has no fault, and has fewer faults.
    fn is_strictly_better(&self, other: &Self) -> bool {
        let is_preserved = |(run, trace): (&TestRunId, &TestTrace)| match self.traces.get(run) {
            Some(own) => trace.has_fault || own == trace,
            None => false,
        };
        self.fault_count() < other.fault_count() && other.traces.iter().all(is_preserved)
    }

    /// Counts the tests with a fault or a violated postcondition.
    fn fault_count(&self) -> usize {
        let is_wrong = |(run, trace): &(&TestRunId, &TestTrace)| {
            trace.has_fault || self.violations.contains_key(run)
        };
        self.traces.iter().filter(is_wrong).count()
    }

    /// Returns the runs that violate a postcondition which another version satisfies, each with the first such
    /// postcondition.
    fn new_violations(&self, other: &Self) -> BTreeMap<TestRunId, usize> {
        let compared_runs =
            self.violations.iter().filter(|(run, _)| other.traces.contains_key(run));
        let new = compared_runs.filter_map(|(run, broken)| {
            let before = other.violations.get(run);
            let mut new =
                broken.iter().filter(|one| before.is_none_or(|before| !before.contains(one)));
            Some((*run, *new.next()?))
        });
        new.collect()
    }
}

impl TestTrace {
    fn from_lines(lines: &[&str]) -> Self {
        let mut hasher = DefaultHasher::new();
        lines.hash(&mut hasher);
        let exceptions = lines.iter().filter_map(|line| parse_exception(line)?.split(' ').next());
        let exceptions: Vec<&str> = exceptions.collect();
        Self {
            observations_hash: hasher.finish(),
            has_thrown: !exceptions.is_empty(),
            has_fault: exceptions.iter().any(|class| is_fault(class)),
        }
    }
}

/// Returns the exception of a line, either one that ended the test or one caught after an additional call.
fn parse_exception(line: &str) -> Option<&str> {
    line.strip_prefix("X ").or_else(|| line.strip_prefix("C "))
}

/// Result of generated tests for one repair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DifferentialResult {
    /// Number of tests in which the repair was compared.
    pub compared_tests: usize,
    /// Number of these tests in which the repair behaves differently from the reference version, whether or not an
    /// assertion depends on it.
    pub changed_tests: usize,
    /// Number of the compared tests that call a method which the repair changes; `None` if calls were not recorded.
    pub reaching_tests: Option<usize>,
    /// Weight of this result as evidence for the repair, from 0 to 1.
    pub weight: f64,
    /// Repairs with the same number behave the same in all tests.
    pub behaviour_class: usize,
    /// Number of a postcondition that it violates where the previous version satisfied it, in more tests than another
    /// repair does.
    pub violated_postcondition: Option<usize>,
}

/// Steepness with which the score of a repair falls with the share of tests in which it changes correct behaviour: if
/// only exceptions are wrong, and if results are wrong. In the latter case other results may be wrong too.
const CHANGE_STEEPNESS: [f64; 2] = [40.0, 5.0];

/// Penalty per percent of tests with a fault beyond those of the best repair.
const FAULT_PENALTY: f64 = 0.1;

/// Factor for the score of a repair if a rival behaves the same with fewer faults, even if the rival is longer. If two
/// values are used in the same way, a guard for only one of them is rarely sufficient.
const BETTER_RIVAL_FACTOR: f64 = 0.3;

/// Weighs the behaviour of repairs in generated tests; `None` for a repair without results. `is_rival` returns true if
/// the second repair is compared with the first.
pub fn weigh_repairs(
    tests: &GeneratedTests,
    failing_version: &TestBehaviour,
    passing_version: Option<&TestBehaviour>,
    repairs: &[Option<TestBehaviour>],
    is_rival: impl Fn(usize, usize) -> bool,
) -> Vec<Option<DifferentialResult>> {
    let mut results =
        compare_repairs(&tests.origins_by_test(), failing_version, passing_version, repairs);
    discount_inferior(&mut results, repairs, is_rival);
    results
}

fn discount_inferior(
    results: &mut [Option<DifferentialResult>],
    repairs: &[Option<TestBehaviour>],
    is_rival: impl Fn(usize, usize) -> bool,
) {
    for (at, (result, own)) in results.iter_mut().zip(repairs).enumerate() {
        let (Some(result), Some(own)) = (result, own) else { continue };
        let mut others = repairs.iter().enumerate().filter(|(other, _)| is_rival(at, *other));
        if others
            .any(|(_, other)| other.as_ref().is_some_and(|other| other.is_strictly_better(own)))
        {
            result.weight *= BETTER_RIVAL_FACTOR;
        }
    }
}

/// Scores the behaviour of repairs against the good version, if it is known. Otherwise the reference is the bad
/// version, in fault-free tests generated from passing tests: these must not change. Repairs are also compared with
/// each other, for faults that only some of them leave.
fn compare_repairs<'a>(
    origins: &BTreeMap<usize, &TestOrigins>,
    failing_version: &TestBehaviour,
    passing_version: Option<&TestBehaviour>,
    repairs: &'a [Option<TestBehaviour>],
) -> Vec<Option<DifferentialResult>> {
    let is_reference = |((number, row), trace): &(&TestRunId, &TestTrace)| match origins
        .get(number)
        .map(|origins| origins.verdict_of_row(*row))
    {
        Some(OriginVerdict::Passed) => !trace.has_fault,
        Some(OriginVerdict::ThrewException) => !trace.has_thrown,
        _ => false,
    };
    let expected: BTreeMap<TestRunId, TestTrace> = match passing_version {
        Some(passing_version) => passing_version.traces.clone(),
        None => failing_version
            .traces
            .iter()
            .filter(is_reference)
            .map(|(run, trace)| (*run, *trace))
            .collect(),
    };
    let is_correct = |run: &TestRunId| {
        expected.contains_key(run) && expected.get(run) == failing_version.traces.get(run)
    };
    let passing_transitions = failing_version.transitions.passing_transitions(is_correct);
    let has_wrong_result =
        origins.values().any(|origins| origins.combined_verdict() == OriginVerdict::WrongResult);
    let steepness = CHANGE_STEEPNESS[usize::from(has_wrong_result)];
    let finished = repairs.iter().flatten().filter(|repair| repair.unfinished_test.is_none());
    let min_faults = finished.clone().map(TestBehaviour::fault_count).min().unwrap_or(0);
    // Inputs may make it impossible to satisfy a postcondition that every repair violates.
    let min_violations =
        finished.map(|repair| repair.new_violations(failing_version).len()).min().unwrap_or(0);
    let mut behaviours: Vec<&TestBehaviour> = Vec::new();
    let mut compare = |repair: &'a TestBehaviour| {
        // Tests that did not run before the time limit are not compared.
        let was_run = |(run, _): &(&TestRunId, &TestTrace)| {
            repair.unfinished_test.is_none() || repair.traces.contains_key(run)
        };
        let compared: Vec<_> = expected.iter().filter(was_run).collect();
        let diverging_runs = repair.transitions.diverging_runs(&passing_transitions);
        let differs = |(run, trace): &&(&TestRunId, &TestTrace)| {
            repair.traces.get(run) != Some(trace) || diverging_runs.contains(run)
        };
        let changed = compared.iter().filter(differs).count();
        let reaching = compared.iter().filter(|(run, _)| repair.reaches_change(run)).count();
        let kind = behaviours
            .iter()
            .position(|behaviour| behaviour.behaves_like(repair))
            .unwrap_or_else(|| {
                behaviours.push(repair);
                behaviours.len() - 1
            });
        let changed_ratio = ratio(changed, compared.len());
        let extra_fault_percent =
            ratio(repair.fault_count().saturating_sub(min_faults), failing_version.traces.len())
                * 100.0;
        let weight =
            (-changed_ratio * steepness).exp() / (1.0 + extra_fault_percent * FAULT_PENALTY);
        let broken = repair.new_violations(failing_version);
        let breaks = broken.values().next().copied().filter(|_| broken.len() > min_violations);
        DifferentialResult {
            compared_tests: compared.len(),
            changed_tests: changed,
            reaching_tests: (!repair.changed_routines.is_empty()).then_some(reaching),
            weight,
            behaviour_class: kind,
            violated_postcondition: breaks,
        }
    };
    repairs.iter().map(|repair| repair.as_ref().map(&mut compare)).collect()
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD_TRACE: &str =
        "T 0\nX java.lang.NullPointerException null\nT 1\nW 2\nE \nT 2\nW 3\nE \n";

    fn compare_traces(
        origins: &[(usize, OriginVerdict)],
        repairs: &[&str],
        good: Option<&str>,
    ) -> Vec<DifferentialResult> {
        let origins: Vec<(usize, TestOrigins)> =
            origins.iter().map(|(number, origin)| (*number, (*origin).into())).collect();
        let origins = origins.iter().map(|(number, origins)| (*number, origins)).collect();
        let repairs: Vec<_> = repairs.iter().map(|text| Some(TestBehaviour::read(text))).collect();
        let good = good.map(TestBehaviour::read);
        let found =
            compare_repairs(&origins, &TestBehaviour::read(BAD_TRACE), good.as_ref(), &repairs);
        found.into_iter().flatten().collect()
    }

    #[test]
    fn unfinished_test_is_reported() {
        let hanging = TestBehaviour::read("T 4\nE \nT 7\nW 1\n");
        assert_eq!((hanging.unfinished_test(), hanging.finished_tests()), (Some(7), [4].into()));
        assert_eq!(TestBehaviour::read(BAD_TRACE).unfinished_test(), None);
    }

    #[test]
    fn fault_in_extra_call_does_not_end_test() {
        let read = TestBehaviour::read("T 4\nC java.lang.NullPointerException null\nW 1\n");
        assert_eq!((read.fault_count(), read.unfinished_test()), (1, Some(4)));
    }

    #[test]
    fn unbuildable_repairs_have_no_result() {
        let passed = OriginVerdict::Passed.into();
        let origins = BTreeMap::from([(1, &passed)]);
        let bad = TestBehaviour::read(BAD_TRACE);
        let found = compare_repairs(&origins, &bad, None, &[None, Some(bad.clone()), None]);
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn changed_behaviour_and_faults_lower_weight() {
        let origins = [
            (0, OriginVerdict::ThrewException),
            (1, OriginVerdict::Passed),
            (2, OriginVerdict::ThrewException),
        ];
        let mends = "T 0\nW 0\nE \nT 1\nW 2\nE \nT 2\nW 3\nE \n";
        let changes = "T 0\nW 0\nE \nT 1\nW 2\nE \nT 2\nW 9\nE \n";
        let found = compare_traces(&origins, &[mends, changes, BAD_TRACE, mends], None);
        assert_eq!(
            (found[0].compared_tests, found[0].changed_tests, found[1].changed_tests),
            (2, 0, 1)
        );
        assert!(found[0].weight > found[2].weight && found[0].weight > found[1].weight);
        assert_eq!(found.iter().map(|one| one.behaviour_class).collect::<Vec<_>>(), [0, 1, 2, 0]);
    }

    #[test]
    fn tests_after_timeout_are_not_compared() {
        let origins = [
            (0, OriginVerdict::ThrewException),
            (1, OriginVerdict::Passed),
            (2, OriginVerdict::Passed),
        ];
        let slow = compare_traces(&origins, &["T 0\nE \nT 1\nW 2\nE \nT 7\n"], None);
        assert_eq!((slow[0].compared_tests, slow[0].changed_tests), (1, 0));
        let endless = compare_traces(&origins, &["T 0\nE \nT 1\nW 2\nE \nT 2\n"], None);
        assert_eq!((endless[0].compared_tests, endless[0].changed_tests), (2, 1));
    }

    #[test]
    fn repair_with_better_rival_is_discounted() {
        let both = "T 0\nE \nT 1\nW 2\nE \nT 2\nW 3\nE \n";
        let one = "T 0\nX java.lang.NullPointerException null\nT 1\nW 2\nE \nT 2\nW 3\nE \n";
        let other = "T 0\nE \nT 1\nW 9\nE \nT 2\nW 3\nE \n";
        let repairs = [one, both, other].map(|text| Some(TestBehaviour::read(text)));
        let weights = |is_rival: fn(usize, usize) -> bool| -> Vec<f64> {
            let mut weighed =
                vec![Some(DifferentialResult { weight: 1.0, ..DifferentialResult::default() }); 3];
            discount_inferior(&mut weighed, &repairs, is_rival);
            weighed.into_iter().flatten().map(|one| one.weight).collect()
        };
        assert_eq!(weights(|_, _| true), [BETTER_RIVAL_FACTOR, 1.0, 1.0]);
        // A rival that also behaves differently elsewhere is not better.
        assert_eq!(weights(|_, other| other == 2), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn new_postcondition_violations_are_faults() {
        let origins = [(0, OriginVerdict::ThrewException), (1, OriginVerdict::Passed)];
        let keeps = "T 0\nW 0\nE \nT 1\nW 2\nE \n";
        let breaks = "T 0\nP 7\nW 0\nE \nT 1\nW 2\nE \n";
        let found = compare_traces(&origins, &[keeps, breaks], None);
        assert_eq!(
            [found[0].violated_postcondition, found[1].violated_postcondition],
            [None, Some(7)]
        );
        assert!(found[0].weight > found[1].weight);
        assert_eq!(
            compare_traces(&origins, &[breaks, breaks], None)[0].violated_postcondition,
            None
        );
        assert!(
            TestBehaviour::read(breaks).new_violations(&TestBehaviour::read(breaks)).is_empty()
        );
        assert!(TestBehaviour::read(keeps).is_strictly_better(&TestBehaviour::read(breaks)));
    }

    #[test]
    fn tests_that_call_no_changed_method_are_not_counted_as_reaching() {
        let bad = TestBehaviour::read(BAD_TRACE);
        let passed = OriginVerdict::Passed.into();
        let origins = BTreeMap::from([(1, &passed), (2, &passed)]);
        let trace = BAD_TRACE.replace("W 2\n", "R 7\nW 2\n").replace("W 3\n", "R 8\nW 3\n");
        let reaching = |changed: &[usize]| {
            let changed = changed.iter().copied().collect();
            let repair = TestBehaviour::read(&trace).with_changed_routines(changed);
            let found = compare_repairs(&origins, &bad, None, &[Some(repair)]);
            found[0].map(|one| (one.compared_tests, one.changed_tests, one.reaching_tests))
        };
        assert_eq!(reaching(&[7]), Some((2, 0, Some(1))));
        assert_eq!(reaching(&[7, 8]), Some((2, 0, Some(2))));
        assert_eq!(reaching(&[]), Some((2, 0, None)));
    }

    #[test]
    fn changed_transition_counts_as_change() {
        let with = |led: &str| BAD_TRACE.replace("W 2\n", &format!("L 0 a {led}\nW 2\n"));
        let passed = OriginVerdict::Passed.into();
        let origins = BTreeMap::from([(1, &passed), (2, &passed)]);
        let bad = TestBehaviour::read(&with("b"));
        let repairs = ["b", "c"].map(|led| Some(TestBehaviour::read(&with(led))));
        let found: Vec<_> =
            compare_repairs(&origins, &bad, None, &repairs).into_iter().flatten().collect();
        assert_eq!([found[0].changed_tests, found[1].changed_tests], [0, 1]);
        assert_eq!(found[0].behaviour_class, found[1].behaviour_class);
        assert!(found[0].weight > found[1].weight);
        // Behaviour that differs from the good version is no reference.
        let good = TestBehaviour::read(&BAD_TRACE.replace("W 2", "W 9"));
        let found = compare_repairs(&origins, &bad, Some(&good), &repairs);
        assert!(found.iter().flatten().all(|one| one.changed_tests == 1));
    }

    #[test]
    fn wrong_results_are_compared_with_good_version_only() {
        let origins = [
            (0, OriginVerdict::WrongResult),
            (1, OriginVerdict::WrongResult),
            (2, OriginVerdict::WrongResult),
        ];
        let other = "T 0\nW 0\nE \nT 1\nW 5\nE \nT 2\nW 3\nE \n";
        assert_eq!(compare_traces(&origins, &[other], None)[0].compared_tests, 0);
        let by_good = compare_traces(&origins, &[other, BAD_TRACE], Some(other));
        assert_eq!((by_good[0].changed_tests, by_good[1].changed_tests), (0, 2));
    }
}
