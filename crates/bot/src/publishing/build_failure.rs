//! Failure of a commit on GitHub.

use crate::{MergeQueueBranch, SearchClaims};
use mend_github::Pull;
use mend_model::CommitId;

/// Failure from a trusted source: GitHub itself, never the run.
#[derive(Clone, Debug)]
pub struct BuildFailure {
    /// The commit that was tested.
    pub head: CommitId,
    /// The branch that it is on, if that is a branch of this repository.
    pub branch: Option<String>,
    /// The pull request that it is for.
    pub pull: Option<Pull>,
    /// The merge queue, if several pull requests are combined: only the pull request with the culprit gets a comment.
    pub queue: Option<MergeQueueBranch>,
    /// The file of the failing workflow, if known.
    pub workflow: Option<String>,
    /// Claims of the search job. They are only repeated.
    pub claims: SearchClaims,
    /// The address of the run.
    pub details_url: Option<String>,
}
