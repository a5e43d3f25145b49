//! Shared value types: trees and edits, outcomes, verdicts, problems.

mod check;
mod disk_space;
mod exit_code;
mod formatting;
mod interrupt;
mod object_ids;
mod outcome;
mod path;
mod problem;
mod progress;
mod redaction;
mod result;
pub mod schedules;
mod schema;
mod selector;
mod symptom;
mod term_values;
mod test_expectations;
mod tree_edit;
mod verdict;

pub use check::{DoctorFinding, DoctorStatus};
pub use disk_space::{free_bytes, is_disk_full};
pub use exit_code::Exit;
pub use formatting::{
    format_count, format_duration, list_first, suggest_name, truncate, without_options,
};
pub use interrupt::Interrupt;
pub use object_ids::{BlobId, CommitId};
pub use outcome::{BuildPart, Failure, Frame, Outcome, TestResult, TestStatus};
pub use path::RepoPath;
pub use problem::{GoodOrBad, Problem};
pub use progress::{NoProgress, ProgressEvent, ProgressListener};
pub use redaction::Secrets;
pub use result::Result;
pub use schema::{keys_of, schema_of};
pub use selector::Selector;
pub use symptom::{Symptom, normalise_message};
pub use term_values::TermValues;
pub use test_expectations::TestExpectations;
pub use tree_edit::{FileChange, FileMode, FileState, TreeEdit, TreeId};
pub use verdict::{Phase, Verdict};
