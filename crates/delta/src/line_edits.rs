//! Edits that turn one version of a text into another, by whole lines.

use mend_java::Edit;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Returns the edits of whole lines that turn `old` into `new`, in ascending order.
pub fn line_edits(old: &str, new: &str) -> Vec<Edit> {
    let [old_lines, new_lines] =
        [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let ends = old_lines.iter().scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    let offsets: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let to_edit = |op: &DiffOp| {
        let (old_range, new_range) = (op.old_range(), op.new_range());
        Edit::replace(
            offsets[old_range.start]..offsets[old_range.end],
            new_lines[new_range].concat(),
        )
    };
    let ops = capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines);
    ops.iter().filter(|op| op.tag() != similar::DiffTag::Equal).map(to_edit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_java::apply_edits;
    use proptest::prelude::*;

    #[test]
    fn distant_changes_are_separate_edits() {
        let edits = line_edits("a\nb\nc\nd\n", "a\nB\nc\nd\ne");
        assert_eq!(edits, [Edit::replace(2..4, "B\n"), Edit::insert(8, "e")]);
    }

    proptest! {
        #[test]
        fn edits_turn_the_old_text_into_the_new_one(old in "[ab\n]{0,20}", new in "[ab\n]{0,20}") {
            prop_assert_eq!(apply_edits(&old, &line_edits(&old, &new)), Some(new));
        }
    }
}
