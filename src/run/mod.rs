//! Runs of all commands, from request to result, for the command line and the server.

mod bisect;
mod delta;
mod doctor;
mod fix;
mod hook_check;
mod judge;
pub(crate) mod patch;
mod session;
mod subject;
mod threads;
mod validate;

pub use crate::run::bisect::commit_history::{ends_of_log, read_log};
pub use crate::run::delta::{ComponentChoice, DeltaRequest, VersionDelta, compare};
pub use crate::run::hook_check::{HookCheckRequest, HookResult, gate, warm};
pub use crate::run::judge::repetition::Repeat;
pub use crate::run::session::request::{
    BisectRequest, Context, GoodRevision, OracleRequest, SubjectRequest,
};
pub use crate::run::session::run_folder::{RunFolder, command_line_of, newest, newest_unfinished};
pub use bisect::bisect;
pub use doctor::doctor;
pub use fix::{Budget, FixRequest, Technique, fix};
pub use session::{FinishedRun, runs_of};
pub use threads::{ExploreRequest, SAMPLERS, explore};
pub use validate::{ValidateRequest, validate};
