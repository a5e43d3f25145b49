//! Reads integer expressions and comparisons of Java.

use super::sum::LinearSum;
use mend_java::closed;
use mend_java::{Grammar, NodeId, ParsedSource};

/// Parses an expression in a source of its own; `None` if it is not one.
pub(super) fn parsed(expression: &str) -> Option<(ParsedSource, NodeId)> {
    let text = format!("class A {{ boolean a = {expression}; }}");
    let source = ParsedSource::parse(text.into_bytes().into())?;
    let reader = ExpressionParser { source: &source };
    let is_declared = |id: &NodeId| reader.kind(*id) == "variable_declarator";
    let declared = (0..source.nodes().len()).find(is_declared)?;
    let value = reader.child(declared, "value")?;
    Some((source, value))
}

/// Reads the expressions of a source.
pub(super) struct ExpressionParser<'a> {
    pub(super) source: &'a ParsedSource,
}

impl ExpressionParser<'_> {
    pub(super) fn kind(&self, id: NodeId) -> &'static str {
        Grammar::get().name(self.source.node(id).kind)
    }

    pub(super) fn child(&self, id: NodeId, field: &str) -> Option<NodeId> {
        self.source.child(id, Grammar::get().field(field))
    }

    /// Returns the text of an expression on one line.
    pub(super) fn text(&self, id: NodeId) -> String {
        let text = String::from_utf8_lossy(self.source.text_of(id));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn in_parentheses(&self, id: NodeId) -> Option<NodeId> {
        let inside = self.source.children(id).find(|child| self.source.node(*child).named);
        inside.filter(|_| self.kind(id) == "parenthesized_expression")
    }

    /// Returns the operator of a unary or binary expression, and its operands.
    pub(super) fn operation(&self, id: NodeId) -> Option<(String, NodeId, Option<NodeId>)> {
        let operator = self.text(self.child(id, "operator")?);
        Some(match self.kind(id) {
            "unary_expression" => (operator, self.child(id, "operand")?, None),
            "binary_expression" => (operator, self.child(id, "left")?, self.child(id, "right")),
            _ => return None,
        })
    }

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
        if let Some(inside) = self.in_parentheses(id) {
            return self.sum(inside);
        }
        let whole = || LinearSum::of_term(closed(&self.text(id)));
        match (self.kind(id), self.operation(id)) {
            ("decimal_integer_literal", _) => {
                let digits = self.text(id).replace('_', "");
                Some(LinearSum::of_number(digits.trim_end_matches(['l', 'L']).parse().ok()?))
            }
            (_, Some((operator, left, right))) => match (&*operator, right) {
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
        let (source, id) = parsed(expression)?;
        ExpressionParser { source: &source }.sum(id)
    }
}
