//! Changes of a file's text.

use std::ops::Range;

/// Bytes of a file that become others; nothing is replaced where the range is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edit {
    /// Byte range in the original file.
    pub bytes: (usize, usize),
    /// Replacement text.
    pub text: String,
}

impl Edit {
    /// Bytes become a text.
    pub fn replace(bytes: Range<usize>, text: impl Into<String>) -> Self {
        Self { bytes: (bytes.start, bytes.end), text: text.into() }
    }

    /// Creates an insertion before an offset.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { bytes: (at, at), text: text.into() }
    }

    /// Returns true if the replaced range includes that of another edit.
    pub fn covers(&self, other: &Self) -> bool {
        self.bytes.0 <= other.bytes.0
            && other.bytes.1 <= self.bytes.1
            && self.bytes.0 < self.bytes.1
    }
}

/// Applies edits to a text, in their order at equal offsets; `None` if two of them overlap.
pub fn edited(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.bytes);
    let (mut out, mut done) = (String::with_capacity(text.len() + 64), 0);
    for edit in sorted {
        let (from, to) = edit.bytes;
        out.push_str(text.get(done..from)?);
        out.push_str(&edit.text);
        done = to;
    }
    out.push_str(text.get(done..)?);
    Some(out)
}

/// Translates an edit back to the text before other edits; `None` if it changes their inserted text.
pub fn translate_to_original(edit: &Edit, made: &[Edit]) -> Option<Edit> {
    let mut sorted: Vec<&Edit> = made.iter().collect();
    sorted.sort_by_key(|one| one.bytes);
    let (mut added, mut taken) = (0, 0);
    for one in sorted {
        let start = one.bytes.0 + added - taken;
        let end = start + one.text.len();
        if edit.bytes.1 <= start {
            break;
        }
        if edit.bytes.0 < end {
            return None;
        }
        added += one.text.len();
        taken += one.bytes.1 - one.bytes.0;
    }
    let back = |at: usize| at + taken - added;
    Some(Edit { bytes: (back(edit.bytes.0), back(edit.bytes.1)), text: edit.text.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_in_the_order_of_their_bytes() {
        let edits = [Edit::replace(4..5, "c"), Edit::insert(0, "x"), Edit::insert(0, "y")];
        assert_eq!(edited("a + b", &edits).unwrap(), "xya + c");
    }

    #[test]
    fn an_edit_is_told_without_those_that_came_before_it() {
        let made = [Edit::replace(0..1, "all"), Edit::insert(4, "not "), Edit::replace(8..9, "")];
        let text = edited("a + b + c", &made).unwrap();
        assert_eq!(text, "all + not b + ");
        let plus = Edit::replace(12..13, "-");
        assert_eq!(edited(&text, std::slice::from_ref(&plus)).unwrap(), "all + not b - ");
        let alone = translate_to_original(&plus, &made).unwrap();
        assert_eq!(edited("a + b + c", &[alone]).unwrap(), "a + b - c");
        assert_eq!(translate_to_original(&Edit::replace(1..2, "x"), &made), None);
        assert_eq!(translate_to_original(&Edit::replace(4..8, ""), &made), None);
    }

    #[test]
    fn edits_that_overlap_are_refused() {
        assert_eq!(edited("abc", &[Edit::replace(0..2, ""), Edit::replace(1..3, "")]), None);
    }
}
