//! Required test results with a patch, derived from the results without it.

use super::{Failure, Outcome, Phase, TestResult, TestStatus, Verdict, counted};
use std::collections::BTreeSet;

/// Required test results with a patch. A patch that meets them is plausible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestExpectations {
    /// Tests that failed before and must pass.
    mended: BTreeSet<String>,
    /// Tests that passed before and must still pass.
    kept: BTreeSet<String>,
    /// Flaky tests, which are ignored.
    unstable: BTreeSet<String>,
    /// True if the tests timed out before, so that it is unknown which of them pass.
    is_endless: bool,
    /// True if a patch need fix only one of the failing tests: they may fail for different reasons.
    is_one_enough: bool,
}

impl TestExpectations {
    /// Derives the requirements from the result without a patch; `None` if no test fails.
    pub fn learn(before: &Outcome) -> Option<Self> {
        match before {
            Outcome::Tests { results } => {
                let mended = tests(results, |status| matches!(status, TestStatus::Failed(_)));
                let passed = tests(results, |status| *status == TestStatus::Passed);
                let kept = passed.difference(&mended).cloned().collect();
                (!mended.is_empty()).then(|| Self { mended, kept, ..Self::default() })
            }
            Outcome::TimedOut { test, .. } => {
                let mended = test.iter().cloned().collect();
                Some(Self { mended, is_endless: true, ..Self::default() })
            }
            Outcome::Crashed { .. } => Some(Self::default()),
            Outcome::NotBuilt { .. } | Outcome::Exited { .. } => None,
        }
    }

    /// Excludes the tests whose results differ in another run.
    #[must_use]
    pub fn but_for_unstable(mut self, again: &[TestResult]) -> Self {
        let failed = tests(again, |status| matches!(status, TestStatus::Failed(_)));
        let passed = tests(again, |status| *status == TestStatus::Passed);
        let is_stable = |test: &String| {
            if self.mended.contains(test) {
                failed.contains(test)
            } else {
                passed.contains(test) && !failed.contains(test)
            }
        };
        let all = self.mended.iter().chain(&self.kept).chain(&failed);
        let unstable: BTreeSet<String> = all.filter(|test| !is_stable(test)).cloned().collect();
        self.mended.retain(|test| !unstable.contains(test));
        self.kept.retain(|test| !unstable.contains(test));
        self.unstable.extend(unstable);
        self
    }

    /// Requires only one of the failing tests to pass.
    #[must_use]
    pub fn or_some(self) -> Self {
        Self { is_one_enough: true, ..self }
    }

    /// Returns the failing tests that do not pass in `outcome`.
    pub fn left_by(&self, outcome: &Outcome) -> BTreeSet<String> {
        let passing = match outcome {
            Outcome::Tests { results } => passing(results),
            _ => BTreeSet::new(),
        };
        self.mended.difference(&passing).cloned().collect()
    }

    /// Returns the passing tests that do not pass in `outcome`.
    pub fn broken_by(&self, outcome: &Outcome) -> BTreeSet<String> {
        let passing = match outcome {
            Outcome::Tests { results } => passing(results),
            _ => BTreeSet::new(),
        };
        self.kept.difference(&passing).cloned().collect()
    }

    /// Returns the tests that failed before.
    pub fn mended(&self) -> &BTreeSet<String> {
        &self.mended
    }

    /// Returns the tests that passed before.
    pub fn kept(&self) -> &BTreeSet<String> {
        &self.kept
    }

    /// Returns all tests that ran, except flaky ones.
    pub fn tests(&self) -> BTreeSet<String> {
        &self.mended | &self.kept
    }

    /// Names the flaky tests; `None` if there are none.
    pub fn unstable(&self) -> Option<String> {
        (!self.unstable.is_empty()).then(|| named(&self.unstable))
    }

