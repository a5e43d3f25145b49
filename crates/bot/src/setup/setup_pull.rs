//! Pull request with the workflow files.

use super::workflow_files::{WorkflowFile, WorkflowPlan};
use crate::own_branches::OWN_BRANCH_PREFIX;
use mend_github::{
    ApiError, ApiResult, ChangedFile, EntryKind, FileContentChange, NewCommit, NewPull, Pull, Repo,
};
use mend_report::github::{setup_pull_body, setup_pull_title};

/// Folder of the workflow files.
const WORKFLOW_FOLDER: &str = ".github/workflows";

/// Creates a branch with the files and opens a pull request for the default branch of the plan.
///
/// # Errors
/// GitHub's error; [`ApiError::Conflict`] with the path of a file that exists.
pub async fn open_setup_pull(repo: &Repo, plan: &WorkflowPlan) -> ApiResult<Pull> {
    let base = &plan.default_branch;
    let head = repo.get_branch_head(base).await?;
    let parent = head.ok_or_else(|| ApiError::NotFound(format!("branch {base}")))?;
    let files = plan.files();
    let existing = repo.list_folder(&parent.0, WORKFLOW_FOLDER).await?;
    let exists = |file: &&WorkflowFile| {
        existing.iter().any(|(name, _)| format!("{WORKFLOW_FOLDER}/{name}") == file.path)
    };
    if let Some(file) = files.iter().find(exists) {
        return Err(ApiError::Conflict(format!("{} exists on {base}", file.path)));
    }
    let branch = format!("{OWN_BRANCH_PREFIX}setup");
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
    repo.create_commit(&commit).await?;
    let pull = NewPull {
        title: setup_pull_title().to_owned(),
        body: setup_pull_body(base, plan.build_command),
        head: branch,
        base: base.clone(),
        draft: false,
    };
    repo.create_pull(&pull).await
}
