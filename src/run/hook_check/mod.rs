//! Gate of the git hooks: checks whether a change breaks affected tests. A change passes unless a
//! test shows that it breaks one.

mod comparison;
mod request;
mod result;
mod warm_up;

use crate::run::hook_check::comparison::{CheckedChange, PreviousVersionComparison};
pub use crate::run::hook_check::warm_up::warm;
use crate::run::judge::quick_run::{
    QuickRun, QuickRunOutput, TemporarySession, first_line, not_run, run,
};
use crate::run::session::request::Context;
use mend_delta::change_tokens;
use mend_engine::{TestClass, may_matter};
use mend_model::{FileChange, NoProgress, Outcome, ProgressEvent, Result};
use mend_report::{GateReport, format_name_list};
pub use request::HookCheckRequest;
pub use result::HookResult;
use std::sync::Arc;
use std::time::Instant;

/// Maximum number of attempts that remove tests which do not compile; a compiler does not report all at once.
const MOST_ATTEMPTS: usize = 3;

/// Runs the tests affected by a change. Compares those that fail with the version before, and
/// searches for the culprit of the nearest one. Other problems are reported and do not block.
///
/// # Errors
/// [`mend_model::Problem::Interrupted`] after an interrupt.
pub fn gate(request: &HookCheckRequest, context: &Context) -> Result<HookResult> {
    let begun = Instant::now();
    let quiet = Context { progress: Arc::new(NoProgress), ..context.clone() };
    let mut gate = HookResult::default();
    let keeper = RegressionGate { request, context, quiet: &quiet };
    let asked = keeper.ask(&mut gate);
    context.interrupt.check()?;
    if let Err(problem) = asked {
        gate.report.not_checked.push(format!("all tests: {problem}"));
    }
    gate.report.seconds = begun.elapsed().as_secs_f64();
    Ok(gate)
}

/// Runs the affected tests of a change.
struct RegressionGate<'a> {
    request: &'a HookCheckRequest,
    context: &'a Context,
    /// Context without progress output.
    quiet: &'a Context,
}

impl RegressionGate<'_> {
    fn ask(&self, gate: &mut HookResult) -> Result<()> {
        let subject = &self.request.subject;
        let passing = TemporarySession::open(subject, self.quiet)?;
        let change = self.change(&passing)?;
        let report = &mut gate.report;
        (report.good, report.bad) = (change.good.label.clone(), change.bad.label.clone());
        if change.files.is_empty() {
            return Ok(());
        }
        let reached = passing.session.reached(&change.bad, &passing.store, &change.files)?;
        (report.tests, report.affected) = (reached.all, reached.tests.len());
        if reached.tests.is_empty() {
            return Ok(());
        }
        self.context.progress.event(ProgressEvent::Stage(format!(
            "git-mend: {} of {} test classes are affected by this change",
            reached.tests.len(),
            reached.all
        )));
        let Self { request, context, quiet } = *self;
        let comparison = PreviousVersionComparison { request, context, quiet, change: &change };
        let (ran, tests) = self.run_what_compiles(reached.tests, report)?;
        match &ran.outcome {
            Outcome::Tests { results } => {
                report.not_run = not_run(&tests, results);
                report.run = tests.len() - report.not_run.len();
                comparison.compare(&tests, results, gate)
            }
            Outcome::NotBuilt { diagnostics } => {
                comparison.compare_builds(&tests, &ran, diagnostics, report)
            }
            outcome => {
                let said = outcome.text();
                report
                    .not_checked
                    .push(format!("tests: they did not finish: {}", first_line(&said)));
                Ok(())
            }
        }
    }

    /// Runs tests. If libraries are missing on this machine, tests that do not compile are skipped.
    fn run_what_compiles(
        &self,
        mut tests: Vec<TestClass>,
        report: &mut GateReport,
    ) -> Result<(QuickRunOutput, Vec<TestClass>)> {
        let (subject, end) = (&self.request.subject, self.request.end);
        for _ in 0..MOST_ATTEMPTS {
            let ran =
                run(subject, self.quiet, QuickRun::unpatched(&subject.bad, &tests), end.into())?;
            let Outcome::NotBuilt { diagnostics } = &ran.outcome else { return Ok((ran, tests)) };
            let is_named = |test: &TestClass| diagnostics.contains(&*test.source.to_string_lossy());
            let (lame, sound): (Vec<_>, Vec<_>) = tests.iter().cloned().partition(is_named);
            if ran.missing.is_empty() || lame.is_empty() || sound.is_empty() {
                return Ok((ran, tests));
            }
            let lame: Vec<String> = lame.into_iter().map(|test| test.name).collect();
            let (lame, missing) = (format_name_list(&lame), format_name_list(&ran.missing));
            report.not_checked.push(format!("{lame}: does not compile here without {missing}"));
            tests = sound;
        }
        let ran = run(subject, self.quiet, QuickRun::unpatched(&subject.bad, &tests), end.into())?;
        Ok((ran, tests))
    }

    /// Returns the changes that can affect tests; comments and white space cannot.
    fn change<'a>(&self, passing: &'a TemporarySession<'a>) -> Result<CheckedChange<'a>> {
        let resolve = |spec: &str| passing.session.resolve(spec, &passing.store);
        let (good, bad) = (resolve(&self.request.good)?, resolve(&self.request.subject.bad)?);
        let mut files = passing.store.changes(&good.original, &bad.original)?;
        files.retain(|file| may_matter(file) && !is_layout(file));
        Ok(CheckedChange { passing, good, bad, files })
    }
}

/// Returns true if a Java file differs only in comments and whitespace.
fn is_layout(file: &FileChange) -> bool {
    let paths = [&file.old, &file.new].map(|side| side.as_ref().map(|(path, _)| path));
    let is_java = paths.iter().flatten().all(|path| path.is_java());
    paths[0] == paths[1] && is_java && change_tokens(std::slice::from_ref(file)) == 0
}
