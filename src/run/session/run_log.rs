//! Run log: trials, costs and notes of a run. It writes `result.json` after every trial.

use crate::run::session::command_result::CommandResult;
use crate::run::session::run_folder::RunFolder;
use mend_engine::{Execution, ExecutionMode, TestAdaptation};
use mend_git::Commit;
use mend_model::{
    Exit, Outcome, Problem, ProgressEvent, ProgressListener, Result, Secrets, TreeId, Verdict,
    list_first,
};
use mend_report::{
    Cost, GeneratorResult, RunResult, RunStatus, SearchProgress, TestedCommit, TrialLine,
    VersionInfo,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Maximum number of names in one note about left-out test code.
const MAX_NAMES_IN_NOTE: usize = 5;

/// Subject of a trial.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrialSubject {
    /// Description for the user.
    pub(crate) description: String,
    pub(crate) commit: Option<TestedCommit>,
    pub(crate) search: Option<SearchProgress>,
}

impl From<&str> for TrialSubject {
    fn from(what: &str) -> Self {
        Self { description: what.to_owned(), ..Self::default() }
    }
}

impl TrialSubject {
    /// Creates the subject of a trial of a commit, with its position among the searched commits.
    pub(crate) fn from_commit(commit: &Commit, position: Option<[usize; 2]>) -> Self {
        let Commit { id, author, date, summary, .. } = commit;
        let commit = TestedCommit {
            id: id.0.clone(),
            author: author.clone(),
            date: date.get(..10).unwrap_or(date).to_owned(),
            summary: summary.clone(),
            position,
        };
        let description = format!("{} {summary}", id.short());
        Self { description, commit: Some(commit), search: None }
    }
}

/// Fact about the subject of a run that is known before the result.
pub(crate) enum SubjectFact {
    /// Command line that repeats the run.
    CommandLine(String),
    /// JDK, if one is needed.
    Jdk(Option<String>),
    Good(VersionInfo),
    Bad(VersionInfo),
    /// Failure to reproduce. The first one recorded is kept, because that of a bisection is the most precise.
    Symptom(String),
}

/// Log of a run, with the run folder.
pub(crate) struct RunLog {
    pub(crate) folder: RunFolder,
    result: Mutex<RunResult>,
    /// How tests were adapted to versions so far.
    adaptation: Mutex<TestAdaptation>,
    progress: Arc<dyn ProgressListener>,
    secrets: Secrets,
    started: Instant,
}

/// Cost of a trial.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TrialCost {
    pub(crate) milliseconds: u64,
    pub(crate) is_cached: bool,
    /// Number of executions.
    pub(crate) runs: usize,
    pub(crate) execution_mode: ExecutionMode,
}

impl TrialCost {
    /// Returns the cost of an execution that was not cached.
    pub(crate) fn from_execution(execution: &Execution) -> Self {
        let total_time = execution.test + execution.build.unwrap_or_default();
        let milliseconds = u64::try_from(total_time.as_millis()).unwrap_or(u64::MAX);
        Self { milliseconds, is_cached: false, runs: 1, execution_mode: execution.mode }
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
        let (result, started) = (Mutex::new(result), Instant::now());
        let adaptation = Mutex::default();
        let run_log = Self { folder, result, adaptation, progress, secrets, started };
        run_log.update(|_| {})?;
        Ok(run_log)
    }

    fn lock(&self) -> MutexGuard<'_, RunResult> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the result and writes it.
    fn update(&self, change: impl FnOnce(&mut RunResult)) -> Result<()> {
        let mut result = self.lock();
        change(&mut result);
        shown_texts(&mut result).for_each(|text| self.secrets.redact_in_place(text));
        result.cost.seconds = self.started.elapsed().as_secs_f64();
        self.folder.write_result(&result)
    }

    /// Records a fact about the subject.
    pub(crate) fn record(&self, fact: SubjectFact) -> Result<()> {
        self.update(|result| match fact {
            SubjectFact::CommandLine(text) => result.reproduce = Some(text),
            SubjectFact::Jdk(jdk) => result.environment.jdk = jdk,
            SubjectFact::Good(version) => result.good = Some(version),
            SubjectFact::Bad(version) => result.bad = Some(version),
            SubjectFact::Symptom(text) => {
                result.symptom.get_or_insert(text);
            }
        })
    }

    /// Writes the result so far, in case the run is killed.
    pub(crate) fn save(&self, so_far: &dyn CommandResult) -> Result<()> {
        self.update(|result| so_far.write_to(result))
    }

