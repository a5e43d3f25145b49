//! From outcomes to verdicts.

pub(crate) mod baseline_check;
pub(crate) mod executor;
pub(crate) mod failure_rates;
pub(crate) mod parallel;
pub(crate) mod patch_baseline;
pub(crate) mod quick_run;
pub(crate) mod repetition;

use crate::run::judge::executor::{Bench, Known};
use crate::run::judge::repetition::Repetition;
use crate::run::session::run_log::{Effort, Ledger, Tried};
use crate::run::subject::project_files::OwnCode;
use mend_engine::Limits;
use mend_java::facts::Refusal;
use mend_model::CommitId;
use mend_model::{Event, Outcome, Problem, Result, Symptom, TreeId, Verdict, lasting};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Judges trees against a symptom.
pub(crate) struct Judge {
    pub(super) bench: Bench,
    pub(super) ledger: Arc<Ledger>,
    pub(super) own_code: OwnCode,
    /// Tests that say nothing.
    pub(super) excluded: BTreeSet<String>,
    pub(super) symptom: Symptom,
    pub(super) limits: Limits,
    pub(super) repetition: Repetition,
}

/// A verdict, and what it rests on.
pub(crate) struct Judgement {
    pub(super) verdict: Verdict,
    /// What came out of the last run.
    pub(super) outcome: Option<Outcome>,
    /// What the compiler refused.
    pub(super) refusals: Vec<Refusal>,
    /// What it took; nothing where it was known.
    pub(super) seconds: f64,
}

impl Judge {
    /// What an outcome says.
    pub(super) fn verdict_of(&self, outcome: &Outcome) -> Verdict {
        let is_own = |frame: &_| self.own_code.is_own(frame);
        if self.excluded.is_empty() {
            return self.symptom.judge(outcome, &is_own);
        }
        self.symptom.judge(&outcome.clone().without(&self.excluded), &is_own)
    }

    /// Returns the reason why a search ended early: the maximum number of runs, or an interrupt.
    pub(super) fn end(&self) -> Problem {
        self.repetition.spent().map_or(Problem::Interrupted, |runs| Problem::RunsSpent { runs })
    }

    /// What there is to say of a trial that takes longer than the others.
    fn patience(&self) -> Option<String> {
        let limit = self.limits.test?;
        Some(format!(
            "slower than earlier runs; a hanging test is stopped after {}",
            lasting(limit)
        ))
    }

    /// Judges a tree, as often as was asked for or until it is clear. `left` is an estimate of how many
    /// more judgements this part of the run takes.
    pub(super) fn verdict(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        what: impl Into<Tried>,
        left: Option<usize>,
    ) -> Result<Verdict> {
        self.judgement(tree, head, what, left).map(|judgement| judgement.verdict)
    }

    /// As [`Judge::verdict`], with what it rests on.
    pub(super) fn judgement(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        what: impl Into<Tried>,
        left: Option<usize>,
    ) -> Result<Judgement> {
        let tried = what.into();
        let (mut refusals, mut outcome) = (Vec::new(), None);
        let what = tried.what.clone();
        self.ledger.tell(Event::Trying { what, left, if_slow: self.patience() })?;
        let mut effort = Effort { cached: true, ..Effort::default() };
        let verdict = self.repetition.verdict(&mut |repetition| {
            let Known { execution, cached } =
                self.bench.execution(tree, head, repetition, &self.limits)?;
            if !cached {
                effort.milliseconds += Effort::of(&execution).milliseconds;
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
