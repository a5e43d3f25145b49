//! Excerpts of source files around lines of interest, within a size limit.

use super::protocol::SourceExcerpt;

/// Maximum size of a file that is included as a whole, in bytes.
const MAX_WHOLE_FILE_BYTES: usize = 32 << 10;

/// Number of lines before and after a line of interest in a larger file.
const CONTEXT_LINES: usize = 60;

/// Maximum size of all excerpts together, in bytes.
const MAX_TOTAL_BYTES: usize = 512 << 10;

/// Excerpts of source files. Further ones are left out once the size limit is reached.
#[derive(Default)]
pub(in crate::run) struct SourceExcerpts {
    excerpts: Vec<SourceExcerpt>,
    total_bytes: usize,
}

impl SourceExcerpts {
    /// Adds a small file as a whole, or the surroundings of `lines` in a large one.
    pub(in crate::run) fn add_file(
        &mut self,
        path: &str,
        text: &str,
        lines: &[usize],
        is_test: bool,
    ) {
        if text.len() <= MAX_WHOLE_FILE_BYTES {
            return self.add(SourceExcerpt {
                path: path.to_owned(),
                first_line: 1,
                text: text.to_owned(),
                is_test,
            });
        }
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        for (start, end) in surrounding_ranges(lines, all.len()) {
            self.add(SourceExcerpt {
                path: path.to_owned(),
                first_line: start + 1,
                text: all[start..end].concat(),
                is_test,
            });
        }
    }

    fn add(&mut self, excerpt: SourceExcerpt) {
        let total = self.total_bytes + excerpt.text.len();
        if total <= MAX_TOTAL_BYTES {
            self.total_bytes = total;
            self.excerpts.push(excerpt);
        }
    }

    pub(in crate::run) fn into_excerpts(self) -> Vec<SourceExcerpt> {
        self.excerpts
    }
}

/// Returns the ranges of line indices around some lines, counted from 1. Ranges that touch are joined.
fn surrounding_ranges(lines: &[usize], count: usize) -> Vec<(usize, usize)> {
    let mut sorted = lines.to_vec();
    sorted.sort_unstable();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in sorted {
        let (start, end) =
            (line.saturating_sub(CONTEXT_LINES + 1).min(count), (line + CONTEXT_LINES).min(count));
        match ranges.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => ranges.push((start, end)),
        }
    }
    ranges.retain(|(start, end)| start < end);
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_file_is_cut_to_the_surroundings_of_its_lines() {
        let lines: Vec<String> = (1..=5000).map(|line| format!("line {line:04}\n")).collect();
        let text = lines.concat();
        let mut excerpts = SourceExcerpts::default();
        excerpts.add_file("A.java", &text, &[1000, 30, 1010, 9999], false);
        let excerpts = excerpts.into_excerpts();
        let places: Vec<_> =
            excerpts.iter().map(|one| (one.first_line, one.text.lines().count())).collect();
        assert_eq!(places, [(1, 90), (940, 131)]);
        assert!(excerpts[1].text.starts_with("line 0940\n"));
    }

    #[test]
    fn total_size_is_limited() {
        let text = "x".repeat(MAX_WHOLE_FILE_BYTES);
        let mut excerpts = SourceExcerpts::default();
        for number in 0..100 {
            excerpts.add_file(&format!("{number}.java"), &text, &[], true);
        }
        assert_eq!(excerpts.into_excerpts().len(), MAX_TOTAL_BYTES / MAX_WHOLE_FILE_BYTES);
    }
}
