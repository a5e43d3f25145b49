//! Presence of a change of lines in another version of the file.

use std::collections::HashMap;

/// Lines whose number a change of a file changes.
pub(super) struct LineChange {
    /// Number of each line before and after the change.
    counts: HashMap<Vec<u8>, [usize; 2]>,
}

impl LineChange {
    pub(super) fn between(old: &[u8], new: &[u8]) -> Self {
        let mut counts: HashMap<&[u8], [usize; 2]> = HashMap::new();
        for (side, text) in [old, new].into_iter().enumerate() {
            for line in relevant_lines(text) {
                counts.entry(line).or_default()[side] += 1;
            }
        }
        counts.retain(|_, [old, new]| old != new);
        Self { counts: counts.into_iter().map(|(line, count)| (line.to_vec(), count)).collect() }
    }

    /// Returns true if a version of the file has every line that the change inserts, and none back that it deletes.
    pub(super) fn is_in(&self, current: &[u8]) -> bool {
        let mut current_counts: HashMap<&[u8], usize> = HashMap::new();
        for line in relevant_lines(current).filter(|line| self.counts.contains_key(*line)) {
            *current_counts.entry(line).or_default() += 1;
        }
        self.counts.iter().all(|(line, [old, new])| {
            let current = current_counts.get(&line[..]).copied().unwrap_or_default();
            if old < new { current >= *new } else { current <= *new }
        })
    }
}

/// Returns the lines, without white space around them. Lines of punctuation only are omitted: they occur in many places.
fn relevant_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| line.iter().any(u8::is_ascii_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_present(old: &str, new: &str, current: &str) -> bool {
        LineChange::between(old.as_bytes(), new.as_bytes()).is_in(current.as_bytes())
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
