//! Program repair: generates and ranks candidates for a failure.
//!
//! This module does not read, write or run anything. The caller verifies the candidates.

mod contracts;
mod test_results;

pub use candidates::candidate::{Candidate, Evasion, Strategy};
pub use candidates::generate::candidates;
pub use candidates::input::Material;
pub use candidates::normalization::canonical;
pub use contracts::Contracts;
pub use generated_tests::differential::{Agreement, Behaviour, agreements};
pub use generated_tests::suite::GeneratedTests;
pub use localization::diagnosis::Diagnosis;
pub use localization::fault_localization::suspects;
pub use localization::postcondition_violations::Breaches;
pub use localization::suspect::Suspect;
pub use observe::call_instrumentation::Wrapped;
pub use observe::call_recording::Calls;
pub use observe::postcondition_checks::{Assured, Unkept};
pub use observe::probe_exclusions::Unprobed;
pub use observe::probes::Hits;
pub use observe::recording::{Probed, Probing, Recording};
pub use observe::values::Observed;
pub use overfitting::empty_blocks::{hollow_blocks, without_hollow_branches};
pub use test_results::has_failed;

mod candidates;
mod conditions;
mod fixes;
mod generated_tests;
mod localization;
mod observe;
mod overfitting;
#[cfg(test)]
mod tests;
