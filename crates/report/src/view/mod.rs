//! Views of a run for pages and Markdown, read and formatted once for both.

mod fixes;
mod sentence;
mod threads;

pub(super) use crate::run_folder::artifacts::RunArtifacts;
pub(super) use crate::view::fixes::{FixView, RecordedValuesView, fix_views, fixed_test_sentences};
pub(super) use crate::view::sentence::{Sentence, SentencePart, TextOrigin, parse_sentence};
pub(super) use threads::{ThreadsView, threads_view};
