//! Conditions that are linear in whole numbers, solved for the least and the largest value that they allow of one
//! (`AutoFix`, section 4.3.4).

mod compared;
mod elimination;

use super::code::closed;
use super::contracts::names;
use crate::java::{Grammar, NodeId, Source};
use std::collections::BTreeMap;
use std::fmt;

pub(super) use compared::{Compared, Compares, NeverNegative};

/// A condition, taken apart into what all has to hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    /// Sums that must not be negative.
    sums: Vec<Sum>,
    /// What is not linear.
    others: Vec<String>,
    /// Sums that are never negative where it is asked for, whatever it says.
    known: Vec<Sum>,
}

/// Terms, each so many times, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    terms: BTreeMap<String, i32>,
    number: i32,
}

/// The ends of what a condition allows of a number, as far as it has any.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Extremes {
    pub(super) least: Option<Extreme>,
    pub(super) largest: Option<Extreme>,
}

/// One end: the outermost or innermost of some sums.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Extreme {
    /// The method of `Math` that finds it among them.
    method: &'static str,
    sums: Vec<Sum>,
}

impl Linear {
    /// Reads a condition of Java; `None` if it is none.
    pub(super) fn read(condition: &str) -> Option<Self> {
        let (source, id) = parsed(condition)?;
        let mut linear = Self::default();
        Reader { source: &source }.take_apart(id, false, &mut linear);
        Some(linear)
    }

    /// The same where other conditions hold as well, as invariants do; of these only what is linear counts.
    pub(super) fn strengthened(mut self, others: &[String]) -> Self {
        let read = others.iter().filter_map(|other| Self::read(other));
        self.known.extend(read.flat_map(|other| other.sums));
        self
    }

    /// The least and the largest value of a name that the condition allows; `None` if it allows none, if it says more
    /// of it than that, or if that is no whole number of what it names.
    pub(super) fn extremes(&self, name: &str) -> Option<Extremes> {
        let is_about = |text: &str| names(text).is_none_or(|names| names.contains(&name));
        let terms = self.sums.iter().flat_map(|sum| sum.terms.keys());
        let others = terms.filter(|term| *term != name).chain(&self.others);
        if others.into_iter().any(|text| is_about(text)) {
            return None;
        }
        let is_plain = |sum: &&Sum| sum.terms.keys().all(|term| term == name || !is_about(term));
        let (own, known): (Vec<&Sum>, Vec<&Sum>) =
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
        let gap = |low: &Sum, high: &Sum| low.minus(high)?.minus(&Sum::of_number(1));
        let is_crossed =
            |low, high| gap(low, high).is_some_and(|gap| gap.is_never_negative(&known));
        if least.iter().any(|low| largest.iter().any(|high| is_crossed(low, high))) {
            return None;
        }
        let extreme =
            |method, sums: Vec<Sum>| (!sums.is_empty()).then_some(Extreme { method, sums });
        Some(Extremes { least: extreme("max", least), largest: extreme("min", largest) })
    }

    /// Whether it holds; `None` if it is not linear, or the value of a term is not known.
    pub(super) fn holds(&self, value: impl Fn(&str) -> Option<f64>) -> Option<bool> {
        let values: Option<Vec<f64>> = self.sums.iter().map(|sum| sum.value(&value)).collect();
        values.filter(|_| self.others.is_empty()).map(|all| all.into_iter().all(|one| one >= 0.0))
    }
}

/// Adds an end to others of its side; of two of which it is known which one is narrower, that one stays.
fn narrow(ends: &mut Vec<Sum>, end: Sum, side: i32, known: &[&Sum]) {
    let is_within = |inner: &Sum, outer: &Sum| {
        let gap = inner.minus(outer).and_then(|gap| gap.times(side));
        gap.is_some_and(|gap| gap.is_never_negative(known))
    };
    if !ends.iter().any(|other| is_within(other, &end)) {
        ends.retain(|other| !is_within(&end, other));
        ends.push(end);
    }
}

