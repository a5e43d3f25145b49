//! Order of the tests, and the condition that stops a run early.

use crate::{Coverage, Framework, Selection, TestClass};
use mend_model::{TestResult, TestStatus};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Order of the tests. By default all tests run in the order of the selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestOrder {
    /// These come first, `pkg.Class#method`.
    first: Vec<String>,
    /// Duration of the tests of each class, in milliseconds; fast classes run first.
    millis: BTreeMap<String, u64>,
    /// Affected tests run before others.
    coverage: Option<Arc<Coverage>>,
    /// These are not run, `pkg.Class#method`.
    without: BTreeSet<String>,
    ending: StopCondition,
}

/// Condition that stops a run early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StopCondition {
    /// All of them are.
    #[default]
    Never,
    /// Once one has failed.
    FirstFailure,
    /// Once one has failed that did not before, or all have again that did.
    FixImpossible,
    /// At a time, in milliseconds since 1970.
    Deadline(u64),
}

/// Condition under which tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunCondition {
    /// In any case.
    Always,
    /// The tests run only if no earlier test failed.
    UnlessFailed,
    /// In any case; but of all these one must pass, or no others are run. Those that fail may fail again.
    OneMustPass,
    /// The tests run only if they can start before this time, in milliseconds since 1970.
    Until(u64),
}

impl RunCondition {
    /// The form that runners read.
    fn word(self) -> Cow<'static, str> {
        match self {
            Self::Always => "always".into(),
            Self::UnlessFailed => "unless-failed".into(),
            Self::OneMustPass => "one-must-pass".into(),
            Self::Until(millis) => format!("until-{millis}").into(),
        }
    }
}

/// Tests of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestRequest {
    pub(crate) class: String,
    /// A method's name or a glob; `None` means every test.
    pub(crate) method: Option<String>,
    /// Names of methods that are left out all the same.
    pub(crate) without: Vec<String>,
    pub(crate) due: RunCondition,
}

impl TestRequest {
    /// The form that runners read.
    pub(crate) fn line(&self) -> String {
        let Self { class, method, without, due } = self;
        let method = method.as_deref().unwrap_or_default();
        format!("{class}\t{method}\t{}\t{}\n", due.word(), without.join(","))
    }
}

/// Properties that tests in one JVM must share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JvmKey {
    /// Its number in the model.
    pub(crate) testbed: usize,
    pub(crate) framework: Framework,
}

/// Tests that one JVM runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestBatch {
    pub(crate) place: JvmKey,
    pub(crate) wanted: Vec<TestRequest>,
}

impl TestOrder {
    /// Creates an order from earlier results: failed tests first, then fast ones.
    pub fn learnt(results: &[TestResult]) -> Self {
        let mut order = Self::default();
        for result in results {
            if matches!(result.status, TestStatus::Failed(_)) && !order.first.contains(&result.test)
            {
                order.first.push(result.test.clone());
            }
            *order.millis.entry(class_of(&result.test).to_owned()).or_default() += result.millis;
        }
        order
    }

    /// Stops the run at the first failing test.
    #[must_use]
    pub fn failing_fast(self) -> Self {
        Self { ending: StopCondition::FirstFailure, ..self }
    }

    /// Stops the run when a test that passed before fails, or all tests that failed before fail again.
    #[must_use]
    pub fn mending_some(self) -> Self {
        Self { ending: StopCondition::FixImpossible, ..self }
    }

    /// Returns the same order, with the test classes affected by a variant before the others.
    #[must_use]
    pub fn covering(self, coverage: Coverage) -> Self {
        Self { coverage: Some(Arc::new(coverage)), ..self }
    }

    /// Excludes tests, if they can be addressed individually.
    #[must_use]
    pub fn with_excluded(self, tests: &BTreeSet<String>) -> Self {
        Self { without: tests.clone(), ..self }
    }

    /// Starts no test class after a deadline. The outcome consists of the tests that ended by then.
    #[must_use]
    pub fn with_deadline(self, end: SystemTime) -> Self {
        let millis = end.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self { ending: StopCondition::Deadline(u64::try_from(millis).unwrap_or(u64::MAX)), ..self }
    }

    /// Returns the number of classes with known duration.
    pub fn classes(&self) -> usize {
        self.millis.len()
    }

    /// Returns true if the run stops at a failure, so that compilation may stop at the first error too.
    pub(crate) fn is_hasty(&self) -> bool {
        !matches!(self.ending, StopCondition::Never | StopCondition::Deadline(_))
    }

