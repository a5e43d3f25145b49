//! Patch on a page: its lines with the changed tokens, and the text to copy.

use crate::SavedRun;
use crate::patch::marked_lines::{MarkedLine, marked_lines};
use crate::patch::unified_diff::parse;
use crate::sanitize::harmless;

/// Maximum number of lines shown.
const MOST_LINES: usize = 400;

/// Patch.
pub(super) struct PatchView {
    /// File in the run folder.
    pub(super) file: String,
    pub(super) files: Vec<FileView>,
    /// Number of lines not shown.
    pub(super) hidden: usize,
    /// Exact text of the patch, if a page can contain it.
    pub(super) text: Option<String>,
}

/// Changes of one file.
pub(super) struct FileView {
    /// Location of the first change, or the kind of change if no line changes.
    pub(super) place: String,
    pub(super) hunks: Vec<Vec<MarkedLine>>,
}

impl PatchView {
    /// Reads a patch of a run.
    pub(super) fn read(run: &SavedRun, file: &str) -> Self {
        let text = run.patch_text(file);
        let (mut left, mut hidden) = (MOST_LINES, 0);
        let mut files = Vec::new();
        for part in parse(&text) {
            let mut hunks = Vec::new();
            for hunk in &part.hunks {
                let count = hunk.lines.len();
                if count > left {
                    hidden += count;
                    continue;
                }
                left -= count;
                hunks.push(marked_lines(hunk));
            }
            files.push(FileView { place: harmless(&part.place()), hunks });
        }
        let is_exact = run.patch(file) == Some(text.as_bytes()) && harmless(&text) == text;
        Self { file: file.to_owned(), files, hidden, text: is_exact.then_some(text) }
    }
}
