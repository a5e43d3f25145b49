//! Pull request with the workflow files.

use super::workflow_files::{WorkflowFile, WorkflowPlan};
use crate::own_branches::OWN_BRANCH_PREFIX;
use mend_github::{
    ApiError, ChangedFile, EntryKind, FileContentChange, NewCommit, NewPull, Pull, Repo,
};
use mend_report::github::{setup_pull_body, setup_pull_title};

/// Folder of the workflow files.
const WORKFLOW_FOLDER: &str = ".github/workflows";

/// Error of opening the pull request with the workflow files.
#[derive(Debug, thiserror::Error)]
pub enum SetupPullError {
    /// A workflow file exists.
    #[error("{path} exists on {branch}")]
    FileExists {
        /// Path of the file.
        path: &'static str,
        /// The default branch.
        branch: String,
    },
    /// The token may not create the commit, with GitHub's message.
    #[error("{0}")]
    CommitForbidden(String),
    /// Another error of GitHub.
    #[error(transparent)]
    GitHub(#[from] ApiError),
}

/// Creates a branch with the files and opens a pull request for the default branch of the plan. Its name depends on the
/// newest commit, so that a later attempt does not find the branch of an earlier one.
///
/// # Errors
/// [`SetupPullError`].
pub async fn open_setup_pull(repo: &Repo, plan: &WorkflowPlan) -> Result<Pull, SetupPullError> {
    let base = &plan.default_branch;
    let head = repo.get_branch_head(base).await?;
    let parent = head.ok_or_else(|| ApiError::NotFound(format!("branch {base}")))?;
    let files = plan.files();
    let existing = repo.list_folder(&parent.0, WORKFLOW_FOLDER).await?;
    let exists = |file: &&WorkflowFile| {
        existing.iter().any(|(name, _)| format!("{WORKFLOW_FOLDER}/{name}") == file.path)
    };
    if let Some(file) = files.iter().find(exists) {
        return Err(SetupPullError::FileExists { path: file.path, branch: base.clone() });
    }
    let branch = format!("{OWN_BRANCH_PREFIX}setup-{}", parent.short());
    let added = |file: WorkflowFile| ChangedFile {
        path: file.path.to_owned(),
        kind: EntryKind::File,
        change: FileContentChange::Write(file.content.into_bytes()),
    };
    let commit = NewCommit {
        branch: branch.clone(),
        parent,
        headline: setup_pull_title().to_owned(),
        body: String::new(),
        changes: files.map(added).into(),
    };
    repo.create_commit(&commit).await.map_err(|error| match error {
        ApiError::Forbidden(message) => SetupPullError::CommitForbidden(message),
        error => error.into(),
    })?;
    let pull = NewPull {
        title: setup_pull_title().to_owned(),
        body: setup_pull_body(base, plan.build_command),
        head: branch,
        base: base.clone(),
        draft: false,
    };
    Ok(repo.create_pull(&pull).await?)
}
