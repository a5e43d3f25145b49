//! Conditions over what can be named in a place.

use super::numbers::{Kind, Number, against, against_small, numbers};
use crate::conditions::equivalence::Whole;
use crate::conditions::linear::{Compared, Sum};
use crate::conditions::terms::Term;
use crate::observe::values::{Place, Row, Seen, Value};
use mend_java::Code;
use mend_java::code::negation::{is_outside, negated};
use mend_java::code::types::{is_ordered, is_reference};
use mend_java::facts::NodeIndex;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// Maximum number of variables compared with each other.
const COMPARED: usize = 8;

/// The type of texts.
const TEXT: &str = "java.lang.String";

/// Types with an emptiness check.
const SIZED: [&str; 3] = [TEXT, "java.util.Collection", "java.util.Map"];

/// Operators that bind no tighter than a comparison. `=` covers all operators that end in `=`.
const LOOSE: [&str; 7] = ["&", "|", "^", "?", "=", "->", "instanceof"];

/// Right operand of a comparison with a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Number(Number),
    Null,
    Variable(String),
}

/// Compared property of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aspect {
    Itself,
    Length,
    /// Boolean value.
    IsEmpty,
    IsNaN,
    Truth,
}

/// A condition over variables that can be evaluated on observed values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Predicate {
    variable: String,
    aspect: Aspect,
    /// For a truth `==` or `!=`.
    operator: &'static str,
    operand: Operand,
    /// True for text, which is compared by content.
    is_text: bool,
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, aspect, operator, operand, is_text } = self;
        let not = if *operator == "!=" { "!" } else { "" };
        let variable = compared_side(variable);
        match (aspect, operand) {
            (Aspect::Truth, _) if *operator == "!=" => f.write_str(&negated(&self.variable)),
            (Aspect::Truth, _) => f.write_str(&self.variable),
            (Aspect::IsEmpty, _) => write!(f, "{not}{variable}.isEmpty()"),
            (Aspect::IsNaN, _) => write!(f, "{not}Double.isNaN({variable})"),
            (Aspect::Length, Operand::Number(number)) => {
                write!(f, "{variable}.length {operator} {}", number.text)
            }
            (_, Operand::Number(number)) => write!(f, "{variable} {operator} {}", number.text),
            (_, Operand::Null) => write!(f, "{variable} {operator} null"),
            (_, Operand::Variable(other)) if *is_text => {
                write!(f, "{not}{variable}.equals({other})")
            }
            (_, Operand::Variable(other)) => {
                write!(f, "{variable} {operator} {}", compared_side(other))
            }
        }
    }
}

/// Returns a term as one side of a comparison, in parentheses if its operator binds less tightly.
fn compared_side(term: &str) -> Cow<'_, str> {
    let is_loose = |(at, _): (usize, &str)| is_outside(term, at);
    let has = |sign: &str| term.match_indices(sign).any(is_loose);
    if LOOSE.into_iter().any(has) { format!("({term})").into() } else { term.into() }
}

/// Left term, property and right operand of a condition.
pub(crate) type Subject = (String, Aspect, Operand);

impl Predicate {
    pub(crate) fn subject(&self) -> Subject {
        (self.variable.clone(), self.aspect, self.operand.clone())
    }

    fn new(variable: &Term, aspect: Aspect, operator: &'static str, operand: Operand) -> Self {
        let is_text = variable.ty == TEXT;
        Self { variable: variable.text.clone(), aspect, operator, operand, is_text }
    }

    /// Evaluates the condition on the values of a visit; `None` if the result is unknown. A condition that would throw
    /// is false.
    pub(crate) fn holds(&self, row: &Row<'_>) -> Option<bool> {
        let value = row.value(&self.variable)?;
        if value == Value::Thrown {
            return Some(false);
        }
        let is_equal = |equal: bool| equal == (self.operator == "==");
        Some(match (self.aspect, value, &self.operand) {
            (Aspect::Truth, Value::Truth(truth), _) => is_equal(truth),
            (Aspect::IsEmpty, Value::Sized { size, .. }, _) => is_equal(size == 0.0),
            (Aspect::Length, Value::Sized { size, .. }, Operand::Number(number)) => {
                compared(size, self.operator, number.value)
            }
            (Aspect::IsNaN, Value::Number(number), _) => is_equal(number.is_nan()),
            (Aspect::IsEmpty | Aspect::Length | Aspect::IsNaN, Value::Null, _)
            | (Aspect::Itself, Value::Null, Operand::Number(_)) => false,
            (Aspect::Itself, Value::Number(left), Operand::Number(right)) => {
                compared(left, self.operator, right.value)
            }
            (Aspect::Itself, value, Operand::Null) => is_equal(value == Value::Null),
            (Aspect::Itself, Value::Null, Operand::Variable(_)) if self.is_text => false,
            (Aspect::Itself, left, Operand::Variable(other)) => match (left, row.value(other)?) {
                (Value::Number(left), Value::Number(right)) => compared(left, self.operator, right),
                (left, right) => matches!(self.operator, "==" | "!=") && is_equal(left == right),
            },
            _ => return None,
        })
    }
}

