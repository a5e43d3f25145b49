//! Compares test results of a change with those of the previous version: only a test that passed there rejects the
//! change.

use super::request::HookCheckRequest;
use crate::run::bisect::bisect;
use crate::run::judge::quick_run::{
    QuickRun, QuickRunDeadlines, QuickRunOutput, TemporarySession, first_line, outermost_class,
    run_tests, time_until,
};
use crate::run::session::FinishedRun;
use crate::run::session::request::{
    BisectRequest, Context, GoodRevision, OracleRequest, SubjectRequest,
};
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::to_repo_path;
use mend_engine::TestClass;
use mend_model::{
    Failure, FileChange, Outcome, ProgressEvent, Result, Selector, TestResult, TestStatus,
};
use mend_report::{FailedTest, RunGoal, format_name_list};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Minimum time for the comparison with the previous version.
const MIN_COMPARISON_TIME: Duration = Duration::from_secs(30);

/// Minimum time for the search for the culprit.
const MIN_SEARCH_TIME: Duration = Duration::from_secs(30);

/// Change to check, with the session that reads it.
pub(super) struct CheckedChange<'a> {
    pub(super) temporary_session: &'a TemporarySession<'a>,
    pub(super) good: ResolvedVersion,
    pub(super) bad: ResolvedVersion,
    pub(super) files: Vec<FileChange>,
}

/// Comparison of a change with its previous version.
pub(super) struct PreviousVersionComparison<'a> {
    pub(super) request: &'a HookCheckRequest,
    pub(super) context: &'a Context,
    /// Context without progress output.
    pub(super) quiet_context: &'a Context,
    pub(super) change: &'a CheckedChange<'a>,
}

/// Cause of a failing test.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FailureCause {
    /// The test did not fail before the change.
    Change(FailedTest),
    /// The test, given by its name, failed before the change.
    Earlier(String),
    /// The gap in the check.
    Unknown(String),
}

/// Build with a change, compared with the build without it.
pub(super) enum BuildComparison {
    /// The change breaks the build.
    Broken,
    /// The change does not break the build, or the comparison was not possible, for this reason.
    NotChecked(String),
}

