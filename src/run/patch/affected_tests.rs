//! Regression check of patches: runs affected tests that were not selected with `--test`.

use crate::run::judge::quick_run::{
    QuickRun, QuickRunDeadlines, QuickRunOutput, TemporarySession, classes_not_run, first_line,
    outermost_class, run_tests,
};
use crate::run::patch::fix_confirmation::delete_patch;
use crate::run::session::Session;
use crate::run::session::request::{Context, OracleRequest, SubjectRequest};
use crate::run::session::run_log::RunLog;
use mend_engine::TestClass;
use mend_model::{NoProgress, Outcome, ProgressEvent, Result, TestStatus, list_first};
use mend_report::{FixEvidence, FixResult};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Note about tests that were not run, because the patch does not affect them.
pub(crate) const UNAFFECTED_TESTS_NOTE: &str =
    "tests that a name-based dependency analysis found unaffected by the fix";

/// Time limit of the build, and then of the tests. The tests nearest to the patch run first.
const BUILD_TIME_LIMIT: Duration = Duration::from_secs(60);

/// Time limit of all runs of a runner together. With many affected tests, the checks of the first fixes use it up.
const TOTAL_TIME_LIMIT: Duration = Duration::from_secs(300);

/// Result of the regression check: affected tests that were not selected with `--test`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RegressionCheck {
    /// No test that passes without the patch fails with it.
    NoRegression {
        /// Number of passing tests.
        tests: usize,
        /// Reason why some tests were not checked.
        unchecked_reason: Option<String>,
    },
    /// Test that passes without the patch and fails with it in both runs.
    Regression(String),
}

impl RegressionCheck {
    /// Returns the number of passing tests, or the reason to reject the patch. Records what was not checked.
    ///
    /// # Errors
    /// An I/O error of the run folder.
    pub(crate) fn record(self, run_log: &RunLog) -> Result<Result<usize, String>> {
        match self {
            Self::NoRegression { tests, unchecked_reason: unknown } => {
                let unknown = unknown.map(|why| format!("other tests affected by the fix: {why}"));
                unknown.map_or(Ok(()), |why| run_log.note_unchecked(why))?;
                Ok(Ok(tests))
            }
            Self::Regression(why) => Ok(Err(why)),
        }
    }

    fn unchecked(why: &str) -> Self {
        Self::NoRegression { tests: 0, unchecked_reason: Some(first_line(why).to_owned()) }
    }
}

/// Result of running affected tests.
#[derive(Clone, Debug)]
struct AffectedTestRun {
    outcome: Outcome,
    /// Test classes that do not compile.
    left_out: BTreeSet<String>,
    /// True if it ended at its time limit.
    is_late: bool,
    /// True if the build ended at its time limit.
    is_build_late: bool,
}

/// Runs the affected tests of patches for one version.
pub(crate) struct AffectedTestRunner<'a> {
    session: &'a Session<'a>,
    subject: SubjectRequest,
    context: Context,
    /// Tests that the user selected.
    selected_tests: &'a BTreeSet<String>,
    /// Time after which no run starts.
    end: Instant,
    /// Last run without a patch, and its tests.
    unpatched_run: Mutex<Option<(Vec<TestClass>, AffectedTestRun)>>,
}

impl<'a> AffectedTestRunner<'a> {
    /// Creates the runner for a session. `selected_tests` are the tests that the user selected.
    pub(crate) fn new(session: &'a Session<'a>, selected_tests: &'a BTreeSet<String>) -> Self {
        Self::within(session, selected_tests, TOTAL_TIME_LIMIT)
    }

    /// Creates the runner of a session with less time.
    pub(crate) fn within(
        session: &'a Session<'a>,
        selected_tests: &'a BTreeSet<String>,
        time_limit: Duration,
    ) -> Self {
        let context = Context { progress: Arc::new(NoProgress), ..session.context.clone() };
        let timeout = session.subject.timeout.or(Some(2 * BUILD_TIME_LIMIT));
        let subject = SubjectRequest {
            output: None,
            is_resumed: false,
            timeout,
            executor: None,
            skips_uncompilable_tests: true,
            ..session.subject.clone()
        };
        let end = Instant::now() + time_limit.min(TOTAL_TIME_LIMIT);
        Self { session, subject, context, selected_tests, end, unpatched_run: Mutex::default() }
    }

