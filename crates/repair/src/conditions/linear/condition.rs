//! Condition as a conjunction of linear constraints, and the bounds that it implies for a variable.

use super::sum::LinearSum;
use crate::conditions::linear::parser::SumReader;
use crate::contracts::unqualified_names;
use mend_java::NodeId;
use mend_java::code::expression::ParsedExpression;
use std::fmt;

/// A condition, split into its conjuncts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LinearCondition {
    /// Sums that must not be negative.
    pub(super) sums: Vec<LinearSum>,
    /// The conjuncts that are not linear.
    nonlinear: Vec<String>,
    /// Sums that are never negative where the condition is evaluated.
    non_negative_sums: Vec<LinearSum>,
}

/// Bounds of the values that a condition allows, if any.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) least: Option<Bound>,
    pub(crate) largest: Option<Bound>,
}

/// Bound of a variable: the maximum or the minimum of some sums.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// Method of `Math` that combines the sums: `max` for a lower bound, `min` for an upper bound.
    pub(super) method: &'static str,
    pub(super) sums: Vec<LinearSum>,
}

impl LinearCondition {
    /// Reads a Java condition; `None` if it is not one.
    pub(crate) fn read(condition: &str) -> Option<Self> {
        let expression = ParsedExpression::parse(condition)?;
        let mut linear = Self::default();
        linear.add_constraints(&SumReader { expression: &expression }, expression.root, false);
        Some(linear)
    }

    /// Adds other conditions that hold, such as invariants; only their linear conjuncts count.
    pub(crate) fn with_known_conditions(mut self, conditions: &[String]) -> Self {
        let read = conditions.iter().filter_map(|other| Self::read(other));
        self.non_negative_sums.extend(read.flat_map(|other| other.sums));
        self
    }

    /// Returns the minimum and maximum value of a name that the condition allows; `None` if there is neither, or if
    /// they do not describe the condition exactly as whole numbers.
    pub(crate) fn bounds_of(&self, name: &str) -> Option<Bounds> {
        let may_mention =
            |text: &str| unqualified_names(text).is_none_or(|names| names.contains(&name));
        let terms = self.sums.iter().flat_map(|sum| sum.terms.keys());
        let others = terms.filter(|term| *term != name).chain(&self.nonlinear);
        if others.into_iter().any(|text| may_mention(text)) {
            return None;
        }
        let has_known_terms_only =
            |sum: &&LinearSum| sum.terms.keys().all(|term| term == name || !may_mention(term));
        let (sums_with_name, sums_without_name): (Vec<&LinearSum>, Vec<&LinearSum>) = self
            .non_negative_sums
            .iter()
            .filter(has_known_terms_only)
            .partition(|sum| sum.terms.contains_key(name));
        let (mut lower_bounds, mut upper_bounds) = (Vec::new(), Vec::new());
        let solved = self.sums.iter().filter(|sum| sum.terms.contains_key(name));
        let solved = solved.map(|sum| Some((sum.terms[name], sum.solve_for(name)?)));
        // Facts that cannot be solved for the name are ignored.
        let sums_with_name = sums_with_name
            .into_iter()
            .filter_map(|sum| Some((sum.terms[name], sum.solve_for(name)?)));
        for end in solved.chain(sums_with_name.map(Some)) {
            let (times, end) = end?;
            let (ends, side) =
                if times > 0 { (&mut lower_bounds, 1) } else { (&mut upper_bounds, -1) };
            add_tighter_bound(ends, end, side, &sums_without_name);
        }
        let gap = |low: &LinearSum, high: &LinearSum| {
            low.subtract(high)?.subtract(&LinearSum::from_constant(1))
        };
        let is_contradiction =
            |low, high| gap(low, high).is_some_and(|gap| gap.is_non_negative(&sums_without_name));
        if lower_bounds
            .iter()
            .any(|low| upper_bounds.iter().any(|high| is_contradiction(low, high)))
        {
            return None;
        }
        let bound =
            |method, sums: Vec<LinearSum>| (!sums.is_empty()).then_some(Bound { method, sums });
        Some(Bounds { least: bound("max", lower_bounds), largest: bound("min", upper_bounds) })
    }

    /// Adds the constraints of a condition, or of its negation.
    fn add_constraints(&mut self, parser: &SumReader<'_>, id: NodeId, is_negated: bool) {
        if let Some(inner) = parser.expression.in_parentheses(id) {
            return self.add_constraints(parser, inner, is_negated);
        }
        match parser.expression.operation(id) {
            Some(("!", inner, None)) => self.add_constraints(parser, inner, !is_negated),
            Some(("&&", left, Some(right))) if !is_negated => {
                self.add_constraints(parser, left, is_negated);
                self.add_constraints(parser, right, is_negated);
            }
            Some(("||", left, Some(right))) if is_negated => {
                self.add_constraints(parser, left, is_negated);
                self.add_constraints(parser, right, is_negated);
            }
            Some((operator, left, Some(right))) => {
                match parser.comparison_constraints(operator, [left, right], is_negated) {
                    Some(sums) => self.sums.extend(sums),
                    None => self.nonlinear.push(parser.expression.text_on_one_line(id)),
                }
            }
            _ => self.nonlinear.push(parser.expression.text_on_one_line(id)),
        }
    }

    /// Evaluates the condition; `None` if it is not linear, or the value of a term is unknown.
    pub(crate) fn evaluate(&self, value: impl Fn(&str) -> Option<f64>) -> Option<bool> {
        let values: Option<Vec<f64>> = self.sums.iter().map(|sum| sum.evaluate(&value)).collect();
        values
            .filter(|_| self.nonlinear.is_empty())
            .map(|all| all.into_iter().all(|one| one >= 0.0))
    }
}

/// Adds a bound unless a known one is at least as tight, and removes the bounds that it makes redundant.
fn add_tighter_bound(
    bounds: &mut Vec<LinearSum>,
    bound: LinearSum,
    sign: i32,
    non_negative_sums: &[&LinearSum],
) {
    let is_within = |inner: &LinearSum, outer: &LinearSum| {
        let gap = inner.subtract(outer).and_then(|gap| gap.multiply(sign));
        gap.is_some_and(|gap| gap.is_non_negative(non_negative_sums))
    };
    if !bounds.iter().any(|other| is_within(other, &bound)) {
        bounds.retain(|other| !is_within(&bound, other));
        bounds.push(bound);
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let append_sum = |text: String, sum: &LinearSum| match &*text {
            "" => sum.to_string(),
            _ => format!("Math.{}({text}, {sum})", self.method),
        };
        f.write_str(&self.sums.iter().fold(String::new(), append_sum))
    }
}
