//! Publishes an untrusted run folder on GitHub: a check run, one comment, and a fix pull request or suggested changes.
//! Finds existing items first, so that publishing a run twice creates each item once.

mod applied_patch;
mod build_failure;
mod comment;
mod culprit;
mod fix_pull;
mod marker;
mod merge_queue_pull;
mod obsolete_pulls;
mod path_policy;
mod publish_result;
mod publisher;

pub use crate::publishing::build_failure::BuildFailure;
pub use crate::publishing::obsolete_pulls::{
    BranchTip, ClosedPull, ObsoletePulls, PassingChecks, close_obsolete_pulls,
};
pub use crate::publishing::path_policy::{PathPolicy, check_path};
pub use crate::publishing::publish_result::{PublishResult, PublishedRun};
pub(super) use marker::TextMarker;
pub(super) use publisher::CHECK_NAME;
pub use publisher::{Publisher, SearchIdentity};
