//! Required test results with a patch, derived from the results without it.

use super::{Failure, Outcome, Phase, TestResult, TestStatus, Verdict, format_count};
use std::collections::BTreeSet;

/// Required test results with a patch. A patch that meets them is plausible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestExpectations {
    /// Tests that failed before and must pass.
    failing_tests: BTreeSet<String>,
    /// Tests that passed before and must still pass.
    passing_tests: BTreeSet<String>,
    /// Flaky tests, which are ignored.
    flaky_tests: BTreeSet<String>,
    /// True if the tests timed out before, so that it is unknown which of them pass.
    has_timed_out: bool,
    /// True if a patch need fix only one of the failing tests: they may fail for different reasons.
    is_one_fix_enough: bool,
}

impl TestExpectations {
    /// Derives the requirements from the result without a patch; `None` if no test fails.
    pub fn from_baseline(baseline: &Outcome) -> Option<Self> {
        match baseline {
            Outcome::Tests { results } => {
                let failing_tests =
                    tests_with_status(results, |status| matches!(status, TestStatus::Failed(_)));
                let passed = tests_with_status(results, |status| *status == TestStatus::Passed);
                let passing_tests = passed.difference(&failing_tests).cloned().collect();
                (!failing_tests.is_empty()).then(|| Self {
                    failing_tests,
                    passing_tests,
                    ..Self::default()
                })
            }
            Outcome::TimedOut { test, .. } => {
                let failing_tests = test.iter().cloned().collect();
                Some(Self { failing_tests, has_timed_out: true, ..Self::default() })
            }
            Outcome::Crashed { .. } => Some(Self::default()),
            Outcome::NotBuilt { .. } | Outcome::Exited { .. } => None,
        }
    }

    /// Excludes the tests whose results differ in another run.
    #[must_use]
    pub fn without_flaky(mut self, second_results: &[TestResult]) -> Self {
        let failed =
            tests_with_status(second_results, |status| matches!(status, TestStatus::Failed(_)));
        let passed = tests_with_status(second_results, |status| *status == TestStatus::Passed);
        let is_stable = |test: &String| {
            if self.failing_tests.contains(test) {
                failed.contains(test)
            } else {
                passed.contains(test) && !failed.contains(test)
            }
        };
        let all_tests = self.failing_tests.iter().chain(&self.passing_tests).chain(&failed);
        let flaky_tests: BTreeSet<String> =
            all_tests.filter(|test| !is_stable(test)).cloned().collect();
        self.failing_tests.retain(|test| !flaky_tests.contains(test));
        self.passing_tests.retain(|test| !flaky_tests.contains(test));
        self.flaky_tests.extend(flaky_tests);
        self
    }

    /// Requires only one of the failing tests to pass.
    #[must_use]
    pub fn requiring_one_fix(self) -> Self {
        Self { is_one_fix_enough: true, ..self }
    }

    /// Returns the failing tests that do not pass in `outcome`.
    pub fn still_failing_in(&self, outcome: &Outcome) -> BTreeSet<String> {
        let passing = match outcome {
            Outcome::Tests { results } => always_passing(results),
            _ => BTreeSet::new(),
        };
        self.failing_tests.difference(&passing).cloned().collect()
    }

    /// Returns the passing tests that do not pass in `outcome`.
    pub fn regressions_in(&self, outcome: &Outcome) -> BTreeSet<String> {
        let passing = match outcome {
            Outcome::Tests { results } => always_passing(results),
            _ => BTreeSet::new(),
        };
        self.passing_tests.difference(&passing).cloned().collect()
    }

    /// Returns the failing tests that pass in `outcome`, or `None` if the tests did not run to the end.
    pub fn fixed_in(&self, outcome: &Outcome) -> Option<BTreeSet<String>> {
        let Outcome::Tests { results } = outcome else { return None };
        Some(&self.failing_tests & &always_passing(results))
    }

    /// Returns the tests that fail in `outcome` and did not fail before, or `None` if the tests did not run to the end.
    pub fn broken_in(&self, outcome: &Outcome) -> Option<BTreeSet<String>> {
        let Outcome::Tests { results } = outcome else { return None };
        let failed = tests_with_status(results, |status| matches!(status, TestStatus::Failed(_)));
        Some(&(&failed - &self.failing_tests) - &self.flaky_tests)
    }

