//! Engine whose verdicts come from many thread schedules of each test.

use super::{ExploreConfig, ScheduleRunner};
use crate::engine_trait::{Engine, RunMode, RunRequest};
use crate::execution::Execution;
use crate::process_engine::ProcessEngine;
use crate::test_execution::runner_report::parse_test_result;
use crate::test_execution::test_order::TestOrder;
use crate::{EngineChoice, Limits};
use mend_model::schedules::{FailureGroup, Findings, ScheduleTrace};
use mend_model::{Failure, Outcome, Problem, Result, TestResult, TestStatus};
use std::collections::BTreeSet;
use std::path::Path;

/// Engine that explores schedules. A test fails if it fails under one of them.
pub struct ScheduleEngine {
    config: ExploreConfig,
    /// Explorer with a warm compiler and a warm JVM.
    warm: ScheduleRunner,
    /// Explorer that starts new ones.
    clean: ScheduleRunner,
    /// Engine of a run without control, which tells skipped tests from passed ones.
    uncontrolled: ProcessEngine,
    fingerprint: String,
}

impl ScheduleEngine {
    /// Creates an engine for the project and tests of a process engine.
    pub fn new(process: ProcessEngine, choice: EngineChoice, config: ExploreConfig) -> Self {
        let ExploreConfig { schedules, seed, schedulers, .. } = &config;
        let fingerprint =
            format!("{} schedules {schedules} {seed} {schedulers:?}", process.fingerprint());
        Self {
            warm: ScheduleRunner::new(process.clone(), choice),
            clean: ScheduleRunner::new(process.clone(), EngineChoice::Process),
            uncontrolled: process,
            config,
            fingerprint,
        }
    }

    /// Explores without the time limit of single runs: the scheduler ends schedules that hang.
    fn explore(&self, tree: &Path, limits: &Limits, runner: &ScheduleRunner) -> Result<Execution> {
        let unlimited = Limits { test: None, ..limits.clone() };
        let explored = runner.explore(tree, &unlimited, &self.config, &mut |_, _| ())?;
        let Some(findings) = explored.findings else { return Ok(explored.execution) };
        check_controlled(&findings)?;
        // The explorer reports which tests fail under a schedule, but not which of the others were skipped.
        let run = self.uncontrolled.run_clean(tree, limits)?;
        let Outcome::Tests { results } = run.outcome else { return Ok(run) };
        let outcome = Outcome::Tests { results: to_test_results(&findings, results) };
        Ok(Execution { outcome, jvms: explored.execution.jvms + run.jvms, ..explored.execution })
    }
}

impl Engine for ScheduleEngine {
    fn run(&self, request: &RunRequest<'_>) -> Result<Execution> {
        let runner = match request.mode {
            RunMode::Quick | RunMode::Checked | RunMode::Recording => &self.warm,
            RunMode::Clean | RunMode::Confirm(_) => &self.clean,
        };
        self.explore(request.tree, request.limits, runner)
    }

    /// Returns this engine unchanged: each test has its own schedules.
    fn with_test_order(self: Box<Self>, _order: TestOrder) -> Box<dyn Engine> {
        self
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }
}

/// Returns an error if the scheduler gave a test up, because that is no verdict.
fn check_controlled(findings: &Findings) -> Result<()> {
    let is_unknown = !findings.hanging_tests.is_empty();
    match findings.block_reasons.first().filter(|_| is_unknown) {
        Some(why) => Err(Problem::UncontrolledThreads { why: why.clone(), output: String::new() }),
        None => Ok(()),
    }
}

/// Returns a result for each kind of failure under a schedule, and the uncontrolled results of the other tests.
fn to_test_results(findings: &Findings, uncontrolled: Vec<TestResult>) -> Vec<TestResult> {
    let mut results: Vec<TestResult> = findings.groups.iter().map(to_failed_result).collect();
    let failed: BTreeSet<String> = results.iter().map(|result| result.test.clone()).collect();
    results.extend(uncontrolled.into_iter().filter(|result| !failed.contains(&result.test)));
    results
}

