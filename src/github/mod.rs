//! GitHub's interface, as far as it is used: one [`Client`] that waits, repeats and pages as GitHub asks, and typed
//! calls on one repository ([`Repo`]). Nothing here decides what is said or done.

mod address;
mod app;
mod checks;
mod client;
mod comments;
mod commits;
mod error;
mod files;
mod names;
mod people;
mod pulls;
mod repo;
mod retry;
mod runs;

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
pub use runs::{WorkflowRun, WorkflowRunConclusion};
