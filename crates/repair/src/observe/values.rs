//! Observed values by statement: recorder output, visits, and outcomes of conditions.

use crate::candidates::candidate::LocatedCandidate;
use mend_java::facts::{FileNode, NodeIndex};
use mend_model::TermValues;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Maximum number of first and of last visits kept per test and statement.
const MAX_VISITS_PER_END: usize = 100;

/// Maximum number of different values shown per term, and of terms.
const MAX_SHOWN_VALUES: usize = 6;
const MAX_SHOWN_TERMS: usize = 6;

/// Half of the maximum `int`.
const LARGE_INT_LIMIT: f64 = 1_073_741_824.0;

/// An observed value, in the abstraction that conditions use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ObservedValue {
    /// `null`.
    Null,
    /// The evaluation threw.
    Thrown,
    /// A boolean.
    Boolean(bool),
    /// A number, or the code of a character.
    Number(f64),
    /// A value with a size, and its identity.
    Sized { size: f64, identity: i64 },
    /// Another object, with its identity.
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
    fn may_overflow_int(&self) -> bool {
        matches!(self, Self::Number(number) if number.is_finite() && number.abs() >= LARGE_INT_LIMIT)
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

/// Observations of one test at one statement, by visit.
#[derive(Clone, Debug, Default, PartialEq)]
struct TestVisits {
    has_failed: bool,
    visits: Vec<Vec<ObservedValue>>,
}

/// Observations at one statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Observations {
    /// Recorded terms.
    pub(crate) terms: Vec<String>,
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
    pub(crate) true_counts: TestCounts,
    pub(crate) false_counts: TestCounts,
    /// Truth of the condition at each visit.
    pub(crate) truth_by_visit: Vec<bool>,
}

impl PredicateOutcomes {
    /// Returns true if the condition was always true, or always false.
    pub(crate) fn is_constant(&self) -> bool {
        self.truth_by_visit.windows(2).all(|pair| pair[0] == pair[1])
    }
}

impl Observations {
    /// Evaluates a condition on all visits; `None` if it was not recorded.
    pub(crate) fn evaluate_condition(
        &self,
        condition: impl Fn(&Visit<'_>) -> Option<bool>,
    ) -> Option<PredicateOutcomes> {
        let rows = self.tests.iter().flat_map(|test| &test.visits);
        let truths = rows.map(|values| condition(&Visit { terms: &self.terms, values }));
        let row_by_row = truths.collect::<Option<Vec<bool>>>()?;
        (!self.tests.is_empty()).then(|| self.count_outcomes(row_by_row))
    }

    /// Counts the tests by outcome of a condition that is known for each visit.
    pub(crate) fn count_outcomes(&self, truth_by_visit: Vec<bool>) -> PredicateOutcomes {
        let (mut seen_true, mut seen_false) = (TestCounts::default(), TestCounts::default());
        let mut remaining = truth_by_visit.iter();
        for test in &self.tests {
            let test_truths: Vec<bool> =
                remaining.by_ref().take(test.visits.len()).copied().collect();
            for (seen, truth) in [(&mut seen_true, true), (&mut seen_false, false)] {
                let count = if test.has_failed { &mut seen.failing } else { &mut seen.passing };
                *count += i32::from(test_truths.contains(&truth));
            }
        }
        PredicateOutcomes { true_counts: seen_true, false_counts: seen_false, truth_by_visit }
    }

    /// Returns the number of failing tests that reached the statement.
    pub(crate) fn failing_count(&self) -> i32 {
        self.tests.iter().map(|test| i32::from(test.has_failed)).sum()
    }
}

impl Observations {
    /// Returns the observations of passing tests, by visit.
    pub(crate) fn passing_visits(
        &self,
    ) -> impl Iterator<Item = impl Iterator<Item = (&str, ObservedValue)>> {
        let passing = self.tests.iter().filter(|test| !test.has_failed);
        let with_terms =
            |row: &[ObservedValue]| self.terms.iter().map(String::as_str).zip(row.to_vec());
        passing.flat_map(|test| &test.visits).map(move |row| with_terms(row))
    }
}

impl Observations {
    /// Returns the numbers of failing and passing tests that reached the statement.
    fn test_counts(&self) -> (usize, usize) {
        let failing = self.tests.iter().filter(|test| test.has_failed).count();
        (failing, self.tests.len() - failing)
    }

