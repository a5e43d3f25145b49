//! Contract repair: generates and ranks candidates for a failure.
//!
//! This crate reads no files and runs no programs. The caller verifies the candidates.

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

pub use candidates::candidate::{FixOperator, LocatedCandidate, OverfittingKind};
pub use candidates::external_patch::{ExternalPatch, LocatedPatch, PatchLocator, PatchedFile};
pub use candidates::generate::generate_candidates;
pub use candidates::mutant_schema::MutantSchema;
pub use candidates::normalisation::normalise_code;
pub use candidates::repair_input::RepairInput;
pub use contracts::Contracts;
pub use generated_tests::differential::{DifferentialResult, TestBehaviour, weigh_repairs};
pub use generated_tests::suite::GeneratedTests;
pub use localisation::changed_statements::find_changed_statements;
pub use localisation::diagnosis::Diagnosis;
pub use localisation::fault_localisation::rank_suspects;
pub use localisation::postcondition_violations::PostconditionViolations;
pub use localisation::suspect::SuspiciousStatement;
pub use localisation::suspicious_location::{
    MethodContract, SuspiciousLocation, describe_contracts, describe_suspects,
};
pub use observe::call_instrumentation::InstrumentedFiles;
pub use observe::call_recording::CallRecording;
pub use observe::instrumentation_io::{ProbeInput, ProbedSources, Recording};
pub use observe::postcondition_checks::{PostconditionChecks, PostconditionFailures};
pub use observe::probe_exclusions::ProbeExclusions;
pub use observe::probes::StatementCoverage;
pub use observe::values::RecordedValues;
pub use overfitting::empty_blocks::{count_empty_blocks, remove_empty_branches};
pub use test_results::has_failed;
