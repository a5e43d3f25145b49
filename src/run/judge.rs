//! Converts test outcomes into verdicts.

pub(crate) mod baseline_check;
pub(crate) mod executor;
pub(crate) mod failure_rates;
pub(crate) mod parallel;
pub(crate) mod patch_baseline;
pub(crate) mod quick_run;
pub(crate) mod repetition;

use crate::run::judge::executor::{CachedExecution, VariantExecutor};
use crate::run::judge::repetition::Repetition;
use crate::run::session::run_log::{RunLog, TrialCost, TrialSubject};
use crate::run::subject::project_files::ProjectFiles;
use mend_engine::Limits;
use mend_java::facts::CompileError;
use mend_model::CommitId;
use mend_model::{Outcome, Problem, ProgressEvent, Result, Symptom, TreeId, Verdict, lasting};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Oracle that compares test outcomes with a symptom.
pub(crate) struct SymptomOracle<'a> {
    pub(super) bench: &'a VariantExecutor,
    pub(super) ledger: Arc<RunLog>,
    pub(super) own_code: ProjectFiles,
    /// Tests that say nothing.
    pub(super) excluded: BTreeSet<String>,
    pub(super) symptom: Symptom,
    pub(super) limits: Limits,
    pub(super) repetition: Repetition,
}

/// Verdict and its evidence.
pub(crate) struct Judgement {
    pub(super) verdict: Verdict,
    /// Outcome of the last run.
    pub(super) outcome: Option<Outcome>,
    /// Compile errors of the last run.
    pub(super) refusals: Vec<CompileError>,
    /// Duration in seconds; 0 if all runs were cached.
    pub(super) seconds: f64,
}

impl SymptomOracle<'_> {
    /// Returns the verdict for an outcome.
    pub(super) fn verdict_of(&self, outcome: &Outcome) -> Verdict {
        let is_own = |frame: &_| self.own_code.is_own(frame);
        if self.excluded.is_empty() {
            return self.symptom.judge(outcome, &is_own);
        }
        self.symptom.judge(&outcome.clone().without_tests(&self.excluded), &is_own)
    }

    /// Returns the reason why a search ended early: the maximum number of runs, or an interrupt.
    pub(super) fn end(&self) -> Problem {
        self.repetition
            .spent()
            .map_or(Problem::Interrupted, |runs| Problem::RunBudgetExhausted { runs })
    }

    /// Returns the explanation for a slow trial.
    fn patience(&self) -> Option<String> {
        let limit = self.limits.test?;
        Some(format!(
            "slower than earlier runs; a hanging test is stopped after {}",
            lasting(limit)
        ))
    }

    /// Judges a tree with repeated runs, if requested. `remaining` estimates the further judgements of this part of the
    /// run.
    pub(super) fn verdict(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        what: impl Into<TrialSubject>,
        left: Option<usize>,
    ) -> Result<Verdict> {
        self.judgement(tree, head, what, left).map(|judgement| judgement.verdict)
    }

    /// Like [`SymptomOracle::verdict`], with the evidence.
    pub(super) fn judgement(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        what: impl Into<TrialSubject>,
        left: Option<usize>,
    ) -> Result<Judgement> {
        let tried = what.into();
        let (mut refusals, mut outcome) = (Vec::new(), None);
        let what = tried.what.clone();
        self.ledger.emit(ProgressEvent::TrialStarted { what, left, if_slow: self.patience() })?;
        let mut effort = TrialCost { cached: true, ..TrialCost::default() };
        let verdict = self.repetition.verdict(&mut |repetition| {
            let CachedExecution { execution, cached } =
                self.bench.execution(tree, head, repetition, &self.limits)?;
            if !cached {
                effort.milliseconds += TrialCost::from_execution(&execution).milliseconds;
            }
            effort.cached &= cached;
            effort.rung = execution.rung;
            effort.runs += 1;
            refusals = execution.refusals;
            Ok(self.verdict_of(outcome.insert(execution.outcome)))
        })?;
        self.ledger.judged(tree, tried, verdict, effort)?;
        let seconds = effort.seconds();
        Ok(Judgement { verdict, outcome, refusals, seconds })
    }
}
