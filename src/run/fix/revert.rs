//! The revert of a part of the change since good, compared with other fixes.

use crate::run::patch::repair_context::RepairContext;
use crate::run::patch::verification::patched;
use crate::run::session::run_log::RunLog;
use mend_git::ApplyResult;
use mend_model::{Result, Verdict};
use mend_report::{FixEvidence, FixResult};

/// Fix that reverts the culprit, with its patch.
#[derive(Default)]
pub(super) struct RevertFix {
    fix: Option<FixResult>,
    text: Option<Vec<u8>>,
    /// The selected tests reject the revert.
    is_doubtful: bool,
}

impl RevertFix {
    /// Takes the revert from the result.
    pub(super) fn from_result(ledger: &RunLog) -> Self {
        let fix = ledger.result().fixes.pop();
        let file = fix.as_ref().and_then(|fix| fix.patch.clone());
        let text = file.and_then(|file| std::fs::read(ledger.folder.path().join(file)).ok());
        Self { fix, text, is_doubtful: false }
    }

    /// Returns true if another patch is identical.
    pub(super) fn is_the_same(&self, patch: &[u8]) -> bool {
        self.text.as_deref() == Some(patch)
    }

    /// Counts the tests that the revert fixes: the bisection may have used other tests.
    pub(super) fn weigh(&mut self, mending: &RepairContext<'_>) -> Result<()> {
        let Some(fix) = &mut self.fix else { return Ok(()) };
        let RepairContext { session, judge, demands, store, bad } = *mending;
        let Some(file) = &fix.patch else { return Ok(()) };
        let path = session.ledger.folder.path().join(file);
        let ApplyResult::Tree(tree) = patched(&path, bad, store)? else { return Ok(()) };
        let judgement = judge.judgement(&tree, bad.commit_id(), fix.why.as_str(), None)?;
        self.is_doubtful = judgement.verdict != Verdict::Pass;
        if let Some(outcome) = judgement.outcome {
            let (left, broken) = (demands.left_by(&outcome), demands.broken_by(&outcome));
            fix.validated = FixEvidence {
                failing_pass: demands.mended().len() - left.len(),
                still_failing: left.into_iter().collect(),
                passing_kept: demands.kept().len() - broken.len(),
                ..mending.validated()
            };
        }
        Ok(())
    }

    /// Inserts the revert into verified fixes by size. Among equals the revert comes first, because its code worked
    /// before.
    pub(super) fn insert_into(&self, shown: &[FixResult], top: usize) -> Vec<FixResult> {
        let mut all = shown.to_vec();
        if let Some(fix) = &self.fix {
            let at = all
                .iter()
                .position(|one| self.comes_before(one.tokens, one.validated.still_failing.len()));
            all.insert(at.unwrap_or(all.len()), fix.clone());
        }
        all.truncate(top);
        for (fix, rank) in all.iter_mut().zip(1..) {
            fix.rank = rank;
        }
        all
    }

    /// Returns true if the revert ranks before a fix of this size that leaves some tests failing.
    pub(super) fn comes_before(&self, tokens: Option<usize>, left: usize) -> bool {
        self.fix.as_ref().filter(|_| !self.is_doubtful).is_some_and(|undo| {
            let leaves = undo.validated.still_failing.len();
            leaves < left || leaves == left && (undo.tokens.is_none() || undo.tokens <= tokens)
        })
    }
}
