//! GitHub Actions: the event that started a workflow, the failing tests of its build, and the outputs of a step.

mod build_failure;
mod event;
mod last_passing_commit;
mod outputs;
mod report_folder;
mod test_reports;
mod workflow;

pub use crate::actions::last_passing_commit::last_passing_commit;
pub use crate::actions::outputs::StepOutputs;
pub use crate::actions::report_folder::{ReportFolder, is_in_standard_report_folder};
pub use crate::actions::test_reports::{TestReports, read_reports};
pub(super) use event::workflow_file;
pub use event::{CompletedRun, DispatchPayload, WorkflowEvent};
pub use workflow::{CommitOrigin, SettingsCommit, WorkflowContext};
