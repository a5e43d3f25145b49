//! Publishes an untrusted run folder on GitHub: a check run, one comment, and a fix pull request or suggested changes.
//! Finds existing items first, so that publishing a run twice creates each item once.

mod applied_patch;
mod build_failure;
mod comment;
mod comment_marker;
mod culprit;
mod digest;
mod failure_metadata;
mod fix_pull;
mod marker;
mod marker_fields;
mod merge_queue_pull;
mod obsolete_comments;
mod obsolete_pulls;
mod obsolete_reason;
mod path_policy;
mod publish_result;
mod publisher;
mod settle;
mod settled_items;
mod version_edit;

pub use crate::publishing::build_failure::BuildFailure;
pub use crate::publishing::obsolete_comments::OutdatedComment;
pub use crate::publishing::obsolete_pulls::ClosedPull;
pub use crate::publishing::obsolete_reason::{BranchTip, PassingChecks};
pub use crate::publishing::path_policy::{PathPolicy, check_path};
pub use crate::publishing::publish_result::{PublishResult, PublishedRun};
pub(super) use marker::TextMarker;
pub(super) use obsolete_reason::passes_again;
pub(super) use publisher::CHECK_NAME;
pub use publisher::{Publisher, SearchIdentity};
pub use settle::{SettledOutput, settle_branch, settle_merge_group, settle_merged_pull};
pub use settled_items::SettledItems;
