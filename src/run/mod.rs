//! Runs the commands, from request to result, for the command line and the server.

mod bisect;
mod delta;
mod doctor;
mod fix;
mod hook_check;
mod judge;
mod outcome_merge;
pub(crate) mod patch;
mod session;
mod subject;
mod test_run;
mod threads;
mod upgrade;
mod validate;

pub use crate::run::bisect::commit_bisection::{endpoints_of_log, read_log};
pub use crate::run::delta::{ComponentChoice, DeltaRequest, VersionDelta, compare_versions};
pub use crate::run::hook_check::{HookCheckRequest, HookResult, check_change, warm_runtime};
pub use crate::run::judge::repetition::Repeat;
pub use crate::run::session::request::{
    BisectRequest, Context, DownloadOptions, ExecutorRequest, GoodRevision, LibrarySource,
    OracleRequest, SubjectRequest, UpgradeRequest,
};
pub use crate::run::session::run_folder::{
    RunFolder, create_run_folder, newest_interrupted_run, newest_run, read_command_line,
};
pub use crate::run::session::shard::Shard;
pub use bisect::{bisect, bisect_shard, plan_bisection};
pub use doctor::doctor;
pub(crate) use fix::generator_schema;
pub use fix::{Budget, FixRequest, GeneratorRequest, Technique, fix};
pub use outcome_merge::{MergedOutcomes, merge_outcomes};
pub use session::{FinishedRun, runs_folder_of};
pub use test_run::run_tests;
pub use threads::{DEFAULT_SCHEDULERS, ExploreRequest, explore};
pub use upgrade::upgrade;
pub use validate::{ValidateRequest, plan_validation, validate, validate_shard};
