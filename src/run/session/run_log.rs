//! Run log: the result so far, written after every trial, and the progress events.

use crate::run::session::run_folder::RunFolder;
use mend_engine::{Execution, ExecutionMode};
use mend_git::Commit;
use mend_model::{
    Outcome, Problem, ProgressEvent, ProgressListener, Result, Secrets, TreeId, Verdict,
};
use mend_report::{Cost, RunResult, SearchProgress, TestedCommit, TrialLine};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Subject of a trial.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrialSubject {
    /// Description for the user.
    pub(crate) what: String,
    pub(crate) commit: Option<TestedCommit>,
    pub(crate) search: Option<SearchProgress>,
}

impl From<&str> for TrialSubject {
    fn from(what: &str) -> Self {
        Self { what: what.to_owned(), ..Self::default() }
    }
}

impl TrialSubject {
    /// A commit, with its place among those that are searched.
    pub(crate) fn of_commit(commit: &Commit, place: Option<[usize; 2]>) -> Self {
        let Commit { id, author, date, summary, .. } = commit;
        let commit = TestedCommit {
            id: id.0.clone(),
            author: author.clone(),
            date: date.get(..10).unwrap_or(date).to_owned(),
            summary: summary.clone(),
            position: place,
        };
        let what = format!("{} {summary}", id.short());
        Self { what, commit: Some(commit), search: None }
    }
}

/// Result so far, and the run folder that it is written to.
pub(crate) struct RunLog {
    pub(crate) folder: RunFolder,
    result: Mutex<RunResult>,
    progress: Arc<dyn ProgressListener>,
    secrets: Secrets,
    begun: Instant,
}

/// Cost of a trial.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TrialCost {
    pub(crate) milliseconds: u64,
    pub(crate) cached: bool,
    /// Number of executions.
    pub(crate) runs: usize,
    pub(crate) rung: ExecutionMode,
}

impl TrialCost {
    /// Returns the cost of an execution that was not cached.
    pub(crate) fn from_execution(execution: &Execution) -> Self {
        let took = execution.test + execution.build.unwrap_or_default();
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        Self { milliseconds, cached: false, runs: 1, rung: execution.rung }
    }

    pub(crate) fn seconds(&self) -> f64 {
        f64::from(u32::try_from(self.milliseconds).unwrap_or(u32::MAX)) / 1000.0
    }
}

impl RunLog {
    pub(crate) fn open(
        folder: RunFolder,
        result: RunResult,
        progress: Arc<dyn ProgressListener>,
        secrets: Secrets,
    ) -> Result<Self> {
        let (result, begun) = (Mutex::new(result), Instant::now());
        let ledger = Self { folder, result, progress, secrets, begun };
        ledger.update(|_| {})?;
        Ok(ledger)
    }

    fn lock(&self) -> MutexGuard<'_, RunResult> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the result and writes it down.
    pub(crate) fn update(&self, change: impl FnOnce(&mut RunResult)) -> Result<()> {
        let mut result = self.lock();
        change(&mut result);
        let RunResult { message, reproduce, next_command, .. } = &mut *result;
        let told = [message, reproduce, next_command].into_iter().flatten();
        told.for_each(|text| self.secrets.hide_in(text));
        result.cost.seconds = self.begun.elapsed().as_secs_f64();
        self.folder.write_result(&result)
    }

    /// Returns a copy of the result so far.
    pub(crate) fn result(&self) -> RunResult {
        self.lock().clone()
    }

    /// Passes an event to the progress listener, and to the log.
    pub(crate) fn emit(&self, mut event: ProgressEvent) -> Result<()> {
        if let ProgressEvent::Stage(text) | ProgressEvent::Note(text) = &mut event {
            self.secrets.hide_in(text);
            self.folder.append_log(text)?;
        }
        self.progress.event(event);
        Ok(())
    }

    /// Logs the problem that ended the run, with its output.
    pub(crate) fn log(&self, problem: &Problem) -> Result<()> {
        let text = format!("{problem}\n{}", problem.output().unwrap_or_default());
        self.folder.append_log(&self.secrets.hide(&text))
    }

    /// Adds a text to the list of unchecked items, and reports it once.
    pub(crate) fn note(&self, mut text: String) -> Result<()> {
        self.secrets.hide_in(&mut text);
        let is_new = !self.lock().not_checked.contains(&text);
        if is_new {
            self.update(|result| result.not_checked.push(text.clone()))?;
            self.emit(ProgressEvent::Note(text))?;
        }
        Ok(())
    }

    /// Adds the cost of an execution.
    pub(crate) fn spend(&self, execution: &Execution, cached: bool) -> Result<()> {
        self.update(|result| spend(&mut result.cost, execution, cached))
    }

    /// Adds the cost of compilations without tests.
    pub(crate) fn compiled(&self, builds: usize, builds_ok: usize) -> Result<()> {
        self.update(|result| {
            result.cost.builds += builds;
            result.cost.builds_ok += builds_ok;
        })
    }

    /// Records a trial and its verdict.
    pub(crate) fn judged(
        &self,
        tree: &TreeId,
        tried: TrialSubject,
        verdict: Verdict,
        effort: TrialCost,
    ) -> Result<()> {
        let TrialSubject { what, commit, search } = tried;
        self.folder.append_trial(&TrialLine {
            variant: tree.0.clone(),
            what: what.clone(),
            verdict: verdict.word().to_owned(),
            phase: verdict.phase(),
            rung: effort.rung.word().to_owned(),
            milliseconds: effort.milliseconds,
            cached: effort.cached,
            runs: effort.runs,
            commit,
            search,
        })?;
        self.emit(ProgressEvent::TrialFinished {
            what,
            verdict,
            cached: effort.cached,
            seconds: effort.seconds(),
        })
    }

    /// Counts a variant that was rejected before compilation.
    pub(crate) fn rejected(&self) -> Result<()> {
        self.update(|result| result.cost.rejected += 1)
    }
}

fn spend(cost: &mut Cost, execution: &Execution, cached: bool) {
    if cached {
        cost.cached += 1;
        return;
    }
    let is_built = !matches!(execution.outcome, Outcome::NotBuilt { .. });
    if let Some(build) = execution.build {
        cost.builds += 1;
        cost.builds_ok += usize::from(is_built);
        cost.seconds_build += build.as_secs_f64();
    }
    let is_known = execution.rung == ExecutionMode::Same;
    cost.cached += usize::from(is_known);
    cost.tests += usize::from(is_built && !is_known);
    cost.jvms += execution.jvms;
    cost.seconds_test += execution.test.as_secs_f64();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn execution(outcome: Outcome) -> Execution {
        let second = Duration::from_secs(1);
        Execution { build: Some(second), test: second, jvms: 1, ..Execution::from_outcome(outcome) }
    }

    #[test]
    fn only_variants_that_built_count_as_tests_and_cached_ones_not_at_all() {
        let mut cost = Cost::default();
        spend(&mut cost, &execution(Outcome::NotBuilt { diagnostics: String::new() }), false);
        spend(&mut cost, &execution(Outcome::Tests { results: Vec::new() }), false);
        spend(&mut cost, &execution(Outcome::Tests { results: Vec::new() }), true);
        assert_eq!((cost.builds, cost.builds_ok, cost.tests, cost.cached), (2, 1, 1, 1));
        let known = Execution {
            rung: ExecutionMode::Same,
            ..execution(Outcome::Tests { results: Vec::new() })
        };
        spend(&mut cost, &known, false);
        assert_eq!((cost.builds, cost.builds_ok, cost.tests, cost.cached), (3, 2, 1, 2));
    }
}
