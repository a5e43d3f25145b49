//! Compares test results of a change with those of the previous version: only a test that passed there rejects the
//! change.

use super::request::HookCheckRequest;
use super::result::HookResult;
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
use mend_report::{FailedTest, GateReport, RunGoal, format_name_list};
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

impl PreviousVersionComparison<'_> {
    /// Separates the tests that the change breaks from those that failed before. Searches for the culprit of the broken
    /// test that is nearest to the change.
    pub(super) fn compare_tests(
        &self,
        tests: &[TestClass],
        results: &[TestResult],
        hook_result: &mut HookResult,
    ) -> Result<()> {
        let failed: Vec<(&TestResult, &Failure)> =
            results.iter().filter_map(|one| Some((one, one.failure()?))).collect();
        let classes: BTreeSet<&str> =
            failed.iter().map(|(one, _)| outermost_class(&one.test)).collect();
        let affected_classes = tests.iter().filter(|test| classes.contains(test.name.as_str()));
        let previous_tests = tests_of_previous_version(self.change, affected_classes)?;
        let Some(previous_results) =
            self.run_on_previous_version(&previous_tests, &mut hook_result.report)?
        else {
            return Ok(());
        };
        for (one, failure) in failed {
            classify_failure(
                one,
                failure,
                &previous_tests,
                &previous_results,
                &mut hook_result.report,
            );
        }
        let nearest = hook_result.report.failed.iter().find(|failed| !failed.is_new);
        hook_result.search = nearest.map(|failed| self.search(failed, tests)).transpose()?;
        Ok(())
    }

    /// Compares the build with that of the previous version. Does not block the change if the previous version did not
    /// compile either, or if libraries are missing on this machine.
    pub(super) fn compare_builds(
        &self,
        tests: &[TestClass],
        run_output: &QuickRunOutput,
        diagnostics: &str,
        report: &mut GateReport,
    ) -> Result<()> {
        let mut note_unchecked = |why: &str| report.not_checked.push(format!("tests: {why}"));
        if time_until(self.request.deadline).is_zero() {
            note_unchecked("the time limit was reached while they were compiled");
            return Ok(());
        }
        if !run_output.missing_libraries.is_empty() {
            let missing = format_name_list(&run_output.missing_libraries);
            note_unchecked(&format!(
                "the code does not compile here without {missing}: {}",
                first_line(diagnostics)
            ));
            return Ok(());
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
        if is_built {
            report.build_error = Some(diagnostics.to_owned());
        } else {
            note_unchecked(&format!(
                "the code does not compile, and did not compile before the change: {}",
                first_line(diagnostics)
            ));
        }
        Ok(())
    }

    /// Returns the results of tests in the previous version, or `None` if they did not finish.
    fn run_on_previous_version(
        &self,
        old: &[TestClass],
        report: &mut GateReport,
    ) -> Result<Option<Vec<TestResult>>> {
        if old.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.emit_stage("git-mend: a test fails; checking whether it failed before the change");
        let end = self.extended_deadline(MIN_COMPARISON_TIME);
        let run_output = run_tests(
            &self.request.subject,
            self.quiet_context,
            QuickRun::unpatched(&self.request.good, old),
            end.into(),
        )?;
        let Outcome::Tests { results } = run_output.outcome else {
            let names: Vec<String> = old.iter().map(|test| test.name.clone()).collect();
            let outcome_text = run_output.outcome.text();
            report.not_checked.push(format!(
                "whether {} failed before: {}",
                format_name_list(&names),
                first_line(&outcome_text)
            ));
            return Ok(None);
        };
        Ok(Some(results))
    }

    /// Searches for the culprit of a failing test within the time limit.
    fn search(&self, failed: &FailedTest, tests: &[TestClass]) -> Result<FinishedRun> {
        self.emit_stage(&format!("git-mend: searching for the culprit of {}", failed.test));
        let class = tests.iter().find(|test| test.name == outermost_class(&failed.test));
        let path = class.map(|test| to_repo_path(&test.source));
        // If the test itself changed, its change may be the culprit.
        let with_test_units = self.change.files.iter().any(|file| file.path() == path.as_ref());
        let selector = to_selector(&failed.test);
        let command_line = [
            "git",
            "mend",
            "bisect",
            "--good",
            &self.request.good,
            "--bad",
            &self.request.subject.bad,
        ]
        .map(str::to_owned)
        .into_iter()
        .chain([
            "--test".to_owned(),
            selector.to_string(),
            "--goal".to_owned(),
            "culprit".to_owned(),
        ])
        .chain(with_test_units.then(|| ["--units", "all"].map(str::to_owned)).into_iter().flatten())
        .collect();
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

/// Adds a failing test to the matching list of the report.
fn classify_failure(
    result: &TestResult,
    failure: &Failure,
    previous_tests: &[TestClass],
    previous_results: &[TestResult],
    report: &mut GateReport,
) {
    let class = outermost_class(&result.test);
    let previous = previous_results.iter().find(|other| other.test == result.test);
    let existed_before = previous_tests.iter().any(|test| test.name == class);
    let was_run = previous_results.iter().any(|other| outermost_class(&other.test) == class);
    match previous.map(|previous| &previous.status) {
        Some(TestStatus::Failed(_)) => report.failed_before.push(result.test.clone()),
        None if existed_before && !was_run => {
            report
                .not_checked
                .push(format!("whether {} failed before: the time limit was reached", result.test));
        }
        previous => report.failed.push(FailedTest {
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

    fn classify(test: &str, old: &[&str], before: &[(&str, bool)]) -> GateReport {
        let class = |name: &&str| TestClass {
            name: (*name).to_owned(),
            source: "T.java".into(),
            framework: mend_engine::Framework::JUnit4,
        };
        let old: Vec<TestClass> = old.iter().map(class).collect();
        let before: Vec<_> = before.iter().map(|(test, fails)| result(test, *fails)).collect();
        let (one, mut report) = (result(test, true), GateReport::default());
        classify_failure(&one, one.failure().unwrap(), &old, &before, &mut report);
        report
    }

    #[test]
    fn only_newly_failing_tests_block_a_change() {
        let broken = classify("a.T#x", &["a.T"], &[("a.T#x", false)]);
        assert_eq!(broken.failed[0].failure, "AssertionError: expected 3");
        assert!(!broken.failed[0].is_new);
        let old = classify("a.T#x", &["a.T"], &[("a.T#x", true)]);
        assert!(old.allows_change() && old.failed_before == ["a.T#x"]);
        let unknown = classify("a.T#x", &["a.T"], &[("a.U#x", true)]);
        assert!(unknown.allows_change() && unknown.not_checked.len() == 1);
        for new in [classify("a.T#x", &["a.T"], &[("a.T#y", false)]), classify("a.T#x", &[], &[])] {
            assert!(new.failed[0].is_new);
        }
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
