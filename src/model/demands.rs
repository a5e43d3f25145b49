//! What the tests must do with a patch, learnt from what they do without it.

use super::{Failure, Outcome, Phase, TestResult, TestStatus, Verdict};
use std::collections::BTreeSet;

/// What the tests must do with a patch. A patch that does it is plausible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// These failed, and must pass.
    mended: BTreeSet<String>,
    /// These passed, and must still pass.
    kept: BTreeSet<String>,
    /// These end now in one way and now in another, and say nothing.
    unstable: BTreeSet<String>,
    /// Whether the tests came to no end in time, so that nobody knows which of them would have passed.
    is_endless: bool,
    /// Whether one of those that failed is enough to pass: they may fail for reasons of their own.
    is_one_enough: bool,
}

impl Demands {
    /// Learns them from the version that is to be mended; `None` if nothing fails there.
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

    /// The same without the tests that ended in another way when they were run again.
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

    /// The same, met already where one of those passes that failed.
    #[must_use]
    pub fn or_some(self) -> Self {
        Self { is_one_enough: true, ..self }
    }

    /// Those that failed and do not pass yet.
    pub fn left_by(&self, outcome: &Outcome) -> BTreeSet<String> {
        let passing = match outcome {
            Outcome::Tests { results } => passing(results),
            _ => BTreeSet::new(),
        };
        self.mended.difference(&passing).cloned().collect()
    }

    /// Those that passed and no longer do.
    pub fn broken_by(&self, outcome: &Outcome) -> BTreeSet<String> {
        let passing = match outcome {
            Outcome::Tests { results } => passing(results),
            _ => BTreeSet::new(),
        };
        self.kept.difference(&passing).cloned().collect()
    }

    /// The tests that failed.
    pub fn mended(&self) -> &BTreeSet<String> {
        &self.mended
    }

    /// The tests that passed.
    pub fn kept(&self) -> &BTreeSet<String> {
        &self.kept
    }

    /// The tests that were run, but for those that say nothing.
    pub fn tests(&self) -> BTreeSet<String> {
        &self.mended | &self.kept
    }

    /// The tests that say nothing, in words; `None` if there are none.
    pub fn unstable(&self) -> Option<String> {
        (!self.unstable.is_empty()).then(|| named(&self.unstable))
    }

    /// Judges what came out with a patch: pass if all of it is met, fail if a test fails. A test that was not
    /// run before and fails speaks against the patch too.
    pub fn judge(&self, outcome: &Outcome) -> Verdict {
        match outcome {
            Outcome::NotBuilt { .. } => Verdict::Unresolved(Phase::NotCompiled),
            Outcome::TimedOut { .. } if !self.is_endless => Verdict::Unresolved(Phase::TimedOut),
            Outcome::TimedOut { .. } | Outcome::Crashed { .. } | Outcome::Exited { .. } => {
                Verdict::Fail
            }
            Outcome::Tests { results } if self.failure(results).is_some() => Verdict::Fail,
            Outcome::Tests { results } => match self.missing(results) {
                Some(_) => Verdict::Unresolved(Phase::NotTestable),
                None => Verdict::Pass,
            },
        }
    }

