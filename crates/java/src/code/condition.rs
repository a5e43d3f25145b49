//! Boolean conditions of Java: text and logical structure.

use crate::code::expression::ParsedExpression;
use crate::code::file::is_self_contained;
use crate::code::precedence::is_looser_than_or;
use crate::syntax::NodeId;
use std::fmt;

/// A boolean condition: its text, and its logical structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    text: String,
    form: ConditionForm,
}

/// Logical structure of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ConditionForm {
    Parenthesized(Box<Condition>),
    Not(Box<Condition>),
    Compare {
        left: String,
        operator: &'static str,
        right: String,
    },
    Junction(Junction, Vec<Condition>),
    /// Any other expression, such as a call.
    Opaque,
}

/// Operator that joins conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Junction {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Comparison operators, each with its negation.
const OPPOSITES: [(&str, &str); 6] =
    [("==", "!="), ("!=", "=="), ("<=", ">"), (">=", "<"), ("<", ">="), (">", "<=")];

/// Operators that show that a condition has several parts.
const DIVIDING: [&str; 3] = ["&&", "||", "?"];

impl Condition {
    /// Parses a condition. A text that is not Java becomes one opaque condition.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let parsed = ParsedExpression::parse(text);
        // Text after the expression would be lost.
        match parsed.filter(|expression| expression.text(expression.root) == text) {
            Some(expression) => Self::from_node(&expression, expression.root),
            None => Self::opaque(text),
        }
    }

    fn from_node(expression: &ParsedExpression, id: NodeId) -> Self {
        let part = |id| Self::from_node(expression, id);
        let junction = |junction, left, right| {
            let parts = [part(left).split(junction), vec![part(right)]].concat();
            ConditionForm::Junction(junction, parts)
        };
        let form = match (expression.in_parentheses(id), expression.operation(id)) {
            (Some(inner), _) => ConditionForm::Parenthesized(Box::new(part(inner))),
            (None, Some(("!", inner, None))) => ConditionForm::Not(Box::new(part(inner))),
            (None, Some(("&&", left, Some(right)))) => junction(Junction::And, left, right),
            (None, Some(("||", left, Some(right)))) => junction(Junction::Or, left, right),
            (None, Some((sign, left, Some(right)))) => {
                let known = OPPOSITES.iter().find(|(operator, _)| *operator == sign);
                known.map_or(ConditionForm::Opaque, |(operator, _)| ConditionForm::Compare {
                    left: expression.text(left).to_owned(),
                    operator,
                    right: expression.text(right).to_owned(),
                })
            }
            _ => ConditionForm::Opaque,
        };
        Self { text: expression.text(id).to_owned(), form }
    }

    /// Creates a condition without parts.
    pub fn opaque(text: impl Into<String>) -> Self {
        Self { text: text.into(), form: ConditionForm::Opaque }
    }

    /// Creates a comparison.
    pub fn compare(left: &str, operator: &'static str, right: &str) -> Self {
        let text = format!("{left} {operator} {right}");
        let (left, right) = (left.to_owned(), right.to_owned());
        Self { text, form: ConditionForm::Compare { left, operator, right } }
    }

    /// Joins conditions, each in parentheses if its precedence requires that.
    pub fn join(junction: Junction, parts: Vec<Self>) -> Self {
        let is_torn = |part: &Self| match part.form {
            ConditionForm::Junction(own, _) => own == Junction::Or && junction == Junction::And,
            ConditionForm::Opaque => is_looser_than_or(&part.text),
            _ => false,
        };
        let fitted = |part: Self| if is_torn(&part) { part.parenthesize() } else { part };
        let parts: Vec<Self> = parts.into_iter().map(fitted).collect();
        let texts: Vec<&str> = parts.iter().map(Self::text).collect();
        Self { text: texts.join(junction.sign()), form: ConditionForm::Junction(junction, parts) }
    }

    /// Returns the parts of a junction; any other condition is its own only part.
    fn split(self, junction: Junction) -> Vec<Self> {
        match self.form {
            ConditionForm::Junction(own, parts) if own == junction => parts,
            _ => vec![self],
        }
    }

    /// Returns the condition in parentheses.
    #[must_use]
    pub fn parenthesize(self) -> Self {
        Self { text: format!("({self})"), form: ConditionForm::Parenthesized(Box::new(self)) }
    }

    /// Returns the condition as a part of a junction, in parentheses if it is one of the other kind.
    #[must_use]
    pub fn parenthesize_in(self, junction: Junction) -> Self {
        match self.form {
            ConditionForm::Junction(own, _) if own != junction => self.parenthesize(),
            _ => self,
        }
    }

    /// Returns the condition without the parentheses around it.
    pub fn without_parentheses(&self) -> &Self {
        match &self.form {
            ConditionForm::Parenthesized(inner) => inner.without_parentheses(),
            _ => self,
        }
    }

    /// Returns the source text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the two sides of a disjunction of two conditions.
    pub fn disjuncts(&self) -> Option<[Self; 2]> {
        match &self.form {
            ConditionForm::Junction(Junction::Or, parts) => parts.clone().try_into().ok(),
            _ => None,
        }
    }

    /// Returns true if the condition consists of several ones.
    pub fn is_compound(&self) -> bool {
        DIVIDING.iter().any(|sign| self.text.contains(sign))
    }

    /// Returns true if two conditions have the same text apart from white space.
    pub fn is_same(&self, other: &Self) -> bool {
        self.text
            .split_whitespace()
            .flat_map(str::chars)
            .eq(other.text.split_whitespace().flat_map(str::chars))
    }

    /// Returns the shortest negation. A junction whose parts are compound or contain a string is negated as a whole.
    #[must_use]
    pub fn negation(&self) -> Self {
        let is_short = |part: &Self| !part.is_compound() && !part.text.contains('"');
        match &self.form {
            ConditionForm::Not(inner) => inner.without_parentheses().clone(),
            ConditionForm::Parenthesized(inner) if !inner.is_compound() => {
                inner.negation().parenthesize()
            }
            ConditionForm::Compare { left, operator, right } => {
                let opposite = OPPOSITES.iter().find(|(one, _)| one == operator);
                Self::compare(left, opposite.map_or(operator, |(_, other)| other), right)
            }
            ConditionForm::Junction(junction, parts) if parts.iter().all(is_short) => {
                Self::join(junction.opposite(), parts.iter().map(Self::negation).collect())
            }
            _ => Self::not(self.clone()),
        }
    }

    fn not(condition: Self) -> Self {
        let inner =
            if is_self_contained(&condition.text) { condition } else { condition.parenthesize() };
        Self { text: format!("!{inner}"), form: ConditionForm::Not(Box::new(inner)) }
    }
}

