//! Runs the tests that a change affects, and compares failing tests with the previous version.

use super::comparison::{BuildComparison, CheckedChange, FailureCause, PreviousVersionComparison};
use super::request::HookCheckRequest;
use super::result::HookResult;
use crate::run::judge::quick_run::{
    QuickRun, QuickRunOutput, TemporarySession, classes_not_run, first_line, run_tests,
};
use crate::run::session::FinishedRun;
use crate::run::session::request::Context;
use mend_delta::count_changed_tokens;
use mend_engine::{TestClass, can_affect_tests};
use mend_model::{FileChange, MissingRequirements, NoProgress, Outcome, ProgressEvent, Result};
use mend_report::{GateReport, format_name_list};
use std::sync::Arc;
use std::time::Instant;

/// Maximum number of attempts that skip tests which do not compile. A compiler does not report all errors at once.
const MAX_SKIPPING_ATTEMPTS: usize = 3;

/// Runs the tests affected by a change. Compares failing tests with the previous version, and searches for the culprit
/// of the broken test that is nearest to the change. Other problems are reported and do not block.
///
/// # Errors
/// [`mend_model::Problem::Interrupted`] after an interrupt.
pub fn check_change(request: &HookCheckRequest, context: &Context) -> Result<HookResult> {
    let started = Instant::now();
    let quiet = Context { progress: Arc::new(NoProgress), ..context.clone() };
    let mut report = GateReport::default();
    let regression_gate = RegressionGate { request, context, quiet_context: &quiet };
    let search = regression_gate.check_tests(&mut report);
    context.interrupt.check()?;
    let search = search.unwrap_or_else(|problem| {
        report.not_checked.push(format!("all tests: {problem}"));
        None
    });
    report.seconds = started.elapsed().as_secs_f64();
    Ok(HookResult { report, search })
}

/// Tests that were run, without those that do not compile here.
struct CompiledTests {
    tests: Vec<TestClass>,
    run_output: QuickRunOutput,
    /// Tests that were skipped, with the reasons.
    gaps: Vec<String>,
}

/// Regression check of a change for a git hook.
struct RegressionGate<'a> {
    request: &'a HookCheckRequest,
    context: &'a Context,
    /// Context without progress output.
    quiet_context: &'a Context,
}

