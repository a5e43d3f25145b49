//! Comparisons of whole numbers, and which of them say the same.

use super::condition::Linear;
use super::elimination::is_impossible;
use super::sum::Sum;
use std::collections::BTreeMap;

/// A comparison of linear terms.
///
/// Whole numbers are unbounded here: `a + 1 <= b` is equivalent to `a < b`. For an `int` these differ if `a` is the
/// maximum. Then the first one overflows, which is never intended. If tests reached that value, they distinguished the
/// two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compared {
    sum: Sum,
    how: How,
}

/// Relation of a sum to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    AtLeast,
    Is,
    IsNot,
}

/// Sums that are never negative in a place.
#[derive(Debug, Default)]
pub(crate) struct NeverNegative(Vec<Sum>);

/// Terms of a comparison with their coefficients, without the constant.
pub(crate) type Compares = BTreeMap<String, i32>;

impl Compared {
    /// Compares two sums by a Java operator; `None` for another operator, or on overflow.
    pub(crate) fn of(left: &Sum, operator: &str, right: &Sum) -> Option<Self> {
        let one = Sum::of_number(1);
        let (sum, how) = match operator {
            "<" => (right.minus(left)?.minus(&one)?, How::AtLeast),
            "<=" => (right.minus(left)?, How::AtLeast),
            ">" => (left.minus(right)?.minus(&one)?, How::AtLeast),
            ">=" => (left.minus(right)?, How::AtLeast),
            "==" => (left.minus(right)?, How::Is),
            "!=" => (left.minus(right)?, How::IsNot),
            _ => return None,
        };
        let is_taken = sum.terms.values().next().is_some_and(|times| *times < 0);
        let sum = match how {
            How::AtLeast => sum.tightened(),
            How::Is | How::IsNot if is_taken => sum.times(-1)?,
            How::Is | How::IsNot => sum,
        };
        Some(Self { sum, how })
    }

    /// Returns the compared terms, which are equal for all comparisons that may be equivalent.
    pub(crate) fn compares(&self) -> Compares {
        let by = self.sum.divisor().max(1);
        let is_taken = self.sum.terms.values().next().is_some_and(|times| *times < 0);
        let by = if is_taken { -by } else { by };
        self.sum.terms.iter().map(|(term, times)| (term.clone(), times / by)).collect()
    }

    /// Returns true if two comparisons are certainly equivalent, given sums that are never negative.
    pub(crate) fn is_same(&self, other: &Self, known: &NeverNegative) -> bool {
        if self == other {
            return true;
        }
        // Where nothing else is known, comparisons in their simplest form are the same only if they are equal.
        let known = known.about(&[&self.sum, &other.sum]);
        !known.is_empty() && self.implies(other, &known) && other.implies(self, &known)
    }

    /// Returns true if the comparison is certainly always true, or always false.
    pub(crate) fn is_settled(&self, known: &NeverNegative) -> bool {
        let known = known.about(&[&self.sum]);
        let is_settled = !known.is_empty() || self.sum.terms.is_empty();
        is_settled
            && (self.is_never(&known) || self.opposite().is_some_and(|no| no.is_never(&known)))
    }

    fn implies(&self, other: &Self, known: &[Sum]) -> bool {
        let opposite = other.opposite().and_then(|opposite| opposite.cases());
        let (Some(own), Some(opposite)) = (self.cases(), opposite) else { return false };
        let both = own.iter().flat_map(|own| opposite.iter().map(move |other| [&own[..], other]));
        both.into_iter().all(|both| is_impossible([both.concat(), known.to_vec()].concat()))
    }

    fn is_never(&self, known: &[Sum]) -> bool {
        let cases = self.cases().into_iter().flatten();
        let mut all = cases.map(|case| is_impossible([&case[..], known].concat())).peekable();
        all.peek().is_some() && all.all(|is_never| is_never)
    }

    fn opposite(&self) -> Option<Self> {
        let (sum, how) = match self.how {
            How::AtLeast => (below(&self.sum)?, How::AtLeast),
            How::Is => (self.sum.clone(), How::IsNot),
            How::IsNot => (self.sum.clone(), How::Is),
        };
        Some(Self { sum, how })
    }

    /// Returns the cases in which it holds: in each, some sums are all non-negative.
    fn cases(&self) -> Option<Vec<Vec<Sum>>> {
        let sum = || self.sum.clone();
        Some(match self.how {
            How::AtLeast => vec![vec![sum()]],
            How::Is => vec![vec![sum(), self.sum.times(-1)?]],
            How::IsNot => vec![vec![self.sum.minus(&Sum::of_number(1))?], vec![below(&self.sum)?]],
        })
    }
}

/// Returns the sum that is non-negative if the given sum is negative.
fn below(sum: &Sum) -> Option<Sum> {
    sum.times(-1)?.minus(&Sum::of_number(1))
}

impl NeverNegative {
    /// Adds the linear part of a condition that holds.
    pub(crate) fn add_condition(&mut self, condition: &str) {
        self.0.extend(Linear::read(condition).into_iter().flat_map(|linear| linear.sums));
    }

    /// Adds a sum.
    pub(crate) fn add(&mut self, sum: Sum) {
        self.0.push(sum);
    }

    /// Returns the known sums related to some sums, by a common term or through another known sum.
    fn about(&self, sums: &[&Sum]) -> Vec<Sum> {
        let mut found: Vec<&Sum> = Vec::new();
        loop {
            let is_near = |one: &&&Sum| {
                let mut all = sums.iter().chain(&found);
                all.any(|sum| one.terms.keys().any(|term| sum.terms.contains_key(term)))
            };
            let is_new = |one: &&&Sum| !found.contains(*one);
            let more: Vec<&Sum> =
                self.0.iter().filter(|one| is_new(&one) && is_near(&one)).collect();
            if more.is_empty() {
                return found.into_iter().cloned().collect();
            }
            found.extend(more);
        }
    }
}

#[cfg(test)]
mod tests;
