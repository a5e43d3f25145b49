//! Check of the git hooks: determines if a change breaks affected tests. Only a test that the change breaks blocks it.

mod comparison;
mod request;
mod result;
mod warm_up;

use crate::run::hook_check::comparison::{CheckedChange, PreviousVersionComparison};
pub use crate::run::hook_check::warm_up::warm_runtime;
use crate::run::judge::quick_run::{
    QuickRun, QuickRunOutput, TemporarySession, classes_not_run, first_line, run_tests,
};
use crate::run::session::request::Context;
use mend_delta::count_changed_tokens;
use mend_engine::{TestClass, can_affect_tests};
use mend_model::{FileChange, NoProgress, Outcome, ProgressEvent, Result};
use mend_report::{GateReport, format_name_list};
pub use request::HookCheckRequest;
pub use result::HookResult;
use std::sync::Arc;
use std::time::Instant;

/// Maximum number of attempts that remove tests which do not compile. A compiler does not report all errors at once.
const MAX_COMPILE_ATTEMPTS: usize = 3;

/// Runs the tests affected by a change. Compares failing tests with the previous version, and searches for the culprit
/// of the broken test that is nearest to the change. Other problems are reported and do not block.
///
/// # Errors
/// [`mend_model::Problem::Interrupted`] after an interrupt.
pub fn check_change(request: &HookCheckRequest, context: &Context) -> Result<HookResult> {
    let started = Instant::now();
    let quiet = Context { progress: Arc::new(NoProgress), ..context.clone() };
    let mut hook_result = HookResult::default();
    let regression_gate = RegressionGate { request, context, quiet_context: &quiet };
    let check = regression_gate.check_tests(&mut hook_result);
    context.interrupt.check()?;
    if let Err(problem) = check {
        hook_result.report.not_checked.push(format!("all tests: {problem}"));
    }
    hook_result.report.seconds = started.elapsed().as_secs_f64();
    Ok(hook_result)
}

/// Regression check of a change for a git hook.
struct RegressionGate<'a> {
    request: &'a HookCheckRequest,
    context: &'a Context,
    /// Context without progress output.
    quiet_context: &'a Context,
}

impl RegressionGate<'_> {
    fn check_tests(&self, hook_result: &mut HookResult) -> Result<()> {
        let subject = &self.request.subject;
        let temporary_session = TemporarySession::open(subject, self.quiet_context)?;
        let change = self.checked_change(&temporary_session)?;
        let report = &mut hook_result.report;
        (report.good, report.bad) = (change.good.label.clone(), change.bad.label.clone());
        if change.files.is_empty() {
            return Ok(());
        }
        let affected = temporary_session.session.affected_tests(
            &change.bad,
            &temporary_session.store,
            &change.files,
        )?;
        (report.tests, report.affected) = (affected.total_tests, affected.tests.len());
        if affected.tests.is_empty() {
            return Ok(());
        }
        self.context.progress.handle(ProgressEvent::Stage(format!(
            "git-mend: {} of {} test classes are affected by this change",
            affected.tests.len(),
            affected.total_tests
        )));
        let Self { request, context, quiet_context: quiet } = *self;
        let comparison =
            PreviousVersionComparison { request, context, quiet_context: quiet, change: &change };
        let (run_output, tests) = self.run_compiling_tests(affected.tests, report)?;
        match &run_output.outcome {
            Outcome::Tests { results } => {
                report.not_run = classes_not_run(&tests, results);
                report.run = tests.len() - report.not_run.len();
                comparison.compare_tests(&tests, results, hook_result)
            }
            Outcome::NotBuilt { diagnostics, .. } => {
                comparison.compare_builds(&tests, &run_output, diagnostics, report)
            }
            outcome => {
                let outcome_text = outcome.text();
                report
                    .not_checked
                    .push(format!("tests: they did not finish: {}", first_line(&outcome_text)));
                Ok(())
            }
        }
    }

    /// Runs tests. If libraries are missing on this machine, skips tests that do not compile.
    fn run_compiling_tests(
        &self,
        mut tests: Vec<TestClass>,
        report: &mut GateReport,
    ) -> Result<(QuickRunOutput, Vec<TestClass>)> {
        let (subject, end) = (&self.request.subject, self.request.deadline);
        for _ in 0..MAX_COMPILE_ATTEMPTS {
            let run_output = run_tests(
                subject,
                self.quiet_context,
                QuickRun::unpatched(&subject.bad, &tests),
                end.into(),
            )?;
            let Outcome::NotBuilt { diagnostics, .. } = &run_output.outcome else {
                return Ok((run_output, tests));
            };
            let is_named = |test: &TestClass| diagnostics.contains(&*test.source.to_string_lossy());
            let (uncompilable, compilable): (Vec<_>, Vec<_>) =
                tests.iter().cloned().partition(is_named);
            if run_output.missing_libraries.is_empty()
                || uncompilable.is_empty()
                || compilable.is_empty()
            {
                return Ok((run_output, tests));
            }
            let uncompilable: Vec<String> =
                uncompilable.into_iter().map(|test| test.name).collect();
            let (uncompilable, missing) =
                (format_name_list(&uncompilable), format_name_list(&run_output.missing_libraries));
            report
                .not_checked
                .push(format!("{uncompilable}: does not compile here without {missing}"));
            tests = compilable;
        }
        let run_output = run_tests(
            subject,
            self.quiet_context,
            QuickRun::unpatched(&subject.bad, &tests),
            end.into(),
        )?;
        Ok((run_output, tests))
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

/// Returns true if a Java file differs only in comments and white space.
fn is_layout_change(file: &FileChange) -> bool {
    let paths = [&file.old, &file.new].map(|side| side.as_ref().map(|(path, _)| path));
    let is_java = paths.iter().flatten().all(|path| path.is_java());
    paths[0] == paths[1] && is_java && count_changed_tokens(std::slice::from_ref(file)) == 0
}
