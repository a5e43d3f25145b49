//! How much two runs of tokens have in common.

use crate::java::Source;
use std::collections::HashMap;

/// The tokens of two files as small numbers, equal for equal text.
pub(super) struct Bags {
    pub(super) old: Vec<u32>,
    pub(super) new: Vec<u32>,
}

impl Bags {
    pub(super) fn of(old: &Source, new: &Source) -> Self {
        let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut number = |source: &Source| {
            (0..source.tokens().len())
                .map(|token| {
                    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                    *numbers.entry(source.token(token).to_vec()).or_insert(next)
                })
                .collect()
        };
        Self { old: number(old), new: number(new) }
    }
}

/// The Dice coefficient of two multisets: 1 for equal ones, 0 for nothing in common.
pub(super) fn similarity(old: &[u32], new: &[u32]) -> f64 {
    if old.is_empty() && new.is_empty() {
        return 1.0;
    }
    let mut counts: HashMap<u32, i64> = HashMap::new();
    for token in old {
        *counts.entry(*token).or_default() += 1;
    }
    let mut common = 0_u32;
    for token in new {
        if let Some(count) = counts.get_mut(token).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    let all = u32::try_from(old.len() + new.len()).unwrap_or(u32::MAX);
    2.0 * f64::from(common) / f64::from(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_counts_each_token_as_often_as_both_have_it() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(similarity(&[1, 1, 2], &[1, 2, 3]), 2.0 / 3.0));
        assert!(close(similarity(&[], &[]), 1.0));
        assert!(close(similarity(&[1], &[]), 0.0));
    }
}
