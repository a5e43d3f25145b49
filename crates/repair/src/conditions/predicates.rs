//! Conditions over what can be named in a place.

use super::numbers::{NumberKind, NumberTerm, against_small, comparisons_with, numbers};
use crate::conditions::equivalence::IntegerTerms;
use crate::conditions::linear::{LinearComparison, LinearSum};
use crate::conditions::terms::ConditionTerm;
use crate::observe::values::{Observations, ObservedValue, TestCounts, Visit};
use mend_java::Code;
use mend_java::code::condition::Condition;
use mend_java::code::precedence::is_comparison_side;
use mend_java::code::types::{is_ordered, is_reference};
use mend_java::facts::NodeIndex;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Maximum number of variables compared with each other.
const COMPARED: usize = 8;

/// The type of texts.
const TEXT: &str = "java.lang.String";

/// Types with an emptiness check.
const SIZED: [&str; 3] = [TEXT, "java.util.Collection", "java.util.Map"];

/// Right operand of a comparison with a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PredicateOperand {
    Number(NumberTerm),
    Null,
    Variable(String),
}

/// Compared property of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandProperty {
    Value,
    Length,
    /// Boolean value.
    IsEmpty,
    IsNaN,
    Boolean,
}

/// A condition over variables that can be evaluated on observed values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Predicate {
    variable: String,
    aspect: OperandProperty,
    /// For a truth `==` or `!=`.
    operator: &'static str,
    operand: PredicateOperand,
    /// True for text, which is compared by content.
    is_text: bool,
}

/// Returns a term as one side of a comparison, in parentheses if its operator binds less tightly.
fn compared_side(term: &str) -> Cow<'_, str> {
    if is_comparison_side(term) { term.into() } else { format!("({term})").into() }
}

/// Left term, property and right operand of a condition.
pub(crate) type PredicateSubject = (String, OperandProperty, PredicateOperand);

impl Predicate {
    /// Returns the condition in Java.
    pub(crate) fn condition(&self) -> Condition {
        let variable = compared_side(&self.variable);
        let compared = |left: &str, right: &str| Condition::compare(left, self.operator, right);
        let asked = |question: Condition| {
            if self.operator == "!=" { question.negation() } else { question }
        };
        match (self.aspect, &self.operand) {
            (OperandProperty::Boolean, _) => asked(Condition::parse(&self.variable)),
            (OperandProperty::IsEmpty, _) => {
                asked(Condition::opaque(format!("{variable}.isEmpty()")))
            }
            (OperandProperty::IsNaN, _) => {
                asked(Condition::opaque(format!("Double.isNaN({variable})")))
            }
            (OperandProperty::Length, PredicateOperand::Number(number)) => {
                compared(&format!("{variable}.length"), &number.text)
            }
            (_, PredicateOperand::Number(number)) => compared(&variable, &number.text),
            (_, PredicateOperand::Null) => compared(&variable, "null"),
            (_, PredicateOperand::Variable(other)) if self.is_text => {
                asked(Condition::opaque(format!("{variable}.equals({other})")))
            }
            (_, PredicateOperand::Variable(other)) => compared(&variable, &compared_side(other)),
        }
    }

    pub(crate) fn subject(&self) -> PredicateSubject {
        (self.variable.clone(), self.aspect, self.operand.clone())
    }

    fn new(
        variable: &ConditionTerm,
        aspect: OperandProperty,
        operator: &'static str,
        operand: PredicateOperand,
    ) -> Self {
        let is_text = variable.ty == TEXT;
        Self { variable: variable.text.clone(), aspect, operator, operand, is_text }
    }

    /// Evaluates the condition on the values of a visit; `None` if the result is unknown. A condition that would throw
    /// is false.
    pub(crate) fn evaluate(&self, row: &Visit<'_>) -> Option<bool> {
        let value = row.value(&self.variable)?;
        if value == ObservedValue::Thrown {
            return Some(false);
        }
        let is_equal = |equal: bool| equal == (self.operator == "==");
        Some(match (self.aspect, value, &self.operand) {
            (OperandProperty::Boolean, ObservedValue::Boolean(truth), _) => is_equal(truth),
            (OperandProperty::IsEmpty, ObservedValue::Sized { size, .. }, _) => {
                is_equal(size == 0.0)
            }
            (
                OperandProperty::Length,
                ObservedValue::Sized { size, .. },
                PredicateOperand::Number(number),
            ) => compared(size, self.operator, number.value),
            (OperandProperty::IsNaN, ObservedValue::Number(number), _) => is_equal(number.is_nan()),
            (
                OperandProperty::IsEmpty | OperandProperty::Length | OperandProperty::IsNaN,
                ObservedValue::Null,
                _,
            )
            | (OperandProperty::Value, ObservedValue::Null, PredicateOperand::Number(_)) => false,
            (
                OperandProperty::Value,
                ObservedValue::Number(left),
                PredicateOperand::Number(right),
            ) => compared(left, self.operator, right.value),
            (OperandProperty::Value, value, PredicateOperand::Null) => {
                is_equal(value == ObservedValue::Null)
            }
            (OperandProperty::Value, ObservedValue::Null, PredicateOperand::Variable(_))
                if self.is_text =>
            {
                false
            }
            (OperandProperty::Value, left, PredicateOperand::Variable(other)) => {
                match (left, row.value(other)?) {
                    (ObservedValue::Number(left), ObservedValue::Number(right)) => {
                        compared(left, self.operator, right)
                    }
                    (left, right) => {
                        matches!(self.operator, "==" | "!=") && is_equal(left == right)
                    }
                }
            }
            _ => return None,
        })
    }
}

