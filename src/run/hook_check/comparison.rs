//! Comparison with the version before: a failing test rejects a change only if it passed there.

use super::request::HookCheckRequest;
use super::result::HookResult;
use crate::run::bisect::bisect;
use crate::run::judge::quick_run::{
    QuickRun, QuickRunDeadlines, QuickRunOutput, TemporarySession, class_of, first_line, run,
    time_until,
};
use crate::run::session::FinishedRun;
use crate::run::session::request::{
    BisectRequest, Context, GoodRevision, OracleRequest, SubjectRequest,
};
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::repo_path;
use mend_engine::TestClass;
use mend_model::{
    Failure, FileChange, Outcome, ProgressEvent, Result, Selector, TestResult, TestStatus,
};
use mend_report::{FailedTest, GateReport, RunGoal, format_name_list};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Minimum time for the comparison with the previous version.
const LEAST_TO_COMPARE: Duration = Duration::from_secs(30);

/// Minimum time for the search for the culprit.
const LEAST_TO_SEARCH: Duration = Duration::from_secs(30);

/// A change to check, with the session that reads it.
pub(super) struct CheckedChange<'a> {
    pub(super) passing: &'a TemporarySession<'a>,
    pub(super) good: ResolvedVersion,
    pub(super) bad: ResolvedVersion,
    pub(super) files: Vec<FileChange>,
}

/// Compares the results of a change with those of the version before it.
pub(super) struct PreviousVersionComparison<'a> {
    pub(super) request: &'a HookCheckRequest,
    pub(super) context: &'a Context,
    /// Context without progress output.
    pub(super) quiet: &'a Context,
    pub(super) change: &'a CheckedChange<'a>,
}

impl PreviousVersionComparison<'_> {
    /// Separates tests that the change breaks from those that failed before it, and searches for
    /// the culprit of the nearest one.
    pub(super) fn compare(
        &self,
        tests: &[TestClass],
        results: &[TestResult],
        gate: &mut HookResult,
    ) -> Result<()> {
        let failed: Vec<(&TestResult, &Failure)> =
            results.iter().filter_map(|one| Some((one, one.failure()?))).collect();
        let classes: BTreeSet<&str> = failed.iter().map(|(one, _)| class_of(&one.test)).collect();
        let concerned = tests.iter().filter(|test| classes.contains(test.name.as_str()));
        let old = old_tests(self.change, concerned)?;
        let Some(before) = self.run_on_previous_version(&old, &mut gate.report)? else {
            return Ok(());
        };
        for (one, failure) in failed {
            sort_out(one, failure, &old, &before, &mut gate.report);
        }
        let nearest = gate.report.failed.iter().find(|failed| !failed.is_new);
        gate.search = nearest.map(|failed| self.search(failed, tests)).transpose()?;
        Ok(())
    }

    /// Compares the build with that of the previous version. Does not block if that did not compile either, or if
    /// libraries are missing here.
    pub(super) fn compare_builds(
        &self,
        tests: &[TestClass],
        ran: &QuickRunOutput,
        said: &str,
        report: &mut GateReport,
    ) -> Result<()> {
        let mut unknown = |why: &str| report.not_checked.push(format!("tests: {why}"));
        if time_until(self.request.end).is_zero() {
            unknown("the time limit was reached while they were compiled");
            return Ok(());
        }
        if !ran.missing.is_empty() {
            let missing = format_name_list(&ran.missing);
            unknown(&format!(
                "the code does not compile here without {missing}: {}",
                first_line(said)
            ));
            return Ok(());
        }
        let old = old_tests(self.change, tests)?;
        let end = self.end_after(LEAST_TO_COMPARE);
        let is_built = !old.is_empty() && {
            let before = run(
                &self.request.subject,
                self.quiet,
                QuickRun::unpatched(&self.request.good, &old),
                QuickRunDeadlines { build: end, test: Instant::now() },
            );
            before.is_ok_and(|ran| matches!(ran.outcome, Outcome::Tests { .. }))
        };
        if is_built {
            report.build_error = Some(said.to_owned());
        } else {
            unknown(&format!(
                "the code does not compile, and did not compile before the change: {}",
                first_line(said)
            ));
        }
        Ok(())
    }

    /// Returns the results of tests in the version before; `None` if they did not finish there.
    fn run_on_previous_version(
        &self,
        old: &[TestClass],
        report: &mut GateReport,
    ) -> Result<Option<Vec<TestResult>>> {
        if old.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.emit_stage("git-mend: a test fails; checking whether it failed before the change");
        let end = self.end_after(LEAST_TO_COMPARE);
        let ran = run(
            &self.request.subject,
            self.quiet,
            QuickRun::unpatched(&self.request.good, old),
            end.into(),
        )?;
        let Outcome::Tests { results } = ran.outcome else {
            let names: Vec<String> = old.iter().map(|test| test.name.clone()).collect();
            let said = ran.outcome.text();
            report.not_checked.push(format!(
                "whether {} failed before: {}",
                format_name_list(&names),
                first_line(&said)
            ));
            return Ok(None);
        };
        Ok(Some(results))
    }

    /// Searches for the culprit of a failing test within the time limit.
    fn search(&self, failed: &FailedTest, tests: &[TestClass]) -> Result<FinishedRun> {
        self.emit_stage(&format!("git-mend: searching for the culprit of {}", failed.test));
        let class = tests.iter().find(|test| test.name == class_of(&failed.test));
        let path = class.map(|test| repo_path(&test.source));
        // Where the test itself changed, that may be what breaks it.
        let with_test_units = self.change.files.iter().any(|file| file.path() == path.as_ref());
        let selector = selector(&failed.test);
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
            with_test_units,
            command_line,
            ..self.request.subject.clone()
        };
        let interrupt = self.context.interrupt.with_deadline(self.end_after(LEAST_TO_SEARCH));
        bisect(
            &bisection(subject, &self.request.good),
            &Context { interrupt, ..self.context.clone() },
        )
    }

    fn emit_stage(&self, what: &str) {
        self.context.progress.event(ProgressEvent::Stage(what.to_owned()));
    }

    /// When the time is used up, but not before a while from now.
    fn end_after(&self, least: Duration) -> Instant {
        self.request.end.max(Instant::now() + least)
    }
}

