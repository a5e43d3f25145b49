//! Comparisons of whole numbers, and which of them say the same.

use super::condition::Linear;
use super::elimination::is_impossible;
use super::sum::Sum;
use std::collections::BTreeMap;

/// A comparison.
///
/// Here whole numbers are as large as they like: `a + 1 <= b` is the same as `a < b`. For an `int` it is not where `a`
/// is the largest one, and then it is the first of them that is wrong, which nobody asks for; where tests came upon
/// that, they saw the two apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::repair) struct Compared {
    sum: Sum,
    how: How,
}

/// How a sum compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    AtLeast,
    Is,
    IsNot,
}

/// Sums that are never negative in a place.
#[derive(Debug, Default)]
pub(in crate::repair) struct NeverNegative(Vec<Sum>);

/// The terms of a comparison, each so many times: which ones are compared, whatever the number between them.
pub(in crate::repair) type Compares = BTreeMap<String, i32>;

impl Compared {
    /// Two sums, compared by an operator of Java; `None` if that is none, or a number is too large.
    pub(in crate::repair) fn of(left: &Sum, operator: &str, right: &Sum) -> Option<Self> {
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

    /// What it compares: the same for all that may say the same of the same terms.
    pub(in crate::repair) fn compares(&self) -> Compares {
        let by = self.sum.divisor().max(1);
        let is_taken = self.sum.terms.values().next().is_some_and(|times| *times < 0);
        let by = if is_taken { -by } else { by };
        self.sum.terms.iter().map(|(term, times)| (term.clone(), times / by)).collect()
    }

    /// Whether it certainly holds when another one does and only then, where some sums are never negative.
    pub(in crate::repair) fn is_same(&self, other: &Self, known: &NeverNegative) -> bool {
        if self == other {
            return true;
        }
        // Where nothing else is known, comparisons in their simplest form are the same only if they are equal.
        let known = known.about(&[&self.sum, &other.sum]);
        !known.is_empty() && self.implies(other, &known) && other.implies(self, &known)
    }

    /// Whether it certainly holds always, or never.
    pub(in crate::repair) fn is_settled(&self, known: &NeverNegative) -> bool {
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

    /// The cases in which it holds: in each, some sums are all at least zero.
    fn cases(&self) -> Option<Vec<Vec<Sum>>> {
        let sum = || self.sum.clone();
        Some(match self.how {
            How::AtLeast => vec![vec![sum()]],
            How::Is => vec![vec![sum(), self.sum.times(-1)?]],
            How::IsNot => vec![vec![self.sum.minus(&Sum::of_number(1))?], vec![below(&self.sum)?]],
        })
    }
}

/// What is at least zero where a sum is less.
fn below(sum: &Sum) -> Option<Sum> {
    sum.times(-1)?.minus(&Sum::of_number(1))
}

impl NeverNegative {
    /// Adds what a condition says that holds, as far as it is linear.
    pub(in crate::repair) fn add_condition(&mut self, condition: &str) {
        self.0.extend(Linear::read(condition).into_iter().flat_map(|linear| linear.sums));
    }

    /// Adds a sum.
    pub(in crate::repair) fn add(&mut self, sum: Sum) {
        self.0.push(sum);
    }

    /// Those that may say something of some sums: that are about a term of theirs, or of one that is.
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
