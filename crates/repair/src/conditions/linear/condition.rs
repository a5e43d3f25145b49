//! A condition as linear constraints, and the extreme values that it allows.

use super::sum::LinearSum;
use crate::conditions::linear::parser::SumReader;
use crate::contracts::names;
use mend_java::NodeId;
use mend_java::code::expression::ParsedExpression;
use std::fmt;

/// A condition, split into its conjuncts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LinearCondition {
    /// Sums that must not be negative.
    pub(super) sums: Vec<LinearSum>,
    /// The conjuncts that are not linear.
    others: Vec<String>,
    /// Sums that are never negative where the condition is evaluated.
    known: Vec<LinearSum>,
}

/// Bounds of the values that a condition allows, if any.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) least: Option<Bound>,
    pub(crate) largest: Option<Bound>,
}

/// One end: the outermost or innermost of some sums.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// The method of `Math` that finds it among them.
    pub(super) method: &'static str,
    pub(super) sums: Vec<LinearSum>,
}

impl LinearCondition {
    /// Reads a Java condition; `None` if it is not one.
    pub(crate) fn read(condition: &str) -> Option<Self> {
        let expression = ParsedExpression::parse(condition)?;
        let mut linear = Self::default();
        linear.constrain(&SumReader { expression: &expression }, expression.root, false);
        Some(linear)
    }

    /// Adds other conditions that hold, such as invariants; only their linear conjuncts count.
    pub(crate) fn strengthened(mut self, others: &[String]) -> Self {
        let read = others.iter().filter_map(|other| Self::read(other));
        self.known.extend(read.flat_map(|other| other.sums));
        self
    }

    /// Returns the minimum and maximum value of a name that the condition allows; `None` if there is neither, or if
    /// they do not describe the condition exactly as whole numbers.
    pub(crate) fn extremes(&self, name: &str) -> Option<Bounds> {
        let is_about = |text: &str| names(text).is_none_or(|names| names.contains(&name));
        let terms = self.sums.iter().flat_map(|sum| sum.terms.keys());
        let others = terms.filter(|term| *term != name).chain(&self.others);
        if others.into_iter().any(|text| is_about(text)) {
            return None;
        }
        let is_plain =
            |sum: &&LinearSum| sum.terms.keys().all(|term| term == name || !is_about(term));
        let (own, known): (Vec<&LinearSum>, Vec<&LinearSum>) =
            self.known.iter().filter(is_plain).partition(|sum| sum.terms.contains_key(name));
        let (mut least, mut largest) = (Vec::new(), Vec::new());
        let solved = self.sums.iter().filter(|sum| sum.terms.contains_key(name));
        let solved = solved.map(|sum| Some((sum.terms[name], sum.solved(name)?)));
        // What an invariant says of it that cannot be solved is left out.
        let own = own.into_iter().filter_map(|sum| Some((sum.terms[name], sum.solved(name)?)));
        for end in solved.chain(own.map(Some)) {
            let (times, end) = end?;
            let (ends, side) = if times > 0 { (&mut least, 1) } else { (&mut largest, -1) };
            narrow(ends, end, side, &known);
        }
        let gap =
            |low: &LinearSum, high: &LinearSum| low.minus(high)?.minus(&LinearSum::of_number(1));
        let is_crossed =
            |low, high| gap(low, high).is_some_and(|gap| gap.is_never_negative(&known));
        if least.iter().any(|low| largest.iter().any(|high| is_crossed(low, high))) {
            return None;
        }
        let extreme =
            |method, sums: Vec<LinearSum>| (!sums.is_empty()).then_some(Bound { method, sums });
        Some(Bounds { least: extreme("max", least), largest: extreme("min", largest) })
    }

    /// Adds the constraints of a condition, or of its negation.
    fn constrain(&mut self, reader: &SumReader<'_>, id: NodeId, is_negated: bool) {
        if let Some(inside) = reader.expression.in_parentheses(id) {
            return self.constrain(reader, inside, is_negated);
        }
        match reader.expression.operation(id) {
            Some(("!", inside, None)) => self.constrain(reader, inside, !is_negated),
            Some(("&&", left, Some(right))) if !is_negated => {
                self.constrain(reader, left, is_negated);
                self.constrain(reader, right, is_negated);
            }
            Some(("||", left, Some(right))) if is_negated => {
                self.constrain(reader, left, is_negated);
                self.constrain(reader, right, is_negated);
            }
            Some((operator, left, Some(right))) => {
                match reader.compared(operator, [left, right], is_negated) {
                    Some(sums) => self.sums.extend(sums),
                    None => self.others.push(reader.expression.text_on_one_line(id)),
                }
            }
            _ => self.others.push(reader.expression.text_on_one_line(id)),
        }
    }

    /// Evaluates the condition; `None` if it is not linear, or the value of a term is unknown.
    pub(crate) fn evaluate(&self, value: impl Fn(&str) -> Option<f64>) -> Option<bool> {
        let values: Option<Vec<f64>> = self.sums.iter().map(|sum| sum.value(&value)).collect();
        values.filter(|_| self.others.is_empty()).map(|all| all.into_iter().all(|one| one >= 0.0))
    }
}

/// Adds an end to others of its side; of two of which it is known which one is narrower, that one stays.
fn narrow(ends: &mut Vec<LinearSum>, end: LinearSum, side: i32, known: &[&LinearSum]) {
    let is_within = |inner: &LinearSum, outer: &LinearSum| {
        let gap = inner.minus(outer).and_then(|gap| gap.times(side));
        gap.is_some_and(|gap| gap.is_never_negative(known))
    };
    if !ends.iter().any(|other| is_within(other, &end)) {
        ends.retain(|other| !is_within(&end, other));
        ends.push(end);
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_two = |text: String, sum: &LinearSum| match &*text {
            "" => sum.to_string(),
            _ => format!("Math.{}({text}, {sum})", self.method),
        };
        f.write_str(&self.sums.iter().fold(String::new(), of_two))
    }
}
