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
pub use page::{Picture, Sketch, page, page_policy, pictures};
pub use patch::format::PatchSummary;
pub use run_folder::result::{
    Confirmed, Cost, DeltaSize, EnvironmentInfo, FixResult, Goal, Guilty, PatchResult, PooledPatch,
    RunResult, Status, Validated, Version,
};
pub use run_folder::saved_run::ReadRun;
pub use run_folder::saved_run::is_patch_name;
pub use run_folder::trial::{Sought, Standing, TrialLine, TriedCommit};
pub use run_folder::values::SeenValues;
pub use sanitize::one_line;
pub use terminal::fixes::others_pass;
pub use terminal::style::Style;
pub use terminal::{Scene, human, of_size, problem};
pub use threads::interleaving::Interleaving;
pub use threads::result::tells_apart;
pub use threads::result::{
    Certificate, FailedSchedules, LockCycle, PatternResult, RaceResult, SchedulePolicy, Schedules,
};