    /// Writes the complete result of a command.
    pub(crate) fn end(&self, complete: &dyn CommandResult) -> Result<()> {
        self.update(|result| {
            complete.write_to(result);
            result.status = complete.status();
        })
    }

    /// Writes the problem that ended the run. If the disk is full, the written result keeps the status interrupted.
    pub(crate) fn fail(&self, problem: &Problem) {
        let text = format!("{problem}\n{}", problem.output().unwrap_or_default());
        drop(self.folder.append_log(&self.secrets.redact(&text)));
        drop(self.update(|result| {
            result.message = Some(problem.to_string());
            result.status = match problem.exit() {
                Exit::Interrupted => RunStatus::Interrupted,
                // The version failed each time, but in different ways.
                _ if matches!(problem, Problem::NotReproduced { is_flaky: false, .. }) => {
                    RunStatus::Error
                }
                Exit::Flaky => RunStatus::Flaky,
                _ if matches!(problem, Problem::DiskFull { .. }) => RunStatus::Interrupted,
                _ => RunStatus::Error,
            };
        }));
    }

    /// Returns the listener of progress events.
    pub(crate) fn progress(&self) -> Arc<dyn ProgressListener> {
        Arc::clone(&self.progress)
    }

    /// Returns a copy of the result so far.
    pub(crate) fn result(&self) -> RunResult {
        self.lock().clone()
    }

    /// Replaces the secrets in a text, which may then be shortened: a part of a secret is not recognised.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.secrets.redact(text).into_owned()
    }

    /// Passes an event to the progress listener and to the log.
    pub(crate) fn emit(&self, mut event: ProgressEvent) -> Result<()> {
        self.secrets.redact_in_place(event.text_mut());
        if let ProgressEvent::Stage(text) | ProgressEvent::Note(text) = &event {
            self.folder.append_log(text)?;
        }
        self.progress.handle(event);
        Ok(())
    }

    /// Adds a text to the list of unchecked items, and reports it once.
    pub(crate) fn note_unchecked(&self, mut text: String) -> Result<()> {
        self.secrets.redact_in_place(&mut text);
        let is_new = !self.lock().not_checked.contains(&text);
        if is_new {
            self.update(|result| result.not_checked.push(text.clone()))?;
            self.emit(ProgressEvent::Note(text))?;
        }
        Ok(())
    }

    /// Adds how tests were adapted to a version to the list of unchecked items, and reports what is new.
    pub(crate) fn note_adaptation(&self, adaptation: &TestAdaptation) -> Result<()> {
        let mut known = self.adaptation.lock().unwrap_or_else(PoisonError::into_inner);
        let all = known.clone().merged(adaptation);
        if all == *known {
            return Ok(());
        }
        let new = TestAdaptation {
            left_out: &all.left_out - &known.left_out,
            libraries: &all.libraries - &known.libraries,
        };
        let describe_all = |adaptation| describe_adaptation(adaptation, usize::MAX);
        let (old_texts, texts) = (describe_all(&known), describe_all(&all));
        self.update(|result| {
            result.not_checked.retain(|text| !old_texts.contains(text));
            result.not_checked.extend(texts);
        })?;
        *known = all;
        describe_adaptation(&new, MAX_NAMES_IN_NOTE)
            .into_iter()
            .try_for_each(|text| self.emit(ProgressEvent::Note(text)))
    }

    /// Adds a text to the list of unchecked items without reporting it.
    pub(crate) fn leave_unchecked(&self, text: &str) -> Result<()> {
        self.update(|result| result.add_unchecked(text))
    }

    /// Adds the cost of an execution.
    pub(crate) fn add_execution_cost(&self, execution: &Execution, cached: bool) -> Result<()> {
        self.update(|result| add_cost(&mut result.cost, execution, cached))
    }

    /// Adds the cost of compilations without tests.
    pub(crate) fn add_compilation_cost(&self, builds: usize, builds_ok: usize) -> Result<()> {
        self.update(|result| {
            result.cost.builds += builds;
            result.cost.builds_ok += builds_ok;
        })
    }

    /// Records a trial and its verdict.
    pub(crate) fn record_trial(
        &self,
        tree: &TreeId,
        subject: TrialSubject,
        verdict: Verdict,
        cost: TrialCost,
    ) -> Result<()> {
        let TrialSubject { mut description, commit, search } = subject;
        self.secrets.redact_in_place(&mut description);
        self.folder.append_trial(&TrialLine {
            variant: tree.0.clone(),
            what: description.clone(),
            verdict: verdict.name().to_owned(),
            phase: verdict.phase(),
            execution_mode: cost.execution_mode.name().to_owned(),
            milliseconds: cost.milliseconds,
            cached: cost.is_cached,
            runs: cost.runs,
            commit,
            search,
        })?;
        self.emit(ProgressEvent::TrialFinished {
            description,
            verdict,
            is_cached: cost.is_cached,
            seconds: cost.seconds(),
        })
    }

    /// Counts a tested commit.
    pub(crate) fn commit_tested(&self) -> Result<()> {
        self.update(|result| result.commits_tested += 1)
    }

    /// Counts a variant that was rejected before its compilation.
    pub(crate) fn count_rejected(&self) -> Result<()> {
        self.update(|result| result.cost.rejected += 1)
    }
}

