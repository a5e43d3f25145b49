//! Git: the user's repository, which is only read, and the object store of a run. libgit2 reads and writes objects; the
//! git program does operations on history, settings or a work tree.

mod branch;
mod checkout_settings;
mod clone_state;
mod commit;
mod deepening;
mod download_policy;
mod history;
mod hooks;
mod lfs;
mod location;
mod oid;
mod partial_clone;
mod pending_merge;
mod program;
mod push;
mod repository;
mod scratch;
mod store;
mod submodules;
mod suggestions;
#[cfg(test)]
pub(crate) mod testing;

pub use branch::NewCommit;
pub use commit::Commit;
pub use download_policy::DownloadPolicy;
pub use hooks::{GitHook, HooksFolder, InstallAction, InstallResult};
pub use lfs::is_lfs_pointer;
pub use pending_merge::PendingMerge;
pub use program::Git;
pub(crate) use program::write_problem;
pub use push::PushedBranch;
pub use repository::Repository;
pub use scratch::folder_removal::remove_folder;
pub use scratch::run_lock::{RunLock, remove_stale_work};
pub use scratch::scratch_tree::{ApplyStatus, ScratchTree};
pub use store::apply::ApplyResult;
pub use store::object_store::{Alternates, ObjectStore, TreeEntry};
pub use submodules::Submodules;
