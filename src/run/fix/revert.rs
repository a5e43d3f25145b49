//! Revert of a part of the change since good, and its rank among other fixes.

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
    pub(crate) patch_text: Vec<u8>,
}

/// Rank of the revert among other fixes, if there is a revert.
#[derive(Clone, Default)]
pub(crate) struct RevertRanking {
    revert: Option<Revert>,
    /// True if the revert does not fix the selected tests.
    is_rejected: bool,
}

impl RevertRanking {
    pub(crate) fn new(revert: Option<&Revert>) -> Self {
        Self { revert: revert.cloned(), is_rejected: false }
    }

    /// Returns true if another patch is identical.
    pub(crate) fn has_same_patch(&self, patch: &[u8]) -> bool {
        self.revert.as_ref().is_some_and(|revert| revert.patch_text == patch)
    }

    /// Counts the tests that the revert fixes, because the bisection may have used other tests.
    pub(crate) fn count_fixed_tests(&mut self, repair_context: &RepairContext<'_>) -> Result<()> {
        let Some(Revert { fix, tree, .. }) = &mut self.revert else { return Ok(()) };
        let RepairContext { oracle, expectations, bad, .. } = *repair_context;
        let judgement = oracle.judge(tree, bad.commit_id(), fix.why.as_str(), None)?;
        self.is_rejected = judgement.verdict != Verdict::Pass;
        if let Some(outcome) = judgement.outcome {
            let (still_failing, broken) =
                (expectations.still_failing_in(&outcome), expectations.regressions_in(&outcome));
            fix.validated = FixEvidence {
                failing_pass: expectations.failing_tests().len() - still_failing.len(),
                still_failing: still_failing.into_iter().collect(),
                passing_kept: expectations.passing_tests().len() - broken.len(),
                ..repair_context.base_evidence()
            };
        }
        Ok(())
    }

    /// Inserts the revert into verified fixes by size. The revert precedes fixes of equal size, because its code worked
    /// before.
    pub(crate) fn insert_into(&self, fixes: &[FixResult], max_fixes: usize) -> Vec<FixResult> {
        let mut all = fixes.to_vec();
        if let Some(Revert { fix, .. }) = &self.revert {
            let position = all
                .iter()
                .position(|one| self.ranks_before(one.tokens, one.validated.still_failing.len()));
            all.insert(position.unwrap_or(all.len()), fix.clone());
        }
        all.truncate(max_fixes);
        for (fix, rank) in all.iter_mut().zip(1..) {
            fix.rank = rank;
        }
        all
    }

    /// Returns true if the revert precedes a fix of this size that leaves some tests failing.
    pub(crate) fn ranks_before(&self, tokens: Option<usize>, still_failing: usize) -> bool {
        let trusted = self.revert.as_ref().filter(|_| !self.is_rejected);
        trusted.is_some_and(|Revert { fix, .. }| {
            let revert_still_failing = fix.validated.still_failing.len();
            revert_still_failing < still_failing
                || revert_still_failing == still_failing
                    && (fix.tokens.is_none() || fix.tokens <= tokens)
        })
    }
}