impl Junction {
    fn sign(self) -> &'static str {
        match self {
            Self::And => " && ",
            Self::Or => " || ",
        }
    }

    fn opposite(self) -> Self {
        match self {
            Self::And => Self::Or,
            Self::Or => Self::And,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, Junction};

    #[test]
    fn the_opposite_of_a_condition_is_as_short_as_it_can_be() {
        for (condition, opposite) in [
            ("a == null", "a != null"),
            ("i < n", "i >= n"),
            ("!done", "done"),
            ("done", "!done"),
            ("list.isEmpty()", "!list.isEmpty()"),
            ("a < b && c", "a >= b || !c"),
            ("a && (b || c)", "!(a && (b || c))"),
            ("a == null || f(b) < 0 || c", "a != null && f(b) >= 0 && !c"),
            ("a || f(b || c)", "!(a || f(b || c))"),
            ("x instanceof String", "!(x instanceof String)"),
            ("!(x instanceof String)", "x instanceof String"),
            ("!(a).is(b)", "(a).is(b)"),
            ("f(i < n)", "!f(i < n)"),
            ("a[i] < n", "a[i] >= n"),
            ("!(f(a) && b)", "f(a) && b"),
            ("s.equals(\"a < b\")", "!s.equals(\"a < b\")"),
            ("s.equals(\"(\") || c", "!(s.equals(\"(\") || c)"),
            ("new A<B>().c()", "!(new A<B>().c())"),
            ("a ? b : c", "!(a ? b : c)"),
            ("a, b", "!(a, b)"),
        ] {
            assert_eq!(Condition::parse(condition).negation().text(), opposite);
        }
    }

    #[test]
    fn a_junction_has_the_parentheses_that_it_needs() {
        let parts = |texts: [&str; 2]| texts.map(Condition::parse).to_vec();
        for (texts, both, either) in [
            (["a", "b < c"], "a && b < c", "a || b < c"),
            (["a || b", "c"], "(a || b) && c", "a || b || c"),
            (["a && b", "c"], "a && b && c", "a && b || c"),
            (["a ? b : c", "d"], "(a ? b : c) && d", "(a ? b : c) || d"),
            (["a", "(b || c)"], "a && (b || c)", "a || (b || c)"),
        ] {
            assert_eq!(Condition::join(Junction::And, parts(texts)).text(), both);
            assert_eq!(Condition::join(Junction::Or, parts(texts)).text(), either);
        }
    }
}
