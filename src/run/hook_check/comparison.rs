//! Comparison with the version before: a failing test rejects a change only if it passed there.

use super::request::GateRequest;
use super::result::Gate;
use crate::run::bisect::bisect;
use crate::run::judge::quick_run::{Asked, Passing, Ran, class_of, first_line, left, run};
use crate::run::session::Ending;
use crate::run::session::request::{Context, GoodRevision, OracleRequest, Request, SubjectRequest};
use crate::run::session::versions::Version;
use crate::run::subject::test_overlay::repo_path;
use mend_engine::TestClass;
use mend_model::{Event, Failure, FileChange, Outcome, Result, Selector, TestResult, TestStatus};
use mend_report::{FailedTest, GateReport, Goal, listed};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What comparing with the version before may take at least.
const LEAST_TO_COMPARE: Duration = Duration::from_secs(30);

/// What looking for the culprit may take at least.
const LEAST_TO_SEARCH: Duration = Duration::from_secs(30);

/// A change to check, with the session that reads it.
pub(super) struct Change<'a> {
    pub(super) passing: &'a Passing<'a>,
    pub(super) good: Version,
    pub(super) bad: Version,
    pub(super) files: Vec<FileChange>,
}

/// Compares the results of a change with those of the version before it.
pub(super) struct Comparison<'a> {
    pub(super) request: &'a GateRequest,
    pub(super) context: &'a Context,
    /// The same, without progress output.
    pub(super) quiet: &'a Context,
    pub(super) change: &'a Change<'a>,
}

impl Comparison<'_> {
    /// Separates tests that the change breaks from those that failed before it, and searches for
    /// the culprit of the nearest one.
    pub(super) fn compare(
        &self,
        tests: &[TestClass],
        results: &[TestResult],
        gate: &mut Gate,
    ) -> Result<()> {
        let failed: Vec<(&TestResult, &Failure)> =
            results.iter().filter_map(|one| Some((one, one.failure()?))).collect();
        let classes: BTreeSet<&str> = failed.iter().map(|(one, _)| class_of(&one.test)).collect();
        let concerned = tests.iter().filter(|test| classes.contains(test.name.as_str()));
        let old = old_tests(self.change, concerned)?;
        let Some(before) = self.before(&old, &mut gate.report)? else { return Ok(()) };
        for (one, failure) in failed {
            sort_out(one, failure, (&old, &before), &mut gate.report);
        }
        let nearest = gate.report.failed.iter().find(|failed| !failed.is_new);
        gate.search = nearest.map(|failed| self.search(failed, tests)).transpose()?;
        Ok(())
    }

    /// Lets through what did not build before either, and what lacks libraries here.
    pub(super) fn compare_builds(
        &self,
        tests: &[TestClass],
        (ran, said): (&Ran, &str),
        report: &mut GateReport,
    ) -> Result<()> {
        let mut unknown = |why: &str| report.not_checked.push(format!("tests: {why}"));
        if left(self.request.end).is_zero() {
            unknown("the time limit was reached while they were compiled");
            return Ok(());
        }
        if !ran.missing.is_empty() {
            let missing = listed(&ran.missing);
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
                Asked::of(&self.request.good, &old),
                (end, Instant::now()),
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
    fn before(
        &self,
        old: &[TestClass],
        report: &mut GateReport,
    ) -> Result<Option<Vec<TestResult>>> {
        if old.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.tell("git-mend: a test fails; checking whether it failed before the change");
        let end = self.end_after(LEAST_TO_COMPARE);
        let ran =
            run(&self.request.subject, self.quiet, Asked::of(&self.request.good, old), (end, end))?;
        let Outcome::Tests { results } = ran.outcome else {
            let names: Vec<String> = old.iter().map(|test| test.name.clone()).collect();
            let said = ran.outcome.text();
            report.not_checked.push(format!(
                "whether {} failed before: {}",
                listed(&names),
                first_line(&said)
            ));
            return Ok(None);
        };
        Ok(Some(results))
    }

    /// Looks for what breaks a test, as long as there is time.
    fn search(&self, failed: &FailedTest, tests: &[TestClass]) -> Result<Ending> {
        self.tell(&format!("git-mend: searching for the culprit of {}", failed.test));
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
        let interrupt = self.context.interrupt.until(self.end_after(LEAST_TO_SEARCH));
        bisect(
            &bisection(subject, &self.request.good),
            &Context { interrupt, ..self.context.clone() },
        )
    }

    fn tell(&self, what: &str) {
        self.context.progress.event(Event::Stage(what.to_owned()));
    }

    /// When the time is used up, but not before a while from now.
    fn end_after(&self, least: Duration) -> Instant {
        self.request.end.max(Instant::now() + least)
    }
}

/// The classes that the version before has too.
fn old_tests<'t>(
    change: &Change<'_>,
    tests: impl IntoIterator<Item = &'t TestClass>,
) -> Result<Vec<TestClass>> {
    let mut old = Vec::new();
    for test in tests {
        let file = change.passing.store.file(&change.good.original, &repo_path(&test.source))?;
        old.extend(file.map(|_| test.clone()));
    }
    Ok(old)
}

/// Puts a test that fails where it belongs.
fn sort_out(
    one: &TestResult,
    failure: &Failure,
    (old, before): (&[TestClass], &[TestResult]),
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
            failure: told(failure),
            is_new: was.is_none(),
        }),
    }
}

/// What was thrown, in one line.
fn told(failure: &Failure) -> String {
    let name = failure.exception.rsplit('.').next().unwrap_or_default();
    match failure.message.as_deref().map(first_line).filter(|line| !line.is_empty()) {
        Some(line) => format!("{name}: {line}"),
        None => name.to_owned(),
    }
}

/// What names a test: its class and method, without what a runner adds for parameters.
fn selector(test: &str) -> Selector {
    let (class, rest) = test.split_once('#').unwrap_or((test, ""));
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let method = rest.split(|c| !is_part(c)).next().filter(|name| !name.is_empty());
    let class = class.split('[').next().unwrap_or(class);
    Selector { class: class.to_owned(), method: method.map(str::to_owned) }
}

fn bisection(subject: SubjectRequest, good: &str) -> Request {
    Request {
        subject,
        good: GoodRevision::Named(good.to_owned()),
        goal: Goal::Culprit,
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
        sort_out(&one, one.failure().unwrap(), (&old, &before), &mut report);
        report
    }

    #[test]
    fn only_a_test_that_did_not_fail_before_speaks_against_a_change() {
        let broken = sorted("a.T#x", &["a.T"], &[("a.T#x", false)]);
        assert_eq!(broken.failed[0].failure, "AssertionError: expected 3");
        assert!(!broken.failed[0].is_new);
        let old = sorted("a.T#x", &["a.T"], &[("a.T#x", true)]);
        assert!(old.is_open() && old.failed_before == ["a.T#x"]);
        let unknown = sorted("a.T#x", &["a.T"], &[("a.U#x", true)]);
        assert!(unknown.is_open() && unknown.not_checked.len() == 1);
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
