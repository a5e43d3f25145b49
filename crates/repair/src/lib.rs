//! Program repair: generates and ranks candidates for a failure.
//!
//! This module does not read, write or run anything. The caller verifies the candidates.

mod around;
mod assured;
mod behaviour;
mod births;
mod breaches;
mod calls;
mod candidate;
mod canonical;
mod clauses;
mod commanded;
mod constant;
mod contracts;
mod diagnosis;
mod effects;
mod faults;
mod further_calls;
mod generate;
mod generated;
mod hollow;
mod inputs;
mod java_types;
mod linear;
mod material;
mod negation;
mod object_model;
mod observed;
mod origin;
mod probes;
mod proposals;
mod recording;
mod stack;
mod standing;
mod suspect;
mod suspicion;
mod terms;
mod test_copies;
mod test_results;
mod transitions;
mod twins;
mod unprobed;

pub use around::Wrapped;
pub use assured::{Assured, Unkept};
pub use behaviour::{Agreement, Behaviour, agreements};
pub use breaches::Breaches;
pub use calls::Calls;
pub use candidate::{Candidate, Evasion, Strategy};
pub use canonical::canonical;
pub use contracts::Contracts;
pub use diagnosis::Diagnosis;
pub use generate::candidates;
pub use generated::GeneratedTests;
pub use hollow::{hollow_blocks, without_hollow_branches};
pub use material::Material;
pub use observed::Observed;
pub use probes::Hits;
pub use recording::{Probed, Probing, Recording};
pub use suspect::Suspect;
pub use suspicion::suspects;
pub use test_results::has_failed;
pub use unprobed::Unprobed;

#[cfg(test)]
mod tests;
