//! What there is to show of a run besides its patches, read and put into words once: pages and Markdown show the same.

mod material;
mod repairs;
mod threads;
mod words;

pub(super) use material::Material;
pub(super) use repairs::{Repair, ValuesView, repairs};
pub(super) use threads::{FailureRow, PolicyRow, ThreadsView, threads};
pub(super) use words::{Sentence, Word, WordKind, marked};
