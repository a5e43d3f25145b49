//! Parts of two versions of a text, which are equal or changed.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// Part of two versions of a text. The parts of a text cover both versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextPart {
    /// Bytes in the old version.
    pub(crate) old: Range<usize>,
    /// Bytes in the new version.
    pub(crate) new: Range<usize>,
    /// Number of the change; `None` if both versions are equal. Parts with the same number are changed together.
    pub(crate) change: Option<usize>,
}

/// Compares two texts line by line. Each run of changed lines is a part, and each equal line.
pub(crate) fn compare_lines(old: &[u8], new: &[u8]) -> Vec<TextPart> {
    let (old_lines, new_lines) = (line_ranges(old), line_ranges(new));
    let texts = |text: &[u8], lines: &[Range<usize>]| -> Vec<Vec<u8>> {
        lines.iter().map(|line| text[line.clone()].to_vec()).collect()
    };
    let ops =
        capture_diff_slices(Algorithm::Myers, &texts(old, &old_lines), &texts(new, &new_lines));
    let mut parts = Vec::new();
    let mut changes = 0;
    for op in ops {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            parts.extend((0..len).map(|k| TextPart {
                old: old_lines[old_index + k].clone(),
                new: new_lines[new_index + k].clone(),
                change: None,
            }));
            continue;
        }
        parts.push(TextPart {
            old: join_lines(&old_lines, op.old_range(), old.len()),
            new: join_lines(&new_lines, op.new_range(), new.len()),
            change: Some(changes),
        });
        changes += 1;
    }
    parts
}

/// Returns the lines of a text, each with its line break.
pub(crate) fn line_ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}

/// Returns the bytes of some of the lines of a text with a length in bytes.
fn join_lines(lines: &[Range<usize>], some: Range<usize>, length: usize) -> Range<usize> {
    let start = lines.get(some.start).map_or(length, |line| line.start);
    let end = lines.get(some.end).map_or(length, |line| line.start);
    start..end
}
