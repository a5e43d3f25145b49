//! Text edits of a file.

use std::ops::Range;

/// Replacement of a byte range by a text; an insertion has an empty range.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edit {
    /// Byte range in the original file.
    pub bytes: (usize, usize),
    /// Replacement text.
    pub text: String,
}

impl Edit {
    /// Creates a replacement of a byte range.
    pub fn replace(bytes: Range<usize>, text: impl Into<String>) -> Self {
        Self { bytes: (bytes.start, bytes.end), text: text.into() }
    }

    /// Creates an insertion before an offset.
    pub fn insert(offset: usize, text: impl Into<String>) -> Self {
        Self { bytes: (offset, offset), text: text.into() }
    }

    /// Returns true if the replaced range includes that of another edit.
    pub fn covers(&self, other: &Self) -> bool {
        self.bytes.0 <= other.bytes.0
            && other.bytes.1 <= self.bytes.1
            && self.bytes.0 < self.bytes.1
    }
}

/// Applies edits to a text, in their order at equal offsets; `None` if two of them overlap.
pub fn apply_edits(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.bytes);
    let (mut out, mut copied_end) = (String::with_capacity(text.len() + 64), 0);
    for edit in sorted {
        let (from, to) = edit.bytes;
        out.push_str(text.get(copied_end..from)?);
        out.push_str(&edit.text);
        copied_end = to;
    }
    out.push_str(text.get(copied_end..)?);
    Some(out)
}

/// Translates an edit back to the text before other edits; `None` if it changes their inserted text.
pub fn translate_to_original(edit: &Edit, applied: &[Edit]) -> Option<Edit> {
    let mut sorted: Vec<&Edit> = applied.iter().collect();
    sorted.sort_by_key(|applied_edit| applied_edit.bytes);
    let (mut inserted_bytes, mut removed_bytes) = (0, 0);
    for applied_edit in sorted {
        let start = applied_edit.bytes.0 + inserted_bytes - removed_bytes;
        let end = start + applied_edit.text.len();
        if edit.bytes.1 <= start {
            break;
        }
        if edit.bytes.0 < end {
            return None;
        }
        inserted_bytes += applied_edit.text.len();
        removed_bytes += applied_edit.bytes.1 - applied_edit.bytes.0;
    }
    let to_original = |at: usize| at + removed_bytes - inserted_bytes;
    Some(Edit {
        bytes: (to_original(edit.bytes.0), to_original(edit.bytes.1)),
        text: edit.text.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_offset_order() {
        let edits = [Edit::replace(4..5, "c"), Edit::insert(0, "x"), Edit::insert(0, "y")];
        assert_eq!(apply_edits("a + b", &edits).unwrap(), "xya + c");
    }

    #[test]
    fn edit_translates_to_original_offsets() {
        let applied =
            [Edit::replace(0..1, "all"), Edit::insert(4, "not "), Edit::replace(8..9, "")];
        let text = apply_edits("a + b + c", &applied).unwrap();
        assert_eq!(text, "all + not b + ");
        let plus = Edit::replace(12..13, "-");
        assert_eq!(apply_edits(&text, std::slice::from_ref(&plus)).unwrap(), "all + not b - ");
        let alone = translate_to_original(&plus, &applied).unwrap();
        assert_eq!(apply_edits("a + b + c", &[alone]).unwrap(), "a + b - c");
        assert_eq!(translate_to_original(&Edit::replace(1..2, "x"), &applied), None);
        assert_eq!(translate_to_original(&Edit::replace(4..8, ""), &applied), None);
    }

    #[test]
    fn overlapping_edits_are_rejected() {
        assert_eq!(apply_edits("abc", &[Edit::replace(0..2, ""), Edit::replace(1..3, "")]), None);
    }
}