impl RegressionGate<'_> {
    /// Fills the report as far as the check gets, and returns the search for the culprit.
    fn check_tests(&self, report: &mut GateReport) -> Result<Option<FinishedRun>> {
        let subject = &self.request.subject;
        let temporary_session = TemporarySession::open(subject, self.quiet_context)?;
        let change = self.checked_change(&temporary_session)?;
        (report.good, report.bad) = (change.good.label.clone(), change.bad.label.clone());
        if change.files.is_empty() {
            return Ok(None);
        }
        let affected = temporary_session.session.affected_tests(
            &change.bad,
            &temporary_session.store,
            &change.files,
        )?;
        (report.tests, report.affected) = (affected.total_tests, affected.tests.len());
        if affected.tests.is_empty() {
            return Ok(None);
        }
        self.context.progress.handle(ProgressEvent::Stage(format!(
            "git-mend: {} of {} test classes are affected by this change",
            affected.tests.len(),
            affected.total_tests
        )));
        let Self { request, context, quiet_context } = *self;
        let comparison =
            PreviousVersionComparison { request, context, quiet_context, change: &change };
        let CompiledTests { tests, run_output, gaps } = self.run_compiling_tests(affected.tests)?;
        report.not_checked.extend(gaps);
        match &run_output.outcome {
            Outcome::Tests { results } => {
                report.not_run = classes_not_run(&tests, results);
                report.run = tests.len() - report.not_run.len();
                add_causes(report, comparison.compare_tests(&tests, results)?);
                let nearest = report.failed.iter().find(|failed| !failed.is_new);
                return nearest.map(|failed| comparison.search(failed, &tests)).transpose();
            }
            Outcome::NotBuilt { diagnostics, .. } => {
                match comparison.compare_builds(&tests, &run_output, diagnostics)? {
                    BuildComparison::Broken => report.build_error = Some(diagnostics.clone()),
                    BuildComparison::NotChecked(why) => {
                        report.not_checked.push(format!("tests: {why}"));
                    }
                }
            }
            outcome => {
                let outcome_text = outcome.text();
                let gap = format!("tests: they did not finish: {}", first_line(&outcome_text));
                report.not_checked.push(gap);
            }
        }
        Ok(None)
    }

    /// Runs tests. If this machine lacks what the build needs, skips tests that do not compile.
    fn run_compiling_tests(&self, mut tests: Vec<TestClass>) -> Result<CompiledTests> {
        let mut gaps = Vec::new();
        loop {
            let run_output = run_tests(
                &self.request.subject,
                self.quiet_context,
                QuickRun::unpatched(&self.request.subject.bad, &tests),
                self.request.deadline.into(),
            )?;
            let compilable = match &run_output.outcome {
                Outcome::NotBuilt { diagnostics, .. } if gaps.len() < MAX_SKIPPING_ATTEMPTS => {
                    split_uncompilable(&tests, &run_output.missing, diagnostics)
                }
                _ => None,
            };
            let Some((compilable, gap)) = compilable else {
                return Ok(CompiledTests { tests, run_output, gaps });
            };
            gaps.push(gap);
            tests = compilable;
        }
    }

    /// Returns the changes that can affect tests, which excludes comments and white space.
    fn checked_change<'a>(
        &self,
        temporary_session: &'a TemporarySession<'a>,
    ) -> Result<CheckedChange<'a>> {
        let resolve =
            |spec: &str| temporary_session.session.resolve(spec, &temporary_session.store);
        let (good, bad) = (resolve(&self.request.good)?, resolve(&self.request.subject.bad)?);
        let mut files =
            temporary_session.store.diff_trees(&good.original_tree, &bad.original_tree)?;
        files.retain(|file| can_affect_tests(file) && !is_layout_change(file));
        Ok(CheckedChange { temporary_session, good, bad, files })
    }
}

/// Adds failing tests to the lists of a report.
fn add_causes(report: &mut GateReport, causes: Vec<FailureCause>) {
    for cause in causes {
        match cause {
            FailureCause::Change(failed) => report.failed.push(failed),
            FailureCause::Earlier(test) => report.failed_before.push(test),
            FailureCause::Unknown(gap) => report.not_checked.push(gap),
        }
    }
}

/// Returns the tests without those that the compiler rejects for lack of libraries or a newer JDK, and the gap; `None` if
/// that leaves all or none.
fn split_uncompilable(
    tests: &[TestClass],
    missing: &MissingRequirements,
    diagnostics: &str,
) -> Option<(Vec<TestClass>, String)> {
    let is_named = |test: &TestClass| diagnostics.contains(&*test.source.to_string_lossy());
    let (uncompilable, compilable): (Vec<_>, Vec<_>) = tests.iter().cloned().partition(is_named);
    if missing.is_empty() || uncompilable.is_empty() || compilable.is_empty() {
        return None;
    }
    let uncompilable: Vec<String> = uncompilable.into_iter().map(|test| test.name).collect();
    let (uncompilable, missing) =
        (format_name_list(&uncompilable), format_name_list(&missing.names()));
    Some((compilable, format!("{uncompilable}: does not compile here without {missing}")))
}

/// Returns true if a Java file differs only in comments and white space.
fn is_layout_change(file: &FileChange) -> bool {
    let paths = [&file.old, &file.new].map(|side| side.as_ref().map(|(path, _)| path));
    let is_java = paths.iter().flatten().all(|path| path.is_java());
    paths[0] == paths[1] && is_java && count_changed_tokens(std::slice::from_ref(file)) == 0
}
