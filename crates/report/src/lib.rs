//! Reports of runs for people and for programs.

mod again;
pub mod delta;
mod doctor;
mod evidence;
mod fixes;
mod gate;
mod harmless;
mod human;
mod interleaving;
mod lines_view;
mod marked_lines;
mod page;
mod patch_view;
mod pool_table;
mod read_run;
mod result;
mod schedules;
mod shown;
pub mod story;
mod style;
#[cfg(test)]
mod testing;
mod trial;
mod unified_diff;
mod values;

pub use doctor::DoctorReport;
pub use fixes::others_pass;
pub use gate::{FailedTest, GateReport, listed};
pub use harmless::one_line;
pub use human::{Scene, human, of_size, problem};
pub use interleaving::Interleaving;
pub use page::{Picture, Sketch, page, page_policy, pictures};
pub use patch_view::PatchSummary;
pub use read_run::ReadRun;
pub use read_run::is_patch_name;
pub use result::{
    Confirmed, Cost, DeltaSize, EnvironmentInfo, FixResult, Goal, Guilty, PatchResult, PooledPatch,
    RunResult, Status, Validated, Version,
};
pub use schedules::tells_apart;
pub use schedules::{
    Certificate, FailedSchedules, LockCycle, PatternResult, RaceResult, SchedulePolicy, Schedules,
};
pub use style::Style;
pub use trial::{Sought, Standing, TrialLine, TriedCommit};
pub use values::SeenValues;
