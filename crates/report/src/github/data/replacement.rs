//! Converts a patch to replacements of lines in the failing version, for annotations and suggested changes.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Replacement of lines in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Path of the file.
    pub path: String,
    /// First replaced line, from 1.
    pub first_line: usize,
    /// Last replaced line.
    pub last_line: usize,
    /// New lines, with line ends.
    pub text: String,
}

impl Replacement {
    /// Returns the replacements of a changed file. Each replaces at least one line, because GitHub accepts no
    /// suggestion for zero lines: an insertion includes the line before it, or the first line. An empty file has no
    /// lines and returns none.
    pub fn from_texts(path: &str, old: &str, new: &str) -> Vec<Self> {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
        let changes = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
        let ranges = changes.map(|op| (op.old_range(), op.new_range()));
        let replacement = |(mut from, mut to): (std::ops::Range<usize>, std::ops::Range<usize>)| {
            if from.is_empty() && from.start > 0 {
                (from.start, to.start) = (from.start - 1, to.start - 1);
            } else if from.is_empty() && !old.is_empty() {
                (from.end, to.end) = (1, to.end + 1);
            }
            let text = new.get(to)?.concat();
            let replaces_lines = !from.is_empty();
            replaces_lines.then(|| Self {
                path: path.to_owned(),
                first_line: from.start + 1,
                last_line: from.end,
                text,
            })
        };
        ranges.filter_map(replacement).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replacements(old: &str, new: &str) -> Vec<(usize, usize, String)> {
        let all = Replacement::from_texts("A.java", old, new);
        all.into_iter().map(|one| (one.first_line, one.last_line, one.text)).collect()
    }

    #[test]
    fn changed_lines_become_replacements() {
        assert_eq!(replacements("a\nb\nc\n", "a\nB\nc\n"), [(2, 2, "B\n".to_owned())]);
        assert_eq!(replacements("a\nb\nc\n", "a\n"), [(2, 3, String::new())]);
    }

    #[test]
    fn insertion_includes_a_neighbouring_line() {
        assert_eq!(replacements("a\nb\n", "a\nx\nb\n"), [(1, 1, "a\nx\n".to_owned())]);
        assert_eq!(replacements("a\nb\n", "x\na\nb\n"), [(1, 1, "x\na\n".to_owned())]);
        assert_eq!(replacements("", "x\n"), []);
    }
}
