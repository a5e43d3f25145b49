//! Observed values by place.

use crate::candidates::candidate::Candidate;
use mend_java::facts::NodeIndex;
use mend_model::TermValues;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Maximum number of first and of last visits kept per test and place.
const KEPT: usize = 100;

/// Maximum number of different values shown per term, and of terms.
const SHOWN: usize = 6;
const TERMS: usize = 6;

/// Half of what an `int` can be.
const LARGE: f64 = 1_073_741_824.0;

/// An observed value, in the abstraction that conditions use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ObservedValue {
    /// `null`.
    Null,
    /// Looking at it throws.
    Thrown,
    /// A truth.
    Boolean(bool),
    /// A number, or a character's.
    Number(f64),
    /// A value with a size, and its identity.
    Sized { size: f64, identity: i64 },
    /// Some other object, and which one it is.
    Object(i64),
}

impl fmt::Display for ObservedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Thrown => f.write_str("throws"),
            Self::Boolean(truth) => write!(f, "{truth}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Sized { size, .. } => write!(f, "size {size}"),
            Self::Object(_) => f.write_str("an object"),
        }
    }
}

impl ObservedValue {
    /// Returns true if twice the value, or less, overflows an `int`.
    fn is_large(&self) -> bool {
        matches!(self, Self::Number(number) if number.is_finite() && number.abs() >= LARGE)
    }

    fn read(word: &str) -> Option<Self> {
        let (kind, rest) = word.split_at_checked(1)?;
        Some(match kind {
            "N" => Self::Null,
            "T" => Self::Thrown,
            "Z" => Self::Boolean(rest == "1"),
            "I" | "D" => Self::Number(rest.parse().ok()?),
            "S" => {
                let (size, identity) = rest.split_once(':')?;
                Self::Sized { size: size.parse().ok()?, identity: identity.parse().ok()? }
            }
            "O" => Self::Object(rest.strip_prefix(':')?.parse().ok()?),
            _ => return None,
        })
    }
}

/// Observations of one test at one place, by visit.
#[derive(Clone, Debug, Default, PartialEq)]
struct TestVisits {
    has_failed: bool,
    rows: Vec<Vec<ObservedValue>>,
}

/// Observations at one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Observations {
    /// The terms that were looked at.
    pub(crate) names: Vec<String>,
    tests: Vec<TestVisits>,
}

/// Numbers of failing and passing tests with at least one observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) failing: i32,
    pub(crate) passing: i32,
}

/// Observed outcomes of a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PredicateOutcomes {
    pub(crate) seen_true: TestCounts,
    pub(crate) seen_false: TestCounts,
    /// Visit by visit.
    pub(crate) row_by_row: Vec<bool>,
}

impl PredicateOutcomes {
    /// Returns true if the condition was always true, or always false.
    pub(crate) fn is_constant(&self) -> bool {
        self.row_by_row.windows(2).all(|pair| pair[0] == pair[1])
    }
}

impl Observations {
    /// Evaluates a condition on all visits; `None` if it was not recorded.
    pub(crate) fn truths(
        &self,
        holds: impl Fn(&Visit<'_>) -> Option<bool>,
    ) -> Option<PredicateOutcomes> {
        let rows = self.tests.iter().flat_map(|test| &test.rows);
        let truths = rows.map(|values| holds(&Visit { names: &self.names, values }));
        let row_by_row = truths.collect::<Option<Vec<bool>>>()?;
        (!self.tests.is_empty()).then(|| self.count_outcomes(row_by_row))
    }

    /// Counts the tests by outcome of a condition that is known for each visit.
    pub(crate) fn count_outcomes(&self, row_by_row: Vec<bool>) -> PredicateOutcomes {
        let (mut seen_true, mut seen_false) = (TestCounts::default(), TestCounts::default());
        let mut rows = row_by_row.iter();
        for test in &self.tests {
            let own: Vec<bool> = rows.by_ref().take(test.rows.len()).copied().collect();
            for (seen, truth) in [(&mut seen_true, true), (&mut seen_false, false)] {
                let count = if test.has_failed { &mut seen.failing } else { &mut seen.passing };
                *count += i32::from(own.contains(&truth));
            }
        }
        PredicateOutcomes { seen_true, seen_false, row_by_row }
    }

    /// Returns the number of failing tests that reached the place.
    pub(crate) fn failing(&self) -> i32 {
        self.tests.iter().map(|test| i32::from(test.has_failed)).sum()
    }
}

impl Observations {
    /// Returns the observations of passing tests, by visit.
    pub(crate) fn passing(
        &self,
    ) -> impl Iterator<Item = impl Iterator<Item = (&str, ObservedValue)>> {
        let passing = self.tests.iter().filter(|test| !test.has_failed);
        let named = |row: &[ObservedValue]| self.names.iter().map(String::as_str).zip(row.to_vec());
        passing.flat_map(|test| &test.rows).map(move |row| named(row))
    }
}

impl Observations {
    /// Returns the numbers of failing and passing tests that reached the place.
    fn tests(&self) -> (usize, usize) {
        let failing = self.tests.iter().filter(|test| test.has_failed).count();
        (failing, self.tests.len() - failing)
    }

