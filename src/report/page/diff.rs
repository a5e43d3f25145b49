//! A patch as a page shows it: its lines with the tokens that changed, and the text to copy.

use crate::report::ReadRun;
use crate::report::harmless::harmless;
use crate::report::patch_view::{MarkedLine, marked_lines, parse};

/// So many lines of a patch are shown.
const MOST_LINES: usize = 400;

/// A patch.
pub(super) struct PatchView {
    /// The file in the run folder.
    pub(super) file: String,
    pub(super) files: Vec<FileView>,
    /// Lines that are not shown.
    pub(super) hidden: usize,
    /// The patch itself, where a page can hold it to the byte.
    pub(super) text: Option<String>,
}

/// One file's part.
pub(super) struct FileView {
    /// Where the first change is, or what happens to a file of which no line changes.
    pub(super) place: String,
    pub(super) hunks: Vec<Vec<MarkedLine>>,
}

impl PatchView {
    /// A patch of a run.
    pub(super) fn of(run: &ReadRun, file: &str) -> Self {
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