    /// Returns the time until the deadline, if there is one. Tests that did not run by then do not invalidate the other
    /// results.
    pub(crate) fn remaining_time(&self) -> Option<Duration> {
        let StopCondition::Deadline(millis) = self.ending else { return None };
        let end = UNIX_EPOCH + Duration::from_millis(millis);
        Some(end.duration_since(SystemTime::now()).unwrap_or_default())
    }

    /// Returns true if these results stop the run.
    pub(crate) fn is_over(&self, results: &[TestResult]) -> bool {
        let fails = |result: &&TestResult| matches!(result.status, TestStatus::Failed(_));
        let is_first = |result: &&TestResult| self.first.contains(&result.test);
        let failed = || results.iter().filter(fails);
        match self.ending {
            StopCondition::Never | StopCondition::Deadline(_) => false,
            StopCondition::FirstFailure => failed().next().is_some(),
            StopCondition::FixImpossible => {
                let passes = |result: &TestResult| result.status == TestStatus::Passed;
                let ended: Vec<&TestResult> = results.iter().filter(is_first).collect();
                let have_all =
                    self.first.iter().all(|test| ended.iter().any(|one| one.test == *test));
                let is_none_mended = have_all && !ended.into_iter().any(passes);
                is_none_mended || failed().any(|result| !is_first(&result))
            }
        }
    }

    /// Returns the cache key of the order. Coverage is not part of it: it may differ between runs
    /// of the same tests, and never makes an outcome wrong.
    pub(crate) fn parts(&self) -> impl Iterator<Item = String> {
        let classes = self.millis.iter().map(|(class, millis)| format!("{class} {millis}"));
        let coverage = self.coverage.iter().map(|_| "coverage".to_owned());
        let ending = match self.ending {
            StopCondition::Never => None,
            StopCondition::FirstFailure => Some("fail fast".to_owned()),
            StopCondition::FixImpossible => Some("fix some".to_owned()),
            StopCondition::Deadline(millis) => Some(format!("until {millis}")),
        };
        let without = self.without.iter().map(|test| format!("without {test}"));
        self.first.iter().cloned().chain(classes).chain(coverage).chain(without).chain(ending)
    }

    /// The selected tests, in this order for a variant; `files` are the main sources in its tree.
    pub(crate) fn turns(
        &self,
        selections: &[Selection],
        tree: &Path,
        files: &[PathBuf],
        testbed_of: &dyn Fn(&TestClass) -> usize,
    ) -> Vec<TestBatch> {
        let coverage = self.coverage.as_ref();
        let concerned = coverage.map(|coverage| coverage.concerned(tree, files));
        let all = selections.iter().flat_map(|one| self.of_selection(one, testbed_of)).collect();
        self.turns_with(all, &concerned.unwrap_or_default())
    }

    fn turns_with(
        &self,
        mut rest: Vec<(JvmKey, TestRequest)>,
        concerned: &BTreeSet<String>,
    ) -> Vec<TestBatch> {
        let first = self.first.iter().filter(|test| !self.without.contains(*test));
        let mut first: Vec<_> = first.filter_map(|one| alone(one, &rest)).collect();
        first.sort_by_key(|(place, _)| *place);
        // A JVM knows nothing of what tests in another one came to before.
        let is_one_jvm = first.windows(2).all(|two| two[0].0 == two[1].0);
        if self.ending == StopCondition::FixImpossible {
            let due = if is_one_jvm { RunCondition::OneMustPass } else { RunCondition::Always };
            for (_, wanted) in &mut first {
                wanted.due = due;
            }
        }
        rest.sort_by_key(|(place, wanted)| {
            let is_aside = !concerned.contains(&wanted.class);
            (is_aside, *place, self.millis.get(&wanted.class).copied())
        });
        let mut turns: Vec<TestBatch> = Vec::new();
        let mut known = Vec::new();
        for (place, wanted) in first.into_iter().chain(rest) {
            let tests = (wanted.class.clone(), wanted.method.clone());
            if known.contains(&tests) {
                continue;
            }
            known.push(tests);
            match turns.last_mut().filter(|turn| turn.place == place) {
                Some(turn) => turn.wanted.push(wanted),
                None => turns.push(TestBatch { place, wanted: vec![wanted] }),
            }
        }
        turns
    }

