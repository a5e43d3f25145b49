//! Regression check: the project's tests that were not selected and must not fail with a patch.

use crate::run::judge::quick_run::{
    QuickRun, QuickRunDeadlines, TemporarySession, class_of, first_line, not_run, run,
};
use crate::run::session::Session;
use crate::run::session::request::{Context, OracleRequest, SubjectRequest};
use crate::run::session::run_log::RunLog;
use mend_engine::TestClass;
use mend_model::{NoProgress, Outcome, ProgressEvent, Result, TestStatus, first_of};
use mend_report::{FixEvidence, FixResult};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Tests that are not run.
pub(crate) const NOT_REACHED: &str =
    "tests that a name-based dependency analysis found unaffected by the fix";

/// Time limit for the build, and then for the tests; the nearest tests run first.
const LONGEST: Duration = Duration::from_secs(60);

/// Result of the regression check: affected tests that were not selected with `--test`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RegressionCheck {
    /// None that passes without the patch fails with it.
    NoRegression {
        /// Number of passing tests.
        tests: usize,
        /// Reason why some tests were not checked.
        unknown: Option<String>,
    },
    /// A test passes without the patch and fails with it in both runs.
    Regression(String),
}

impl RegressionCheck {
    /// Returns the number of passing tests, or the reason to reject the patch. Notes what was not checked.
    ///
    /// # Errors
    /// The run folder cannot be written.
    pub(crate) fn record(self, ledger: &RunLog) -> Result<Result<usize, String>> {
        match self {
            Self::NoRegression { tests, unknown } => {
                let unknown = unknown.map(|why| format!("other tests affected by the fix: {why}"));
                unknown.map_or(Ok(()), |why| ledger.note(why))?;
                Ok(Ok(tests))
            }
            Self::Regression(why) => Ok(Err(why)),
        }
    }

    fn unknown(why: &str) -> Self {
        Self::NoRegression { tests: 0, unknown: Some(first_line(why).to_owned()) }
    }
}

/// The tests around patches of one version.
pub(crate) struct AffectedTestRunner<'a> {
    session: &'a Session<'a>,
    subject: SubjectRequest,
    context: Context,
    /// Tests that the user selected.
    known: &'a BTreeSet<String>,
    /// Last outcome without a patch, and the tests that ran.
    before: Mutex<Option<(Vec<TestClass>, Outcome)>>,
}

impl<'a> AffectedTestRunner<'a> {
    /// All tests of a session's version but for those that were `known` before.
    pub(crate) fn new(session: &'a Session<'a>, known: &'a BTreeSet<String>) -> Self {
        let context = Context { progress: Arc::new(NoProgress), ..session.context.clone() };
        let timeout = session.subject.timeout.or(Some(2 * LONGEST));
        let subject =
            SubjectRequest { output: None, resume: false, timeout, ..session.subject.clone() };
        Self { session, subject, context, known, before: Mutex::default() }
    }

    /// Runs the tests affected by `patch`. A test is a regression only if it fails twice with the
    /// patch and passes without it. Tests that cannot run do not reject the patch.
    ///
    /// # Errors
    /// [`mend_model::Problem::Interrupted`] after an interrupt.
    pub(crate) fn check_patch(&self, patch: &Path) -> Result<RegressionCheck> {
        let told = self.run_check(patch);
        self.session.context.interrupt.check()?;
        Ok(told.unwrap_or_else(|problem| RegressionCheck::unknown(&problem.to_string())))
    }

    /// Returns a fix with the result of these tests, and the objection to it if there is one.
    ///
    /// # Errors
    /// Those of [`Self::check_patch`], and if the run folder cannot be written.
    pub(crate) fn check_fix(&self, fix: FixResult) -> Result<(FixResult, Option<String>)> {
        let ledger = &self.session.ledger;
        let patch = ledger.folder.path().join(fix.patch.as_deref().unwrap_or_default());
        Ok(match self.check_patch(&patch)?.record(ledger)? {
            Ok(others) => {
                let validated = FixEvidence { affected_tests: others, ..fix.validated.clone() };
                (FixResult { validated, ..fix }, None)
            }
            Err(why) => (fix, Some(why)),
        })
    }

    fn run_check(&self, patch: &Path) -> Result<RegressionCheck> {
        let tests = self.reached(patch)?;
        if tests.is_empty() {
            return Ok(RegressionCheck::NoRegression { tests: 0, unknown: None });
        }
        let file = patch.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("running other tests affected by {file}");
        self.session.ledger.emit(ProgressEvent::Stage(what))?;
        let with = self.run(Some(patch), &tests)?;
        if let Outcome::Tests { results } = &with
            && failing(&with).is_subset(self.known)
        {
            let late = not_run(&tests, results);
            let unknown = (!late.is_empty()).then(|| format!("not run: {}", first_of(&late, 3)));
            return Ok(RegressionCheck::NoRegression {
                tests: (&passing(&with) - self.known).len(),
                unknown,
            });
        }
        let before = self.run_unpatched(&tests)?;
        let told = compared([&with, &with], &before, self.known);
        if !matches!(told, RegressionCheck::Regression(_)) {
            return Ok(told);
        }
        let again = self.run(Some(patch), &tests)?;
        Ok(compared([&with, &again], &before, self.known))
    }