    fn values(&self, at: usize, name: &str) -> TermValues {
        let mut values = TermValues { term: name.to_owned(), ..TermValues::default() };
        for test in &self.tests {
            let list = if test.has_failed { &mut values.failing } else { &mut values.passing };
            for value in test.rows.iter().filter_map(|row| row.get(at)).map(ToString::to_string) {
                if list.len() < SHOWN && !list.contains(&value) {
                    list.push(value);
                }
            }
        }
        values
    }
}

/// The values of one visit.
pub(crate) struct Visit<'a> {
    names: &'a [String],
    values: &'a [ObservedValue],
}

impl Visit<'_> {
    /// Returns a term's value.
    pub(crate) fn value(&self, name: &str) -> Option<ObservedValue> {
        let at = self.names.iter().position(|known| known == name)?;
        self.values.get(at).copied()
    }
}

/// The values of a run, by file and statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedValues {
    places: HashMap<(usize, NodeIndex), Observations>,
}

impl RecordedValues {
    /// Reads the recorder's output. `places` are the statements with the names of recorded terms, by number;
    /// `has_failed` returns a test's verdict, if it ended.
    pub fn read(
        text: &str,
        places: &[((usize, NodeIndex), Vec<String>)],
        has_failed: impl Fn(&str) -> Option<bool>,
    ) -> Self {
        let mut observed = Self::default();
        let mut rows: HashMap<usize, Vec<Vec<ObservedValue>>> = HashMap::new();
        let mut name: Option<&str> = None;
        for line in text.lines().chain(["B"]) {
            match line.split_at_checked(2) {
                Some(("V ", rest)) => {
                    let mut words = rest.split(' ');
                    let place = words.next().and_then(|number| number.parse().ok());
                    let values: Option<Vec<ObservedValue>> =
                        words.map(ObservedValue::read).collect();
                    if let (Some(place), Some(values)) = (place, values) {
                        rows.entry(place).or_default().push(values);
                    }
                }
                Some(("T ", test)) => name = Some(test),
                Some(_) => {}
                None => {
                    let how = name.take().and_then(&has_failed);
                    observed.end(std::mem::take(&mut rows), places, how);
                }
            }
        }
        observed
    }

    /// Ends a test.
    fn end(
        &mut self,
        rows: HashMap<usize, Vec<Vec<ObservedValue>>>,
        places: &[((usize, NodeIndex), Vec<String>)],
        how: Option<bool>,
    ) {
        let Some(has_failed) = how else { return };
        for (number, mut rows) in rows {
            let Some((place, names)) = places.get(number) else { continue };
            if rows.len() > 2 * KEPT {
                rows.drain(KEPT..rows.len() - KEPT);
            }
            let known = self.places.entry(*place).or_default();
            known.names.clone_from(names);
            known.tests.push(TestVisits { has_failed, rows });
        }
    }

    /// Returns the observations before a candidate's statement: the numbers of failing and passing tests, and the
    /// terms. Terms that the candidate mentions come first, then those that separate failing from passing tests.
    pub fn observations_before(
        &self,
        candidate: &Candidate,
    ) -> Option<((usize, usize), Vec<TermValues>)> {
        let place = self.places.get(&candidate.statement)?;
        let names = place.names.iter().enumerate();
        let mut terms: Vec<TermValues> = names.map(|(at, name)| place.values(at, name)).collect();
        terms.sort_by_key(|term| (!candidate.names(&term.term), !term.is_distinguishing()));
        terms.truncate(TERMS);
        Some((place.tests(), terms))
    }

