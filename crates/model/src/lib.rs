//! Shared value types: trees and edits, outcomes, verdicts, problems.

mod compile_error_signatures;
mod disk_space;
mod doctor_finding;
mod exit_code;
mod failure_signature;
mod formatting;
mod interrupt;
mod message_template;
mod missing_requirements;
mod normalised_message;
mod object_ids;
mod outcome;
mod path;
mod problem;
mod progress;
mod redaction;
mod removed_packages;
mod result;
pub mod schedules;
mod schema;
mod selector;
mod symptom;
mod term_values;
mod test_expectations;
mod tree_edit;
mod verdict;

pub use disk_space::{free_bytes, is_disk_full};
pub use doctor_finding::{DoctorFinding, DoctorStatus};
pub use exit_code::Exit;
pub use failure_signature::FailureSignature;
pub use formatting::{
    format_count, format_duration, join_with_and, list_first, suggest_name, truncate,
    without_options, without_packages,
};
pub use interrupt::Interrupt;
pub use message_template::MessageTemplate;
pub use missing_requirements::MissingRequirements;
pub use normalised_message::normalise_message;
pub use object_ids::{BlobId, CommitId};
pub use outcome::{BuildPart, Failure, Frame, Outcome, TestResult, TestStatus};
pub use path::RepoPath;
pub use problem::{GoodOrBad, Problem};
pub use progress::{NoProgress, ProgressEvent, ProgressListener};
pub use redaction::Secrets;
pub use result::Result;
pub use schema::{keys_of, schema_of};
pub use selector::Selector;
pub use symptom::Symptom;
pub use term_values::TermValues;
pub use test_expectations::TestExpectations;
pub use tree_edit::{FileChange, FileMode, FileState, TreeEdit, TreeId};
pub use verdict::{Phase, Verdict};
