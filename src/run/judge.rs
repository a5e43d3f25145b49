//! Converts test outcomes into verdicts, and runs variants to judge them.

pub(crate) mod baseline_check;
pub(crate) mod executor;
pub(crate) mod failure_rates;
pub(crate) mod learned_symptom;
mod message_learning;
pub(crate) mod parallel;
pub(crate) mod patch_baseline;
pub(crate) mod quick_run;
pub(crate) mod repetition;

use crate::run::judge::executor::{CachedExecution, VariantExecutor};
use crate::run::judge::learned_symptom::LearnedSymptom;
use crate::run::judge::repetition::{Repetition, combine_verdicts};
use crate::run::session::run_log::{RunLog, TrialCost, TrialSubject};
use crate::run::subject::project_files::ProjectFiles;
use mend_engine::{Execution, Limits};
use mend_java::facts::CompileError;
use mend_model::CommitId;
use mend_model::{
    BuildPart, Frame, Outcome, Problem, ProgressEvent, Result, TreeId, Verdict, format_duration,
};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Oracle that compares test outcomes with a symptom.
pub(crate) struct SymptomOracle<'a> {
    pub(super) executor: &'a VariantExecutor,
    pub(super) run_log: Arc<RunLog>,
    pub(super) project_files: ProjectFiles,
    /// Tests to ignore, because they do not distinguish good from bad.
    pub(super) excluded_tests: BTreeSet<String>,
    pub(super) symptom: LearnedSymptom,
    /// Members of test classes that may be left out where they do not compile; `None` if any may.
    pub(super) accepted_omissions: Option<BTreeSet<String>>,
    pub(super) limits: Limits,
    pub(super) repetition: Repetition,
}

/// Verdict with its evidence.
pub(crate) struct Judgement {
    pub(super) verdict: Verdict,
    /// Outcome of the last run.
    pub(super) outcome: Option<Outcome>,
    /// Members of test classes that were left out in the last run.
    pub(super) left_out: BTreeSet<String>,
    /// Compile errors of the last run.
    pub(super) compile_errors: Vec<CompileError>,
    /// Duration in seconds, or 0 if all runs were cached.
    pub(super) seconds: f64,
}

