//! Predicates over the terms at a statement, and their evaluation on observed values.

use super::numbers::{
    NumberKind, NumberTerm, find_numbers, number_comparisons, small_number_comparisons,
};
use crate::conditions::equivalence::IntegerTerms;
use crate::conditions::linear::{LinearComparison, LinearSum};
use crate::conditions::terms::ConditionTerm;
use crate::observe::values::{Observations, ObservedValue, TestCounts, Visit};
use mend_java::Code;
use mend_java::code::condition::Condition;
use mend_java::code::precedence::is_comparison_side;
use mend_java::code::types::{is_ordered_type, is_reference_type};
use mend_java::facts::NodeIndex;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Maximum number of variables compared with each other.
const MAX_COMPARED_VARIABLES: usize = 8;

/// Class name of strings.
const JAVA_LANG_STRING: &str = "java.lang.String";

/// Types with an emptiness check.
const TYPES_WITH_IS_EMPTY: [&str; 3] = [JAVA_LANG_STRING, "java.util.Collection", "java.util.Map"];

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
    property: OperandProperty,
    /// For a boolean property, `==` or `!=`.
    operator: &'static str,
    operand: PredicateOperand,
    /// True for strings, which are compared with `equals`.
    is_text: bool,
}

/// Returns a term as one side of a comparison, in parentheses if its operator binds less tightly.
fn format_operand(term: &str) -> Cow<'_, str> {
    if is_comparison_side(term) { term.into() } else { format!("({term})").into() }
}

/// Left term, property and right operand of a condition.
pub(crate) type PredicateSubject = (String, OperandProperty, PredicateOperand);

impl Predicate {
    /// Returns the condition in Java.
    pub(crate) fn condition(&self) -> Condition {
        let variable = format_operand(&self.variable);
        let compared = |left: &str, right: &str| Condition::compare(left, self.operator, right);
        let asked = |question: Condition| {
            if self.operator == "!=" { question.negation() } else { question }
        };
        match (self.property, &self.operand) {
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
            (_, PredicateOperand::Variable(other)) => compared(&variable, &format_operand(other)),
        }
    }

    pub(crate) fn subject(&self) -> PredicateSubject {
        (self.variable.clone(), self.property, self.operand.clone())
    }

    fn new(
        variable: &ConditionTerm,
        property: OperandProperty,
        operator: &'static str,
        operand: PredicateOperand,
    ) -> Self {
        let is_text = variable.ty == JAVA_LANG_STRING;
        Self { variable: variable.text.clone(), property, operator, operand, is_text }
    }