    /// One line that says why a verdict is what it is.
    pub fn reason(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::NotBuilt { diagnostics } => {
                diagnostics.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().into()
            }
            Outcome::TimedOut { test, .. } => {
                let test = test.as_deref().unwrap_or("what the tests do");
                format!("{test} does not end in time")
            }
            Outcome::Crashed { .. } => "the tests end the JVM".to_owned(),
            Outcome::Exited { code, .. } => format!("exit code {code}"),
            Outcome::Tests { results } => match (self.failure(results), self.missing(results)) {
                (Some((test, failure)), _) => {
                    let still = if self.mended.contains(test) { "still throws" } else { "throws" };
                    let message = failure.message.as_deref().unwrap_or_default();
                    let message = message.lines().next().unwrap_or_default();
                    let colon = if message.is_empty() { "" } else { ": " };
                    format!("{test} {still} {}{colon}{message}", failure.exception)
                }
                (None, Some(test)) => format!("{test} did not run"),
                (None, None) => {
                    format!("mends {}, keeps {}", self.mended.len(), self.kept.len())
                }
            },
        }
    }

    /// One line that says what must be mended.
    pub fn describe(&self) -> String {
        match self.mended.len() {
            0 => "the tests end the JVM".to_owned(),
            1 => format!("{} fails", named(&self.mended)),
            _ => format!("{} fail", named(&self.mended)),
        }
    }

    /// The first test that failed before and still does.
    pub fn unmended<'a>(&self, outcome: &'a Outcome) -> Option<&'a str> {
        let Outcome::Tests { results } = outcome else { return None };
        let (test, _) = self.failure(results)?;
        self.mended.contains(test).then_some(test)
    }

    /// The first test that fails and says something. Where one is enough to pass of those that failed, and one does,
    /// the others say nothing.
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

    /// A test that must pass and was not run, or any where nothing was.
    fn missing(&self, results: &[TestResult]) -> Option<String> {
        let passed = tests(results, |status| *status == TestStatus::Passed);
        let nothing = || "a test".to_owned();
        let may_fail = self.is_one_enough && !self.mended.is_disjoint(&passed);
        let mended = self.mended.iter().filter(|_| !may_fail);
        let missing = mended.chain(&self.kept).find(|test| !passed.contains(*test));
        missing.cloned().or_else(|| passed.is_empty().then(nothing))
    }
}

/// So many tests are named, one by one.
const NAMED: usize = 5;

/// Some tests in words: their names, or how many more there are.
fn named(tests: &BTreeSet<String>) -> String {
    let names: Vec<&str> = tests.iter().take(NAMED).map(String::as_str).collect();
    let more = tests.len() - names.len();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    names.join(", ") + &rest
}

/// The tests that pass whenever they are run.
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

    fn demands() -> Demands {
        Demands::learn(&outcome(&[("a#x", '-'), ("a#y", '+'), ("a#z", '0')])).unwrap()
    }

    #[test]
    fn a_patch_that_mends_what_failed_and_keeps_what_passed_is_plausible() {
        let demands = demands();
        for (all, verdict, reason) in [
            (&[("a#x", '+'), ("a#y", '+')][..], Verdict::Pass, "mends 1, keeps 1"),
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
    fn where_one_is_enough_others_may_fail_that_did_and_no_others() {
        let before = outcome(&[("a#x", '-'), ("a#y", '-'), ("a#z", '+')]);
        let demands = Demands::learn(&before).unwrap().or_some();
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
    fn what_comes_to_no_end_is_a_failure_only_where_that_is_what_must_be_mended() {
        let out = Outcome::TimedOut { test: Some("a#x".into()), output: String::new() };
        let crashed = Outcome::Crashed { output: String::new() };
        assert_eq!(demands().judge(&out), Verdict::Unresolved(Phase::TimedOut));
        assert_eq!(demands().judge(&crashed), Verdict::Fail);
        let endless = Demands::learn(&out).unwrap();
        assert_eq!(endless.judge(&out), Verdict::Fail);
        assert_eq!(endless.judge(&outcome(&[("a#x", '+')])), Verdict::Pass);
        assert_eq!(Demands::learn(&outcome(&[("a#x", '+')])), None);
    }

    #[test]
    fn tests_that_end_now_so_and_now_so_say_nothing() {
        let before = outcome(&[("a#f", '-'), ("a#g", '-'), ("a#p", '+'), ("a#q", '+')]);
        let again =
            results(&[("a#f", '-'), ("a#g", '+'), ("a#p", '-'), ("a#q", '+'), ("a#n", '-')]);
        let demands = Demands::learn(&before).unwrap().but_for_unstable(&again);
        let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(demands.mended()), "a#f");
        assert_eq!(names(demands.kept()), "a#q");
        assert_eq!(demands.unstable().unwrap(), "a#g, a#n, a#p");
        let patched = outcome(&[("a#f", '+'), ("a#g", '-'), ("a#q", '+')]);
        assert_eq!(demands.judge(&patched), Verdict::Pass);
    }
}
