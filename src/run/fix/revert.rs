//! The revert of a part of the change since good, compared with other fixes.

use crate::run::patch::repair_context::RepairContext;
use mend_model::{Result, TreeId, Verdict};
use mend_report::{FixEvidence, FixResult};

/// Fix that reverts the culprit.
#[derive(Clone)]
pub(crate) struct Revert {
    pub(crate) fix: FixResult,
    /// Tree of bad with the revert.
    pub(crate) tree: TreeId,
    /// Text of the patch.
    pub(crate) text: Vec<u8>,
}

/// The revert among other fixes, if there is one.
#[derive(Clone, Default)]
pub(crate) struct RevertRanking {
    revert: Option<Revert>,
    /// The selected tests reject the revert.
    is_doubtful: bool,
}

impl RevertRanking {
    pub(crate) fn new(revert: Option<&Revert>) -> Self {
        Self { revert: revert.cloned(), is_doubtful: false }
    }

    /// Returns true if another patch is identical.
    pub(crate) fn is_the_same(&self, patch: &[u8]) -> bool {
        self.revert.as_ref().is_some_and(|revert| revert.text == patch)
    }

    /// Counts the tests that the revert fixes: the bisection may have used other tests.
    pub(crate) fn weigh(&mut self, mending: &RepairContext<'_>) -> Result<()> {
        let Some(Revert { fix, tree, .. }) = &mut self.revert else { return Ok(()) };
        let RepairContext { judge, demands, bad, .. } = *mending;
        let judgement = judge.judgement(tree, bad.commit_id(), fix.why.as_str(), None)?;
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
    pub(crate) fn insert_into(&self, shown: &[FixResult], top: usize) -> Vec<FixResult> {
        let mut all = shown.to_vec();
        if let Some(Revert { fix, .. }) = &self.revert {
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
    pub(crate) fn comes_before(&self, tokens: Option<usize>, left: usize) -> bool {
        let trusted = self.revert.as_ref().filter(|_| !self.is_doubtful);
        trusted.is_some_and(|Revert { fix, .. }| {
            let leaves = fix.validated.still_failing.len();
            leaves < left || leaves == left && (fix.tokens.is_none() || fix.tokens <= tokens)
        })
    }
}
