//! Patch on a page: its lines with the changed tokens, and its text for copying.

use crate::SavedRun;
use crate::patch::marked_lines::{MarkedLine, mark_hunk};
use crate::patch::unified_diff::parse_unified_diff;
use crate::sanitize::sanitise_text;

/// Maximum number of lines shown.
const MAX_LINES: usize = 400;

/// Patch on a page.
pub(super) struct PatchView {
    /// Path of the patch in the run folder.
    pub(super) file: String,
    pub(super) files: Vec<FileView>,
    /// Number of lines not shown.
    pub(super) hidden_lines: usize,
    /// Exact text of the patch, if a page can contain it.
    pub(super) text: Option<String>,
}

/// Changes of one file.
pub(super) struct FileView {
    /// Location of the first change, or the kind of change if no line changes.
    pub(super) location: String,
    pub(super) hunks: Vec<Vec<MarkedLine>>,
}

impl PatchView {
    /// Reads a patch of a run.
    pub(super) fn read(run: &SavedRun, file: &str) -> Self {
        let text = run.patch_text(file);
        let (mut remaining_lines, mut hidden) = (MAX_LINES, 0);
        let mut files = Vec::new();
        for file_diff in parse_unified_diff(&text) {
            let mut hunks = Vec::new();
            for hunk in &file_diff.hunks {
                let count = hunk.lines.len();
                if count > remaining_lines {
                    hidden += count;
                    continue;
                }
                remaining_lines -= count;
                hunks.push(mark_hunk(hunk));
            }
            files.push(FileView { location: sanitise_text(&file_diff.location()), hunks });
        }
        let is_exact = run.patch(file) == Some(text.as_bytes()) && sanitise_text(&text) == text;
        Self { file: file.to_owned(), files, hidden_lines: hidden, text: is_exact.then_some(text) }
    }
}
