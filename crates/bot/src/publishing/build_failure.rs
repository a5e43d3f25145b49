//! Failure of a commit, as GitHub describes it.

use crate::{MergeQueueBranch, SearchClaims};
use mend_github::Pull;
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