    /// Runs the tests without a patch, or returns the last outcome for the same tests.
    fn run_unpatched(&self, tests: &[TestClass]) -> Result<Outcome> {
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, outcome)) = before.as_ref().filter(|(known, _)| known == tests) {
            return Ok(outcome.clone());
        }
        let outcome = self.run(None, tests)?;
        *before = Some((tests.to_vec(), outcome.clone()));
        Ok(outcome)
    }

    /// Returns the test classes affected by the patch, without those that were selected as a whole.
    fn reached(&self, patch: &Path) -> Result<Vec<TestClass>> {
        let passing = TemporarySession::open(&self.subject, &self.context)?;
        let bad = passing.session.resolve(&self.subject.bad, &passing.store)?;
        let tree = passing.apply_patch(&bad, patch)?;
        let changes = passing.store.changes(&bad.original, &tree)?;
        let mut tests = passing.session.reached(&bad, &passing.store, &changes)?.tests;
        if self.asks_for_classes() {
            let known: BTreeSet<&str> = self.known.iter().map(|test| class_of(test)).collect();
            tests.retain(|test| !known.contains(test.name.as_str()));
        }
        Ok(tests)
    }

    fn asks_for_classes(&self) -> bool {
        match &self.subject.oracle {
            OracleRequest::Tests(all) => all.iter().all(|one| one.method.is_none()),
            OracleRequest::Command(_) => false,
        }
    }

    fn run(&self, patch: Option<&Path>, tests: &[TestClass]) -> Result<Outcome> {
        let now = Instant::now();
        let asked = QuickRun { patch, ..QuickRun::unpatched(&self.subject.bad, tests) };
        let deadlines = QuickRunDeadlines { build: now + LONGEST, test: now + 2 * LONGEST };
        Ok(run(&self.subject, &self.context, asked, deadlines)?.outcome)
    }
}

/// Compares two runs with a patch against one without it. Selected tests are ignored.
fn compared(with: [&Outcome; 2], before: &Outcome, known: &BTreeSet<String>) -> RegressionCheck {
    let is_run = |outcome: &Outcome| matches!(outcome, Outcome::Tests { .. });
    if !is_run(before) {
        return RegressionCheck::unknown(&before.text());
    }
    if !with.into_iter().any(is_run) {
        let said = with[1].text();
        return RegressionCheck::Regression(format!(
            "other tests do not run with the patch: {}",
            first_line(&said)
        ));
    }
    let fails = &failing(with[0]) & &failing(with[1]);
    let broken = &(&fails & &passing(before)) - known;
    match broken.first() {
        Some(test) => RegressionCheck::Regression(format!(
            "{test} fails with the patch and passes without it"
        )),
        None => RegressionCheck::NoRegression {
            tests: (&passing(with[0]) - known).len(),
            unknown: None,
        },
    }
}

fn failing(outcome: &Outcome) -> BTreeSet<String> {
    outcome.tests(|status| matches!(status, TestStatus::Failed(_)))
}

fn passing(outcome: &Outcome) -> BTreeSet<String> {
    outcome.tests(|status| *status == TestStatus::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::{Failure, TestResult};

    fn outcome(all: &[(&str, bool)]) -> Outcome {
        let failure = Failure { exception: "E".to_owned(), message: None, frames: Vec::new() };
        let result = |(test, passes): &(&str, bool)| {
            TestResult::new(
                *test,
                if *passes { TestStatus::Passed } else { TestStatus::Failed(failure.clone()) },
            )
        };
        Outcome::Tests { results: all.iter().map(result).collect() }
    }

    fn compare_with_selected(with: [&Outcome; 2], before: &Outcome) -> RegressionCheck {
        compared(with, before, &BTreeSet::from(["a.T#asked".to_owned()]))
    }

    #[test]
    fn only_a_test_that_passes_without_a_patch_and_fails_with_it_each_time_speaks_against_it() {
        let whole = outcome(&[("a.T#asked", false), ("a.U#x", true), ("a.U#y", true)]);
        let broken = outcome(&[("a.T#asked", false), ("a.U#x", true), ("a.U#y", false)]);
        let why = "a.U#y fails with the patch and passes without it".to_owned();
        assert_eq!(
            compare_with_selected([&broken, &broken], &whole),
            RegressionCheck::Regression(why)
        );
        let kept = |tests| RegressionCheck::NoRegression { tests, unknown: None };
        assert_eq!(compare_with_selected([&broken, &whole], &whole), kept(1));
        assert_eq!(compare_with_selected([&broken, &broken], &broken), kept(1));
    }

    #[test]
    fn tests_that_come_to_no_end_with_a_patch_alone_speak_against_it() {
        let whole = outcome(&[("a.U#x", true)]);
        let endless = Outcome::TimedOut { test: Some("a.U#x".to_owned()), output: String::new() };
        let why = "other tests do not run with the patch: a.U#x timed out".to_owned();
        assert_eq!(
            compare_with_selected([&endless, &endless], &whole),
            RegressionCheck::Regression(why)
        );
        assert_eq!(
            compare_with_selected([&endless, &whole], &whole),
            RegressionCheck::NoRegression { tests: 0, unknown: None }
        );
        let why = RegressionCheck::unknown("a.U#x timed out");
        assert_eq!(compare_with_selected([&endless, &endless], &endless), why);
    }
}
