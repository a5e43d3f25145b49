//! GitHub API client: one [`Client`] that handles rate limits, retries and pagination, and typed calls for one
//! repository ([`Repo`]). It makes no decisions about content.

mod address;
mod app;
mod app_manifest;
mod checks;
mod client;
mod comments;
mod commits;
mod connection;
mod credential;
mod error;
mod files;
mod names;
mod permissions;
mod pulls;
mod rate_limit;
mod repo;
mod repo_rules;
mod retry;
mod workflow_runs;

pub use address::{ApiAddress, InvalidApiAddress};
pub use app::{AccessLevel, GitHubApp, InstallationToken, PERMISSIONS, Permission};
pub use app_manifest::AppRegistration;
pub use checks::{
    Annotation, AnnotationLevel, CheckAction, CheckRun, CheckRunStatus, Conclusion, NewCheckRun,
};
pub use client::Client;
pub use comments::{Comment, CommentAuthor, Reaction};
pub use commits::{Ancestry, ChangedFile, FileContentChange, GitHubCommit, NewCommit};
pub use credential::Credential;
pub use error::{ApiError, ApiResult};
pub use files::{EntryKind, RemoteTreeEntry};
pub use names::{
    AppId, CheckRunId, CheckSuiteId, CommentId, InstallationId, Login, PullNumber, RepoName, RunId,
    UserId, WorkflowId,
};
pub use pulls::{NewPull, Pull, PullState, Suggestion};
pub use repo::{Repo, RepoAccess, RepoInfo};
pub use repo_rules::{BranchProtectionRule, BranchRule, PatternParameters, WorkflowPermissions};
pub use retry::RetryPolicy;
pub use workflow_runs::WorkflowRun;
