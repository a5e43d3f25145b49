//! Trials: folders to build and test variants in, and the programs that run there. Whatever happens to a
//! run, no process of it stays and its folders are swept.

mod capture;
mod conversation;
mod folders;
mod marker;
mod process;
mod run_lock;
mod scratch_tree;
mod supervisor;
pub mod watchdog;

pub use capture::Output;
pub use conversation::Conversation;
pub use folders::remove as remove_folder;
pub use process::{End, Finished, Process};
pub use run_lock::{RunLock, sweep};
pub use scratch_tree::{Applied, ScratchTree};
pub use supervisor::Supervisor;