    fn of_selection(
        &self,
        selection: &Selection,
        testbed_of: &dyn Fn(&TestClass) -> usize,
    ) -> impl Iterator<Item = (JvmKey, TestRequest)> {
        let wanted = |class: &TestClass| TestRequest {
            class: class.name.clone(),
            method: selection.method.clone(),
            without: self.without_of(class),
            due: match self.ending {
                StopCondition::Never => RunCondition::Always,
                StopCondition::FirstFailure | StopCondition::FixImpossible => {
                    RunCondition::UnlessFailed
                }
                StopCondition::Deadline(millis) => RunCondition::Until(millis),
            },
        };
        let place =
            |class: &TestClass| JvmKey { testbed: testbed_of(class), framework: class.framework };
        selection.classes.iter().map(move |class| (place(class), wanted(class)))
    }

    /// The methods of a class that are not run.
    fn without_of(&self, class: &TestClass) -> Vec<String> {
        let method = |test: &String| {
            let name = test.strip_prefix(class.name.as_str())?.strip_prefix('#')?;
            name.chars().all(is_part).then(|| name.to_owned())
        };
        self.without.iter().filter_map(method).collect()
    }
}

/// Returns true if a character may be part of a method name.
fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Returns the request that runs one test, or its whole class if it cannot be run individually.
fn alone(test: &str, all: &[(JvmKey, TestRequest)]) -> Option<(JvmKey, TestRequest)> {
    all.iter().cloned().find_map(|(place, wanted)| {
        let rest = test.strip_prefix(wanted.class.as_str())?;
        match rest.strip_prefix('#') {
            Some(name) if place.framework != Framework::Main => {
                let method = name.split(|c| !is_part(c)).next().map(str::to_owned);
                Some((place, TestRequest { method, ..wanted }))
            }
            _ if rest.is_empty() || rest.starts_with(['#', '$']) => Some((place, wanted)),
            _ => None,
        }
    })
}