impl SymptomOracle<'_> {
    /// Returns the verdict for an outcome. If it differs from the symptom only in the message, bad runs again.
    pub(super) fn judge_outcome(&self, outcome: &Outcome) -> Result<Verdict> {
        let outcome = if self.excluded_tests.is_empty() {
            Cow::Borrowed(outcome)
        } else {
            Cow::Owned(outcome.clone().without_tests(&self.excluded_tests))
        };
        self.learn_varying_message(&outcome)?;
        Ok(self.symptom.judge(&outcome, &self.project_files))
    }

    /// Returns true if an outcome is the symptom with another message.
    pub(crate) fn has_other_message(&self, outcome: &Outcome) -> bool {
        let is_own = |frame: &Frame| self.project_files.is_project_frame(frame);
        self.symptom.current().is_same_with_other_message(outcome, &is_own)
    }

    /// Returns the outcome of an execution. A variant without a test that must not be left out is not built. Notes what may
    /// be left out.
    pub(super) fn accept_outcome(&self, execution: &Execution) -> Result<Outcome> {
        let left_out = &execution.adaptation.left_out;
        let accepted = self.accepted_omissions.as_ref();
        if let Some(missing) = accepted.and_then(|accepted| left_out.difference(accepted).next()) {
            let diagnostics = format!("{missing} does not compile");
            return Ok(Outcome::NotBuilt { diagnostics, part: BuildPart::Tests });
        }
        self.run_log.note_adaptation(&execution.adaptation)?;
        Ok(execution.outcome.clone())
    }

    /// Returns the reason why a search ended early: the maximum number of runs, or an interrupt.
    pub(super) fn early_end_reason(&self) -> Problem {
        self.repetition
            .exhausted_runs()
            .map_or(Problem::Interrupted, |runs| Problem::RunBudgetExhausted { runs })
    }

    /// Returns the explanation for a slow trial.
    fn slow_reason(&self) -> Option<String> {
        let limit = self.limits.test?;
        Some(format!(
            "slower than earlier runs; a hanging test is stopped after {}",
            format_duration(limit)
        ))
    }

    /// Judges a tree, with repeated runs if requested. `remaining` is the estimated number of further judgements in
    /// this stage.
    pub(super) fn verdict(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        subject: impl Into<TrialSubject>,
        remaining: Option<usize>,
    ) -> Result<Verdict> {
        self.judge(tree, head, subject, remaining).map(|judgement| judgement.verdict)
    }

    /// Returns the verdict on a tree if the outcomes of all its runs are in the cache, and their number is fixed.
    pub(super) fn known_verdict(&self, tree: &TreeId) -> Result<Option<Verdict>> {
        let Repetition::Times(times) = self.repetition else { return Ok(None) };
        let execution = |number| self.executor.cached_execution(tree, number, &self.limits);
        let executions: Option<Vec<Execution>> =
            (0..times).map(execution).collect::<Result<_>>()?;
        let Some(executions) = executions else { return Ok(None) };
        let judge = |execution: &Execution| self.judge_outcome(&self.accept_outcome(execution)?);
        let verdicts: Vec<Verdict> = executions.iter().map(judge).collect::<Result<_>>()?;
        Ok(verdicts.into_iter().reduce(combine_verdicts))
    }

    /// Judges like [`SymptomOracle::verdict`], and returns the evidence too.
    pub(super) fn judge(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        subject: impl Into<TrialSubject>,
        remaining: Option<usize>,
    ) -> Result<Judgement> {
        self.judge_runs(tree, subject.into(), remaining, |repetition| {
            self.executor.execute(tree, head, repetition, &self.limits)
        })
    }

    /// Judges an execution of a tree that another part of the program has made.
    pub(super) fn judge_execution(
        &self,
        tree: &TreeId,
        execution: &Execution,
        subject: impl Into<TrialSubject>,
        remaining: Option<usize>,
    ) -> Result<Judgement> {
        self.judge_runs(tree, subject.into(), remaining, |_| {
            self.run_log.add_execution_cost(execution, false)?;
            Ok(CachedExecution { execution: execution.clone(), is_cached: false })
        })
    }

    /// Judges the runs of a tree, and records the trial.
    fn judge_runs(
        &self,
        tree: &TreeId,
        trial: TrialSubject,
        remaining: Option<usize>,
        execute: impl Fn(u32) -> Result<CachedExecution>,
    ) -> Result<Judgement> {
        let (mut compile_errors, mut left_out, mut outcome) = (Vec::new(), BTreeSet::new(), None);
        let subject = trial.description.clone();
        self.run_log.emit(ProgressEvent::TrialStarted {
            description: subject,
            remaining,
            slow_hint: self.slow_reason(),
        })?;
        let mut cost = TrialCost { is_cached: true, ..TrialCost::default() };
        let verdict = self.repetition.verdict(&mut |repetition| {
            let CachedExecution { execution, is_cached: cached } = execute(repetition)?;
            if !cached {
                cost.milliseconds += TrialCost::from_execution(&execution).milliseconds;
            }
            cost.is_cached &= cached;
            cost.execution_mode = execution.mode;
            cost.runs += 1;
            let accepted_outcome = self.accept_outcome(&execution)?;
            compile_errors = execution.compile_errors;
            left_out = execution.adaptation.left_out;
            self.judge_outcome(outcome.insert(accepted_outcome))
        })?;
        self.run_log.record_trial(tree, trial, verdict, cost)?;
        let seconds = cost.seconds();
        Ok(Judgement { verdict, outcome, left_out, compile_errors, seconds })
    }
}
