//! Order of the tests, and the conditions that stop a run early.

use crate::{Coverage, Framework, Selection, TestClass};
use mend_model::{TestResult, TestStatus};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Order of the tests. By default all tests run in the order of the selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestOrder {
    /// Tests that run first, as `pkg.Class#method`.
    failed_first: Vec<String>,
    /// Duration of the tests of each class, in milliseconds; fast classes run first.
    class_millis: BTreeMap<String, u64>,
    /// Affected tests run before others.
    coverage: Option<Arc<Coverage>>,
    /// Tests that are not run, as `pkg.Class#method`.
    excluded: BTreeSet<String>,
    stop_condition: StopCondition,
}

/// Condition that stops a run early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum StopCondition {
    /// All tests run.
    #[default]
    Never,
    /// Stops after the first failure.
    FirstFailure,
    /// Stops once a test fails that passed before, or all tests fail again that failed before.
    FixImpossible,
    /// Stops at a time, in milliseconds since 1970.
    Deadline(u64),
}

/// Condition under which tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunCondition {
    /// The tests always run.
    Always,
    /// The tests run only if no earlier test failed.
    UnlessFailed,
    /// The tests always run, and at least one of them must pass for others to run.
    OneMustPass,
    /// The tests run only if they can start before this time, in milliseconds since 1970.
    Until(u64),
}

impl RunCondition {
    /// Returns the form that runners read.
    fn encode(self) -> Cow<'static, str> {
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
    /// Method name or glob; `None` selects every test.
    pub(crate) method: Option<String>,
    /// Names of excluded methods.
    pub(crate) excluded_methods: Vec<String>,
    pub(crate) condition: RunCondition,
}

impl TestRequest {
    /// Returns the line that runners read.
    pub(crate) fn encode_line(&self) -> String {
        let Self { class, method, excluded_methods: without, condition: due } = self;
        let method = method.as_deref().unwrap_or_default();
        format!("{class}\t{method}\t{}\t{}\n", due.encode(), without.join(","))
    }
}

/// Properties that tests in one JVM must share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JvmKey {
    /// Index of the testbed in the model.
    pub(crate) testbed: usize,
    pub(crate) framework: Framework,
}

/// Tests that one JVM runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestBatch {
    pub(crate) key: JvmKey,
    pub(crate) requests: Vec<TestRequest>,
}

impl TestOrder {
    /// Creates an order from earlier results: failed tests first, then fast ones.
    pub fn from_results(results: &[TestResult]) -> Self {
        let mut order = Self::default();
        for result in results {
            if matches!(result.status, TestStatus::Failed(_))
                && !order.failed_first.contains(&result.test)
            {
                order.failed_first.push(result.test.clone());
            }
            *order.class_millis.entry(outer_class(&result.test).to_owned()).or_default() +=
                result.millis;
        }
        order
    }

    /// Stops the run at the first failing test.
    #[must_use]
    pub fn with_fail_fast(self) -> Self {
        Self { stop_condition: StopCondition::FirstFailure, ..self }
    }

    /// Runs all tests, even after one fails.
    #[must_use]
    pub(crate) fn without_stop(self) -> Self {
        Self { stop_condition: StopCondition::Never, ..self }
    }

    /// Stops the run when a test that passed before fails, or all tests that failed before fail again.
    #[must_use]
    pub fn with_fix_impossible_stop(self) -> Self {
        Self { stop_condition: StopCondition::FixImpossible, ..self }
    }

    /// Returns the same order, with the test classes affected by a variant before the others.
    #[must_use]
    pub fn with_coverage(self, coverage: Coverage) -> Self {
        Self { coverage: Some(Arc::new(coverage)), ..self }
    }

    /// Excludes tests, if they can be addressed individually.
    #[must_use]
    pub fn with_excluded(self, tests: &BTreeSet<String>) -> Self {
        Self { excluded: tests.clone(), ..self }
    }

    /// Starts no test class after a deadline. The outcome consists of the tests that ended before.
    #[must_use]
    pub fn with_deadline(self, end: SystemTime) -> Self {
        let millis = end.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self {
            stop_condition: StopCondition::Deadline(u64::try_from(millis).unwrap_or(u64::MAX)),
            ..self
        }
    }

    /// Returns the number of classes with known duration.
    pub fn class_count(&self) -> usize {
        self.class_millis.len()
    }

    /// Returns true if the run stops at a failure, so that compilation may stop at the first error too.
    pub(crate) fn is_fail_fast(&self) -> bool {
        !matches!(self.stop_condition, StopCondition::Never | StopCondition::Deadline(_))
    }

