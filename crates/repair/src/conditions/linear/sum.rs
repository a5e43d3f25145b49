//! Linear sums: terms with integer coefficients, and a constant.

use std::collections::BTreeMap;
use std::fmt;

/// A linear sum: terms with coefficients, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinearSum {
    pub(super) terms: BTreeMap<String, i32>,
    pub(super) constant: i32,
}

impl LinearSum {
    pub(crate) fn from_constant(number: i32) -> Self {
        Self { terms: BTreeMap::new(), constant: number }
    }

    pub(crate) fn from_term(term: String) -> Self {
        Self { terms: BTreeMap::from([(term, 1)]), constant: 0 }
    }

    pub(super) fn as_constant(&self) -> Option<i32> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Adds a multiple of another sum; `None` on overflow.
    pub(super) fn add_multiple(&self, other: &Self, times: i32) -> Option<Self> {
        let mut sum = self.clone();
        for (term, count) in &other.terms {
            let coefficient = sum.terms.entry(term.clone()).or_default();
            *coefficient = coefficient.checked_add(count.checked_mul(times)?)?;
        }
        sum.terms.retain(|_, count| *count != 0);
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(times)?)?;
        Some(sum)
    }

    pub(super) fn subtract(&self, other: &Self) -> Option<Self> {
        self.add_multiple(other, -1)
    }

    pub(super) fn multiply(&self, times: i32) -> Option<Self> {
        Self::default().add_multiple(self, times)
    }

    /// Returns true if the sum is at least as large as a known non-negative sum, or as a non-negative constant.
    pub(super) fn is_non_negative(&self, non_negative_sums: &[&Self]) -> bool {
        let is_above = |other: &Self| {
            self.subtract(other).and_then(|rest| rest.as_constant()).is_some_and(|rest| rest >= 0)
        };
        is_above(&Self::default()) || non_negative_sums.iter().any(|other| is_above(other))
    }

    /// Returns the extreme value of a term for which the sum is not negative; `None` if the coefficient of the term
    /// does not divide all others.
    pub(super) fn solve_for(&self, term: &str) -> Option<Self> {
        let mut rest = self.clone();
        let times = rest.terms.remove(term)?;
        // For `3 * i + rest`, the minimum of `i` is `-rest / 3`, rounded up.
        let rest = if times > 0 { rest.multiply(-1)? } else { rest };
        let divisor = times.checked_abs()?;
        let divide_term = |(term, count): (String, i32)| {
            (count % divisor == 0).then_some((term, count / divisor))
        };
        let terms = rest.terms.into_iter().map(divide_term).collect::<Option<_>>()?;
        let rounded_down = rest.constant.div_euclid(divisor);
        let rounds_up = times > 0 && rest.constant.rem_euclid(divisor) != 0;
        Some(Self { terms, constant: rounded_down + i32::from(rounds_up) })
    }

    pub(super) fn evaluate(&self, term_value: &impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let parts =
            self.terms.iter().map(|(term, count)| Some(term_value(term)? * f64::from(*count)));
        Some(parts.sum::<Option<f64>>()? + f64::from(self.constant))
    }
}

impl fmt::Display for LinearSum {
    /// Formats positive terms first, then negative ones, and the constant last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (positive, negative): (Vec<_>, Vec<_>) =
            self.terms.iter().partition(|(_, times)| **times > 0);
        let terms = positive.into_iter().chain(negative).map(|(term, times)| {
            let many = times.unsigned_abs();
            let text = if many == 1 { term.clone() } else { format!("{many} * {term}") };
            (*times < 0, text)
        });
        let number = (self.constant < 0, self.constant.unsigned_abs().to_string());
        let is_shown = self.constant != 0 || self.terms.is_empty();
        for (index, (is_negative, text)) in terms.chain(is_shown.then_some(number)).enumerate() {
            match (index, is_negative) {
                (0, true) => write!(f, "-{text}")?,
                (0, false) => f.write_str(&text)?,
                (_, true) => write!(f, " - {text}")?,
                (_, false) => write!(f, " + {text}")?,
            }
        }
        Ok(())
    }
}