    /// Returns the terms of some statements with large values in failing tests only, so that an `int` overflowed or
    /// nearly did.
    pub(crate) fn overflowing(
        &self,
        is_meant: impl Fn((usize, NodeIndex)) -> bool,
    ) -> HashSet<&str> {
        let (mut failing, mut passing) = (HashSet::new(), HashSet::new());
        for place in self.places.iter().filter(|(at, _)| is_meant(**at)).map(|(_, place)| place) {
            for test in &place.tests {
                let names = if test.has_failed { &mut failing } else { &mut passing };
                let large = test.rows.iter().flat_map(|row| place.names.iter().zip(row));
                let large = large.filter(|(_, value)| value.is_large());
                names.extend(large.map(|(name, _)| &**name));
            }
        }
        failing.retain(|name| !passing.contains(name));
        failing
    }

    /// Returns the observations before a statement.
    pub(crate) fn observations_at(
        &self,
        file: usize,
        statement: NodeIndex,
    ) -> Option<&Observations> {
        self.places.get(&(file, statement))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failing_tests_alone_found_comes_first() {
        let text = "B\nT a#f\nV 0 I3 N\nB\nT a#p\nV 0 I3 S0:8\nV 0 I4 S0:8\n";
        let places = [((0, 5), vec!["i".to_owned(), "s".to_owned()])];
        let observed = RecordedValues::read(text, &places, |test| Some(test == "a#f"));
        let candidate = Candidate {
            path: "A.java".into(),
            edits: Vec::new(),
            strategy: crate::FixOperator::NullCheck,
            why: String::new(),
            line: 1,
            statement: (0, 5),
            method: None,
            evasion: None,
            score: 1.0,
        };
        let (tests, terms) = observed.observations_before(&candidate).unwrap();
        let told = |terms: &[TermValues]| {
            let line =
                |one: &TermValues| format!("{} {:?} {:?}", one.term, one.failing, one.passing);
            terms.iter().map(line).collect::<Vec<_>>()
        };
        assert_eq!(tests, (1, 1));
        assert_eq!(told(&terms), [r#"s ["null"] ["size 0"]"#, r#"i ["3"] ["3", "4"]"#]);
        let named = Candidate { why: "`i` becomes `i + 1`".to_owned(), ..candidate };
        assert!(observed.observations_before(&named).unwrap().1[0].term == "i");
    }

    #[test]
    fn what_only_failing_tests_saw_to_be_large_may_overflow() {
        let text = "B\nT a#f\nV 0 I-1981357296 I7\nV 1 I1999999999 DInfinity\nB\nT a#p\nV 0 I1 I2147483647\n";
        let names = |one: &str| vec!["sum".to_owned(), one.to_owned()];
        let places = [((0, 5), names("n")), ((0, 7), names("x"))];
        let observed = RecordedValues::read(text, &places, |test| Some(test == "a#f"));
        assert_eq!(observed.overflowing(|_| true), HashSet::from(["sum"]));
        assert_eq!(observed.overflowing(|(_, statement)| statement > 7), HashSet::new());
    }

    #[test]
    fn tests_that_saw_a_value_are_counted_once_each() {
        let text = "B\nT a#f\nV 0 I3 N\nV 0 I4 S2:7\nB\nT a#p\nV 0 I9 S0:8\nV 1 Z1\n";
        let places = [((2, 5), vec!["i".to_owned(), "s".to_owned()])];
        let observed = RecordedValues::read(text, &places, |test| Some(test == "a#f"));
        let place = observed.observations_at(2, 5).unwrap();
        let seen = |holds: &dyn Fn(ObservedValue) -> bool, name: &str| {
            place.truths(|row| row.value(name).map(holds)).unwrap().seen_true
        };
        assert_eq!(seen(&|v| v == ObservedValue::Null, "s"), TestCounts { failing: 1, passing: 0 });
        assert_eq!(
            seen(&|v| matches!(v, ObservedValue::Number(n) if n > 2.0), "i"),
            TestCounts { failing: 1, passing: 1 }
        );
        assert_eq!(place.truths(|row| row.value("unknown").map(|_| true)), None);
    }
}
