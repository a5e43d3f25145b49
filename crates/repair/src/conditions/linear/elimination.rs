//! Satisfiability of linear conditions, by Fourier–Motzkin elimination.

use super::sum::LinearSum;
use std::collections::BTreeSet;

/// With more sums than these at once nothing is found out.
const MOST: usize = 48;

/// Returns true if some sums over whole numbers certainly cannot all be non-negative.
pub(super) fn is_impossible(mut sums: Vec<LinearSum>) -> bool {
    loop {
        sums = sums.into_iter().map(LinearSum::tightened).collect();
        if sums.iter().any(|sum| sum.as_number().is_some_and(|number| number < 0)) {
            return true;
        }
        sums.retain(|sum| !sum.terms.is_empty());
        sums.sort_by(|one, other| one.terms.cmp(&other.terms).then(one.number.cmp(&other.number)));
        // Of those that differ in the number alone the least one says all.
        sums.dedup_by(|later, first| later.terms == first.terms);
        let Some(term) = cheapest(&sums) else { return false };
        let (with, mut rest): (Vec<LinearSum>, Vec<LinearSum>) =
            sums.into_iter().partition(|sum| sum.terms.contains_key(&term));
        let (above, below): (Vec<LinearSum>, Vec<LinearSum>) =
            with.into_iter().partition(|sum| sum.terms[&term] > 0);
        if rest.len() + above.len() * below.len() > MOST {
            return false;
        }
        // What is too large to be counted is left out: with less that has to hold, more is possible.
        let together = above.iter().flat_map(|one| below.iter().map(move |other| (one, other)));
        rest.extend(together.filter_map(|(one, other)| one.eliminate(other, &term)));
        sums = rest;
    }
}

/// Returns the term whose elimination creates the fewest sums.
fn cheapest(sums: &[LinearSum]) -> Option<String> {
    let terms: BTreeSet<&String> = sums.iter().flat_map(|sum| sum.terms.keys()).collect();
    let cost = |term: &&String| {
        let count = |is_above: bool| {
            let with = sums.iter().filter_map(|sum| sum.terms.get(*term));
            with.filter(|times| (**times > 0) == is_above).count()
        };
        count(true) * count(false)
    };
    terms.into_iter().min_by_key(cost).cloned()
}

impl LinearSum {
    /// Returns the greatest common divisor of the coefficients; 0 without terms.
    pub(super) fn divisor(&self) -> i32 {
        let of_two = |one: i32, other: &i32| {
            let (mut one, mut other) = (one, other.saturating_abs());
            while other != 0 {
                (one, other) = (other, one % other);
            }
            one
        };
        self.terms.values().fold(0, of_two)
    }

    /// Divides the sum by the common divisor of its coefficients, rounding the constant.
    pub(super) fn tightened(mut self) -> Self {
        let by = self.divisor();
        if by > 1 {
            self.terms.values_mut().for_each(|times| *times /= by);
            self.number = self.number.div_euclid(by);
        }
        self
    }

    /// Eliminates a term from this sum and one with the opposite sign of the term.
    fn eliminate(&self, other: &Self, term: &str) -> Option<Self> {
        let (up, down) = (self.terms[term], other.terms[term].checked_neg()?);
        self.times(down)?.plus(other, up)
    }
}