    /// Judges the result with a patch: pass if it meets all requirements, fail if a test fails. A failing test that did
    /// not run before counts too.
    pub fn judge(&self, outcome: &Outcome) -> Verdict {
        match outcome {
            Outcome::NotBuilt { .. } => Verdict::Unresolved(Phase::NotCompiled),
            Outcome::TimedOut { .. } if !self.is_endless => Verdict::Unresolved(Phase::TimedOut),
            Outcome::TimedOut { .. } | Outcome::Crashed { .. } | Outcome::Exited { .. } => {
                Verdict::Fail
            }
            Outcome::Tests { results } if self.failure(results).is_some() => Verdict::Fail,
            Outcome::Tests { results } => match self.missing_test(results) {
                Some(_) => Verdict::Unresolved(Phase::NotTestable),
                None => Verdict::Pass,
            },
        }
    }

    /// Explains a verdict in one line.
    pub fn reason(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::NotBuilt { diagnostics } => {
                diagnostics.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().into()
            }
            Outcome::TimedOut { test, .. } => {
                let test = test.as_deref().unwrap_or("a test");
                format!("{test} times out")
            }
            Outcome::Crashed { .. } => "the tests terminate the JVM".to_owned(),
            Outcome::Exited { code, .. } => format!("exit code {code}"),
            Outcome::Tests { results } => match (self.failure(results), self.missing_test(results))
            {
                (Some((test, failure)), _) => {
                    let still = if self.mended.contains(test) { "still throws" } else { "throws" };
                    let message = failure.message.as_deref().unwrap_or_default();
                    let message = message.lines().next().unwrap_or_default();
                    let colon = if message.is_empty() { "" } else { ": " };
                    format!("{test} {still} {}{colon}{message}", failure.exception)
                }
                (None, Some(test)) => format!("{test} did not run"),
                (None, None) => {
                    let fixed = counted(self.mended.len(), "failing test");
                    let kept = match self.kept.len() {
                        0 => String::new(),
                        1 => "; 1 passing test still passes".to_owned(),
                        more => format!("; {more} passing tests still pass"),
                    };
                    format!("fixes {fixed}{kept}")
                }
            },
        }
    }

    /// Describes the failing tests in one line.
    pub fn describe(&self) -> String {
        match self.mended.len() {
            0 => "the tests terminate the JVM".to_owned(),
            1 => format!("{} fails", named(&self.mended)),
            _ => format!("{} fail", named(&self.mended)),
        }
    }

    /// Returns the first test that failed before and still fails.
    pub fn unmended<'a>(&self, outcome: &'a Outcome) -> Option<&'a str> {
        let Outcome::Tests { results } = outcome else { return None };
        let (test, _) = self.failure(results)?;
        self.mended.contains(test).then_some(test)
    }

    /// Returns the first relevant failure. If one fixed test is enough and one passes, failures of the others are not
    /// relevant.
    fn failure<'a>(&self, results: &'a [TestResult]) -> Option<(&'a String, &'a Failure)> {
        let may_fail = self.is_one_enough && !self.mended.is_disjoint(&passing(results));
        let failed = results.iter().filter_map(|result| match &result.status {
            TestStatus::Failed(failure) => Some((&result.test, failure)),
            TestStatus::Passed | TestStatus::Skipped => None,
        });
        failed.into_iter().find(|(test, _)| {
            !(self.unstable.contains(*test) || may_fail && self.mended.contains(*test))
        })
    }

    /// Returns a required test that did not pass, or a placeholder if no test did.
    fn missing_test(&self, results: &[TestResult]) -> Option<String> {
        let passed = tests(results, |status| *status == TestStatus::Passed);
        let nothing = || "a test".to_owned();
        let may_fail = self.is_one_enough && !self.mended.is_disjoint(&passed);
        let mended = self.mended.iter().filter(|_| !may_fail);
        let missing = mended.chain(&self.kept).find(|test| !passed.contains(*test));
        missing.cloned().or_else(|| passed.is_empty().then(nothing))
    }
}

/// Maximum number of tests named.
const NAMED: usize = 5;

/// Names the first tests and counts the others.
fn named(tests: &BTreeSet<String>) -> String {
    let names: Vec<&str> = tests.iter().take(NAMED).map(String::as_str).collect();
    let more = tests.len() - names.len();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    names.join(", ") + &rest
}

