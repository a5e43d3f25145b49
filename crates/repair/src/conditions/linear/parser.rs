//! Parser for integer expressions and comparisons of Java.

use super::sum::LinearSum;
use mend_java::code::expression::ParsedExpression;
use mend_java::{NodeId, parenthesise};

/// Converts parts of a parsed expression to sums.
pub(super) struct SumReader<'a> {
    pub(super) expression: &'a ParsedExpression,
}

impl SumReader<'_> {
    /// Returns the sums that must be non-negative if a comparison of two whole numbers holds, or does not.
    pub(super) fn comparison_constraints(
        &self,
        operator: &str,
        operands: [NodeId; 2],
        is_negated: bool,
    ) -> Option<Vec<LinearSum>> {
        let [left, right] = [self.parse_sum(operands[0])?, self.parse_sum(operands[1])?];
        let one = LinearSum::from_constant(1);
        Some(match (operator, is_negated) {
            ("<", false) | (">=", true) => vec![right.subtract(&left)?.subtract(&one)?],
            ("<=", false) | (">", true) => vec![right.subtract(&left)?],
            (">", false) | ("<=", true) => vec![left.subtract(&right)?.subtract(&one)?],
            (">=", false) | ("<", true) => vec![left.subtract(&right)?],
            ("==", false) | ("!=", true) => vec![right.subtract(&left)?, left.subtract(&right)?],
            _ => return None,
        })
    }

    /// Reads an expression as a sum. Quotients, and products without a number, are terms.
    pub(super) fn parse_sum(&self, id: NodeId) -> Option<LinearSum> {
        if let Some(inner) = self.expression.in_parentheses(id) {
            return self.parse_sum(inner);
        }
        let opaque_term =
            || LinearSum::from_term(parenthesise(&self.expression.text_on_one_line(id)));
        match (self.expression.kind(id), self.expression.operation(id)) {
            ("decimal_integer_literal", _) => {
                let digits = self.expression.text(id).replace('_', "");
                Some(LinearSum::from_constant(digits.trim_end_matches(['l', 'L']).parse().ok()?))
            }
            (_, Some((operator, left, right))) => match (operator, right) {
                ("-", None) => self.parse_sum(left)?.multiply(-1),
                ("+", None) => self.parse_sum(left),
                ("+", Some(right)) => {
                    self.parse_sum(left)?.add_multiple(&self.parse_sum(right)?, 1)
                }
                ("-", Some(right)) => self.parse_sum(left)?.subtract(&self.parse_sum(right)?),
                ("*", Some(right)) => {
                    let [left, right] = [self.parse_sum(left)?, self.parse_sum(right)?];
                    match (left.as_constant(), right.as_constant()) {
                        (Some(number), _) => right.multiply(number),
                        (_, Some(number)) => left.multiply(number),
                        _ => Some(opaque_term()),
                    }
                }
                ("/" | "%", Some(_)) => Some(opaque_term()),
                _ => None,
            },
            ("identifier" | "field_access" | "method_invocation" | "array_access", _) => {
                Some(opaque_term())
            }
            _ => None,
        }
    }
}

impl LinearSum {
    /// Reads a Java expression with a whole number as value; `None` for other forms.
    pub(crate) fn read(expression: &str) -> Option<Self> {
        let expression = ParsedExpression::parse(expression)?;
        SumReader { expression: &expression }.parse_sum(expression.root)
    }
}