    /// Evaluates the condition on the values of a visit; `None` if the result is unknown. A condition that would throw
    /// is false.
    pub(crate) fn evaluate(&self, visit: &Visit<'_>) -> Option<bool> {
        let value = visit.value_of(&self.variable)?;
        if value == ObservedValue::Thrown {
            return Some(false);
        }
        let is_equal = |equal: bool| equal == (self.operator == "==");
        Some(match (self.property, value, &self.operand) {
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
                match (left, visit.value_of(other)?) {
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
    /// Returns the predicate as a linear integer comparison; `None` if it is not one.
    pub(crate) fn as_linear_comparison(
        &self,
        integer_terms: &IntegerTerms,
    ) -> Option<LinearComparison> {
        let number = |number: &NumberTerm| Some(LinearSum::from_constant(number.as_integer()?));
        let zero = LinearSum::from_constant(0);
        let (left, right) = match (self.property, &self.operand) {
            (OperandProperty::IsEmpty, _) => (integer_terms.size_of(&self.variable)?, zero),
            (OperandProperty::Length, PredicateOperand::Number(limit)) => {
                (integer_terms.size_of(&self.variable)?, number(limit)?)
            }
            (OperandProperty::Value, PredicateOperand::Number(limit)) => {
                (integer_terms.sum_of(&self.variable)?, number(limit)?)
            }
            (OperandProperty::Value, PredicateOperand::Variable(other)) => {
                (integer_terms.sum_of(&self.variable)?, integer_terms.sum_of(other)?.clone())
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

/// Returns predicates about one variable, the more likely ones first.
fn predicates_on_variable(code: &Code<'_>, variable: &ConditionTerm) -> Vec<Predicate> {
    let make = |aspect, operator, operand| Predicate::new(variable, aspect, operator, operand);
    let ty = &*variable.ty;
    let equality_pair = |aspect, operand: PredicateOperand| {
        ["==", "!="].map(|operator| make(aspect, operator, operand.clone()))
    };
    if ty == "boolean" {
        return equality_pair(OperandProperty::Boolean, PredicateOperand::Null).to_vec();
    }
    let mut all = Vec::new();
    if is_ordered_type(ty) {
        let small = small_number_comparisons(NumberKind::from_type(ty)).into_iter();
        all.extend(small.map(|(operator, number)| {
            make(OperandProperty::Value, operator, PredicateOperand::Number(number))
        }));
        if NumberKind::from_type(ty) == NumberKind::Fraction {
            all.extend(equality_pair(OperandProperty::IsNaN, PredicateOperand::Null));
        }
    }
    if !is_reference_type(ty) {
        return all;
    }
    let class = code.facts.find_class(ty);
    if class.is_some_and(|class| {
        TYPES_WITH_IS_EMPTY.iter().any(|sized| code.facts.is_subtype_of(class, sized))
    }) {
        all.extend(equality_pair(OperandProperty::IsEmpty, PredicateOperand::Null));
    }
    if ty.ends_with("[]") {
        all.push(make(
            OperandProperty::Length,
            "==",
            PredicateOperand::Number(NumberTerm::from_integer(0)),
        ));
    }
    all.extend(equality_pair(OperandProperty::Value, PredicateOperand::Null));
    all
}

/// Returns predicates that compare a variable with numbers of the method.
fn predicates_with_numbers(variable: &ConditionTerm, numbers: &[NumberTerm]) -> Vec<Predicate> {
    if !is_ordered_type(&variable.ty) {
        return Vec::new();
    }
    let comparisons = number_comparisons(NumberKind::from_type(&variable.ty), numbers).into_iter();
    let predicate = |(operator, number)| {
        Predicate::new(variable, OperandProperty::Value, operator, PredicateOperand::Number(number))
    };
    comparisons.map(predicate).collect()
}

/// Returns predicates that compare two variables of one kind.
fn predicates_between(terms: &[ConditionTerm]) -> Vec<(Predicate, f64)> {
    let numbers = compare_pairs(terms, is_ordered_type, &["==", "<", ">", "<=", ">=", "!="]);
    let is_object = |ty: &str| is_reference_type(ty) && !ty.ends_with("[]") && !is_ordered_type(ty);
    let references = compare_pairs(terms, is_object, &["==", "!="]);
    numbers.into_iter().chain(references).collect()
}

fn compare_pairs(
    terms: &[ConditionTerm],
    is_compared_type: impl Fn(&str) -> bool,
    operators: &[&'static str],
) -> Vec<(Predicate, f64)> {
    let compared_terms: Vec<&ConditionTerm> =
        terms.iter().filter(|one| is_compared_type(&one.ty)).take(MAX_COMPARED_VARIABLES).collect();
    let mut all = Vec::new();
    for (at, left) in compared_terms.iter().enumerate() {
        for right in &compared_terms[at + 1..] {
            let are_comparable = if is_ordered_type(&left.ty) {
                (NumberKind::from_type(&left.ty) == NumberKind::Character)
                    == (NumberKind::from_type(&right.ty) == NumberKind::Character)
            } else {
                left.ty == right.ty
            };
            // Two boxed numbers are identical only by chance.
            let are_boxes = is_reference_type(&left.ty)
                && is_reference_type(&right.ty)
                && is_ordered_type(&left.ty);
            let is_compared_type =
                |operator: &&&str| !are_boxes || !matches!(**operator, "==" | "!=");
            for operator in operators.iter().filter(is_compared_type).filter(|_| are_comparable) {
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
pub(crate) fn generate_predicates(
    code: &Code<'_>,
    statement: NodeIndex,
    terms: &[ConditionTerm],
    has_observations: bool,
) -> Vec<(Predicate, f64)> {
    let numbers = if has_observations { find_numbers(code, statement) } else { Vec::new() };
    let single = terms.iter().flat_map(|one| {
        predicates_on_variable(code, one).into_iter().map(|predicate| (predicate, one.nearness))
    });
    // A number of the method comes last: it may fit by chance.
    let with_numbers = terms.iter().flat_map(|one| {
        let compared = predicates_with_numbers(one, &numbers).into_iter();
        compared.map(|predicate| (predicate, one.nearness * METHOD_NUMBER_FACTOR))
    });
    single.chain(predicates_between(terms)).chain(with_numbers).collect()
}

/// Returns true if recorded values show that a condition of the form `x == null` never held in a failing test.
pub(crate) fn is_null_refuted(
    terms: &[ConditionTerm],
    observations: Option<&Observations>,
    condition: &str,
) -> bool {
    count_null_observations(terms, observations, condition).is_some_and(|seen| seen.failing == 0)
}

/// Returns true if recorded values show that a condition of the form `x == null` held in a failing test.
pub(crate) fn is_null_observed(
    terms: &[ConditionTerm],
    observations: Option<&Observations>,
    condition: &str,
) -> bool {
    count_null_observations(terms, observations, condition).is_some_and(|seen| seen.failing > 0)
}

/// Counts the tests that observed a null value, if the condition is about null and values were recorded.
fn count_null_observations(
    terms: &[ConditionTerm],
    observations: Option<&Observations>,
    condition: &str,
) -> Option<TestCounts> {
    let name = condition.strip_suffix(" == null")?;
    let variable = terms.iter().find(|term| term.text == name)?;
    let predicate = Predicate::new(variable, OperandProperty::Value, "==", PredicateOperand::Null);
    Some(observations?.evaluate_condition(|row| predicate.evaluate(row))?.true_counts)
}

/// Weight of a comparison with a number of the method, relative to other conditions.
const METHOD_NUMBER_FACTOR: f64 = 0.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_precedence_operands_are_parenthesised() {
        for (term, side) in [
            ("n ^ (n - 1)", "(n ^ (n - 1))"),
            ("flags & MASK", "(flags & MASK)"),
            ("a ? b : c", "(a ? b : c)"),
            ("i + 1", "i + 1"),
            ("f(a & b)", "f(a & b)"),
            ("list.get(i)", "list.get(i)"),
        ] {
            assert_eq!(format_operand(term), side);
        }
    }

    #[test]
    fn strings_are_compared_with_equals() {
        let of = |ty: &str, operator| {
            let term = ConditionTerm {
                text: "a.b()".into(),
                ty: ty.into(),
                can_throw: false,
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