fn to_failed_result(group: &FailureGroup) -> TestResult {
    let example = &group.example;
    let reported = example.result.as_ref().and_then(parse_test_result);
    let test = reported.as_ref().map_or_else(|| requested_test(example), |one| one.test.clone());
    let is_reported = example.text.is_none();
    match reported.filter(|result| is_reported && result.failure().is_some()) {
        Some(result) => result,
        None => TestResult::new(test, TestStatus::Failed(unreported_failure(example))),
    }
}

/// Returns the test of a schedule: its class, with its method if the request names one.
fn requested_test(example: &ScheduleTrace) -> String {
    let mut fields = example.schedule.test.split('\t');
    let class = fields.next().unwrap_or_default();
    match fields.next().filter(|method| !method.is_empty()) {
        Some(method) => format!("{class}#{method}"),
        None => class.to_owned(),
    }
}

/// Returns the failure of a schedule that no test runner reported: an exception in another thread, or threads that are
/// blocked. Descriptions of blocked threads name objects by number, so that they are not compared.
fn unreported_failure(example: &ScheduleTrace) -> Failure {
    let text = example.text.as_deref().unwrap_or_default();
    let text = text.lines().next().unwrap_or_default();
    let (exception, message) = if example.kind == "exception" {
        let thrown = text.rsplit_once(" at ").map_or(text, |(thrown, _)| thrown);
        thrown.split_once(": ").map_or((thrown, None), |(class, why)| (class, Some(why.to_owned())))
    } else {
        (example.kind.as_str(), None)
    };
    Failure { exception: exception.to_owned(), message, frames: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::Schedule;
    use serde_json::json;

    fn group(kind: &str, text: Option<&str>, result: Option<serde_json::Value>) -> FailureGroup {
        let schedule = Schedule { test: "p.ATest\tadds\talways".to_owned(), ..Schedule::default() };
        let example = ScheduleTrace {
            kind: kind.to_owned(),
            text: text.map(str::to_owned),
            result,
            schedule,
            ..ScheduleTrace::default()
        };
        FailureGroup { count: 1, first: 1, example }
    }

    #[test]
    fn failure_under_one_schedule_is_a_failure() {
        let reported = json!({
            "event": "ended", "test": "p.ATest#adds", "status": "failed", "millis": 1,
            "exception": "java.lang.AssertionError", "message": "lost",
            "frames": [{"class": "p.ATest", "method": "adds", "file": "ATest.java", "line": 7}],
        });
        let findings =
            Findings { groups: vec![group("test", None, Some(reported))], ..Findings::default() };
        let [adds, removes, waits] =
            ["adds", "removes", "waits"].map(|one| format!("p.ATest#{one}"));
        let uncontrolled = vec![
            TestResult::new(adds, TestStatus::Passed),
            TestResult::new(removes, TestStatus::Passed),
            TestResult::new(waits, TestStatus::Skipped),
        ];
        let results = to_test_results(&findings, uncontrolled);
        assert_eq!(results.len(), 3);
        assert_eq!(results[2], TestResult::new("p.ATest#waits", TestStatus::Skipped));
        let failure = results[0].failure().unwrap();
        assert_eq!(failure.message.as_deref(), Some("lost"));
        assert_eq!(failure.frames[0].method, "adds");
        assert_eq!(results[1], TestResult::new("p.ATest#removes", TestStatus::Passed));
    }

    #[test]
    fn exceptions_of_other_threads_and_deadlocks_are_failures() {
        let dying = group("exception", Some("java.lang.Error: full: no at p.A.add:3"), None);
        let result = to_failed_result(&dying);
        assert_eq!(result.test, "p.ATest#adds");
        let failure = result.failure().unwrap();
        assert_eq!(failure.exception, "java.lang.Error");
        assert_eq!(failure.message.as_deref(), Some("full: no"));
        let blocked = to_failed_result(&group("deadlock", Some("main waits for A#1"), None));
        assert_eq!(blocked.failure().unwrap().exception, "deadlock");
    }
}