impl PreviousVersionComparison<'_> {
    /// Separates the tests that the change breaks from those that failed before.
    pub(super) fn compare_tests(
        &self,
        tests: &[TestClass],
        results: &[TestResult],
    ) -> Result<Vec<FailureCause>> {
        let failed: Vec<(&TestResult, &Failure)> =
            results.iter().filter_map(|one| Some((one, one.failure()?))).collect();
        let classes: BTreeSet<&str> =
            failed.iter().map(|(one, _)| outermost_class(&one.test)).collect();
        let affected_classes = tests.iter().filter(|test| classes.contains(test.name.as_str()));
        let previous_tests = tests_of_previous_version(self.change, affected_classes)?;
        let previous_results = match self.run_on_previous_version(&previous_tests)? {
            Outcome::Tests { results } => results,
            outcome => {
                let names: Vec<String> =
                    previous_tests.iter().map(|test| test.name.clone()).collect();
                return Ok(vec![FailureCause::Unknown(format!(
                    "whether {} failed before: {}",
                    format_name_list(&names),
                    first_line(&outcome.text())
                ))]);
            }
        };
        let cause = |(result, failure): (&TestResult, &Failure)| {
            find_cause(result, failure, &previous_tests, &previous_results)
        };
        Ok(failed.into_iter().map(cause).collect())
    }

    /// Compares the build with that of the previous version. Does not block the change if the previous version did not
    /// compile either, or if this machine lacks what it needs.
    pub(super) fn compare_builds(
        &self,
        tests: &[TestClass],
        run_output: &QuickRunOutput,
        diagnostics: &str,
    ) -> Result<BuildComparison> {
        if time_until(self.request.deadline).is_zero() {
            let reason = "the time limit was reached while they were compiled";
            return Ok(BuildComparison::NotChecked(reason.to_owned()));
        }
        let first_error = first_line(diagnostics);
        if !run_output.missing.is_empty() {
            let missing = format_name_list(&run_output.missing.names());
            return Ok(BuildComparison::NotChecked(format!(
                "the code does not compile here without {missing}: {first_error}"
            )));
        }
        let old = tests_of_previous_version(self.change, tests)?;
        let end = self.extended_deadline(MIN_COMPARISON_TIME);
        let is_built = !old.is_empty() && {
            let previous_run = run_tests(
                &self.request.subject,
                self.quiet_context,
                QuickRun::unpatched(&self.request.good, &old),
                QuickRunDeadlines { build: end, test: Instant::now() },
            );
            previous_run.is_ok_and(|run_output| matches!(run_output.outcome, Outcome::Tests { .. }))
        };
        Ok(if is_built {
            BuildComparison::Broken
        } else {
            BuildComparison::NotChecked(format!(
                "the code does not compile, and did not compile before the change: {first_error}"
            ))
        })
    }

    /// Runs tests on the previous version.
    fn run_on_previous_version(&self, old: &[TestClass]) -> Result<Outcome> {
        if old.is_empty() {
            return Ok(Outcome::Tests { results: Vec::new() });
        }
        self.emit_stage("git-mend: a test fails; checking whether it failed before the change");
        let end = self.extended_deadline(MIN_COMPARISON_TIME);
        let run_output = run_tests(
            &self.request.subject,
            self.quiet_context,
            QuickRun::unpatched(&self.request.good, old),
            end.into(),
        )?;
        Ok(run_output.outcome)
    }

    /// Searches for the culprit of a failing test within the time limit.
    pub(super) fn search(&self, failed: &FailedTest, tests: &[TestClass]) -> Result<FinishedRun> {
        self.emit_stage(&format!("git-mend: searching for the culprit of {}", failed.test));
        let class = tests.iter().find(|test| test.name == outermost_class(&failed.test));
        let path = class.map(|test| to_repo_path(&test.source));
        // If the test itself changed, its change may be the culprit.
        let with_test_units = self.change.files.iter().any(|file| file.path() == path.as_ref());
        let selector = to_selector(&failed.test);
        let (good, bad, test) =
            (&*self.request.good, &*self.request.subject.bad, selector.to_string());
        let search = ["git", "mend", "bisect", "--good", good, "--bad", bad, "--test", &test];
        let units: &[&str] = if with_test_units { &["--units", "all"] } else { &[] };
        let words = [&search, &["--goal", "culprit"][..], units].concat();
        let command_line = words.into_iter().map(str::to_owned).collect();
        let subject = SubjectRequest {
            oracle: OracleRequest::Tests(vec![selector]),
            includes_test_code: with_test_units,
            command_line,
            ..self.request.subject.clone()
        };
        let interrupt =
            self.context.interrupt.with_deadline(self.extended_deadline(MIN_SEARCH_TIME));
        bisect(
            &to_bisect_request(subject, &self.request.good),
            &Context { interrupt, ..self.context.clone() },
        )
    }

    fn emit_stage(&self, stage: &str) {
        self.context.progress.handle(ProgressEvent::Stage(stage.to_owned()));
    }

    /// Returns the deadline, but at least `min_time` from now.
    fn extended_deadline(&self, min_time: Duration) -> Instant {
        self.request.deadline.max(Instant::now() + min_time)
    }
}

/// Returns the test classes that the previous version contains too.
fn tests_of_previous_version<'t>(
    change: &CheckedChange<'_>,
    tests: impl IntoIterator<Item = &'t TestClass>,
) -> Result<Vec<TestClass>> {
    let mut old = Vec::new();
    for test in tests {
        let file = change
            .temporary_session
            .store
            .read_file(&change.good.original_tree, &to_repo_path(&test.source))?;
        old.extend(file.map(|_| test.clone()));
    }
    Ok(old)
}

