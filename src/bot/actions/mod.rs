//! Inside a workflow of GitHub Actions: what it was started by, which tests its build reported as failing, and where it
//! reads its answers.

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
