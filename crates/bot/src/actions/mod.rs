//! GitHub Actions: the event that started a workflow, the failing tests of its build, and the outputs of a step.

mod event;
mod failing;
mod files;
mod good;
mod reports;
mod workflow;

pub(super) use event::workflow_file;
pub use event::{Asked, Cause, Event};
pub use files::Outputs;
pub use good::last_green;
pub use reports::{Reports, read_reports};
pub use workflow::{SettingsCommit, Workflow};
