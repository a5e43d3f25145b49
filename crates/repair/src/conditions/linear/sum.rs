//! Sums of terms with integer factors.

use std::collections::BTreeMap;
use std::fmt;

/// A linear sum: terms with coefficients, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinearSum {
    pub(super) terms: BTreeMap<String, i32>,
    pub(super) number: i32,
}

impl LinearSum {
    pub(crate) fn of_number(number: i32) -> Self {
        Self { terms: BTreeMap::new(), number }
    }

    pub(crate) fn of_term(term: String) -> Self {
        Self { terms: BTreeMap::from([(term, 1)]), number: 0 }
    }

    pub(super) fn as_number(&self) -> Option<i32> {
        self.terms.is_empty().then_some(self.number)
    }

    /// Adds a multiple of another sum; `None` on overflow.
    pub(super) fn plus(&self, other: &Self, times: i32) -> Option<Self> {
        let mut sum = self.clone();
        for (term, count) in &other.terms {
            let known = sum.terms.entry(term.clone()).or_default();
            *known = known.checked_add(count.checked_mul(times)?)?;
        }
        sum.terms.retain(|_, count| *count != 0);
        sum.number = sum.number.checked_add(other.number.checked_mul(times)?)?;
        Some(sum)
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(other, -1)
    }

    pub(super) fn times(&self, times: i32) -> Option<Self> {
        Self::default().plus(self, times)
    }

    /// Returns true if the sum is at least as large as a known non-negative sum, or as a non-negative constant.
    pub(super) fn is_never_negative(&self, known: &[&Self]) -> bool {
        let is_above = |other: &Self| {
            self.minus(other).and_then(|rest| rest.as_number()).is_some_and(|rest| rest >= 0)
        };
        is_above(&Self::default()) || known.iter().any(|other| is_above(other))
    }

    /// Returns the last value of a term for which the sum is not negative; `None` if the coefficient of the term does
    /// not divide all others.
    pub(super) fn solved(&self, term: &str) -> Option<Self> {
        let mut rest = self.clone();
        let times = rest.terms.remove(term)?;
        // Of `3 * i + rest` the least `i` is the next one above `-rest / 3`.
        let rest = if times > 0 { rest.times(-1)? } else { rest };
        let by = times.checked_abs()?;
        let part = |(term, count): (String, i32)| (count % by == 0).then_some((term, count / by));
        let terms = rest.terms.into_iter().map(part).collect::<Option<_>>()?;
        let below = rest.number.div_euclid(by);
        let is_above = times > 0 && rest.number.rem_euclid(by) != 0;
        Some(Self { terms, number: below + i32::from(is_above) })
    }

    pub(super) fn value(&self, of: &impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let parts = self.terms.iter().map(|(term, count)| Some(of(term)? * f64::from(*count)));
        Some(parts.sum::<Option<f64>>()? + f64::from(self.number))
    }
}

impl fmt::Display for LinearSum {
    /// Formats positive terms first, then negative ones, and the constant last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (added, taken): (Vec<_>, Vec<_>) =
            self.terms.iter().partition(|(_, times)| **times > 0);
        let terms = added.into_iter().chain(taken).map(|(term, times)| {
            let many = times.unsigned_abs();
            let text = if many == 1 { term.clone() } else { format!("{many} * {term}") };
            (*times < 0, text)
        });
        let number = (self.number < 0, self.number.unsigned_abs().to_string());
        let is_shown = self.number != 0 || self.terms.is_empty();
        for (at, (is_taken, text)) in terms.chain(is_shown.then_some(number)).enumerate() {
            match (at, is_taken) {
                (0, true) => write!(f, "-{text}")?,
                (0, false) => f.write_str(&text)?,
                (_, true) => write!(f, " - {text}")?,
                (_, false) => write!(f, " + {text}")?,
            }
        }
        Ok(())
    }
}