/// The classes that the version before has too.
fn old_tests<'t>(
    change: &CheckedChange<'_>,
    tests: impl IntoIterator<Item = &'t TestClass>,
) -> Result<Vec<TestClass>> {
    let mut old = Vec::new();
    for test in tests {
        let file = change.passing.store.file(&change.good.original, &repo_path(&test.source))?;
        old.extend(file.map(|_| test.clone()));
    }
    Ok(old)
}

/// Adds a failing test to the right list of the report.
fn sort_out(
    one: &TestResult,
    failure: &Failure,
    old: &[TestClass],
    before: &[TestResult],
    report: &mut GateReport,
) {
    let class = class_of(&one.test);
    let was = before.iter().find(|other| other.test == one.test);
    let is_old = old.iter().any(|test| test.name == class);
    let was_run = before.iter().any(|other| class_of(&other.test) == class);
    match was.map(|was| &was.status) {
        Some(TestStatus::Failed(_)) => report.failed_before.push(one.test.clone()),
        None if is_old && !was_run => {
            report
                .not_checked
                .push(format!("whether {} failed before: the time limit was reached", one.test));
        }
        was => report.failed.push(FailedTest {
            test: one.test.clone(),
            failure: failure_line(failure),
            is_new: was.is_none(),
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

/// Returns the selector of a test: class and method, without the parameters that a runner adds.
fn selector(test: &str) -> Selector {
    let (class, rest) = test.split_once('#').unwrap_or((test, ""));
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let method = rest.split(|c| !is_part(c)).next().filter(|name| !name.is_empty());
    let class = class.split('[').next().unwrap_or(class);
    Selector { class: class.to_owned(), method: method.map(str::to_owned) }
}

fn bisection(subject: SubjectRequest, good: &str) -> BisectRequest {
    BisectRequest {
        subject,
        good: GoodRevision::Named(good.to_owned()),
        goal: RunGoal::Culprit,
        symptom: None,
        no_history: false,
        first_parent: false,
        skip: Vec::new(),
        log: None,
        all: false,
        dry_run: false,
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

    fn sorted(test: &str, old: &[&str], before: &[(&str, bool)]) -> GateReport {
        let class = |name: &&str| TestClass {
            name: (*name).to_owned(),
            source: "T.java".into(),
            framework: mend_engine::Framework::JUnit4,
        };
        let old: Vec<TestClass> = old.iter().map(class).collect();
        let before: Vec<_> = before.iter().map(|(test, fails)| result(test, *fails)).collect();
        let (one, mut report) = (result(test, true), GateReport::default());
        sort_out(&one, one.failure().unwrap(), &old, &before, &mut report);
        report
    }

    #[test]
    fn only_a_test_that_did_not_fail_before_speaks_against_a_change() {
        let broken = sorted("a.T#x", &["a.T"], &[("a.T#x", false)]);
        assert_eq!(broken.failed[0].failure, "AssertionError: expected 3");
        assert!(!broken.failed[0].is_new);
        let old = sorted("a.T#x", &["a.T"], &[("a.T#x", true)]);
        assert!(old.allows_change() && old.failed_before == ["a.T#x"]);
        let unknown = sorted("a.T#x", &["a.T"], &[("a.U#x", true)]);
        assert!(unknown.allows_change() && unknown.not_checked.len() == 1);
        for new in [sorted("a.T#x", &["a.T"], &[("a.T#y", false)]), sorted("a.T#x", &[], &[])] {
            assert!(new.failed[0].is_new);
        }
    }

    #[test]
    fn a_test_is_named_without_its_parameters() {
        for (test, named) in [
            ("a.B#c", "a.B#c"),
            ("a.B#c(int)[2: x]", "a.B#c"),
            ("a.B$Inner#c[1]", "a.B$Inner#c"),
            ("a.B", "a.B"),
            ("a.B[1]", "a.B"),
        ] {
            assert_eq!(selector(test).to_string(), named);
        }
    }
}
