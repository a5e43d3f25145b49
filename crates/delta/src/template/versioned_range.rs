//! Ranges of a file in both versions, with the hunk that each depends on.

use crate::hunk::HunkId;
use mend_model::RepoPath;
use std::ops::Range;

/// A changed file with its ranges.
pub(crate) struct FileRanges {
    pub(crate) old: Option<RepoPath>,
    pub(crate) new: Option<RepoPath>,
    pub(crate) ranges: Vec<VersionedRange>,
}

/// Range of a token, a line or a whole file: the smallest unit that a hunk changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VersionedRange {
    /// Range in the old version.
    pub(crate) old: Option<Range<usize>>,
    /// Range in the new version.
    pub(crate) new: Option<Range<usize>>,
    /// Innermost hunk that inserts or deletes it.
    pub(crate) hunk: Option<HunkId>,
}

impl VersionedRange {
    /// Creates the ranges of a replacement.
    pub(crate) fn replacement(
        old: Option<Range<usize>>,
        new: Option<Range<usize>>,
        hunk: HunkId,
    ) -> Vec<Self> {
        let old = old.map(|old| Self { old: Some(old), new: None, hunk: Some(hunk) });
        let new = new.map(|new| Self { old: None, new: Some(new), hunk: Some(hunk) });
        old.into_iter().chain(new).collect()
    }

    /// Splits a range of one version only into the words of its text.
    pub(crate) fn split_words(self, text: &[u8]) -> Vec<Self> {
        let Self { old, new, hunk } = self;
        let (range, is_old) = match (old, new) {
            (Some(range), _) => (range, true),
            (None, Some(range)) => (range, false),
            (None, None) => return Vec::new(),
        };
        let word_if = |word: Range<usize>, is_there: bool| is_there.then_some(word);
        word_ranges(text, range)
            .into_iter()
            .map(|word| Self {
                old: word_if(word.clone(), is_old),
                new: word_if(word, !is_old),
                hunk,
            })
            .collect()
    }
}

/// Returns the ranges of names and numbers, and of every other byte that is not white space.
fn word_ranges(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let is_word =
        |at: usize| text[at].is_ascii_alphanumeric() || text[at] == b'_' || text[at] >= 0x80;
    let mut words: Vec<Range<usize>> = Vec::new();
    for at in range.filter(|at| !text[*at].is_ascii_whitespace()) {
        match words.last_mut() {
            Some(last) if last.end == at && is_word(at) && is_word(at - 1) => last.end = at + 1,
            _ => words.push(at..at + 1),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_identifiers_and_single_characters() {
        let text = b"x: int a_1 += b;\n";
        let words = word_ranges(text, 3..text.len());
        let texts: Vec<&[u8]> = words.into_iter().map(|word| &text[word]).collect();
        assert_eq!(texts, [&b"int"[..], b"a_1", b"+", b"=", b"b", b";"]);
    }
}
