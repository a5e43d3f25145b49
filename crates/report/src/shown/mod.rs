//! Contents of a run besides its patches, read and formatted once for both pages and Markdown.

mod material;
mod repairs;
mod threads;
mod words;

pub(super) use material::Material;
pub(super) use repairs::{Repair, ValuesView, repairs};
pub(super) use threads::{FailureRow, PolicyRow, ThreadsView, threads};
pub(super) use words::{Sentence, Word, WordKind, marked};
