//! One run, from its request to its result: what both the command line and a server call.

mod bisect;
mod delta;
mod doctor;
mod explore;
mod fix;
mod hook_check;
mod judge;
pub(crate) mod patch;
mod session;
mod subject;
mod validate;

pub use crate::run::bisect::commit_history::{ends_of_log, read_log};
pub use crate::run::delta::{Choice, CompareRequest, Comparison, compare};
pub use crate::run::hook_check::{Gate, GateRequest, gate, warm};
pub use crate::run::judge::repetition::Repeat;
pub use crate::run::session::request::{
    Context, GoodRevision, OracleRequest, Request, SubjectRequest,
};
pub use crate::run::session::run_folder::{RunFolder, command_line_of, newest, newest_unfinished};
pub use bisect::bisect;
pub use doctor::doctor;
pub use explore::{ExploreRequest, SAMPLERS, explore};
pub use fix::{Budget, FixRequest, Technique, fix};
pub use session::{Ending, runs_of};
pub use validate::{ValidateRequest, validate};
