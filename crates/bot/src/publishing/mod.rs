//! Publishes an untrusted run folder on GitHub: a check run, one comment, and a fix pull request or suggested changes.
//! Existing items are found first, so that publishing the same run twice creates each item once.

mod comment;
mod culprit;
mod failure;
mod fix_pull;
mod marker;
mod patched;
mod permitted;
mod publisher;
mod queued;
mod told;
mod unneeded;

pub use failure::Failing;
pub(super) use marker::Marker;
pub use permitted::{Allowed, permitted_path};
pub(super) use publisher::CHECK;
pub use publisher::{Publisher, Search};
pub use told::{Published, Told};
pub use unneeded::{Closed, Green, Tip, Unneeded, close_unneeded};
