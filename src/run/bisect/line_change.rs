//! Presence of a change of lines in another version of the file.

use std::cmp::Ordering;
use std::collections::HashMap;

/// Returns true if `current` has every line that the change from `old` to `new` inserts, and none back that it deletes.
pub(super) fn has_changed_lines([old, new]: [&[u8]; 2], current: &[u8]) -> bool {
    let [old, new, current] = [old, new, current].map(count_lines);
    let is_present = |line: &&[u8]| {
        let [old, new, current] =
            [&old, &new, &current].map(|counts| counts.get(*line).copied().unwrap_or_default());
        match old.cmp(&new) {
            Ordering::Less => current >= new,
            Ordering::Greater => current <= new,
            Ordering::Equal => true,
        }
    };
    old.keys().chain(new.keys()).all(is_present)
}

/// Returns the number of each line, without white space around it. Lines of punctuation only are omitted: they occur in
/// many places.
fn count_lines(text: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    for line in text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if line.iter().any(u8::is_ascii_alphanumeric) {
            *counts.entry(line).or_default() += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_present(old: &str, new: &str, current: &str) -> bool {
        has_changed_lines([old.as_bytes(), new.as_bytes()], current.as_bytes())
    }

    #[test]
    fn change_stays_if_its_neighbours_change() {
        assert!(is_present("a\nb\nc", "a\nB\nc", "x\n  B\n}\ny"));
    }

    #[test]
    fn change_is_lost_if_its_line_is_edited_or_reverted() {
        for current in ["a\nb\nc", "a\nb2\nc", ""] {
            assert!(!is_present("a\nb\nc", "a\nB\nc", current));
        }
    }

    #[test]
    fn deletion_is_lost_if_the_line_comes_back() {
        assert!(is_present("a\nb", "a", "a\nc"));
        assert!(!is_present("a\nb", "a", "b\na"));
        assert!(!is_present("b\nb", "b", "b\nb"));
    }
}
