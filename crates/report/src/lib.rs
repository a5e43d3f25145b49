//! Formats the results of runs for the terminal, HTML pages, GitHub and JSON, and reads and writes run folders.

pub mod delta;
mod doctor;
mod gate;
pub mod github;
mod page;
mod patch;
mod reproduce;
mod revert_text;
mod run_folder;
mod sanitize;
mod terminal;
#[cfg(test)]
mod testing;
mod threads;
mod view;

pub use doctor::DoctorReport;
pub use gate::{FailedTest, GateReport, format_name_list};
pub use page::{Picture, TextDiagram, page_policy, render_page, run_pictures};
pub use patch::format::PatchSummary;
pub use run_folder::result::{
    CommitInfo, Confidence, Cost, DeltaSize, EnvironmentInfo, FixEvidence, FixResult,
    GENERATOR_TECHNIQUE, GeneratorResult, LibraryHistoryResult, PatchResult, PoolPatchResult,
    REGRESSION_TECHNIQUE, RevertResult, RunGoal, RunResult, RunStatus, TestFailure, TestRunReport,
    UnverifiedFix, UpgradeKind, UpgradeResult, Verification, VersionInfo,
};
pub use run_folder::saved_run::SavedRun;
pub use run_folder::saved_run::is_patch_name;
pub use run_folder::trial::{SearchGoal, SearchProgress, TestedCommit, TrialLine};
pub use run_folder::values::ObservedValues;
pub use sanitize::sanitise_line;
pub use terminal::fixes::affected_passing_text;
pub use terminal::style::TerminalStyle;
pub use terminal::{OutputContext, format_delta_size, format_problem, format_result};
pub use threads::interleaving::Interleaving;
pub use threads::result::is_explanatory;
pub use threads::result::{
    Certificate, FailedSchedules, LockCycle, LockUsage, PatternResult, RaceResult, ScheduleReport,
};