    /// Returns the time until the deadline, if there is one. Tests that did not run by then do not invalidate the other
    /// results.
    pub(crate) fn remaining_time(&self) -> Option<Duration> {
        let StopCondition::Deadline(millis) = self.stop_condition else { return None };
        let end = UNIX_EPOCH + Duration::from_millis(millis);
        Some(end.duration_since(SystemTime::now()).unwrap_or_default())
    }

    /// Returns true if these results stop the run.
    pub(crate) fn is_stopped_by(&self, results: &[TestResult]) -> bool {
        let is_failed = |result: &&TestResult| matches!(result.status, TestStatus::Failed(_));
        let failed_before = |result: &&TestResult| self.failed_first.contains(&result.test);
        let failed = || results.iter().filter(is_failed);
        match self.stop_condition {
            StopCondition::Never | StopCondition::Deadline(_) => false,
            StopCondition::FirstFailure => failed().next().is_some(),
            StopCondition::FixImpossible => {
                let is_passed = |result: &TestResult| result.status == TestStatus::Passed;
                let earlier_failures: Vec<&TestResult> =
                    results.iter().filter(failed_before).collect();
                let have_all_ended = self
                    .failed_first
                    .iter()
                    .all(|test| earlier_failures.iter().any(|one| one.test == *test));
                let is_none_fixed = have_all_ended && !earlier_failures.into_iter().any(is_passed);
                is_none_fixed || failed().any(|result| !failed_before(&result))
            }
        }
    }

    /// Returns the cache key of the order. Coverage is not part of it: it may differ between runs
    /// of the same tests, and never makes an outcome wrong.
    pub(crate) fn cache_key_parts(&self) -> impl Iterator<Item = String> {
        let classes = self.class_millis.iter().map(|(class, millis)| format!("{class} {millis}"));
        let coverage = self.coverage.iter().map(|_| "coverage".to_owned());
        let stop_condition = match self.stop_condition {
            StopCondition::Never => None,
            StopCondition::FirstFailure => Some("fail fast".to_owned()),
            StopCondition::FixImpossible => Some("fix some".to_owned()),
            StopCondition::Deadline(millis) => Some(format!("until {millis}")),
        };
        let excluded = self.excluded.iter().map(|test| format!("without {test}"));
        self.failed_first
            .iter()
            .cloned()
            .chain(classes)
            .chain(coverage)
            .chain(excluded)
            .chain(stop_condition)
    }

    /// Returns the batches of selected tests in this order for a variant; `files` are the main sources in its tree.
    pub(crate) fn plan_batches(
        &self,
        selections: &[Selection],
        tree: &Path,
        files: &[PathBuf],
        testbed_of: &dyn Fn(&TestClass) -> usize,
    ) -> Vec<TestBatch> {
        let coverage = self.coverage.as_ref();
        let affected = coverage.map(|coverage| coverage.affected_tests(tree, files));
        let requests =
            selections.iter().flat_map(|one| self.requests_of(one, testbed_of)).collect();
        self.plan_batches_with(requests, &affected.unwrap_or_default())
    }

    fn plan_batches_with(
        &self,
        mut requests: Vec<(JvmKey, TestRequest)>,
        affected: &BTreeSet<String>,
    ) -> Vec<TestBatch> {
        let failed_first = self.failed_first.iter().filter(|test| !self.excluded.contains(*test));
        let mut failed_first: Vec<_> =
            failed_first.filter_map(|one| single_test_request(one, &requests)).collect();
        failed_first.sort_by_key(|(key, _)| *key);
        // A JVM does not know the results of tests in another one.
        let is_one_jvm = failed_first.windows(2).all(|two| two[0].0 == two[1].0);
        if self.stop_condition == StopCondition::FixImpossible {
            let condition =
                if is_one_jvm { RunCondition::OneMustPass } else { RunCondition::Always };
            for (_, request) in &mut failed_first {
                request.condition = condition;
            }
        }
        requests.sort_by_key(|(key, request)| {
            let is_unaffected = !affected.contains(&request.class);
            (is_unaffected, *key, self.class_millis.get(&request.class).copied())
        });
        let mut batches: Vec<TestBatch> = Vec::new();
        let mut planned = Vec::new();
        for (key, request) in failed_first.into_iter().chain(requests) {
            let tests = (request.class.clone(), request.method.clone());
            if planned.contains(&tests) {
                continue;
            }
            planned.push(tests);
            match batches.last_mut().filter(|turn| turn.key == key) {
                Some(turn) => turn.requests.push(request),
                None => batches.push(TestBatch { key, requests: vec![request] }),
            }
        }
        batches
    }

