//! Search for fixes: `git mend fix`.

pub(crate) mod budget;
mod candidate_generation;
mod candidate_list;
mod combined_fixes;
mod command;
mod contract_repair;
mod fix_minimiser;
mod fix_ranking;
mod fix_verifier;
pub(crate) mod generator;
mod generator_tester;
pub(in crate::run) mod plausible;
pub(crate) mod request;
pub(crate) mod result;
pub(crate) mod revert;
mod revert_search;
mod schema_trials;
mod simpler_fixes;
pub(in crate::run) mod trials;
pub(in crate::run) mod unverified_fixes;

pub use crate::run::fix::budget::Budget;
pub use crate::run::fix::command::fix;
pub use crate::run::fix::generator::command::GeneratorRequest;
pub(crate) use crate::run::fix::generator::protocol::generator_schema;
pub use crate::run::fix::request::{FixRequest, Technique};