impl Predicate {
    /// Returns the comparison as one of whole numbers; `None` if it is about anything else.
    pub(crate) fn compared(&self, whole: &IntegerTerms) -> Option<LinearComparison> {
        let number = |number: &NumberTerm| Some(LinearSum::of_number(number.as_integer()?));
        let none = LinearSum::of_number(0);
        let (left, right) = match (self.aspect, &self.operand) {
            (OperandProperty::IsEmpty, _) => (whole.size(&self.variable)?, none),
            (OperandProperty::Length, PredicateOperand::Number(limit)) => {
                (whole.size(&self.variable)?, number(limit)?)
            }
            (OperandProperty::Value, PredicateOperand::Number(limit)) => {
                (whole.number(&self.variable)?, number(limit)?)
            }
            (OperandProperty::Value, PredicateOperand::Variable(other)) => {
                (whole.number(&self.variable)?, whole.number(other)?.clone())
            }
            _ => return None,
        };
        LinearComparison::new(left, self.operator, &right)
    }
}

fn compared(left: f64, operator: &str, right: f64) -> bool {
    let is_equal = left.partial_cmp(&right) == Some(Ordering::Equal);
    match operator {
        "==" => is_equal,
        "!=" => !is_equal,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        _ => left >= right,
    }
}

/// Returns conditions about one variable, the likelier ones first.
fn predicates_about(code: &Code<'_>, variable: &ConditionTerm) -> Vec<Predicate> {
    let make = |aspect, operator, operand| Predicate::new(variable, aspect, operator, operand);
    let ty = &*variable.ty;
    let both = |aspect, operand: PredicateOperand| {
        ["==", "!="].map(|operator| make(aspect, operator, operand.clone()))
    };
    if ty == "boolean" {
        return both(OperandProperty::Boolean, PredicateOperand::Null).to_vec();
    }
    let mut all = Vec::new();
    if is_ordered(ty) {
        let small = against_small(NumberKind::from_type(ty)).into_iter();
        all.extend(small.map(|(operator, number)| {
            make(OperandProperty::Value, operator, PredicateOperand::Number(number))
        }));
        if NumberKind::from_type(ty) == NumberKind::Fraction {
            all.extend(both(OperandProperty::IsNaN, PredicateOperand::Null));
        }
    }
    if !is_reference(ty) {
        return all;
    }
    let class = code.facts.class_named(ty);
    if class.is_some_and(|class| SIZED.iter().any(|sized| code.facts.is_below(class, sized))) {
        all.extend(both(OperandProperty::IsEmpty, PredicateOperand::Null));
    }
    if ty.ends_with("[]") {
        all.push(make(
            OperandProperty::Length,
            "==",
            PredicateOperand::Number(NumberTerm::from_integer(0)),
        ));
    }
    all.extend(both(OperandProperty::Value, PredicateOperand::Null));
    all
}

/// Returns conditions about one variable and numbers that the method names.
fn compared_with(variable: &ConditionTerm, numbers: &[NumberTerm]) -> Vec<Predicate> {
    if !is_ordered(&variable.ty) {
        return Vec::new();
    }
    let against = comparisons_with(NumberKind::from_type(&variable.ty), numbers).into_iter();
    let predicate = |(operator, number)| {
        Predicate::new(variable, OperandProperty::Value, operator, PredicateOperand::Number(number))
    };
    against.map(predicate).collect()
}

/// Returns conditions about two variables of one kind.
fn comparisons_between(terms: &[ConditionTerm]) -> Vec<(Predicate, f64)> {
    let numbers = pairs(terms, is_ordered, &["==", "<", ">", "<=", ">=", "!="]);
    let is_object = |ty: &str| is_reference(ty) && !ty.ends_with("[]") && !is_ordered(ty);
    let references = pairs(terms, is_object, &["==", "!="]);
    numbers.into_iter().chain(references).collect()
}