impl Sum {
    /// Reads an expression of Java whose value is a whole number; `None` if it is put together in another way.
    pub(super) fn read(expression: &str) -> Option<Self> {
        let (source, id) = parsed(expression)?;
        Reader { source: &source }.sum(id)
    }

    pub(super) fn of_number(number: i32) -> Self {
        Self { terms: BTreeMap::new(), number }
    }

    pub(super) fn of_term(term: String) -> Self {
        Self { terms: BTreeMap::from([(term, 1)]), number: 0 }
    }

    fn as_number(&self) -> Option<i32> {
        self.terms.is_empty().then_some(self.number)
    }

    /// This and another one, so many times; `None` if a number of it is too large.
    fn plus(&self, other: &Self, times: i32) -> Option<Self> {
        let mut sum = self.clone();
        for (term, count) in &other.terms {
            let known = sum.terms.entry(term.clone()).or_default();
            *known = known.checked_add(count.checked_mul(times)?)?;
        }
        sum.terms.retain(|_, count| *count != 0);
        sum.number = sum.number.checked_add(other.number.checked_mul(times)?)?;
        Some(sum)
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(other, -1)
    }

    fn times(&self, times: i32) -> Option<Self> {
        Self::default().plus(self, times)
    }

    /// Whether it is no less than a sum that is never negative, or than nothing.
    fn is_never_negative(&self, known: &[&Self]) -> bool {
        let is_above = |other: &Self| {
            self.minus(other).and_then(|rest| rest.as_number()).is_some_and(|rest| rest >= 0)
        };
        is_above(&Self::default()) || known.iter().any(|other| is_above(other))
    }

    /// The last value of a term for which this is not negative; `None` if the others are not so many times in it that
    /// this is whole whatever they are.
    fn solved(&self, term: &str) -> Option<Self> {
        let mut rest = self.clone();
        let times = rest.terms.remove(term)?;
        // Of `3 * i + rest` the least `i` is the next one above `-rest / 3`.
        let rest = if times > 0 { rest.times(-1)? } else { rest };
        let by = times.checked_abs()?;
        let part = |(term, count): (String, i32)| (count % by == 0).then_some((term, count / by));
        let terms = rest.terms.into_iter().map(part).collect::<Option<_>>()?;
        let below = rest.number.div_euclid(by);
        let is_above = times > 0 && rest.number.rem_euclid(by) != 0;
        Some(Self { terms, number: below + i32::from(is_above) })
    }

    fn value(&self, of: &impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let parts = self.terms.iter().map(|(term, count)| Some(of(term)? * f64::from(*count)));
        Some(parts.sum::<Option<f64>>()? + f64::from(self.number))
    }
}

impl fmt::Display for Sum {
    /// What is added comes before what is taken away, and the number last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (added, taken): (Vec<_>, Vec<_>) =
            self.terms.iter().partition(|(_, times)| **times > 0);
        let terms = added.into_iter().chain(taken).map(|(term, times)| {
            let many = times.unsigned_abs();
            let text = if many == 1 { term.clone() } else { format!("{many} * {term}") };
            (*times < 0, text)
        });
        let number = (self.number < 0, self.number.unsigned_abs().to_string());
        let is_shown = self.number != 0 || self.terms.is_empty();
        for (at, (is_taken, text)) in terms.chain(is_shown.then_some(number)).enumerate() {
            match (at, is_taken) {
                (0, true) => write!(f, "-{text}")?,
                (0, false) => f.write_str(&text)?,
                (_, true) => write!(f, " - {text}")?,
                (_, false) => write!(f, " + {text}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Extreme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_two = |text: String, sum: &Sum| match &*text {
            "" => sum.to_string(),
            _ => format!("Math.{}({text}, {sum})", self.method),
        };
        f.write_str(&self.sums.iter().fold(String::new(), of_two))
    }
}

/// An expression in a source of its own; `None` if it is none.
fn parsed(expression: &str) -> Option<(Source, NodeId)> {
    let text = format!("class A {{ boolean a = {expression}; }}");
    let source = Source::parse(text.into_bytes().into())?;
    let reader = Reader { source: &source };
    let is_declared = |id: &NodeId| reader.kind(*id) == "variable_declarator";
    let declared = (0..source.nodes().len()).find(is_declared)?;
    let value = reader.child(declared, "value")?;
    Some((source, value))
}

/// Reads the expressions of a source.
struct Reader<'a> {
    source: &'a Source,
}

