//! One run, from its request to its result: what both the command line and a server call.

mod attribution;
mod baseline;
mod bench;
mod bisect;
mod change;
mod compare;
mod doctor;
mod folder;
mod history;
mod judge;
mod ledger;
mod lineage;
mod notices;
mod own_code;
mod parallel;
mod patches;
mod proof;
mod rates;
mod ready;
mod repetition;
mod request;
mod session;
mod subject;
mod test_code;
mod units;
mod validate;
mod versions;

pub use bisect::bisect;
pub use compare::{Choice, CompareRequest, Comparison, compare};
pub use doctor::doctor;
pub use folder::{RunFolder, command_line_of, newest_unfinished};
pub use history::{ends_of_log, read_log};
pub use repetition::Repeat;
pub use request::{Context, GoodRevision, OracleRequest, Request, SubjectRequest};
pub use session::{Ending, runs_of};
pub use validate::{ValidateRequest, validate};
