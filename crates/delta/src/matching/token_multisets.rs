//! Similarity of two runs of tokens.

use mend_java::ParsedSource;
use std::collections::HashMap;
use std::ops::Range;

/// Work limit for a pair of files: after this many compared tokens, all similarities are 0.
const MOST_TOKENS: usize = 60_000_000;

/// The tokens of two files as small numbers, equal for equal text.
pub(crate) struct TokenMultisets {
    old: Vec<u32>,
    new: Vec<u32>,
    /// By number; all zero between comparisons.
    counts: Vec<u32>,
    budget: usize,
}

impl TokenMultisets {
    pub(crate) fn new(old: &ParsedSource, new: &ParsedSource) -> Self {
        let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut number = |source: &ParsedSource| -> Vec<u32> {
            (0..source.tokens().len())
                .map(|token| {
                    let text = source.token(token);
                    if let Some(number) = numbers.get(text) {
                        return *number;
                    }
                    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                    numbers.insert(text.to_vec(), next);
                    next
                })
                .collect()
        };
        let (old, new) = (number(old), number(new));
        Self { old, new, counts: vec![0; numbers.len()], budget: MOST_TOKENS }
    }

    /// Returns the Dice coefficient of two runs as multisets: 1 if equal, 0 if disjoint.
    pub(crate) fn similarity(&mut self, old: Range<usize>, new: Range<usize>) -> f64 {
        let all = old.len() + new.len();
        if all == 0 {
            return 1.0;
        }
        let Some(left) = self.budget.checked_sub(all) else { return 0.0 };
        self.budget = left;
        for token in &self.old[old.clone()] {
            self.counts[*token as usize] += 1;
        }
        let mut common = 0_u32;
        for token in &self.new[new] {
            let count = &mut self.counts[*token as usize];
            if *count > 0 {
                *count -= 1;
                common += 1;
            }
        }
        for token in &self.old[old] {
            self.counts[*token as usize] = 0;
        }
        2.0 * f64::from(common) / f64::from(u32::try_from(all).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_counts_each_token_as_often_as_both_have_it() {
        let bags = |old: &[u32], new: &[u32]| TokenMultisets {
            old: old.to_vec(),
            new: new.to_vec(),
            counts: vec![0; 8],
            budget: 100,
        };
        let similarity =
            |old: &[u32], new: &[u32]| bags(old, new).similarity(0..old.len(), 0..new.len());
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(similarity(&[1, 1, 2], &[1, 2, 3]), 2.0 / 3.0));
        assert!(close(similarity(&[], &[]), 1.0));
        assert!(close(similarity(&[1], &[]), 0.0));
    }
}
