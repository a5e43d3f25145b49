//! Similarity of two ranges of tokens as multisets.

use mend_java::{Grammar, NodeId, ParsedSource};
use std::collections::HashMap;
use std::ops::Range;

/// Work limit for a pair of files: after this many compared tokens, all similarities are 0.
const MAX_COMPARED_TOKENS: usize = 60_000_000;

/// Tokens of two files as numbers; equal texts have equal numbers.
pub(crate) struct TokenMultisets {
    old: Vec<u32>,
    new: Vec<u32>,
    /// Number of all names that only one of the files has.
    renamed: u32,
    /// Count of each number; all zero between comparisons.
    counts: Vec<u32>,
    remaining_tokens: usize,
}

impl TokenMultisets {
    pub(crate) fn new(old: &ParsedSource, new: &ParsedSource) -> Self {
        let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut number_tokens = |source: &ParsedSource| -> Vec<u32> {
            (0..source.tokens().len())
                .map(|token| {
                    let text = source.token_text(token);
                    if let Some(number) = numbers.get(text) {
                        return *number;
                    }
                    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                    numbers.insert(text.to_vec(), next);
                    next
                })
                .collect()
        };
        let (old, new) = (number_tokens(old), number_tokens(new));
        let counts = vec![0; numbers.len() + 1];
        let renamed = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        Self { old, new, renamed, counts, remaining_tokens: MAX_COMPARED_TOKENS }
    }

    /// Counts names that only one of the files has as renamed: each is half as similar to any other of them as to itself.
    pub(crate) fn with_renames(mut self, old: &ParsedSource, new: &ParsedSource) -> Self {
        let mut occurrences = vec![[false; 2]; self.counts.len()];
        for (version, tokens) in [&self.old, &self.new].into_iter().enumerate() {
            for token in tokens {
                occurrences[*token as usize][version] = true;
            }
        }
        let renamed = self.renamed;
        for (source, tokens) in [(old, &mut self.old), (new, &mut self.new)] {
            for id in names(source) {
                let token = &mut tokens[source.node(id).tokens.start];
                if occurrences[*token as usize] != [true, true] {
                    *token = renamed;
                }
            }
        }
        self
    }

    /// Runs a comparison with its own work limit, so that later ones have as much left as before.
    pub(crate) fn with_own_limit<T>(&mut self, compare: impl FnOnce(&mut Self) -> T) -> T {
        let remaining_tokens = self.remaining_tokens;
        let result = compare(self);
        self.remaining_tokens = remaining_tokens;
        result
    }

    /// Returns the Dice coefficient of two ranges as multisets: 1 if equal, 0 if disjoint. Renamed names count half.
    pub(crate) fn similarity(&mut self, old: Range<usize>, new: Range<usize>) -> f64 {
        let total = old.len() + new.len();
        if total == 0 {
            return 1.0;
        }
        let Some(remaining) = self.remaining_tokens.checked_sub(total) else { return 0.0 };
        self.remaining_tokens = remaining;
        for token in &self.old[old.clone()] {
            self.counts[*token as usize] += 1;
        }
        let mut common_halves = 0_u32;
        for token in &self.new[new] {
            let count = &mut self.counts[*token as usize];
            if *count > 0 {
                *count -= 1;
                common_halves += if *token == self.renamed { 1 } else { 2 };
            }
        }
        for token in &self.old[old] {
            self.counts[*token as usize] = 0;
        }
        f64::from(common_halves) / f64::from(u32::try_from(total).unwrap_or(u32::MAX))
    }
}

/// Returns the nodes of all simple names.
fn names(source: &ParsedSource) -> impl Iterator<Item = NodeId> + '_ {
    let grammar = Grammar::get();
    let kinds = ["identifier", "type_identifier"].map(|name| grammar.kind_id(name));
    (0..source.nodes().len()).filter(move |id| kinds.contains(&source.node(*id).kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_counts_common_tokens() {
        let bags = |old: &[u32], new: &[u32]| TokenMultisets {
            old: old.to_vec(),
            new: new.to_vec(),
            renamed: 7,
            counts: vec![0; 8],
            remaining_tokens: 100,
        };
        let similarity =
            |old: &[u32], new: &[u32]| bags(old, new).similarity(0..old.len(), 0..new.len());
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(similarity(&[1, 1, 2], &[1, 2, 3]), 2.0 / 3.0));
        assert!(close(similarity(&[1, 7], &[1, 7]), 0.75));
        assert!(close(similarity(&[], &[]), 1.0));
        assert!(close(similarity(&[1], &[]), 0.0));
    }
}
