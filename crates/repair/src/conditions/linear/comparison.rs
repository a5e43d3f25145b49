//! Comparisons of whole numbers, and which of them say the same.

use super::condition::LinearCondition;
use super::elimination::is_impossible;
use super::sum::LinearSum;
use std::collections::BTreeMap;

/// A comparison of linear terms.
///
/// Whole numbers are unbounded here: `a + 1 <= b` is equivalent to `a < b`. For an `int` these differ if `a` is the
/// maximum. Then the first one overflows, which is never intended. If tests reached that value, they distinguished the
/// two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinearComparison {
    sum: LinearSum,
    how: Relation,
}

/// Relation of a sum to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    NonNegative,
    Zero,
    NonZero,
}

/// Sums that are never negative in a place.
#[derive(Debug, Default)]
pub(crate) struct NonNegativeSums(Vec<LinearSum>);

/// Terms of a comparison with their coefficients, without the constant.
pub(crate) type ComparedTerms = BTreeMap<String, i32>;

impl LinearComparison {
    /// Compares two sums by a Java operator; `None` for another operator, or on overflow.
    pub(crate) fn new(left: &LinearSum, operator: &str, right: &LinearSum) -> Option<Self> {
        let one = LinearSum::of_number(1);
        let (sum, how) = match operator {
            "<" => (right.minus(left)?.minus(&one)?, Relation::NonNegative),
            "<=" => (right.minus(left)?, Relation::NonNegative),
            ">" => (left.minus(right)?.minus(&one)?, Relation::NonNegative),
            ">=" => (left.minus(right)?, Relation::NonNegative),
            "==" => (left.minus(right)?, Relation::Zero),
            "!=" => (left.minus(right)?, Relation::NonZero),
            _ => return None,
        };
        let is_taken = sum.terms.values().next().is_some_and(|times| *times < 0);
        let sum = match how {
            Relation::NonNegative => sum.tightened(),
            Relation::Zero | Relation::NonZero if is_taken => sum.times(-1)?,
            Relation::Zero | Relation::NonZero => sum,
        };
        Some(Self { sum, how })
    }

    /// Returns the compared terms, which are equal for all comparisons that may be equivalent.
    pub(crate) fn compares(&self) -> ComparedTerms {
        let by = self.sum.divisor().max(1);
        let is_taken = self.sum.terms.values().next().is_some_and(|times| *times < 0);
        let by = if is_taken { -by } else { by };
        self.sum.terms.iter().map(|(term, times)| (term.clone(), times / by)).collect()
    }

    /// Returns true if two comparisons are certainly equivalent, given sums that are never negative.
    pub(crate) fn is_same(&self, other: &Self, known: &NonNegativeSums) -> bool {
        if self == other {
            return true;
        }
        // Where nothing else is known, comparisons in their simplest form are the same only if they are equal.
        let known = known.related_sums(&[&self.sum, &other.sum]);
        !known.is_empty() && self.implies(other, &known) && other.implies(self, &known)
    }

    /// Returns true if the comparison is certainly always true, or always false.
    pub(crate) fn is_settled(&self, known: &NonNegativeSums) -> bool {
        let known = known.related_sums(&[&self.sum]);
        let is_settled = !known.is_empty() || self.sum.terms.is_empty();
        is_settled
            && (self.is_never(&known) || self.opposite().is_some_and(|no| no.is_never(&known)))
    }

    fn implies(&self, other: &Self, known: &[LinearSum]) -> bool {
        let opposite = other.opposite().and_then(|opposite| opposite.cases());
        let (Some(own), Some(opposite)) = (self.cases(), opposite) else { return false };
        let both = own.iter().flat_map(|own| opposite.iter().map(move |other| [&own[..], other]));
        both.into_iter().all(|both| is_impossible([both.concat(), known.to_vec()].concat()))
    }

    fn is_never(&self, known: &[LinearSum]) -> bool {
        let cases = self.cases().into_iter().flatten();
        let mut all = cases.map(|case| is_impossible([&case[..], known].concat())).peekable();
        all.peek().is_some() && all.all(|is_never| is_never)
    }

    fn opposite(&self) -> Option<Self> {
        let (sum, how) = match self.how {
            Relation::NonNegative => (below(&self.sum)?, Relation::NonNegative),
            Relation::Zero => (self.sum.clone(), Relation::NonZero),
            Relation::NonZero => (self.sum.clone(), Relation::Zero),
        };
        Some(Self { sum, how })
    }

    /// Returns the cases in which it holds: in each, some sums are all non-negative.
    fn cases(&self) -> Option<Vec<Vec<LinearSum>>> {
        let sum = || self.sum.clone();
        Some(match self.how {
            Relation::NonNegative => vec![vec![sum()]],
            Relation::Zero => vec![vec![sum(), self.sum.times(-1)?]],
            Relation::NonZero => {
                vec![vec![self.sum.minus(&LinearSum::of_number(1))?], vec![below(&self.sum)?]]
            }
        })
    }
}

/// Returns the sum that is non-negative if the given sum is negative.
fn below(sum: &LinearSum) -> Option<LinearSum> {
    sum.times(-1)?.minus(&LinearSum::of_number(1))
}

impl NonNegativeSums {
    /// Adds the linear part of a condition that holds.
    pub(crate) fn add_condition(&mut self, condition: &str) {
        self.0.extend(LinearCondition::read(condition).into_iter().flat_map(|linear| linear.sums));
    }

    /// Adds a sum.
    pub(crate) fn add(&mut self, sum: LinearSum) {
        self.0.push(sum);
    }

    /// Returns the known sums related to some sums, by a common term or through another known sum.
    fn related_sums(&self, sums: &[&LinearSum]) -> Vec<LinearSum> {
        let mut found: Vec<&LinearSum> = Vec::new();
        loop {
            let is_near = |one: &&&LinearSum| {
                let mut all = sums.iter().chain(&found);
                all.any(|sum| one.terms.keys().any(|term| sum.terms.contains_key(term)))
            };
            let is_new = |one: &&&LinearSum| !found.contains(*one);
            let more: Vec<&LinearSum> =
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
