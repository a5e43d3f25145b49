//! Shared value types: trees and edits, outcomes, verdicts, problems.

mod demands;
mod interrupt;
mod outcome;
mod path;
mod problem;
mod progress;
mod redaction;
mod result;
mod room;
mod schema;
mod selector;
mod symptom;
mod tree_edit;
mod verdict;
mod words;

pub use demands::Demands;
pub use interrupt::Interrupt;
pub use outcome::{Failure, Frame, Outcome, TestResult, TestStatus};
pub use path::RepoPath;
pub use problem::{Exit, Problem, Side};
pub use progress::{Event, Progress, Silent};
pub use redaction::Secrets;
pub use result::Result;
pub use room::{free_bytes, is_full};
pub use schema::{keys_of, schema_of};
pub use selector::Selector;
pub use symptom::{Symptom, message_shape};
pub use tree_edit::{FileChange, FileMode, FileState, TreeEdit, TreeId};
pub use verdict::{Phase, Verdict};
pub use words::{counted, cut, first_of, lasting, nearest, without};
