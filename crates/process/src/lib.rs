//! Programs: starts, supervises and ends them, with everything that they started.

mod capture;
mod conversation;
mod marker;
mod process;
mod supervisor;
pub mod watchdog;

pub use capture::Output;
pub use conversation::Conversation;
pub use process::{End, Finished, Process};
pub use supervisor::Supervisor;