    /// Returns the tests that failed before.
    pub fn failing_tests(&self) -> &BTreeSet<String> {
        &self.failing_tests
    }

    /// Returns the tests that passed before.
    pub fn passing_tests(&self) -> &BTreeSet<String> {
        &self.passing_tests
    }

    /// Returns all tests that ran, except flaky ones.
    pub fn tests(&self) -> BTreeSet<String> {
        &self.failing_tests | &self.passing_tests
    }

    /// Names the flaky tests; `None` if there are none.
    pub fn flaky_test_list(&self) -> Option<String> {
        (!self.flaky_tests.is_empty()).then(|| list_tests(&self.flaky_tests))
    }

    /// Judges the result with a patch: pass if it meets all requirements, fail if a test fails. A failing test that did
    /// not run before counts too.
    pub fn judge(&self, outcome: &Outcome) -> Verdict {
        match outcome {
            Outcome::NotBuilt { part, .. } => Verdict::Unresolved(part.phase()),
            Outcome::TimedOut { .. } if !self.has_timed_out => Verdict::Unresolved(Phase::TimedOut),
            Outcome::TimedOut { .. } | Outcome::Crashed { .. } | Outcome::Exited { .. } => {
                Verdict::Fail
            }
            Outcome::Tests { results } if self.relevant_failure(results).is_some() => Verdict::Fail,
            Outcome::Tests { results } => match self.missing_test(results) {
                Some(_) => Verdict::Unresolved(Phase::NotTestable),
                None => Verdict::Pass,
            },
        }
    }

    /// Explains a verdict in one line.
    pub fn explain(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::NotBuilt { diagnostics, .. } => {
                diagnostics.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().into()
            }
            Outcome::TimedOut { test, .. } => {
                let test = test.as_deref().unwrap_or("a test");
                format!("{test} times out")
            }
            Outcome::Crashed { .. } => "the tests terminate the JVM".to_owned(),
            Outcome::Exited { code, .. } => format!("exit code {code}"),
            Outcome::Tests { results } => {
                match (self.relevant_failure(results), self.missing_test(results)) {
                    (Some((test, failure)), _) => {
                        let verb = if self.failing_tests.contains(test) {
                            "still throws"
                        } else {
                            "throws"
                        };
                        let message = failure.message.as_deref().unwrap_or_default();
                        let message = message.lines().next().unwrap_or_default();
                        let colon = if message.is_empty() { "" } else { ": " };
                        format!("{test} {verb} {}{colon}{message}", failure.exception)
                    }
                    (None, Some(test)) => format!("{test} did not run"),
                    (None, None) => {
                        let failing = format_count(self.failing_tests.len(), "failing test");
                        let left = self.still_failing_in(outcome).len();
                        let fixed = match self.failing_tests.len().saturating_sub(left) {
                            _ if left == 0 => failing,
                            some => format!("{some} of {failing}"),
                        };
                        let passing_note = match self.passing_tests.len() {
                            0 => String::new(),
                            1 => "; 1 passing test still passes".to_owned(),
                            more => format!("; {more} passing tests still pass"),
                        };
                        format!("fixes {fixed}{passing_note}")
                    }
                }
            }
        }
    }

    /// Describes the failing tests in one line.
    pub fn describe(&self) -> String {
        match self.failing_tests.len() {
            0 => "the tests terminate the JVM".to_owned(),
            1 => format!("{} fails", list_tests(&self.failing_tests)),
            _ => format!("{} fail", list_tests(&self.failing_tests)),
        }
    }

    /// Returns the first test that failed before and still fails.
    pub fn first_still_failing<'a>(&self, outcome: &'a Outcome) -> Option<&'a str> {
        let Outcome::Tests { results } = outcome else { return None };
        let (test, _) = self.relevant_failure(results)?;
        self.failing_tests.contains(test).then_some(test)
    }

    /// Returns the first relevant failure. If one fixed test is enough and one passes, failures of the others are not
    /// relevant.
    fn relevant_failure<'a>(&self, results: &'a [TestResult]) -> Option<(&'a String, &'a Failure)> {
        let may_others_fail =
            self.is_one_fix_enough && !self.failing_tests.is_disjoint(&always_passing(results));
        let failed = results.iter().filter_map(|result| match &result.status {
            TestStatus::Failed(failure) => Some((&result.test, failure)),
            TestStatus::Passed | TestStatus::Skipped => None,
        });
        failed.into_iter().find(|(test, _)| {
            !(self.flaky_tests.contains(*test)
                || may_others_fail && self.failing_tests.contains(*test))
        })
    }

    /// Returns a required test that did not pass, or a placeholder if no test did.
    fn missing_test(&self, results: &[TestResult]) -> Option<String> {
        let passed = tests_with_status(results, |status| *status == TestStatus::Passed);
        let any_test = || "a test".to_owned();
        let may_others_fail = self.is_one_fix_enough && !self.failing_tests.is_disjoint(&passed);
        let required_fixes = self.failing_tests.iter().filter(|_| !may_others_fail);
        let missing =
            required_fixes.chain(&self.passing_tests).find(|test| !passed.contains(*test));
        missing.cloned().or_else(|| passed.is_empty().then(any_test))
    }
}