    /// Runs the tests affected by `patch`. A test is a regression only if it fails twice with the patch and passes
    /// without it. Tests that cannot run do not reject the patch.
    ///
    /// # Errors
    /// [`mend_model::Problem::Interrupted`] after an interrupt.
    pub(crate) fn check_patch(&self, patch: &Path) -> Result<RegressionCheck> {
        let check = self.run_check(patch);
        self.session.context.interrupt.check()?;
        Ok(check.unwrap_or_else(|problem| RegressionCheck::unchecked(&problem.to_string())))
    }

    /// Returns a fix with the result of these tests, and the reason to reject it if there is one. An error deletes its
    /// patch, which is then not verified.
    ///
    /// # Errors
    /// Errors of [`Self::check_patch`], and I/O errors of the run folder.
    pub(crate) fn check_fix(&self, fix: FixResult) -> Result<(FixResult, Option<String>)> {
        let run_log = &self.session.run_log;
        let patch = run_log.folder.path().join(fix.patch.as_deref().unwrap_or_default());
        let checked = self.check_patch(&patch).and_then(|check| check.record(run_log));
        Ok(match checked.inspect_err(|_| delete_patch(&fix, run_log))? {
            Ok(passing_others) => {
                let validated =
                    FixEvidence { affected_tests: passing_others, ..fix.validated.clone() };
                (FixResult { validated, ..fix }, None)
            }
            Err(why) => (fix, Some(why)),
        })
    }

    fn run_check(&self, patch: &Path) -> Result<RegressionCheck> {
        let tests = self.find_affected_tests(patch)?;
        if tests.is_empty() {
            return Ok(RegressionCheck::NoRegression { tests: 0, unchecked_reason: None });
        }
        if Instant::now() >= self.end {
            return Ok(RegressionCheck::unchecked("not run: no time was left for them"));
        }
        let file = patch.file_name().unwrap_or_default().to_string_lossy();
        let stage = format!("running other tests affected by {file}");
        self.session.run_log.emit(ProgressEvent::Stage(stage))?;
        let patched = self.run_tests(Some(patch), &tests)?;
        // A build without the patch would take as long.
        if patched.is_build_late {
            return Ok(RegressionCheck::unchecked("not run: compiling them takes too long"));
        }
        if let Outcome::Tests { results } = &patched.outcome
            && patched.left_out.is_empty()
            && failing_tests(&patched.outcome).is_subset(self.selected_tests)
        {
            let missing_classes = classes_not_run(&tests, results);
            return Ok(RegressionCheck::NoRegression {
                tests: (&passing_tests(&patched.outcome) - self.selected_tests).len(),
                unchecked_reason: explain_missing(&missing_classes, patched.is_late),
            });
        }
        let unpatched = self.run_unpatched(&tests)?;
        let check = compare_runs([&patched, &patched], &unpatched, self.selected_tests);
        if !matches!(check, RegressionCheck::Regression(_)) {
            return Ok(check);
        }
        let repeated = self.run_tests(Some(patch), &tests)?;
        Ok(compare_runs([&patched, &repeated], &unpatched, self.selected_tests))
    }

    /// Runs the tests without a patch, or returns the last run of the same tests.
    fn run_unpatched(&self, tests: &[TestClass]) -> Result<AffectedTestRun> {
        let mut last_run = self.unpatched_run.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, run)) = last_run.as_ref().filter(|(known, _)| known == tests) {
            return Ok(run.clone());
        }
        let run = self.run_tests(None, tests)?;
        *last_run = Some((tests.to_vec(), run.clone()));
        Ok(run)
    }

    /// Returns the test classes affected by the patch, except those that are selected as a whole.
    fn find_affected_tests(&self, patch: &Path) -> Result<Vec<TestClass>> {
        let temporary_session = TemporarySession::open(&self.subject, &self.context)?;
        let bad = temporary_session.session.resolve(&self.subject.bad, &temporary_session.store)?;
        let tree = temporary_session.apply_patch(&bad, patch)?;
        let changes = temporary_session.store.diff_trees(&bad.original_tree, &tree)?;
        let mut tests = temporary_session
            .session
            .affected_tests(&bad, &temporary_session.store, &changes)?
            .tests;
        if self.selects_whole_classes() {
            let known: BTreeSet<&str> =
                self.selected_tests.iter().map(|test| outermost_class(test)).collect();
            tests.retain(|test| !known.contains(test.name.as_str()));
        }
        Ok(tests)
    }

    fn selects_whole_classes(&self) -> bool {
        match &self.subject.oracle {
            OracleRequest::Tests(all) => all.iter().all(|one| one.method.is_none()),
            OracleRequest::Command(_) => false,
        }
    }

    fn run_tests(&self, patch: Option<&Path>, tests: &[TestClass]) -> Result<AffectedTestRun> {
        let quick_run = QuickRun { patch, ..QuickRun::unpatched(&self.subject.bad, tests) };
        let deadlines = limit_deadlines(Instant::now(), self.end);
        let QuickRunOutput { outcome, left_out, .. } =
            run_tests(&self.subject, &self.context, quick_run, deadlines)?;
        let now = Instant::now();
        let is_build_late = is_build_late(&outcome, now, deadlines);
        Ok(AffectedTestRun { outcome, left_out, is_late: now >= deadlines.test, is_build_late })
    }
}

