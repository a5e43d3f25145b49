//! Task for a repository, as stored in the queue.

use super::command::CommentCommand;
use super::ids::Branch;
use mend_github::CheckSuiteId;
use mend_github::{CheckRunId, CommentId, InstallationId, PullNumber, RepoName, RunId};
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// Kind of the jobs that finish the check runs of other jobs. They are never cancelled with them.
pub const CLOSE_KIND: &str = "close";

/// Task of a job.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JobTask {
    /// Checks failed: find the change that broke them.
    Search {
        /// The failure.
        cause: SearchCause,
    },
    /// Checks pass again or a commit was reverted: close the obsolete fix pull requests.
    Settle {
        /// True if checks pass again. False if a commit was reverted.
        #[serde(default = "default_is_green")]
        is_green: bool,
    },
    /// A user wrote a command.
    Command {
        /// The command.
        command: CommentCommand,
        /// The comment.
        comment: CommentId,
        /// The author. Permissions are checked when the job runs.
        author: String,
    },
    /// A user pressed a button of a git-mend check run, or re-ran it.
    Button {
        /// The command of the button.
        command: CommentCommand,
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

/// Returns the default for jobs queued by an earlier version, which lacks this field.
fn default_is_green() -> bool {
    true
}

impl JobTask {
    /// Returns the name of the kind, for logs and metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Search { .. } => "search",
            Self::Settle { .. } => "settle",
            Self::Command { .. } => "command",
            Self::Button { .. } => "button",
            Self::Close { .. } => CLOSE_KIND,
            Self::PreMerge { .. } => "pre_merge",
        }
    }

    /// Returns true if the task may run in parallel with another job of the same subject: it stops that job, or it
    /// finishes a job that has ended.
    pub fn is_urgent(&self) -> bool {
        matches!(
            self,
            Self::Command { command: CommentCommand::Stop, .. }
                | Self::Button { command: CommentCommand::Stop, .. }
                | Self::Close { .. }
        )
    }
}

/// Failure that starts a search.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum SearchCause {
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
pub struct JobSubject {
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
    pub subject: JobSubject,
    /// The work to do.
    pub task: JobTask,
}

/// Selection of jobs to cancel. All criteria must match.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct JobSelection {
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
    pub only_waiting: bool,
}