    fn term_values(&self, index: usize, name: &str) -> TermValues {
        let mut values = TermValues { term: name.to_owned(), ..TermValues::default() };
        for test in &self.tests {
            let list = if test.has_failed { &mut values.failing } else { &mut values.passing };
            for value in
                test.visits.iter().filter_map(|row| row.get(index)).map(ToString::to_string)
            {
                if list.len() < MAX_SHOWN_VALUES && !list.contains(&value) {
                    list.push(value);
                }
            }
        }
        values
    }
}

/// The values of one visit.
pub(crate) struct Visit<'a> {
    terms: &'a [String],
    values: &'a [ObservedValue],
}

impl Visit<'_> {
    /// Returns a term's value.
    pub(crate) fn value_of(&self, name: &str) -> Option<ObservedValue> {
        let at = self.terms.iter().position(|known| known == name)?;
        self.values.get(at).copied()
    }
}

/// Recorded values of a run, by file and statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedValues {
    observations: HashMap<FileNode, Observations>,
}

impl RecordedValues {
    /// Reads the recorder's output. `sites` are the statements with the names of recorded terms, by number;
    /// `has_failed` returns a test's verdict, if it finished.
    pub fn read(
        text: &str,
        sites: &[(FileNode, Vec<String>)],
        has_failed: impl Fn(&str) -> Option<bool>,
    ) -> Self {
        let mut recorded = Self::default();
        let mut rows: HashMap<usize, Vec<Vec<ObservedValue>>> = HashMap::new();
        let mut current_test: Option<&str> = None;
        for line in text.lines().chain(["B"]) {
            match line.split_at_checked(2) {
                Some(("V ", rest)) => {
                    let mut words = rest.split(' ');
                    let site = words.next().and_then(|number| number.parse().ok());
                    let values: Option<Vec<ObservedValue>> =
                        words.map(ObservedValue::read).collect();
                    if let (Some(site), Some(values)) = (site, values) {
                        rows.entry(site).or_default().push(values);
                    }
                }
                Some(("T ", test)) => current_test = Some(test),
                Some(_) => {}
                None => {
                    let verdict = current_test.take().and_then(&has_failed);
                    recorded.end_test(std::mem::take(&mut rows), sites, verdict);
                }
            }
        }
        recorded
    }

    /// Stores the observations of a finished test.
    fn end_test(
        &mut self,
        rows: HashMap<usize, Vec<Vec<ObservedValue>>>,
        sites: &[(FileNode, Vec<String>)],
        verdict: Option<bool>,
    ) {
        let Some(has_failed) = verdict else { return };
        for (number, mut rows) in rows {
            let Some((site, names)) = sites.get(number) else { continue };
            if rows.len() > 2 * MAX_VISITS_PER_END {
                rows.drain(MAX_VISITS_PER_END..rows.len() - MAX_VISITS_PER_END);
            }
            let observations = self.observations.entry(*site).or_default();
            observations.terms.clone_from(names);
            observations.tests.push(TestVisits { has_failed, visits: rows });
        }
    }

    /// Returns the observations before a candidate's statement: the numbers of failing and passing tests, and the
    /// terms. Terms that the candidate mentions come first, then those that separate failing from passing tests.
    pub fn observations_before(
        &self,
        candidate: &LocatedCandidate,
    ) -> Option<((usize, usize), Vec<TermValues>)> {
        self.term_values_at(candidate.statement?, |term| candidate.mentions_term(term))
    }

    /// Returns the observations before a statement: the numbers of failing and passing tests, and the terms. Relevant
    /// terms come first, then those that separate failing from passing tests.
    pub(crate) fn term_values_at(
        &self,
        statement: FileNode,
        is_relevant: impl Fn(&str) -> bool,
    ) -> Option<((usize, usize), Vec<TermValues>)> {
        let observations = self.observations.get(&statement)?;
        let names = observations.terms.iter().enumerate();
        let mut terms: Vec<TermValues> =
            names.map(|(at, name)| observations.term_values(at, name)).collect();
        terms.sort_by_key(|term| (!is_relevant(&term.term), !term.is_distinguishing()));
        terms.truncate(MAX_SHOWN_TERMS);
        Some((observations.test_counts(), terms))
    }