/// Returns the tests that pass in every run.
fn passing(results: &[TestResult]) -> BTreeSet<String> {
    let failed = tests(results, |status| matches!(status, TestStatus::Failed(_)));
    let passed = tests(results, |status| *status == TestStatus::Passed);
    passed.difference(&failed).cloned().collect()
}

fn tests(results: &[TestResult], is_meant: impl Fn(&TestStatus) -> bool) -> BTreeSet<String> {
    let meant = results.iter().filter(|result| is_meant(&result.status));
    meant.map(|result| result.test.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(all: &[(&str, char)]) -> Vec<TestResult> {
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
        all.iter().map(result).collect()
    }

    fn outcome(all: &[(&str, char)]) -> Outcome {
        Outcome::Tests { results: results(all) }
    }

    fn demands() -> TestExpectations {
        TestExpectations::learn(&outcome(&[("a#x", '-'), ("a#y", '+'), ("a#z", '0')])).unwrap()
    }

    #[test]
    fn a_patch_that_fixes_failing_tests_and_breaks_none_is_plausible() {
        let demands = demands();
        for (all, verdict, reason) in [
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
            let outcome = outcome(all);
            assert_eq!((demands.judge(&outcome), &*demands.reason(&outcome)), (verdict, reason));
        }
    }

    #[test]
    fn if_one_fixed_test_is_enough_only_tests_that_failed_before_may_fail() {
        let before = outcome(&[("a#x", '-'), ("a#y", '-'), ("a#z", '+')]);
        let demands = TestExpectations::learn(&before).unwrap().or_some();
        for (all, verdict, left) in [
            (&[("a#x", '+'), ("a#y", '-'), ("a#z", '+')][..], Verdict::Pass, 1),
            (&[("a#x", '+'), ("a#y", '+'), ("a#z", '+')], Verdict::Pass, 0),
            (&[("a#x", '-'), ("a#y", '-'), ("a#z", '+')], Verdict::Fail, 2),
            (&[("a#x", '+'), ("a#y", '-'), ("a#z", '-')], Verdict::Fail, 1),
            (&[("a#x", '+'), ("a#x", '-'), ("a#y", '-'), ("a#z", '+')], Verdict::Fail, 2),
            (&[("a#x", '+'), ("a#y", '-')], Verdict::Unresolved(Phase::NotTestable), 1),
        ] {
            let outcome = outcome(all);
            assert_eq!((demands.judge(&outcome), demands.left_by(&outcome).len()), (verdict, left));
        }
    }

    #[test]
    fn a_timeout_is_a_failure_only_if_the_tests_timed_out_before() {
        let out = Outcome::TimedOut { test: Some("a#x".into()), output: String::new() };
        let crashed = Outcome::Crashed { output: String::new() };
        assert_eq!(demands().judge(&out), Verdict::Unresolved(Phase::TimedOut));
        assert_eq!(demands().judge(&crashed), Verdict::Fail);
        let endless = TestExpectations::learn(&out).unwrap();
        assert_eq!(endless.judge(&out), Verdict::Fail);
        assert_eq!(endless.judge(&outcome(&[("a#x", '+')])), Verdict::Pass);
        assert_eq!(TestExpectations::learn(&outcome(&[("a#x", '+')])), None);
    }

    #[test]
    fn flaky_tests_are_ignored() {
        let before = outcome(&[("a#f", '-'), ("a#g", '-'), ("a#p", '+'), ("a#q", '+')]);
        let again =
            results(&[("a#f", '-'), ("a#g", '+'), ("a#p", '-'), ("a#q", '+'), ("a#n", '-')]);
        let demands = TestExpectations::learn(&before).unwrap().but_for_unstable(&again);
        let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(demands.mended()), "a#f");
        assert_eq!(names(demands.kept()), "a#q");
        assert_eq!(demands.unstable().unwrap(), "a#g, a#n, a#p");
        let patched = outcome(&[("a#f", '+'), ("a#g", '-'), ("a#q", '+')]);
        assert_eq!(demands.judge(&patched), Verdict::Pass);
    }
}
