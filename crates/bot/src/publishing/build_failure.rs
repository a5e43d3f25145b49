//! Failure of a commit, as GitHub describes it.

use crate::dependency_update::is_update_pull;
use crate::{MergeQueueBranch, SearchClaims};
use mend_github::{Pull, RepoName};
use mend_model::CommitId;

/// Failure to report, from GitHub. Nothing except the claims comes from the untrusted run.
#[derive(Clone, Debug)]
pub struct BuildFailure {
    /// Tested commit.
    pub head: CommitId,
    /// Branch of the commit, if it is a branch of this repository.
    pub branch: Option<String>,
    /// Pull request of the commit.
    pub pull: Option<Pull>,
    /// Merge queue branch, if several pull requests are combined: only the pull request with the culprit gets a
    /// comment.
    pub queue: Option<MergeQueueBranch>,
    /// Path of the failing workflow's file, if known.
    pub workflow: Option<String>,
    /// Claims of the search job. They are untrusted and only repeated.
    pub claims: SearchClaims,
    /// Address of the run.
    pub details_url: Option<String>,
}

impl BuildFailure {
    /// Returns the base of a pull request that updates dependencies, from a branch of this repository: a fork chooses the
    /// name of its branch freely. `repo` is the repository to report to.
    pub(super) fn update_base(&self, repo: &RepoName) -> Option<&CommitId> {
        let pull = self.pull.as_ref()?;
        let is_own = pull.head_repo.as_ref() == Some(repo);
        (is_own && is_update_pull(pull)).then_some(&pull.base)
    }

    /// Returns the failing branch with its repository, perhaps a fork. Returns `None` for a merge queue, because GitHub
    /// deletes its branch, and for a deleted fork. `repo` is the repository to report to.
    pub(super) fn branch_name<'a>(&'a self, repo: &'a RepoName) -> Option<(&'a RepoName, &'a str)> {
        if self.queue.is_some() {
            return None;
        }
        if let Some(branch) = &self.branch {
            return Some((repo, branch));
        }
        let pull = self.pull.as_ref()?;
        Some((pull.head_repo.as_ref()?, &pull.head_branch))
    }
}
