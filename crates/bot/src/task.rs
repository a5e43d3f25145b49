//! Task for a repository, as stored in the queue.

use super::command::Command;
use super::ids::{Branch, CheckSuiteId};
use mend_github::{CheckRunId, CommentId, InstallationId, PullNumber, RepoName, RunId};
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// Kind of the jobs that finish the check runs of other jobs. They are never cancelled with them.
pub const CLOSE: &str = "close";

/// Something to do.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// Checks failed: find the change that broke them.
    Search {
        /// The failure.
        cause: Cause,
    },
    /// Something became good on a branch: close the fix pull requests that are no longer needed.
    Settle {
        /// True if checks pass again. False if a commit was reverted.
        #[serde(default = "yes")]
        is_green: bool,
    },
    /// A user wrote a command.
    Command {
        /// The command.
        command: Command,
        /// The comment.
        comment: CommentId,
        /// The author. Permissions are checked when the job runs.
        author: String,
    },
    /// A user pressed a button of a git-mend check run, or re-ran it.
    Button {
        /// The command of the button.
        command: Command,
        /// The check run; none if all checks of the commit are wanted again.
        check_run: Option<CheckRunId>,
    },
    /// A search ended without a result: finish its check run on GitHub.
    Close {
        /// The recorded progress.
        progress: String,
        /// The reason, if known.
        why: Option<String>,
    },
    /// A merge queue waits for a verdict.
    PreMerge {
        /// The commit to merge onto.
        base: CommitId,
    },
}

/// Default for jobs in a queue of an earlier version, which lacks this field.
fn yes() -> bool {
    true
}

impl Task {
    /// The name of its kind, as it is in logs and metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Search { .. } => "search",
            Self::Settle { .. } => "settle",
            Self::Command { .. } => "command",
            Self::Button { .. } => "button",
            Self::Close { .. } => CLOSE,
            Self::PreMerge { .. } => "pre_merge",
        }
    }

    /// Returns true if the task may run in parallel with another job of the same subject: it stops that job, or it
    /// finishes a job that has ended.
    pub fn is_urgent(&self) -> bool {
        matches!(
            self,
            Self::Command { command: Command::Stop, .. }
                | Self::Button { command: Command::Stop, .. }
                | Self::Close { .. }
        )
    }
}

/// Failure that starts a search.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Cause {
    /// A run of a workflow.
    WorkflowRun {
        /// The run.
        run: RunId,
        /// The how manieth time it was run.
        attempt: u32,
    },
    /// The checks of another App.
    CheckSuite {
        /// The check suite.
        suite: CheckSuiteId,
    },
}

/// Subject of a job. Only one job of a subject runs at a time.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Subject {
    /// The repository to report to.
    pub repository: RepoName,
    /// The repository of the commit, if known.
    pub head_repository: Option<RepoName>,
    /// The branch, if it is known.
    pub branch: Option<Branch>,
    /// The commit, if it is known.
    pub sha: Option<CommitId>,
    /// The pull request, if there is one and it is known.
    pub pull: Option<PullNumber>,
}

/// Job to queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewJob {
    /// Key of the work: equal requests have equal keys, so that the work is done once.
    pub key: String,
    /// The installation.
    pub installation: InstallationId,
    /// The subject.
    pub subject: Subject,
    /// The work to do.
    pub task: Task,
}

/// Selection of jobs to cancel. All criteria must match.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    /// Jobs of this installation.
    pub installation: Option<InstallationId>,
    /// Jobs of this repository.
    pub repository: Option<RepoName>,
    /// Jobs for a branch in this repository.
    pub head_repository: Option<RepoName>,
    /// Jobs for this branch.
    pub branch: Option<Branch>,
    /// Jobs for this commit.
    pub sha: Option<CommitId>,
    /// Jobs for this pull request.
    pub pull: Option<PullNumber>,
    /// Only those that were not started.
    pub is_waiting: bool,
}
