//! Satisfiability of linear conditions, by Fourier–Motzkin elimination.

use super::sum::LinearSum;
use std::collections::BTreeSet;

/// Maximum number of sums: beyond it, satisfiability stays undecided.
const MAX_SUMS: usize = 48;

/// Returns true if some sums over whole numbers certainly cannot all be non-negative.
pub(super) fn is_unsatisfiable(mut sums: Vec<LinearSum>) -> bool {
    loop {
        sums = sums.into_iter().map(LinearSum::reduced).collect();
        if sums.iter().any(|sum| sum.as_constant().is_some_and(|number| number < 0)) {
            return true;
        }
        sums.retain(|sum| !sum.terms.is_empty());
        sums.sort_by(|one, other| {
            one.terms.cmp(&other.terms).then(one.constant.cmp(&other.constant))
        });
        // Of sums with equal terms, the one with the smallest constant implies the others.
        sums.dedup_by(|later, first| later.terms == first.terms);
        let Some(term) = cheapest_term(&sums) else { return false };
        let (with, mut rest): (Vec<LinearSum>, Vec<LinearSum>) =
            sums.into_iter().partition(|sum| sum.terms.contains_key(&term));
        let (above, below): (Vec<LinearSum>, Vec<LinearSum>) =
            with.into_iter().partition(|sum| sum.terms[&term] > 0);
        if rest.len() + above.len() * below.len() > MAX_SUMS {
            return false;
        }
        // Sums that overflow are dropped: fewer constraints only make satisfiability more likely.
        let pairs = above.iter().flat_map(|one| below.iter().map(move |other| (one, other)));
        rest.extend(pairs.filter_map(|(one, other)| one.eliminate_term(other, &term)));
        sums = rest;
    }
}

/// Returns the term whose elimination creates the fewest sums.
fn cheapest_term(sums: &[LinearSum]) -> Option<String> {
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
    pub(super) fn coefficient_gcd(&self) -> i32 {
        let gcd = |one: i32, other: &i32| {
            let (mut one, mut other) = (one, other.saturating_abs());
            while other != 0 {
                (one, other) = (other, one % other);
            }
            one
        };
        self.terms.values().fold(0, gcd)
    }

    /// Divides the sum by the common divisor of its coefficients, rounding the constant.
    pub(super) fn reduced(mut self) -> Self {
        let divisor = self.coefficient_gcd();
        if divisor > 1 {
            self.terms.values_mut().for_each(|times| *times /= divisor);
            self.constant = self.constant.div_euclid(divisor);
        }
        self
    }

    /// Eliminates a term from this sum and one with the opposite sign of the term.
    fn eliminate_term(&self, other: &Self, term: &str) -> Option<Self> {
        let (own_coefficient, other_coefficient) =
            (self.terms[term], other.terms[term].checked_neg()?);
        self.multiply(other_coefficient)?.add_multiple(other, own_coefficient)
    }
}
