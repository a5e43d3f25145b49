//! Reads integer expressions and comparisons of Java.

use super::sum::LinearSum;
use mend_java::code::expression::ParsedExpression;
use mend_java::{NodeId, closed};

/// Reads the parts of an expression as sums.
pub(super) struct SumReader<'a> {
    pub(super) expression: &'a ParsedExpression,
}

impl SumReader<'_> {
    /// Returns the sums that must be non-negative if a comparison of two whole numbers holds, or does not.
    pub(super) fn compared(
        &self,
        operator: &str,
        sides: [NodeId; 2],
        is_negated: bool,
    ) -> Option<Vec<LinearSum>> {
        let [left, right] = [self.sum(sides[0])?, self.sum(sides[1])?];
        let one = LinearSum::of_number(1);
        Some(match (operator, is_negated) {
            ("<", false) | (">=", true) => vec![right.minus(&left)?.minus(&one)?],
            ("<=", false) | (">", true) => vec![right.minus(&left)?],
            (">", false) | ("<=", true) => vec![left.minus(&right)?.minus(&one)?],
            (">=", false) | ("<", true) => vec![left.minus(&right)?],
            ("==", false) | ("!=", true) => vec![right.minus(&left)?, left.minus(&right)?],
            _ => return None,
        })
    }

    /// Reads an expression as a sum. Quotients, and products without a number, are terms.
    pub(super) fn sum(&self, id: NodeId) -> Option<LinearSum> {
        if let Some(inside) = self.expression.in_parentheses(id) {
            return self.sum(inside);
        }
        let whole = || LinearSum::of_term(closed(&self.expression.text_on_one_line(id)));
        match (self.expression.kind(id), self.expression.operation(id)) {
            ("decimal_integer_literal", _) => {
                let digits = self.expression.text(id).replace('_', "");
                Some(LinearSum::of_number(digits.trim_end_matches(['l', 'L']).parse().ok()?))
            }
            (_, Some((operator, left, right))) => match (operator, right) {
                ("-", None) => self.sum(left)?.times(-1),
                ("+", None) => self.sum(left),
                ("+", Some(right)) => self.sum(left)?.plus(&self.sum(right)?, 1),
                ("-", Some(right)) => self.sum(left)?.minus(&self.sum(right)?),
                ("*", Some(right)) => {
                    let [left, right] = [self.sum(left)?, self.sum(right)?];
                    match (left.as_number(), right.as_number()) {
                        (Some(number), _) => right.times(number),
                        (_, Some(number)) => left.times(number),
                        _ => Some(whole()),
                    }
                }
                ("/" | "%", Some(_)) => Some(whole()),
                _ => None,
            },
            ("identifier" | "field_access" | "method_invocation" | "array_access", _) => {
                Some(whole())
            }
            _ => None,
        }
    }
}

impl LinearSum {
    /// Reads a Java expression with a whole number as value; `None` for other forms.
    pub(crate) fn read(expression: &str) -> Option<Self> {
        let expression = ParsedExpression::parse(expression)?;
        SumReader { expression: &expression }.sum(expression.root)
    }
}
