//! GitHub API client: one [`Client`] that handles rate limits, retries and pagination, and typed calls for one
//! repository ([`Repo`]). It makes no decisions about content.

mod address;
mod app;
mod checks;
mod client;
mod comments;
mod commits;
mod error;
mod files;
mod names;
mod permissions;
mod pulls;
mod repo;
mod retry;
mod workflow_runs;

pub use address::{ApiAddress, NotAnAddress};
pub use app::{App, InstallationToken, Level, PERMISSIONS, Permission};
pub use checks::{
    Annotation, AnnotationLevel, CheckAction, CheckRun, CheckState, Conclusion, NewCheckRun,
};
pub use client::{Client, Credential};
pub use comments::{Author, Comment, Reaction};
pub use commits::{Change, Changed, Commit, Descent, NewCommit};
pub use error::{ForgeError, ForgeResult};
pub use files::{Entry, EntryKind};
pub use names::{
    CheckRunId, CommentId, InstallationId, Login, PullNumber, RepoName, RunId, UserId,
};
pub use pulls::{NewPull, Pull, PullState, Suggestion};
pub use repo::{Repo, RepoInfo};
pub use retry::Patience;
pub use workflow_runs::{WorkflowRun, WorkflowRunConclusion};