/// The outermost class of a test.
pub(crate) fn class_of(test: &str) -> &str {
    test.split(['#', '$', '[']).next().unwrap_or(test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestClass;
    use mend_model::Failure;

    fn selection(classes: &[(&str, Framework)]) -> Selection {
        let class = |(name, framework): &(&str, Framework)| TestClass {
            name: (*name).to_owned(),
            source: "T.java".into(),
            framework: *framework,
        };
        Selection { classes: classes.iter().map(class).collect(), method: None }
    }

    fn result(test: &str, millis: u64, fails: bool) -> TestResult {
        let failure = Failure { exception: "E".into(), message: None, frames: Vec::new() };
        let status = if fails { TestStatus::Failed(failure) } else { TestStatus::Passed };
        TestResult { millis, ..TestResult::new(test, status) }
    }

    fn everything(order: &TestOrder, selections: &[Selection]) -> Vec<(JvmKey, TestRequest)> {
        selections.iter().flat_map(|one| order.of_selection(one, &|_| 0)).collect()
    }

    fn turns(order: &TestOrder, selections: &[Selection]) -> Vec<TestBatch> {
        order.turns_with(everything(order, selections), &BTreeSet::new())
    }

    /// Framework by framework, what is run.
    fn tests_by_framework(turns: &[TestBatch]) -> Vec<(Framework, Vec<String>)> {
        let word = |one: &TestRequest| {
            let method = one.method.as_ref().map_or(String::new(), |method| format!("#{method}"));
            format!("{}{method}", one.class)
        };
        turns
            .iter()
            .map(|turn| (turn.place.framework, turn.wanted.iter().map(word).collect()))
            .collect()
    }

    #[test]
    fn by_default_frameworks_follow_each_other_and_each_class_is_run_once() {
        let classes = [("a.B", Framework::JUnit4), ("a.A", Framework::JUnitPlatform)];
        let both = [selection(&classes), selection(&[("a.B", Framework::JUnit4)])];
        assert_eq!(
            tests_by_framework(&turns(&TestOrder::default(), &both)),
            [
                (Framework::JUnitPlatform, vec!["a.A".to_owned()]),
                (Framework::JUnit4, vec!["a.B".to_owned()])
            ]
        );
    }

    #[test]
    fn what_failed_comes_first_and_then_what_is_quick() {
        let junit = Framework::JUnit4;
        let all = [selection(&[("a.Slow", junit), ("a.Quick", junit), ("a.Broken", junit)])];
        let results = [
            result("a.Slow#m", 90, false),
            result("a.Quick#m", 1, false),
            result("a.Broken#m[2: x]", 5, true),
            result("a.Broken#m[3: x]", 0, true),
        ];
        let order = TestOrder::learnt(&results).failing_fast();
        let usual = turns(&order, &all);
        let wanted = ["a.Broken#m", "a.Quick", "a.Broken", "a.Slow"].map(str::to_owned).to_vec();
        assert_eq!(tests_by_framework(&usual), [(junit, wanted)]);
        assert!(usual[0].wanted.iter().all(|one| one.due == RunCondition::UnlessFailed));
        let concerned = BTreeSet::from(["a.Slow".to_owned()]);
        let wanted = ["a.Broken#m", "a.Slow", "a.Quick", "a.Broken"].map(str::to_owned).to_vec();
        assert_eq!(
            tests_by_framework(&order.turns_with(everything(&order, &all), &concerned)),
            [(junit, wanted)]
        );
    }

    #[test]
    fn where_some_are_to_be_mended_those_that_failed_may_fail_but_for_one() {
        let junit = Framework::JUnit4;
        let results =
            [result("a.A#m", 1, true), result("a.A#n", 1, true), result("a.B#m", 1, false)];
        let order = TestOrder::learnt(&results).mending_some();
        let selections = [selection(&[("a.A", junit), ("a.B", junit)])];
        let turns = turns(&order, &selections);
        let due: Vec<RunCondition> = turns[0].wanted.iter().map(|one| one.due).collect();
        assert_eq!(
            due,
            [
                RunCondition::OneMustPass,
                RunCondition::OneMustPass,
                RunCondition::UnlessFailed,
                RunCondition::UnlessFailed
            ]
        );
        for (ended, is_over) in [
            (&[("a.A#m", true), ("a.A#n", true)][..], true),
            (&[("a.A#m", true), ("a.A#n", false)], false),
            (&[("a.A#m", true), ("a.A#n", false), ("a.B#m", true)], true),
        ] {
            let ended: Vec<_> = ended.iter().map(|(test, fails)| result(test, 1, *fails)).collect();
            assert_eq!(order.is_over(&ended), is_over);
        }
    }

    #[test]
    fn tests_of_several_modules_have_a_jvm_each_in_which_their_own_failed_tests_come_first() {
        let junit = Framework::JUnit4;
        let classes = ["a.A", "b.B", "b.Broken"].map(|name| (name, junit));
        let results = [result("b.Broken#m", 1, true), result("a.A#m", 9, true)];
        let order = TestOrder::learnt(&results).mending_some();
        let of_b = |class: &TestClass| usize::from(class.name.starts_with("b."));
        let selections = [selection(&classes)];
        let all = selections.iter().flat_map(|one| order.of_selection(one, &of_b)).collect();
        let turns = order.turns_with(all, &BTreeSet::new());
        let places: Vec<usize> = turns.iter().map(|turn| turn.place.testbed).collect();
        assert_eq!(places, [0, 1, 0, 1]);
        assert!(turns.iter().all(|turn| turn.wanted[0].due != RunCondition::OneMustPass));
    }

    #[test]
    fn where_time_is_short_every_class_is_told_until_when_it_may_begin() {
        let order = TestOrder::default().with_deadline(UNIX_EPOCH + Duration::from_secs(7));
        let junit = Framework::JUnit4;
        let classes = [selection(&[("a.Near", junit), ("a.Far", junit)])];
        let turns = turns(&order, &classes);
        let lines: String = turns[0].wanted.iter().map(TestRequest::line).collect();
        assert_eq!(lines, "a.Near\t\tuntil-7000\t\na.Far\t\tuntil-7000\t\n");
    }

    #[test]
    fn what_is_left_out_is_run_neither_alone_nor_with_its_class() {
        let junit = Framework::JUnit4;
        let results = [result("a.A#m", 1, true), result("a.A#n", 1, true)];
        let without = BTreeSet::from(["a.A#m", "a.A#p[0]", "a.Ab#q"].map(str::to_owned));
        let order = TestOrder::learnt(&results).with_excluded(&without);
        let turns = turns(&order, &[selection(&[("a.A", junit)])]);
        let lines: String = turns[0].wanted.iter().map(TestRequest::line).collect();
        assert_eq!(lines, "a.A\tn\talways\tm\na.A\t\talways\tm\n");
    }

    #[test]
    fn a_test_that_cannot_be_named_alone_is_run_with_its_class() {
        let classes = [("a.Outer", Framework::JUnitPlatform), ("a.Tool", Framework::Main)];
        let results = [
            result("a.Tool#main", 1, true),
            result("a.Outer$Inner#m", 1, true),
            result("b.Else#m", 1, true),
        ];
        let turns = turns(&TestOrder::learnt(&results), &[selection(&classes)]);
        assert_eq!(
            tests_by_framework(&turns),
            [
                (Framework::JUnitPlatform, vec!["a.Outer".to_owned()]),
                (Framework::Main, vec!["a.Tool".to_owned()])
            ]
        );
    }
}