/// Finds the cause of a failing test.
fn find_cause(
    result: &TestResult,
    failure: &Failure,
    previous_tests: &[TestClass],
    previous_results: &[TestResult],
) -> FailureCause {
    let class = outermost_class(&result.test);
    let previous = previous_results.iter().find(|other| other.test == result.test);
    let existed_before = previous_tests.iter().any(|test| test.name == class);
    let was_run = previous_results.iter().any(|other| outermost_class(&other.test) == class);
    match previous.map(|previous| &previous.status) {
        Some(TestStatus::Failed(_)) => FailureCause::Earlier(result.test.clone()),
        None if existed_before && !was_run => FailureCause::Unknown(format!(
            "whether {} failed before: the time limit was reached",
            result.test
        )),
        previous => FailureCause::Change(FailedTest {
            test: result.test.clone(),
            failure: failure_line(failure),
            is_new: previous.is_none(),
        }),
    }
}

/// Formats an exception as one line.
fn failure_line(failure: &Failure) -> String {
    let name = failure.exception.rsplit('.').next().unwrap_or_default();
    match failure.message.as_deref().map(first_line).filter(|line| !line.is_empty()) {
        Some(line) => format!("{name}: {line}"),
        None => name.to_owned(),
    }
}

/// Returns the selector of a test: class and method, without the parameters that a test framework adds.
fn to_selector(test: &str) -> Selector {
    let (class, rest) = test.split_once('#').unwrap_or((test, ""));
    let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let method = rest.split(|c| !is_identifier_char(c)).next().filter(|name| !name.is_empty());
    let class = class.split('[').next().unwrap_or(class);
    Selector { class: class.to_owned(), method: method.map(str::to_owned) }
}

fn to_bisect_request(subject: SubjectRequest, good: &str) -> BisectRequest {
    BisectRequest {
        subject,
        good: GoodRevision::Named(good.to_owned()),
        goal: RunGoal::Culprit,
        symptom: None,
        skips_history: false,
        first_parent_only: false,
        skipped_revisions: Vec::new(),
        log: None,
        finds_all_culprits: false,
        is_dry_run: false,
        counts_compile_errors: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(test: &str, fails: bool) -> TestResult {
        let failure = Failure {
            exception: "java.lang.AssertionError".into(),
            message: Some("expected 3\nbut was 1".into()),
            frames: Vec::new(),
        };
        let status = if fails { TestStatus::Failed(failure) } else { TestStatus::Passed };
        TestResult::new(test, status)
    }

    fn cause(test: &str, old: &[&str], before: &[(&str, bool)]) -> FailureCause {
        let class = |name: &&str| TestClass {
            name: (*name).to_owned(),
            source: "T.java".into(),
            framework: mend_engine::Framework::JUnit4,
        };
        let old: Vec<TestClass> = old.iter().map(class).collect();
        let before: Vec<_> = before.iter().map(|(test, fails)| result(test, *fails)).collect();
        let one = result(test, true);
        find_cause(&one, one.failure().unwrap(), &old, &before)
    }

    fn broken(is_new: bool) -> FailureCause {
        let failure = "AssertionError: expected 3".to_owned();
        FailureCause::Change(FailedTest { test: "a.T#x".to_owned(), failure, is_new })
    }

    #[test]
    fn only_newly_failing_tests_block_a_change() {
        assert_eq!(cause("a.T#x", &["a.T"], &[("a.T#x", false)]), broken(false));
        let earlier = FailureCause::Earlier("a.T#x".to_owned());
        assert_eq!(cause("a.T#x", &["a.T"], &[("a.T#x", true)]), earlier);
        let unknown = cause("a.T#x", &["a.T"], &[("a.U#x", true)]);
        assert!(matches!(unknown, FailureCause::Unknown(_)));
        assert_eq!(cause("a.T#x", &["a.T"], &[("a.T#y", false)]), broken(true));
        assert_eq!(cause("a.T#x", &[], &[]), broken(true));
    }

    #[test]
    fn selector_omits_test_parameters() {
        for (test, named) in [
            ("a.B#c", "a.B#c"),
            ("a.B#c(int)[2: x]", "a.B#c"),
            ("a.B$Inner#c[1]", "a.B$Inner#c"),
            ("a.B", "a.B"),
            ("a.B[1]", "a.B"),
        ] {
            assert_eq!(to_selector(test).to_string(), named);
        }
    }
}