/// Returns the texts of a result that may contain secrets: messages, commands, and what a generator wrote.
fn shown_texts(result: &mut RunResult) -> impl Iterator<Item = &mut String> {
    let RunResult { message, reproduce, next_command, generator, fixes, unverified_fixes, .. } =
        result;
    let of_generator = generator.iter_mut().flat_map(|GeneratorResult { command, patches }| {
        std::iter::once(command).chain(patches.iter_mut().map(|patch| &mut patch.reason))
    });
    let texts = [message, reproduce, next_command].into_iter().flatten();
    let reasons = fixes.iter_mut().map(|fix| &mut fix.why);
    let reasons = reasons.chain(unverified_fixes.iter_mut().map(|fix| &mut fix.why));
    texts.chain(of_generator).chain(reasons)
}

/// Describes how tests were adapted to versions, with at most `max_names` names in each text.
fn describe_adaptation(adaptation: &TestAdaptation, max_names: usize) -> Vec<String> {
    let TestAdaptation { left_out, libraries } = adaptation;
    let text = |what: &str, names: &BTreeSet<String>| {
        let names: Vec<String> = names.iter().cloned().collect();
        (!names.is_empty()).then(|| format!("{what}: {}", list_first(&names, max_names)))
    };
    let left_out = text("test code that was left out where it does not compile", left_out);
    let libraries =
        text("versions without these libraries of bad, which the tests need", libraries);
    left_out.into_iter().chain(libraries).collect()
}

fn add_cost(cost: &mut Cost, execution: &Execution, cached: bool) {
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
    let is_unchanged = execution.mode == ExecutionMode::Same;
    cost.cached += usize::from(is_unchanged);
    cost.tests += usize::from(is_built && !is_unchanged);
    cost.jvms += execution.jvms;
    cost.seconds_test += execution.test.as_secs_f64();
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_report::{EnvironmentInfo, PoolPatchResult, RunGoal};
    use std::time::Duration;

    fn execution(outcome: Outcome) -> Execution {
        let second = Duration::from_secs(1);
        Execution { build: Some(second), test: second, jvms: 1, ..Execution::from_outcome(outcome) }
    }

    #[test]
    fn texts_of_a_generator_are_shown_texts() {
        let patch = PoolPatchResult { reason: "why".to_owned(), ..PoolPatchResult::default() };
        let generator = GeneratorResult { command: "./x".to_owned(), patches: vec![patch] };
        let mut result = RunResult::new("fix", RunGoal::Fix, EnvironmentInfo::default());
        result.generator = Some(generator);
        assert_eq!(shown_texts(&mut result).collect::<Vec<_>>(), ["./x", "why"]);
    }

    #[test]
    fn only_built_uncached_variants_count_as_tests() {
        let mut cost = Cost::default();
        add_cost(&mut cost, &execution(Outcome::not_built("")), false);
        add_cost(&mut cost, &execution(Outcome::Tests { results: Vec::new() }), false);
        add_cost(&mut cost, &execution(Outcome::Tests { results: Vec::new() }), true);
        assert_eq!((cost.builds, cost.builds_ok, cost.tests, cost.cached), (2, 1, 1, 1));
        let known = Execution {
            mode: ExecutionMode::Same,
            ..execution(Outcome::Tests { results: Vec::new() })
        };
        add_cost(&mut cost, &known, false);
        assert_eq!((cost.builds, cost.builds_ok, cost.tests, cost.cached), (3, 2, 1, 2));
    }
}
