//! Starts, supervises and stops programs, together with all processes that they start.

mod capture;
mod piped_process;
mod process_tag;
mod program;
mod sandbox;
mod supervised_process;
mod supervisor;
pub mod watchdog;

pub use capture::Output;
pub use piped_process::PipedProcess;
pub use program::{Program, ProgramOutput};
pub use sandbox::{ResourceLimits, Sandbox, UntrustedProgram};
pub use supervised_process::{FinishedProcess, Process, ProcessEnd};
pub use supervisor::Supervisor;
