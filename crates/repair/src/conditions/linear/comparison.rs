//! Linear integer comparisons, and the test of their equivalence.

use super::condition::LinearCondition;
use super::elimination::is_unsatisfiable;
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
    relation: Relation,
}

/// Relation of a sum to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    NonNegative,
    Zero,
    NonZero,
}

/// Sums that are never negative at a statement.
#[derive(Debug, Default)]
pub(crate) struct NonNegativeSums(Vec<LinearSum>);

/// Terms of a comparison with their coefficients, without the constant.
pub(crate) type ComparedTerms = BTreeMap<String, i32>;

impl LinearComparison {
    /// Compares two sums by a Java operator; `None` for another operator, or on overflow.
    pub(crate) fn new(left: &LinearSum, operator: &str, right: &LinearSum) -> Option<Self> {
        let one = LinearSum::from_constant(1);
        let (sum, how) = match operator {
            "<" => (right.subtract(left)?.subtract(&one)?, Relation::NonNegative),
            "<=" => (right.subtract(left)?, Relation::NonNegative),
            ">" => (left.subtract(right)?.subtract(&one)?, Relation::NonNegative),
            ">=" => (left.subtract(right)?, Relation::NonNegative),
            "==" => (left.subtract(right)?, Relation::Zero),
            "!=" => (left.subtract(right)?, Relation::NonZero),
            _ => return None,
        };
        let has_negative_lead = sum.terms.values().next().is_some_and(|times| *times < 0);
        let sum = match how {
            Relation::NonNegative => sum.reduced(),
            Relation::Zero | Relation::NonZero if has_negative_lead => sum.multiply(-1)?,
            Relation::Zero | Relation::NonZero => sum,
        };
        Some(Self { sum, relation: how })
    }

    /// Returns the compared terms, which are equal for all comparisons that may be equivalent.
    pub(crate) fn compared_terms(&self) -> ComparedTerms {
        let divisor = self.sum.coefficient_gcd().max(1);
        let has_negative_lead = self.sum.terms.values().next().is_some_and(|times| *times < 0);
        let divisor = if has_negative_lead { -divisor } else { divisor };
        self.sum.terms.iter().map(|(term, times)| (term.clone(), times / divisor)).collect()
    }

    /// Returns true if two comparisons are certainly equivalent, given sums that are never negative.
    pub(crate) fn is_equivalent_to(
        &self,
        other: &Self,
        non_negative_sums: &NonNegativeSums,
    ) -> bool {
        if self == other {
            return true;
        }
        // Without further facts, reduced comparisons are equivalent only if they are equal.
        let non_negative_sums = non_negative_sums.related_sums(&[&self.sum, &other.sum]);
        !non_negative_sums.is_empty()
            && self.implies(other, &non_negative_sums)
            && other.implies(self, &non_negative_sums)
    }

    /// Returns true if the comparison is certainly always true, or always false.
    pub(crate) fn is_constant(&self, non_negative_sums: &NonNegativeSums) -> bool {
        let non_negative_sums = non_negative_sums.related_sums(&[&self.sum]);
        let can_decide = !non_negative_sums.is_empty() || self.sum.terms.is_empty();
        can_decide
            && (self.is_unsatisfiable(&non_negative_sums)
                || self.negation().is_some_and(|no| no.is_unsatisfiable(&non_negative_sums)))
    }

    fn implies(&self, other: &Self, non_negative_sums: &[LinearSum]) -> bool {
        let opposite = other.negation().and_then(|opposite| opposite.cases());
        let (Some(own), Some(opposite)) = (self.cases(), opposite) else { return false };
        let both = own.iter().flat_map(|own| opposite.iter().map(move |other| [&own[..], other]));
        both.into_iter()
            .all(|both| is_unsatisfiable([both.concat(), non_negative_sums.to_vec()].concat()))
    }

    fn is_unsatisfiable(&self, non_negative_sums: &[LinearSum]) -> bool {
        let cases = self.cases().into_iter().flatten();
        let mut all =
            cases.map(|case| is_unsatisfiable([&case[..], non_negative_sums].concat())).peekable();
        all.peek().is_some() && all.all(|is_never| is_never)
    }

    fn negation(&self) -> Option<Self> {
        let (sum, how) = match self.relation {
            Relation::NonNegative => (negated_sum(&self.sum)?, Relation::NonNegative),
            Relation::Zero => (self.sum.clone(), Relation::NonZero),
            Relation::NonZero => (self.sum.clone(), Relation::Zero),
        };
        Some(Self { sum, relation: how })
    }

    /// Returns the cases in which it holds: in each, some sums are all non-negative.
    fn cases(&self) -> Option<Vec<Vec<LinearSum>>> {
        let sum = || self.sum.clone();
        Some(match self.relation {
            Relation::NonNegative => vec![vec![sum()]],
            Relation::Zero => vec![vec![sum(), self.sum.multiply(-1)?]],
            Relation::NonZero => {
                vec![
                    vec![self.sum.subtract(&LinearSum::from_constant(1))?],
                    vec![negated_sum(&self.sum)?],
                ]
            }
        })
    }
}

/// Returns the sum that is non-negative if the given sum is negative.
fn negated_sum(sum: &LinearSum) -> Option<LinearSum> {
    sum.multiply(-1)?.subtract(&LinearSum::from_constant(1))
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
