//! Reports of runs for people and for programs.

pub mod delta;
mod doctor;
mod gate;
pub mod github;
mod page;
mod patch;
mod reproduce;
mod run_folder;
mod sanitize;
mod terminal;
#[cfg(test)]
mod testing;
mod threads;
mod view;

pub use doctor::DoctorReport;
pub use gate::{FailedTest, GateReport, listed};
pub use page::{Picture, TextDiagram, page, page_policy, pictures};
pub use patch::format::PatchSummary;
pub use run_folder::result::{
    CommitInfo, Cost, DeltaSize, EnvironmentInfo, FixEvidence, FixResult, PatchResult,
    PoolPatchResult, RunGoal, RunResult, RunStatus, Verification, VersionInfo,
};
pub use run_folder::saved_run::SavedRun;
pub use run_folder::saved_run::is_patch_name;
pub use run_folder::trial::{SearchGoal, SearchProgress, TestedCommit, TrialLine};
pub use run_folder::values::ObservedValues;
pub use sanitize::one_line;
pub use terminal::fixes::others_pass;
pub use terminal::style::TerminalStyle;
pub use terminal::{OutputContext, human, of_size, problem};
pub use threads::interleaving::Interleaving;
pub use threads::result::tells_apart;
pub use threads::result::{
    Certificate, FailedSchedules, LockCycle, LockUsage, PatternResult, RaceResult, ScheduleReport,
};
