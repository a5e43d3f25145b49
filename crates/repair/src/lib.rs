//! Program repair: generates and ranks candidates for a failure.
//!
//! This module does not read, write or run anything. The caller verifies the candidates.

mod candidates;
mod conditions;
mod contracts;
mod fixes;
mod generated_tests;
mod localisation;
mod observe;
mod overfitting;
mod test_results;
#[cfg(test)]
mod tests;

pub use candidates::candidate::{Candidate, FixOperator, OverfittingKind};
pub use candidates::generate::candidates;
pub use candidates::input::RepairInput;
pub use candidates::normalisation::canonical;
pub use contracts::Contracts;
pub use generated_tests::differential::{DifferentialResult, TestBehaviour, agreements};
pub use generated_tests::suite::GeneratedTests;
pub use localisation::diagnosis::Diagnosis;
pub use localisation::fault_localisation::suspects;
pub use localisation::postcondition_violations::PostconditionViolations;
pub use localisation::suspect::SuspiciousStatement;
pub use observe::call_instrumentation::InstrumentedFiles;
pub use observe::call_recording::CallRecording;
pub use observe::postcondition_checks::{PostconditionChecks, PostconditionFailures};
pub use observe::probe_exclusions::ProbeExclusions;
pub use observe::probes::StatementCoverage;
pub use observe::recording::{ProbeInput, ProbedSources, Recording};
pub use observe::values::RecordedValues;
pub use overfitting::empty_blocks::{hollow_blocks, without_hollow_branches};
pub use test_results::has_failed;