/// Maximum number of tests named.
const MAX_NAMED_TESTS: usize = 5;

/// Names the first tests and counts the others.
fn list_tests(tests: &BTreeSet<String>) -> String {
    let names: Vec<&str> = tests.iter().take(MAX_NAMED_TESTS).map(String::as_str).collect();
    let more = tests.len() - names.len();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    names.join(", ") + &rest
}

/// Returns the tests that pass in every run.
fn always_passing(results: &[TestResult]) -> BTreeSet<String> {
    let failed = tests_with_status(results, |status| matches!(status, TestStatus::Failed(_)));
    let passed = tests_with_status(results, |status| *status == TestStatus::Passed);
    passed.difference(&failed).cloned().collect()
}

fn tests_with_status(
    results: &[TestResult],
    matches_status: impl Fn(&TestStatus) -> bool,
) -> BTreeSet<String> {
    let matching = results.iter().filter(|result| matches_status(&result.status));
    matching.map(|result| result.test.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_results(entries: &[(&str, char)]) -> Vec<TestResult> {
        let status = |kind| match kind {
            '+' => TestStatus::Passed,
            '-' => TestStatus::Failed(Failure {
                exception: "E".into(),
                message: Some("m\nn".into()),
                frames: Vec::new(),
            }),
            _ => TestStatus::Skipped,
        };
        let result = |(test, kind): &(&str, char)| TestResult::new(*test, status(*kind));
        entries.iter().map(result).collect()
    }

    fn parse_outcome(entries: &[(&str, char)]) -> Outcome {
        Outcome::Tests { results: parse_results(entries) }
    }

    fn sample_expectations() -> TestExpectations {
        TestExpectations::from_baseline(&parse_outcome(&[("a#x", '-'), ("a#y", '+'), ("a#z", '0')]))
            .unwrap()
    }

    #[test]
    fn patch_that_fixes_all_and_breaks_none_is_plausible() {
        let expectations = sample_expectations();
        for (entries, verdict, reason) in [
            (
                &[("a#x", '+'), ("a#y", '+')][..],
                Verdict::Pass,
                "fixes 1 failing test; 1 passing test still passes",
            ),
            (&[("a#x", '-')], Verdict::Fail, "a#x still throws E: m"),
            (&[("a#x", '+'), ("a#y", '-')], Verdict::Fail, "a#y throws E: m"),
            (&[("a#x", '+'), ("a#y", '+'), ("a#z", '-')], Verdict::Fail, "a#z throws E: m"),
            (
                &[("a#x", '+'), ("a#y", '0')],
                Verdict::Unresolved(Phase::NotTestable),
                "a#y did not run",
            ),
            (&[], Verdict::Unresolved(Phase::NotTestable), "a#x did not run"),
        ] {
            let outcome = parse_outcome(entries);
            assert_eq!(
                (expectations.judge(&outcome), &*expectations.explain(&outcome)),
                (verdict, reason)
            );
        }
    }

    #[test]
    fn fixed_and_broken_tests_are_named() {
        let expectations = sample_expectations();
        let outcome = parse_outcome(&[("a#x", '+'), ("a#y", '-'), ("a#new", '-')]);
        let names = |tests: BTreeSet<String>| tests.into_iter().collect::<Vec<_>>();
        assert_eq!(expectations.fixed_in(&outcome).map(names).unwrap(), ["a#x"]);
        assert_eq!(expectations.broken_in(&outcome).map(names).unwrap(), ["a#new", "a#y"]);
        assert_eq!(expectations.fixed_in(&Outcome::not_built("")), None);
        assert_eq!(expectations.broken_in(&Outcome::not_built("")), None);
    }

    #[test]
    fn with_one_fix_enough_only_failing_tests_may_still_fail() {
        let baseline = parse_outcome(&[("a#x", '-'), ("a#y", '-'), ("a#z", '+')]);
        let expectations = TestExpectations::from_baseline(&baseline).unwrap().requiring_one_fix();
        for (entries, verdict, failing_count) in [
            (&[("a#x", '+'), ("a#y", '-'), ("a#z", '+')][..], Verdict::Pass, 1),
            (&[("a#x", '+'), ("a#y", '+'), ("a#z", '+')], Verdict::Pass, 0),
            (&[("a#x", '-'), ("a#y", '-'), ("a#z", '+')], Verdict::Fail, 2),
            (&[("a#x", '+'), ("a#y", '-'), ("a#z", '-')], Verdict::Fail, 1),
            (&[("a#x", '+'), ("a#x", '-'), ("a#y", '-'), ("a#z", '+')], Verdict::Fail, 2),
            (&[("a#x", '+'), ("a#y", '-')], Verdict::Unresolved(Phase::NotTestable), 1),
        ] {
            let outcome = parse_outcome(entries);
            assert_eq!(
                (expectations.judge(&outcome), expectations.still_failing_in(&outcome).len()),
                (verdict, failing_count)
            );
        }
    }

    #[test]
    fn explanation_of_a_partial_fix_counts_the_fixed_tests() {
        let baseline = parse_outcome(&[("a#x", '-'), ("a#y", '-'), ("a#z", '+')]);
        let expectations = TestExpectations::from_baseline(&baseline).unwrap().requiring_one_fix();
        let explain =
            |y| expectations.explain(&parse_outcome(&[("a#x", '+'), ("a#y", y), ("a#z", '+')]));
        assert_eq!(explain('+'), "fixes 2 failing tests; 1 passing test still passes");
        assert_eq!(explain('-'), "fixes 1 of 2 failing tests; 1 passing test still passes");
    }

    #[test]
    fn timeout_is_a_failure_only_if_the_baseline_timed_out() {
        let timed_out = Outcome::TimedOut { test: Some("a#x".into()), output: String::new() };
        let crashed = Outcome::Crashed { output: String::new() };
        assert_eq!(sample_expectations().judge(&timed_out), Verdict::Unresolved(Phase::TimedOut));
        assert_eq!(sample_expectations().judge(&crashed), Verdict::Fail);
        let timeout_expectations = TestExpectations::from_baseline(&timed_out).unwrap();
        assert_eq!(timeout_expectations.judge(&timed_out), Verdict::Fail);
        assert_eq!(timeout_expectations.judge(&parse_outcome(&[("a#x", '+')])), Verdict::Pass);
        assert_eq!(TestExpectations::from_baseline(&parse_outcome(&[("a#x", '+')])), None);
    }

    #[test]
    fn flaky_tests_are_ignored() {
        let baseline = parse_outcome(&[("a#f", '-'), ("a#g", '-'), ("a#p", '+'), ("a#q", '+')]);
        let second_results =
            parse_results(&[("a#f", '-'), ("a#g", '+'), ("a#p", '-'), ("a#q", '+'), ("a#n", '-')]);
        let expectations =
            TestExpectations::from_baseline(&baseline).unwrap().without_flaky(&second_results);
        let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(expectations.failing_tests()), "a#f");
        assert_eq!(names(expectations.passing_tests()), "a#q");
        assert_eq!(expectations.flaky_test_list().unwrap(), "a#g, a#n, a#p");
        let patched = parse_outcome(&[("a#f", '+'), ("a#g", '-'), ("a#q", '+')]);
        assert_eq!(expectations.judge(&patched), Verdict::Pass);
    }
}