    fn requests_of(
        &self,
        selection: &Selection,
        testbed_of: &dyn Fn(&TestClass) -> usize,
    ) -> impl Iterator<Item = (JvmKey, TestRequest)> {
        let new_request = |class: &TestClass| TestRequest {
            class: class.name.clone(),
            method: selection.method.clone(),
            excluded_methods: self.excluded_methods_of(class),
            condition: match self.stop_condition {
                StopCondition::Never => RunCondition::Always,
                StopCondition::FirstFailure | StopCondition::FixImpossible => {
                    RunCondition::UnlessFailed
                }
                StopCondition::Deadline(millis) => RunCondition::Until(millis),
            },
        };
        let key_of =
            |class: &TestClass| JvmKey { testbed: testbed_of(class), framework: class.framework };
        selection.classes.iter().map(move |class| (key_of(class), new_request(class)))
    }

    /// Returns the excluded methods of a class.
    fn excluded_methods_of(&self, class: &TestClass) -> Vec<String> {
        let method = |test: &String| {
            let name = test.strip_prefix(class.name.as_str())?.strip_prefix('#')?;
            name.chars().all(is_identifier_char).then(|| name.to_owned())
        };
        self.excluded.iter().filter_map(method).collect()
    }
}

/// Returns true if a character may be part of a method name.
fn is_identifier_char(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Returns the request that runs one test, or its whole class if it cannot be run individually.
fn single_test_request(
    test: &str,
    requests: &[(JvmKey, TestRequest)],
) -> Option<(JvmKey, TestRequest)> {
    requests.iter().cloned().find_map(|(place, wanted)| {
        let rest = test.strip_prefix(wanted.class.as_str())?;
        match rest.strip_prefix('#') {
            Some(name) if place.framework != Framework::Main => {
                let method = name.split(|c| !is_identifier_char(c)).next().map(str::to_owned);
                Some((place, TestRequest { method, ..wanted }))
            }
            _ if rest.is_empty() || rest.starts_with(['#', '$']) => Some((place, wanted)),
            _ => None,
        }
    })
}

/// Returns the outermost class of a test.
pub(crate) fn outer_class(test: &str) -> &str {
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
        Selection { classes: classes.iter().map(class).collect(), method: None, is_optional: false }
    }

    fn result(test: &str, millis: u64, fails: bool) -> TestResult {
        let failure = Failure { exception: "E".into(), message: None, frames: Vec::new() };
        let status = if fails { TestStatus::Failed(failure) } else { TestStatus::Passed };
        TestResult { millis, ..TestResult::new(test, status) }
    }

    fn all_requests(order: &TestOrder, selections: &[Selection]) -> Vec<(JvmKey, TestRequest)> {
        selections.iter().flat_map(|one| order.requests_of(one, &|_| 0)).collect()
    }

    fn plan_all(order: &TestOrder, selections: &[Selection]) -> Vec<TestBatch> {
        order.plan_batches_with(all_requests(order, selections), &BTreeSet::new())
    }

    /// Returns the requests by framework.
    fn tests_by_framework(turns: &[TestBatch]) -> Vec<(Framework, Vec<String>)> {
        let request_name = |one: &TestRequest| {
            let method = one.method.as_ref().map_or(String::new(), |method| format!("#{method}"));
            format!("{}{method}", one.class)
        };
        turns
            .iter()
            .map(|turn| (turn.key.framework, turn.requests.iter().map(request_name).collect()))
            .collect()
    }

    #[test]
    fn default_order_groups_frameworks_and_runs_each_class_once() {
        let classes = [("a.B", Framework::JUnit4), ("a.A", Framework::JUnitPlatform)];
        let both = [selection(&classes), selection(&[("a.B", Framework::JUnit4)])];
        assert_eq!(
            tests_by_framework(&plan_all(&TestOrder::default(), &both)),
            [
                (Framework::JUnitPlatform, vec!["a.A".to_owned()]),
                (Framework::JUnit4, vec!["a.B".to_owned()])
            ]
        );
    }

    #[test]
    fn failed_tests_run_first_then_fast_classes() {
        let junit = Framework::JUnit4;
        let selections = [selection(&[("a.Slow", junit), ("a.Quick", junit), ("a.Broken", junit)])];
        let results = [
            result("a.Slow#m", 90, false),
            result("a.Quick#m", 1, false),
            result("a.Broken#m[2: x]", 5, true),
            result("a.Broken#m[3: x]", 0, true),
        ];
        let order = TestOrder::from_results(&results).with_fail_fast();
        let batches = plan_all(&order, &selections);
        let expected = ["a.Broken#m", "a.Quick", "a.Broken", "a.Slow"].map(str::to_owned).to_vec();
        assert_eq!(tests_by_framework(&batches), [(junit, expected)]);
        assert!(batches[0].requests.iter().all(|one| one.condition == RunCondition::UnlessFailed));
        let affected = BTreeSet::from(["a.Slow".to_owned()]);
        let expected = ["a.Broken#m", "a.Slow", "a.Quick", "a.Broken"].map(str::to_owned).to_vec();
        assert_eq!(
            tests_by_framework(
                &order.plan_batches_with(all_requests(&order, &selections), &affected)
            ),
            [(junit, expected)]
        );
    }

    #[test]
    fn with_fix_impossible_stop_one_failed_test_must_pass() {
        let junit = Framework::JUnit4;
        let results =
            [result("a.A#m", 1, true), result("a.A#n", 1, true), result("a.B#m", 1, false)];
        let order = TestOrder::from_results(&results).with_fix_impossible_stop();
        let selections = [selection(&[("a.A", junit), ("a.B", junit)])];
        let batches = plan_all(&order, &selections);
        let conditions: Vec<RunCondition> =
            batches[0].requests.iter().map(|one| one.condition).collect();
        assert_eq!(
            conditions,
            [
                RunCondition::OneMustPass,
                RunCondition::OneMustPass,
                RunCondition::UnlessFailed,
                RunCondition::UnlessFailed
            ]
        );
        for (entries, is_stopped) in [
            (&[("a.A#m", true), ("a.A#n", true)][..], true),
            (&[("a.A#m", true), ("a.A#n", false)], false),
            (&[("a.A#m", true), ("a.A#n", false), ("a.B#m", true)], true),
        ] {
            let entries: Vec<_> =
                entries.iter().map(|(test, fails)| result(test, 1, *fails)).collect();
            assert_eq!(order.is_stopped_by(&entries), is_stopped);
        }
    }

    #[test]
    fn each_module_has_a_jvm_and_runs_its_failed_tests_first() {
        let junit = Framework::JUnit4;
        let classes = ["a.A", "b.B", "b.Broken"].map(|name| (name, junit));
        let results = [result("b.Broken#m", 1, true), result("a.A#m", 9, true)];
        let order = TestOrder::from_results(&results).with_fix_impossible_stop();
        let testbed_of = |class: &TestClass| usize::from(class.name.starts_with("b."));
        let selections = [selection(&classes)];
        let requests =
            selections.iter().flat_map(|one| order.requests_of(one, &testbed_of)).collect();
        let batches = order.plan_batches_with(requests, &BTreeSet::new());
        let testbeds: Vec<usize> = batches.iter().map(|turn| turn.key.testbed).collect();
        assert_eq!(testbeds, [0, 1, 0, 1]);
        assert!(batches.iter().all(|turn| turn.requests[0].condition != RunCondition::OneMustPass));
    }

    #[test]
    fn deadline_is_passed_to_every_class() {
        let order = TestOrder::default().with_deadline(UNIX_EPOCH + Duration::from_secs(7));
        let junit = Framework::JUnit4;
        let classes = [selection(&[("a.Near", junit), ("a.Far", junit)])];
        let batches = plan_all(&order, &classes);
        let lines: String = batches[0].requests.iter().map(TestRequest::encode_line).collect();
        assert_eq!(lines, "a.Near\t\tuntil-7000\t\na.Far\t\tuntil-7000\t\n");
    }

    #[test]
    fn excluded_tests_never_run() {
        let junit = Framework::JUnit4;
        let results = [result("a.A#m", 1, true), result("a.A#n", 1, true)];
        let excluded = BTreeSet::from(["a.A#m", "a.A#p[0]", "a.Ab#q"].map(str::to_owned));
        let order = TestOrder::from_results(&results).with_excluded(&excluded);
        let batches = plan_all(&order, &[selection(&[("a.A", junit)])]);
        let lines: String = batches[0].requests.iter().map(TestRequest::encode_line).collect();
        assert_eq!(lines, "a.A\tn\talways\tm\na.A\t\talways\tm\n");
    }

    #[test]
    fn unaddressable_test_runs_with_its_class() {
        let classes = [("a.Outer", Framework::JUnitPlatform), ("a.Tool", Framework::Main)];
        let results = [
            result("a.Tool#main", 1, true),
            result("a.Outer$Inner#m", 1, true),
            result("b.Else#m", 1, true),
        ];
        let batches = plan_all(&TestOrder::from_results(&results), &[selection(&classes)]);
        assert_eq!(
            tests_by_framework(&batches),
            [
                (Framework::JUnitPlatform, vec!["a.Outer".to_owned()]),
                (Framework::Main, vec!["a.Tool".to_owned()])
            ]
        );
    }
}
