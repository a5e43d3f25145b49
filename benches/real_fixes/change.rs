//! Change of one file, by tokens.

use mend_java::{NodeId, ParsedSource};
use std::ops::Range;

/// Change of one file: the tokens between the first and the last difference.
pub(crate) struct Change {
    pub(crate) old_source: ParsedSource,
    /// Range of the changed tokens of the old file; empty if tokens are only inserted.
    pub(crate) old_range: Range<usize>,
    /// Changed bytes of the old file.
    pub(crate) bytes: Range<usize>,
    /// Changed tokens of the old and of the new file.
    pub(crate) old_tokens: Vec<String>,
    pub(crate) new_tokens: Vec<String>,
}

impl Change {
    /// Compares two versions; `None` if one is invalid or they have the same tokens.
    pub(crate) fn new(old: &[u8], new: &[u8]) -> Option<Self> {
        let (old, new) = (ParsedSource::parse(old.into())?, ParsedSource::parse(new.into())?);
        let (old_count, new_count) = (old.tokens().len(), new.tokens().len());
        let shared = old_count.min(new_count);
        let is_same = |one: usize, other: usize| old.token_text(one) == new.token_text(other);
        let first = (0..shared).find(|at| !is_same(*at, *at)).unwrap_or(shared);
        let rest = shared - first;
        let is_different = |back: &usize| !is_same(old_count - 1 - back, new_count - 1 - back);
        let back = (0..rest).find(is_different).unwrap_or(rest);
        let (old_range, new_range) = (first..old_count - back, first..new_count - back);
        if old_range.is_empty() && new_range.is_empty() {
            return None;
        }
        // An insertion lies before the next token.
        let start = old.tokens().get(first)?.start;
        let end = old_range.clone().next_back().map_or(start, |last| old.tokens()[last].end);
        let texts = |source: &ParsedSource, range: &Range<usize>| {
            let token = |at| String::from_utf8_lossy(source.token_text(at)).into_owned();
            range.clone().map(token).collect::<Vec<_>>()
        };
        let (old_tokens, new_tokens) = (texts(&old, &old_range), texts(&new, &new_range));
        Some(Self { old_source: old, old_range, bytes: start..end, old_tokens, new_tokens })
    }

    /// Returns the innermost node of the old file whose kind is accepted and that contains the first changed token.
    pub(crate) fn innermost_node(&self, accepts: impl Fn(&str) -> bool) -> Option<NodeId> {
        let source = &self.old_source;
        let first = self.old_range.start;
        let contains = |id: &NodeId| source.node(*id).tokens.contains(&first);
        let found = (0..source.nodes().len()).filter(contains);
        found.filter(|id| accepts(source.kind_name(*id))).last()
    }
}