/// Returns true if a run that ended at `now` was not built before the deadline.
fn is_build_late(outcome: &Outcome, now: Instant, deadlines: QuickRunDeadlines) -> bool {
    matches!(outcome, Outcome::NotBuilt { .. }) && now >= deadlines.build
}

/// Returns the deadlines of a run that starts now and ends before `end`.
fn limit_deadlines(now: Instant, end: Instant) -> QuickRunDeadlines {
    let [build, test] = [1, 2].map(|parts| end.min(now + parts * BUILD_TIME_LIMIT));
    QuickRunDeadlines { build, test }
}

/// Returns the reason why no test of some classes ran, if there are such classes.
fn explain_missing(classes: &[String], is_late: bool) -> Option<String> {
    let reason =
        if is_late { "not run, because no time was left" } else { "without a test that runs here" };
    (!classes.is_empty()).then(|| format!("{reason}: {}", list_first(classes, 3)))
}

/// Compares two runs with a patch with a run without it. Selected tests are ignored.
fn compare_runs(
    patched: [&AffectedTestRun; 2],
    unpatched: &AffectedTestRun,
    selected_tests: &BTreeSet<String>,
) -> RegressionCheck {
    let uncompilable = &patched[0].left_out & &patched[1].left_out;
    if let Some(class) = uncompilable.difference(&unpatched.left_out).next() {
        let reason = format!("{class} does not compile with the patch and compiles without it");
        return RegressionCheck::Regression(reason);
    }
    let outcomes = patched.map(|run| &run.outcome);
    match compare_outcomes(outcomes, &unpatched.outcome, selected_tests) {
        RegressionCheck::NoRegression { tests, unchecked_reason: None } => {
            let left_out: Vec<String> = unpatched.left_out.iter().cloned().collect();
            let reason = format!("they do not compile: {}", list_first(&left_out, 3));
            let unchecked_reason = (!left_out.is_empty()).then_some(reason);
            RegressionCheck::NoRegression { tests, unchecked_reason }
        }
        other => other,
    }
}

/// Compares the outcomes of two runs with a patch against one without it.
fn compare_outcomes(
    patched_outcomes: [&Outcome; 2],
    unpatched_outcome: &Outcome,
    selected_tests: &BTreeSet<String>,
) -> RegressionCheck {
    let is_run = |outcome: &Outcome| matches!(outcome, Outcome::Tests { .. });
    if !is_run(unpatched_outcome) {
        let text = unpatched_outcome.text();
        return RegressionCheck::unchecked(&format!("not run: {}", first_line(&text)));
    }
    if !patched_outcomes.into_iter().any(is_run) {
        let outcome_text = patched_outcomes[1].text();
        return RegressionCheck::Regression(format!(
            "other tests do not run with the patch: {}",
            first_line(&outcome_text)
        ));
    }
    let failing_twice = &failing_tests(patched_outcomes[0]) & &failing_tests(patched_outcomes[1]);
    let broken = &(&failing_twice & &passing_tests(unpatched_outcome)) - selected_tests;
    match broken.first() {
        Some(test) => RegressionCheck::Regression(format!(
            "{test} fails with the patch and passes without it"
        )),
        None => RegressionCheck::NoRegression {
            tests: (&passing_tests(patched_outcomes[0]) - selected_tests).len(),
            unchecked_reason: None,
        },
    }
}

fn failing_tests(outcome: &Outcome) -> BTreeSet<String> {
    outcome.tests_with_status(|status| matches!(status, TestStatus::Failed(_)))
}