fn pairs(
    terms: &[ConditionTerm],
    is_meant: impl Fn(&str) -> bool,
    operators: &[&'static str],
) -> Vec<(Predicate, f64)> {
    let meant: Vec<&ConditionTerm> =
        terms.iter().filter(|one| is_meant(&one.ty)).take(COMPARED).collect();
    let mut all = Vec::new();
    for (at, left) in meant.iter().enumerate() {
        for right in &meant[at + 1..] {
            let is_one_kind = if is_ordered(&left.ty) {
                (NumberKind::from_type(&left.ty) == NumberKind::Character)
                    == (NumberKind::from_type(&right.ty) == NumberKind::Character)
            } else {
                left.ty == right.ty
            };
            // Two boxes are the same only by chance.
            let are_boxes =
                is_reference(&left.ty) && is_reference(&right.ty) && is_ordered(&left.ty);
            let is_meant = |operator: &&&str| !are_boxes || !matches!(**operator, "==" | "!=");
            for operator in operators.iter().filter(is_meant).filter(|_| is_one_kind) {
                let other = PredicateOperand::Variable(right.text.clone());
                let predicate = Predicate::new(left, OperandProperty::Value, operator, other);
                all.push((predicate, left.nearness.min(right.nearness)));
            }
        }
    }
    all
}

/// Returns the conditions evaluated at a place, each with the nearness of its terms; simpler ones come first. If no
/// test recorded values there, numbers are not compared with numbers of the method.
pub(crate) fn predicates(
    code: &Code<'_>,
    statement: NodeIndex,
    terms: &[ConditionTerm],
    is_seen: bool,
) -> Vec<(Predicate, f64)> {
    let numbers = if is_seen { numbers(code, statement) } else { Vec::new() };
    let single = terms.iter().flat_map(|one| {
        predicates_about(code, one).into_iter().map(|predicate| (predicate, one.nearness))
    });
    // A number of the method comes last: it may fit by chance.
    let by_number = terms.iter().flat_map(|one| {
        let compared = compared_with(one, &numbers).into_iter();
        compared.map(|predicate| (predicate, one.nearness * BY_NUMBER))
    });
    single.chain(comparisons_between(terms)).chain(by_number).collect()
}

/// Returns true if recorded values show that a condition of the form `x == null` never held in a failing test.
pub(crate) fn is_refuted(
    terms: &[ConditionTerm],
    place: Option<&Observations>,
    condition: &str,
) -> bool {
    null_seen(terms, place, condition).is_some_and(|seen| seen.failing == 0)
}

/// Returns true if recorded values show that a condition of the form `x == null` held in a failing test.
pub(crate) fn is_seen(
    terms: &[ConditionTerm],
    place: Option<&Observations>,
    condition: &str,
) -> bool {
    null_seen(terms, place, condition).is_some_and(|seen| seen.failing > 0)
}

/// Counts the tests that observed a null value, if the condition is about null and values were recorded.
fn null_seen(
    terms: &[ConditionTerm],
    place: Option<&Observations>,
    condition: &str,
) -> Option<TestCounts> {
    let name = condition.strip_suffix(" == null")?;
    let variable = terms.iter().find(|term| term.text == name)?;
    let predicate = Predicate::new(variable, OperandProperty::Value, "==", PredicateOperand::Null);
    Some(place?.truths(|row| predicate.evaluate(row))?.seen_true)
}

/// Weight of a comparison with a number of the method, relative to other conditions.
const BY_NUMBER: f64 = 0.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_that_binds_loosely_is_compared_in_parentheses() {
        for (term, side) in [
            ("n ^ (n - 1)", "(n ^ (n - 1))"),
            ("flags & MASK", "(flags & MASK)"),
            ("a ? b : c", "(a ? b : c)"),
            ("i + 1", "i + 1"),
            ("f(a & b)", "f(a & b)"),
            ("list.get(i)", "list.get(i)"),
        ] {
            assert_eq!(compared_side(term), side);
        }
    }

    #[test]
    fn texts_are_compared_by_what_they_say() {
        let of = |ty: &str, operator| {
            let term = ConditionTerm {
                text: "a.b()".into(),
                ty: ty.into(),
                is_asked: false,
                nearness: 1.0,
            };
            let other = PredicateOperand::Variable("c".into());
            Predicate::new(&term, OperandProperty::Value, operator, other).condition()
        };
        assert_eq!(of("java.lang.String", "==").text(), "a.b().equals(c)");
        assert_eq!(of("java.lang.String", "!=").text(), "!a.b().equals(c)");
        assert_eq!(of("java.lang.Thread", "!=").text(), "a.b() != c");
    }
}
