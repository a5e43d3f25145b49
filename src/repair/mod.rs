//! Program repair: generates and ranks candidates for a failure.
//!
//! This module does not read, write or run anything. The caller verifies the candidates.

mod around;
mod assured;
mod behaviour;
mod binding;
mod births;
mod breaches;
mod calls;
mod candidate;
mod canonical;
mod clauses;
mod code;
mod commanded;
mod concurrency;
mod constant;
mod contracts;
mod diagnosis;
mod edit;
mod effects;
mod faults;
mod flow;
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
mod purity;
mod recording;
mod scope;
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
pub use code::Code;
pub use concurrency::{Remedy, SourceFile, Way, remedies};
pub use contracts::Contracts;
pub use diagnosis::Diagnosis;
pub use edit::{Edit, edited, without};
pub use generate::candidates;
pub use generated::GeneratedTests;
pub use hollow::{hollow_blocks, without_hollow_branches};
pub use material::Material;
pub use observed::{Observed, TermValues};
pub use probes::Hits;
pub use recording::{Probed, Probing, Recording};
pub use suspect::Suspect;
pub use suspicion::suspects;
pub use test_results::has_failed;
pub use unprobed::Unprobed;

#[cfg(test)]
mod tests;
