//! Contents of a run besides its patches, read and formatted once for both pages and Markdown.

mod fixes;
mod sentence;
mod threads;

pub(super) use crate::run_folder::artifacts::Material;
pub(super) use crate::view::fixes::{Repair, ValuesView, repairs};
pub(super) use crate::view::sentence::{Sentence, Word, WordKind, marked};
pub(super) use threads::{FailureRow, PolicyRow, ThreadsView, threads};