    /// Returns the terms of some statements with large values in failing tests only, so that an `int` overflowed or
    /// nearly did.
    pub(crate) fn overflowing_terms(
        &self,
        is_selected: impl Fn(FileNode) -> bool,
    ) -> HashSet<&str> {
        let (mut failing, mut passing) = (HashSet::new(), HashSet::new());
        for place in
            self.observations.iter().filter(|(at, _)| is_selected(**at)).map(|(_, place)| place)
        {
            for test in &place.tests {
                let names = if test.has_failed { &mut failing } else { &mut passing };
                let large_values = test.visits.iter().flat_map(|row| place.terms.iter().zip(row));
                let large_values = large_values.filter(|(_, value)| value.may_overflow_int());
                names.extend(large_values.map(|(name, _)| &**name));
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
        self.observations.get(&(file, statement))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishing_terms_come_first() {
        let text = "B\nT a#f\nV 0 I3 N\nB\nT a#p\nV 0 I3 S0:8\nV 0 I4 S0:8\n";
        let places = [((0, 5), vec!["i".to_owned(), "s".to_owned()])];
        let observed = RecordedValues::read(text, &places, |test| Some(test == "a#f"));
        let mut candidate = LocatedCandidate {
            change: mend_java::Candidate {
                edits: [].into(),
                operator: crate::FixOperator::NullCheck,
                description: String::new(),
                score: 1.0,
            },
            path: "A.java".into(),
            line: 1,
            statement: Some((0, 5)),
            method: None,
            overfitting: None,
        };
        let (tests, terms) = observed.observations_before(&candidate).unwrap();
        let formatted = |terms: &[TermValues]| {
            let line =
                |one: &TermValues| format!("{} {:?} {:?}", one.term, one.failing, one.passing);
            terms.iter().map(line).collect::<Vec<_>>()
        };
        assert_eq!(tests, (1, 1));
        assert_eq!(formatted(&terms), [r#"s ["null"] ["size 0"]"#, r#"i ["3"] ["3", "4"]"#]);
        candidate.change.description = "`i` becomes `i + 1`".to_owned();
        assert!(observed.observations_before(&candidate).unwrap().1[0].term == "i");
    }

    #[test]
    fn large_values_in_failing_tests_only_are_overflowing() {
        let text = "B\nT a#f\nV 0 I-1981357296 I7\nV 1 I1999999999 DInfinity\nB\nT a#p\nV 0 I1 I2147483647\n";
        let names = |one: &str| vec!["sum".to_owned(), one.to_owned()];
        let places = [((0, 5), names("n")), ((0, 7), names("x"))];
        let observed = RecordedValues::read(text, &places, |test| Some(test == "a#f"));
        assert_eq!(observed.overflowing_terms(|_| true), HashSet::from(["sum"]));
        assert_eq!(observed.overflowing_terms(|(_, statement)| statement > 7), HashSet::new());
    }

    #[test]
    fn each_test_counts_once_per_outcome() {
        let text = "B\nT a#f\nV 0 I3 N\nV 0 I4 S2:7\nB\nT a#p\nV 0 I9 S0:8\nV 1 Z1\n";
        let places = [((2, 5), vec!["i".to_owned(), "s".to_owned()])];
        let observed = RecordedValues::read(text, &places, |test| Some(test == "a#f"));
        let place = observed.observations_at(2, 5).unwrap();
        let seen = |holds: &dyn Fn(ObservedValue) -> bool, name: &str| {
            place.evaluate_condition(|row| row.value_of(name).map(holds)).unwrap().true_counts
        };
        assert_eq!(seen(&|v| v == ObservedValue::Null, "s"), TestCounts { failing: 1, passing: 0 });
        assert_eq!(
            seen(&|v| matches!(v, ObservedValue::Number(n) if n > 2.0), "i"),
            TestCounts { failing: 1, passing: 1 }
        );
        assert_eq!(place.evaluate_condition(|row| row.value_of("unknown").map(|_| true)), None);
    }
}
