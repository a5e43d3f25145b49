//! Contents of a run besides its patches, read and formatted once for both pages and Markdown.

mod fixes;
mod sentence;
mod threads;

pub(super) use crate::run_folder::artifacts::RunArtifacts;
pub(super) use crate::view::fixes::{FixView, RecordedValuesView, fix_views};
pub(super) use crate::view::sentence::{Sentence, SentencePart, TextOrigin, parse_sentence};
pub(super) use threads::{ThreadsView, threads_view};
