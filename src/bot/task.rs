//! What there is to do for a repository, as it is kept in the queue.

use super::command::Command;
use super::ids::{Branch, CheckSuiteId};
use crate::git::CommitId;
use crate::github::{CheckRunId, CommentId, InstallationId, PullNumber, RepoName, RunId};
use serde::{Deserialize, Serialize};

/// The kind of jobs that bring others to an end. They are never cancelled with these.
pub const CLOSE: &str = "close";

/// Something to do.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// Checks failed: find the change that broke them.
    Search {
        /// What failed.
        cause: Cause,
    },
    /// Something became good on a branch: close the fix pull requests that are no longer needed.
    Settle {
        /// Whether checks pass again; else somebody took a commit back.
        #[serde(default = "yes")]
        is_green: bool,
    },
    /// Somebody wrote a command.
    Command {
        /// The command.
        command: Command,
        /// Where it was written.
        comment: CommentId,
        /// Who wrote it; what they may do is asked when it is done.
        author: String,
    },
    /// Somebody pressed a button of our own check run, or wants it again.
    Button {
        /// The command of the button.
        command: Command,
        /// The check run; none if all checks of the commit are wanted again.
        check_run: Option<CheckRunId>,
    },
    /// A search has ended without an answer: bring what it had begun on GitHub to an end.
    Close {
        /// How far it was.
        progress: String,
        /// Why it ended, if that is known.
        why: Option<String>,
    },
    /// A merge queue waits for a verdict.
    PreMerge {
        /// What it would be merged into.
        base: CommitId,
    },
}

/// What jobs in a queue of an earlier version mean, which did not say it.
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

    /// Whether it may run beside another job of the same subject. What stops the others must, and what they left behind
    /// is in nobody's way.
    pub fn is_urgent(&self) -> bool {
        matches!(
            self,
            Self::Command { command: Command::Stop, .. }
                | Self::Button { command: Command::Stop, .. }
                | Self::Close { .. }
        )
    }
}

/// What failed.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Cause {
    /// A run of a workflow.
    WorkflowRun {
        /// Which.
        run: RunId,
        /// The how manieth time it was run.
        attempt: u32,
    },
    /// The checks of another App.
    CheckSuite {
        /// Which.
        suite: CheckSuiteId,
    },
}

/// What a job is about. Of the jobs of one subject one runs at a time.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Subject {
    /// Where it is reported.
    pub repository: RepoName,
    /// Where the commit comes from, if it is known.
    pub head_repository: Option<RepoName>,
    /// The branch, if it is known.
    pub branch: Option<Branch>,
    /// The commit, if it is known.
    pub sha: Option<CommitId>,
    /// The pull request, if there is one and it is known.
    pub pull: Option<PullNumber>,
}

/// A job that is to be put into the queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewJob {
    /// The same for everything that asks for the same work, so that it is done once.
    pub key: String,
    /// For whom.
    pub installation: InstallationId,
    /// What it is about.
    pub subject: Subject,
    /// What there is to do.
    pub task: Task,
}

/// Which jobs are to be cancelled: those to which all of these apply.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    /// Of this installation.
    pub installation: Option<InstallationId>,
    /// Of this repository.
    pub repository: Option<RepoName>,
    /// Of a branch in this repository.
    pub head_repository: Option<RepoName>,
    /// Of this branch.
    pub branch: Option<Branch>,
    /// Of this commit.
    pub sha: Option<CommitId>,
    /// Of this pull request.
    pub pull: Option<PullNumber>,
    /// Only those that were not started.
    pub is_waiting: bool,
}
