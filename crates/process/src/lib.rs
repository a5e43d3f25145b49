//! Programs: starts, supervises and ends them, with everything that they started.

mod capture;
mod piped_process;
mod process_tag;
mod program;
mod supervised_process;
mod supervisor;
pub mod watchdog;

pub use capture::Output;
pub use piped_process::PipedProcess;
pub use program::{Program, ProgramOutput};
pub use supervised_process::{FinishedProcess, Process, ProcessEnd};
pub use supervisor::Supervisor;
