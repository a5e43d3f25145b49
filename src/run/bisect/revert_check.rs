//! Revert check: reverts a culprit on top of bad and tests the result.

use crate::run::bisect::commit_bisection::CommitBisection;
use crate::run::session::versions::ResolvedVersion;
use mend_git::Commit;
use mend_model::{Result, TreeId, Verdict};
use mend_report::RevertResult;

/// Change that breaks the test, as trees with the tests of bad.
pub(crate) struct BreakingChange {
    /// Last commit of the change.
    pub(crate) commit: Commit,
    pub(crate) before: TreeId,
    pub(crate) after: TreeId,
}

impl CommitBisection<'_> {
    /// Returns the change of a commit, of a merge against its first parent; `None` for a commit without parents.
    pub(crate) fn change_of_commit(&self, commit: &Commit) -> Result<Option<BreakingChange>> {
        let Some(parent) = commit.parents.first() else { return Ok(None) };
        let before = self.overlaid_tree(&self.repository.commit(parent)?)?;
        let after = self.overlaid_tree(commit)?;
        Ok(Some(BreakingChange { commit: commit.clone(), before, after }))
    }

    /// Reverts a change on top of bad as `git revert` does, and tests the result.
    pub(crate) fn check_revert(
        &self,
        change: &BreakingChange,
        bad: &ResolvedVersion,
    ) -> Result<RevertResult> {
        let BreakingChange { commit, before, after } = change;
        let Some(reverted) = self.store.merge(after, &bad.overlaid_tree, before)? else {
            return Ok(RevertResult { applies: false, passes: false });
        };
        // Without any effect, bad still fails.
        if reverted == bad.overlaid_tree {
            return Ok(RevertResult { applies: true, passes: false });
        }
        let description = format!("{} with {} reverted", bad.short_label(), commit.id.short());
        let verdict =
            self.oracle.verdict(&reverted, bad.commit_id(), description.as_str(), Some(1))?;
        Ok(RevertResult { applies: true, passes: verdict == Verdict::Pass })
    }
}