impl Predicate {
    /// Returns the comparison as one of whole numbers; `None` if it is about anything else.
    pub(crate) fn compared(&self, whole: &Whole) -> Option<Compared> {
        let number = |number: &Number| Some(Sum::of_number(number.whole()?));
        let none = Sum::of_number(0);
        let (left, right) = match (self.aspect, &self.operand) {
            (Aspect::IsEmpty, _) => (whole.size(&self.variable)?, none),
            (Aspect::Length, Operand::Number(limit)) => {
                (whole.size(&self.variable)?, number(limit)?)
            }
            (Aspect::Itself, Operand::Number(limit)) => {
                (whole.number(&self.variable)?, number(limit)?)
            }
            (Aspect::Itself, Operand::Variable(other)) => {
                (whole.number(&self.variable)?, whole.number(other)?.clone())
            }
            _ => return None,
        };
        Compared::of(left, self.operator, &right)
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
fn about(code: &Code<'_>, variable: &Term) -> Vec<Predicate> {
    let make = |aspect, operator, operand| Predicate::new(variable, aspect, operator, operand);
    let ty = &*variable.ty;
    let both = |aspect, operand: Operand| {
        ["==", "!="].map(|operator| make(aspect, operator, operand.clone()))
    };
    if ty == "boolean" {
        return both(Aspect::Truth, Operand::Null).to_vec();
    }
    let mut all = Vec::new();
    if is_ordered(ty) {
        let small = against_small(Kind::of(ty)).into_iter();
        all.extend(
            small.map(|(operator, number)| make(Aspect::Itself, operator, Operand::Number(number))),
        );
        if Kind::of(ty) == Kind::Fraction {
            all.extend(both(Aspect::IsNaN, Operand::Null));
        }
    }
    if !is_reference(ty) {
        return all;
    }
    let class = code.facts.class_named(ty);
    if class.is_some_and(|class| SIZED.iter().any(|sized| code.facts.is_below(class, sized))) {
        all.extend(both(Aspect::IsEmpty, Operand::Null));
    }
    if ty.ends_with("[]") {
        all.push(make(Aspect::Length, "==", Operand::Number(Number::of(0))));
    }
    all.extend(both(Aspect::Itself, Operand::Null));
    all
}

/// Returns conditions about one variable and numbers that the method names.
fn compared_with(variable: &Term, numbers: &[Number]) -> Vec<Predicate> {
    if !is_ordered(&variable.ty) {
        return Vec::new();
    }
    let against = against(Kind::of(&variable.ty), numbers).into_iter();
    let predicate = |(operator, number)| {
        Predicate::new(variable, Aspect::Itself, operator, Operand::Number(number))
    };
    against.map(predicate).collect()
}

/// Returns conditions about two variables of one kind.
fn between(terms: &[Term]) -> Vec<(Predicate, f64)> {
    let numbers = pairs(terms, is_ordered, &["==", "<", ">", "<=", ">=", "!="]);
    let is_object = |ty: &str| is_reference(ty) && !ty.ends_with("[]") && !is_ordered(ty);
    let references = pairs(terms, is_object, &["==", "!="]);
    numbers.into_iter().chain(references).collect()
}

fn pairs(
    terms: &[Term],
    is_meant: impl Fn(&str) -> bool,
    operators: &[&'static str],
) -> Vec<(Predicate, f64)> {
    let meant: Vec<&Term> = terms.iter().filter(|one| is_meant(&one.ty)).take(COMPARED).collect();
    let mut all = Vec::new();
    for (at, left) in meant.iter().enumerate() {
        for right in &meant[at + 1..] {
            let is_one_kind = if is_ordered(&left.ty) {
                (Kind::of(&left.ty) == Kind::Character) == (Kind::of(&right.ty) == Kind::Character)
            } else {
                left.ty == right.ty
            };
            // Two boxes are the same only by chance.
            let are_boxes =
                is_reference(&left.ty) && is_reference(&right.ty) && is_ordered(&left.ty);
            let is_meant = |operator: &&&str| !are_boxes || !matches!(**operator, "==" | "!=");
            for operator in operators.iter().filter(is_meant).filter(|_| is_one_kind) {
                let other = Operand::Variable(right.text.clone());
                let predicate = Predicate::new(left, Aspect::Itself, operator, other);
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
    terms: &[Term],
    is_seen: bool,
) -> Vec<(Predicate, f64)> {
    let numbers = if is_seen { numbers(code, statement) } else { Vec::new() };
    let single = terms
        .iter()
        .flat_map(|one| about(code, one).into_iter().map(|predicate| (predicate, one.nearness)));
    // A number of the method comes last: it may fit by chance.
    let by_number = terms.iter().flat_map(|one| {
        let compared = compared_with(one, &numbers).into_iter();
        compared.map(|predicate| (predicate, one.nearness * BY_NUMBER))
    });
    single.chain(between(terms)).chain(by_number).collect()
}

/// Returns true if recorded values show that a condition of the form `x == null` never held in a failing test.
pub(crate) fn is_refuted(terms: &[Term], place: Option<&Place>, condition: &str) -> bool {
    null_seen(terms, place, condition).is_some_and(|seen| seen.failing == 0)
}

/// Returns true if recorded values show that a condition of the form `x == null` held in a failing test.
pub(crate) fn is_seen(terms: &[Term], place: Option<&Place>, condition: &str) -> bool {
    null_seen(terms, place, condition).is_some_and(|seen| seen.failing > 0)
}

/// Counts the tests that observed a null value, if the condition is about null and values were recorded.
fn null_seen(terms: &[Term], place: Option<&Place>, condition: &str) -> Option<Seen> {
    let name = condition.strip_suffix(" == null")?;
    let variable = terms.iter().find(|term| term.text == name)?;
    let predicate = Predicate::new(variable, Aspect::Itself, "==", Operand::Null);
    Some(place?.truths(|row| predicate.holds(row))?.seen_true)
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
            let term = Term { text: "a.b()".into(), ty: ty.into(), is_asked: false, nearness: 1.0 };
            let other = Operand::Variable("c".into());
            Predicate::new(&term, Aspect::Itself, operator, other).to_string()
        };
        assert_eq!(of("java.lang.String", "=="), "a.b().equals(c)");
        assert_eq!(of("java.lang.String", "!="), "!a.b().equals(c)");
        assert_eq!(of("java.lang.Thread", "!="), "a.b() != c");
    }
}
