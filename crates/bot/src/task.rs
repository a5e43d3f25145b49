//! Tasks of jobs, stored in the queue as JSON.

use super::command::CommentCommand;
use super::ids::Branch;
use mend_github::CheckSuiteId;
use mend_github::{CheckRunId, CommentId, InstallationId, PullNumber, RepoName, RunId};
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// Kind of the jobs that finish the check runs of other jobs. Cancelling the other jobs does not cancel these.
pub const CLOSE_KIND: &str = "close";

/// Kind of the jobs that search because checks failed. Users request other searches.
pub const SEARCH_KIND: &str = "search";

/// Kind of the jobs that end searches and output about earlier failures. They do not wait for a search.
pub const SETTLE_KIND: &str = "settle";

/// Task of a job.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JobTask {
    /// Searches the change that broke the checks.
    Search {
        /// Failed checks.
        cause: SearchCause,
    },
    /// Ends searches and output about earlier failures, because checks pass again, a commit was reverted, or a pull
    /// request was merged.
    Settle {
        /// True if checks pass again.
        #[serde(alias = "is_green", default = "default_has_passed")]
        has_passed: bool,
    },
    /// Executes a command from a comment.
    Command {
        /// Command to execute.
        command: CommentCommand,
        /// Comment that contains the command.
        comment: CommentId,
        /// Author of the comment. The job checks the author's permissions when it runs.
        author: String,
    },
    /// Executes the command of a check run's button, or a request to re-run the check.
    Button {
        /// Command of the button.
        command: CommentCommand,
        /// Check run, or `None` if all checks of the commit are to be re-run.
        check_run: Option<CheckRunId>,
    },
    /// Finishes the check run of a search that ended without a result.
    Close {
        /// Recorded progress of that search.
        progress: String,
        /// Reason for its end, if known.
        why: Option<String>,
    },
    /// Passes the check of a merge group, for which the merge queue waits.
    #[serde(alias = "pre_merge")]
    PassMergeGroup {
        /// Base commit of the merge group.
        base: CommitId,
    },
}

/// Returns the default for jobs queued by an earlier version, which lacks this field.
fn default_has_passed() -> bool {
    true
}

impl JobTask {
    /// Returns the name of the kind, for logs and metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Search { .. } => SEARCH_KIND,
            Self::Settle { .. } => SETTLE_KIND,
            Self::Command { .. } => "command",
            Self::Button { .. } => "button",
            Self::Close { .. } => CLOSE_KIND,
            Self::PassMergeGroup { .. } => "pass_merge_group",
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
    /// Failed run of a workflow.
    WorkflowRun {
        /// Id of the run.
        run: RunId,
        /// Attempt number of the run.
        attempt: u32,
    },
    /// Failed checks of another App.
    CheckSuite {
        /// Id of the check suite.
        suite: CheckSuiteId,
    },
}

/// Subject of a job. Only one job of a subject runs at a time.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct JobSubject {
    /// Repository to report to.
    pub repository: RepoName,
    /// Repository of the commit, if known.
    pub head_repository: Option<RepoName>,
    /// Branch, if known.
    pub branch: Option<Branch>,
    /// Commit, if known.
    pub sha: Option<CommitId>,
    /// Pull request, if there is one and it is known.
    pub pull: Option<PullNumber>,
}

/// Job to queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewJob {
    /// Key of the work: equal requests have equal keys, so that the work is done once.
    pub key: String,
    /// Installation of the App.
    pub installation: InstallationId,
    /// Subject of the job.
    pub subject: JobSubject,
    /// Work to do.
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
    /// Jobs of this kind.
    pub kind: Option<&'static str>,
    /// Only jobs that have not started.
    pub only_waiting: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_queued_by_an_earlier_version_are_read() {
        let read = |text: &str| serde_json::from_str::<JobTask>(text).unwrap();
        assert_eq!(read(r#"{"kind": "settle"}"#), JobTask::Settle { has_passed: true });
        let failed = read(r#"{"kind": "settle", "is_green": false}"#);
        assert_eq!(failed, JobTask::Settle { has_passed: false });
        let text = format!(r#"{{"kind": "pre_merge", "base": "{}"}}"#, "a".repeat(40));
        assert_eq!(read(&text).kind(), "pass_merge_group");
    }
}
