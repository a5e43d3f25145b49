//! Objects of a repository on GitHub: comments, pull requests, check runs, reviews, workflow runs and dispatch events.

use serde_json::Value;
use std::collections::BTreeSet;

/// Comment on a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) id: u64,
    pub(crate) pull: u64,
    pub(crate) author: String,
    pub(crate) body: String,
    /// Reactions, with their authors.
    pub(crate) reactions: BTreeSet<(String, String)>,
    pub(super) created_at: String,
    pub(super) updated_at: String,
}

/// State of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FakePullState {
    Open,
    Closed,
    Merged,
}

/// Pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) author: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) state: FakePullState,
    pub(crate) is_draft: bool,
    pub(crate) labels: BTreeSet<String>,
    pub(crate) head_repo: String,
    pub(crate) head_branch: String,
    pub(crate) head: String,
    pub(crate) base_branch: String,
    pub(crate) base: String,
    /// Merge commit, or the last commit of a squash or rebase.
    pub(crate) merge_commit: Option<String>,
    pub(super) created_at: String,
}

/// Check run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckRun {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) head: String,
    pub(crate) status: String,
    /// All statuses of the check run, in their order.
    pub(crate) statuses: Vec<String>,
    pub(crate) started_at: Option<String>,
    pub(crate) conclusion: Option<String>,
    pub(crate) external_id: Option<String>,
    pub(crate) details_url: Option<String>,
    pub(crate) title: String,
    pub(crate) summary: String,
    /// Annotations of all requests, as received.
    pub(crate) annotations: Vec<Value>,
    /// Labels of the buttons, if there are any.
    pub(crate) actions: Option<Vec<String>>,
    /// Number and name of the App.
    pub(super) app: (u64, String),
    pub(super) created_at: String,
}

/// Review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Review {
    pub(crate) id: u64,
    pub(crate) pull: u64,
    pub(crate) author: String,
    pub(crate) body: String,
    pub(crate) event: String,
    pub(crate) commit: String,
    /// Comments as received.
    pub(crate) comments: Vec<Value>,
    pub(super) created_at: String,
}

/// Workflow run. [`WorkflowRun::completed`] sets fields that a test does not need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkflowRun {
    pub(crate) workflow: u64,
    /// Path of the workflow file: `.github/workflows/…`.
    pub(crate) path: String,
    /// Title that the workflow gives the run.
    pub(crate) title: String,
    pub(crate) head: String,
    pub(crate) branch: Option<String>,
    pub(crate) event: String,
    pub(crate) status: String,
    pub(crate) conclusion: Option<String>,
    /// Repository of the branch.
    pub(crate) head_repo: Option<String>,
    /// Pull requests of branches of the repository itself. GitHub lists none of forks.
    pub(crate) pulls: Vec<u64>,
}

impl WorkflowRun {
    /// Creates a completed run after a push.
    pub(crate) fn completed(workflow: u64, branch: &str, head: &str, conclusion: &str) -> Self {
        Self {
            workflow,
            path: ".github/workflows/test.yml".to_owned(),
            title: "Tests".to_owned(),
            head: head.to_owned(),
            branch: Some(branch.to_owned()),
            event: "push".to_owned(),
            status: "completed".to_owned(),
            conclusion: Some(conclusion.to_owned()),
            head_repo: None,
            pulls: Vec::new(),
        }
    }
}

/// Event `repository_dispatch` for the repository's own workflows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    pub(crate) event: String,
    pub(crate) payload: Value,
}
