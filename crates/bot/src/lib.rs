//! GitHub integration: publishes results of searches and reacts to events. `git mend serve` is the App's server:
//! webhooks become events, events become jobs in a durable queue, and workers run the jobs.

pub mod actions;
mod buttons;
mod claims;
pub mod command;
mod dependency_update;
pub mod ids;
mod jobs;
mod merge_queue_branch;
mod metrics;
mod own_branches;
mod publishing;
pub mod queue;
mod remote;
mod repo_settings;
mod reverts;
mod serve;
mod server;
mod settings;
pub mod setup;
pub mod task;
pub mod webhook;
pub mod webhook_decision;
mod workers;

pub use claims::SearchClaims;
pub use merge_queue_branch::MergeQueueBranch;
pub use publishing::{
    BranchTip, BuildFailure, ClosedPull, OutdatedComment, PassingChecks, PathPolicy, PublishResult,
    PublishedRun, Publisher, SearchIdentity, SettledItems, SettledOutput, check_path,
    settle_branch, settle_merge_group, settle_merged_pull,
};
pub use remote::RemoteRepository;
pub use repo_settings::RepoSettings;
pub use serve::serve;
pub use settings::{ServeRequest, ServerSettings};