impl Reader<'_> {
    fn kind(&self, id: NodeId) -> &'static str {
        Grammar::get().name(self.source.node(id).kind)
    }

    fn child(&self, id: NodeId, field: &str) -> Option<NodeId> {
        self.source.child(id, Grammar::get().field(field))
    }

    /// What an expression is, in one line.
    fn text(&self, id: NodeId) -> String {
        let text = String::from_utf8_lossy(self.source.text_of(id));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn in_parentheses(&self, id: NodeId) -> Option<NodeId> {
        let inside = self.source.children(id).find(|child| self.source.node(*child).named);
        inside.filter(|_| self.kind(id) == "parenthesized_expression")
    }

    /// The operator of an expression with one or two sides, and these.
    fn operation(&self, id: NodeId) -> Option<(String, NodeId, Option<NodeId>)> {
        let operator = self.text(self.child(id, "operator")?);
        Some(match self.kind(id) {
            "unary_expression" => (operator, self.child(id, "operand")?, None),
            "binary_expression" => (operator, self.child(id, "left")?, self.child(id, "right")),
            _ => return None,
        })
    }

    /// Adds what all has to hold so that a condition does, or its opposite.
    fn take_apart(&self, id: NodeId, is_negated: bool, linear: &mut Linear) {
        if let Some(inside) = self.in_parentheses(id) {
            return self.take_apart(inside, is_negated, linear);
        }
        match self
            .operation(id)
            .as_ref()
            .map(|(operator, left, right)| (&**operator, *left, *right))
        {
            Some(("!", inside, None)) => self.take_apart(inside, !is_negated, linear),
            Some(("&&", left, Some(right))) if !is_negated => {
                self.take_apart(left, is_negated, linear);
                self.take_apart(right, is_negated, linear);
            }
            Some(("||", left, Some(right))) if is_negated => {
                self.take_apart(left, is_negated, linear);
                self.take_apart(right, is_negated, linear);
            }
            Some((operator, left, Some(right))) => {
                match self.compared(operator, [left, right], is_negated) {
                    Some(sums) => linear.sums.extend(sums),
                    None => linear.others.push(self.text(id)),
                }
            }
            _ => linear.others.push(self.text(id)),
        }
    }

    /// What must not be negative where two whole numbers compare in a way, or do not.
    fn compared(&self, operator: &str, sides: [NodeId; 2], is_negated: bool) -> Option<Vec<Sum>> {
        let [left, right] = [self.sum(sides[0])?, self.sum(sides[1])?];
        let one = Sum::of_number(1);
        Some(match (operator, is_negated) {
            ("<", false) | (">=", true) => vec![right.minus(&left)?.minus(&one)?],
            ("<=", false) | (">", true) => vec![right.minus(&left)?],
            (">", false) | ("<=", true) => vec![left.minus(&right)?.minus(&one)?],
            (">=", false) | ("<", true) => vec![left.minus(&right)?],
            ("==", false) | ("!=", true) => vec![right.minus(&left)?, left.minus(&right)?],
            _ => return None,
        })
    }

    /// An expression as a sum; what is divided, and two factors without a number, are terms.
    fn sum(&self, id: NodeId) -> Option<Sum> {
        if let Some(inside) = self.in_parentheses(id) {
            return self.sum(inside);
        }
        let whole = || Sum::of_term(closed(&self.text(id)));
        match (self.kind(id), self.operation(id)) {
            ("decimal_integer_literal", _) => {
                let digits = self.text(id).replace('_', "");
                Some(Sum::of_number(digits.trim_end_matches(['l', 'L']).parse().ok()?))
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

#[cfg(test)]
mod tests;