fn passing_tests(outcome: &Outcome) -> BTreeSet<String> {
    outcome.tests_with_status(|status| *status == TestStatus::Passed)
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
        compare_outcomes(with, before, &BTreeSet::from(["a.T#asked".to_owned()]))
    }

    #[test]
    fn runs_end_before_the_total_time_limit() {
        let now = Instant::now();
        let limits = |rest: u64| {
            let QuickRunDeadlines { build, test } =
                limit_deadlines(now, now + Duration::from_secs(rest));
            [build, test].map(|deadline| (deadline - now).as_secs())
        };
        assert_eq!([limits(300), limits(90), limits(30)], [[60, 120], [60, 90], [30, 30]]);
    }

    #[test]
    fn build_is_late_if_it_ended_at_its_deadline() {
        let (now, failed) =
            (Instant::now(), Outcome::not_built("the compiler timed out".to_owned()));
        let deadlines = limit_deadlines(now, now + Duration::from_secs(300));
        let [early, late] = [30, 60].map(|seconds| now + Duration::from_secs(seconds));
        assert!(
            is_build_late(&failed, late, deadlines) && !is_build_late(&failed, early, deadlines)
        );
        assert!(!is_build_late(&outcome(&[("a.U#x", true)]), late, deadlines));
    }

    #[test]
    fn classes_that_did_not_run_have_a_reason() {
        let classes = ["a.U".to_owned(), "a.V".to_owned()];
        let late = explain_missing(&classes, true);
        assert_eq!(late.as_deref(), Some("not run, because no time was left: a.U, a.V"));
        let other = explain_missing(&classes[..1], false);
        assert_eq!(other.as_deref(), Some("without a test that runs here: a.U"));
        assert_eq!(explain_missing(&[], true), None);
    }

    #[test]
    fn only_reproducible_regressions_reject_a_patch() {
        let unpatched = outcome(&[("a.T#asked", false), ("a.U#x", true), ("a.U#y", true)]);
        let broken = outcome(&[("a.T#asked", false), ("a.U#x", true), ("a.U#y", false)]);
        let why = "a.U#y fails with the patch and passes without it".to_owned();
        assert_eq!(
            compare_with_selected([&broken, &broken], &unpatched),
            RegressionCheck::Regression(why)
        );
        let no_regression = |tests| RegressionCheck::NoRegression { tests, unchecked_reason: None };
        assert_eq!(compare_with_selected([&broken, &unpatched], &unpatched), no_regression(1));
        assert_eq!(compare_with_selected([&broken, &broken], &broken), no_regression(1));
    }

    #[test]
    fn classes_that_do_not_compile_reject_a_patch_only_if_it_breaks_them() {
        let run = |left_out: &[&str]| AffectedTestRun {
            outcome: outcome(&[("a.U#x", true)]),
            left_out: left_out.iter().map(|one| (*one).to_owned()).collect(),
            is_late: false,
            is_build_late: false,
        };
        let compare = |patched: &[&str], unpatched: &[&str]| {
            compare_runs([&run(patched), &run(patched)], &run(unpatched), &BTreeSet::new())
        };
        let unchecked = |reason: Option<&str>| RegressionCheck::NoRegression {
            tests: 1,
            unchecked_reason: reason.map(str::to_owned),
        };
        assert_eq!(compare(&["a.V"], &["a.V"]), unchecked(Some("they do not compile: a.V")));
        assert_eq!(compare(&[], &[]), unchecked(None));
        let reason = "a.W does not compile with the patch and compiles without it".to_owned();
        assert_eq!(compare(&["a.V", "a.W"], &["a.V"]), RegressionCheck::Regression(reason));
    }

    #[test]
    fn tests_hanging_only_with_patch_reject_it() {
        let unpatched = outcome(&[("a.U#x", true)]);
        let endless = Outcome::TimedOut { test: Some("a.U#x".to_owned()), output: String::new() };
        let why = "other tests do not run with the patch: a.U#x timed out".to_owned();
        assert_eq!(
            compare_with_selected([&endless, &endless], &unpatched),
            RegressionCheck::Regression(why)
        );
        assert_eq!(
            compare_with_selected([&endless, &unpatched], &unpatched),
            RegressionCheck::NoRegression { tests: 0, unchecked_reason: None }
        );
        let why = RegressionCheck::unchecked("not run: a.U#x timed out");
        assert_eq!(compare_with_selected([&endless, &endless], &endless), why);
    }
}
