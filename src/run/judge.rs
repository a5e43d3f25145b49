//! From outcomes to verdicts.

use super::bench::{Bench, Known};
use super::ledger::{Effort, Ledger};
use super::own_code::OwnCode;
use crate::engine::Limits;
use crate::git::CommitId;
use crate::model::{Event, Outcome, Result, Symptom, TreeId, Verdict};
use std::sync::Arc;

/// Judges trees against a symptom.
pub(super) struct Judge {
    pub(super) bench: Bench,
    pub(super) ledger: Arc<Ledger>,
    pub(super) own_code: OwnCode,
    pub(super) symptom: Symptom,
    pub(super) limits: Limits,
    pub(super) repeat: u32,
}

impl Judge {
    /// What an outcome says.
    pub(super) fn verdict_of(&self, outcome: &Outcome) -> Verdict {
        self.symptom.judge(outcome, &|frame| self.own_code.is_own(frame))
    }

    /// Judges a tree, as often as was asked for or until it is clear. `left` is an estimate of how many
    /// more judgements this part of the run takes.
    pub(super) fn verdict(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        what: &str,
        left: Option<usize>,
    ) -> Result<Verdict> {
        self.ledger.tell(Event::Trying { what: what.to_owned(), left })?;
        let mut effort = Effort { milliseconds: 0, cached: true };
        let mut verdicts = Vec::new();
        for repetition in 0..self.repeat {
            let Known { execution, cached } =
                self.bench.execution(tree, head, repetition, &self.limits)?;
            if !cached {
                effort.milliseconds += Effort::of(&execution).milliseconds;
            }
            effort.cached &= cached;
            verdicts.push(self.verdict_of(&execution.outcome));
            if together(&verdicts) != verdicts[0] || matches!(verdicts[0], Verdict::Unresolved(_)) {
                break;
            }
        }
        let verdict = together(&verdicts);
        self.ledger.judged(tree, what, verdict, effort)?;
        Ok(verdict)
    }
}

/// One verdict for repeated runs of the same tree.
fn together(verdicts: &[Verdict]) -> Verdict {
    match verdicts {
        [first, rest @ ..] if rest.iter().all(|verdict| verdict == first) => *first,
        _ => Verdict::Flaky,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_disagree_are_flaky() {
        use Verdict::{Fail, Flaky, Pass};
        assert_eq!(together(&[Pass, Pass]), Pass);
        assert_eq!(together(&[Pass, Fail]), Flaky);
    }
}
