//! Result of running the tests of one version.

use crate::run::judge::repetition::combine_verdicts;
use crate::run::session::command_result::CommandResult;
use crate::run::session::summary::Summary;
use mend_model::{Failure, Outcome, TestResult, TestStatus, Verdict, format_count};
use mend_report::{RunResult, RunStatus, TestFailure, TestRunReport};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of failing tests that the summary names.
const MAX_NAMED_FAILURES: usize = 10;

/// Maximum number of stack frames kept of a failure.
const MAX_FRAMES: usize = 20;

/// Result of running the tests of one version, once or repeatedly.
pub(super) struct TestRun {
    report: TestRunReport,
    summary: Summary,
}

impl TestRun {
    /// Combines the outcomes of the runs. `label` names the version.
    pub(super) fn from_outcomes(outcomes: &[(Verdict, Outcome)], label: &str) -> Self {
        let results = || {
            outcomes.iter().flat_map(|(_, outcome)| match outcome {
                Outcome::Tests { results } => results.as_slice(),
                _ => &[],
            })
        };
        let mut failures: BTreeMap<&str, TestFailure> = BTreeMap::new();
        for (result, failure) in results().filter_map(|one| Some((one, one.failure()?))) {
            failures.entry(&result.test).or_insert_with(|| to_failure(result, failure));
        }
        let tests_with = |status: TestStatus| -> BTreeSet<&str> {
            let matching = results().filter(|result| result.status == status);
            matching.map(|result| &*result.test).collect()
        };
        let passed = tests_with(TestStatus::Passed)
            .iter()
            .filter(|test| !failures.contains_key(**test))
            .count();
        let verdicts = outcomes.iter().map(|(verdict, _)| *verdict);
        let verdict = verdicts.reduce(combine_verdicts).unwrap_or(Verdict::Flaky);
        let report = TestRunReport {
            verdict: verdict.name().to_owned(),
            phase: verdict.phase(),
            runs: outcomes.len(),
            failing_runs: outcomes.iter().filter(|(one, _)| *one != Verdict::Pass).count(),
            passed,
            skipped: tests_with(TestStatus::Skipped).len(),
            failures: failures.into_values().collect(),
            output: outcomes.iter().find_map(|(_, outcome)| output_of(outcome)),
        };
        let mut summary = Summary::default();
        summary.extend(summarise(&report, label));
        Self { report, summary }
    }
}

fn to_failure(result: &TestResult, failure: &Failure) -> TestFailure {
    TestFailure {
        test: result.test.clone(),
        exception: failure.exception.clone(),
        message: failure.message.clone(),
        frames: failure.frames.iter().take(MAX_FRAMES).map(ToString::to_string).collect(),
        printed: result.printed.clone(),
    }
}

/// Returns the output of a compiler, or of a test runner that did not finish.
fn output_of(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Tests { .. } => None,
        _ => Some(outcome.text()),
    }
}

/// Returns the sentences of the summary: the counts, then the failures.
fn summarise(report: &TestRunReport, label: &str) -> Vec<String> {
    let TestRunReport { passed, skipped, runs, failing_runs, failures, phase, output, .. } = report;
    let repeated =
        if *runs > 1 { format!("; {failing_runs} of {runs} runs fail") } else { String::new() };
    let skipped = if *skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    let first = match (phase, output) {
        (Some(phase), Some(output)) => {
            let line = output.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            format!("{label}: {}: {line}", phase.description())
        }
        (None, Some(_)) => format!("{label}: the tests terminate the JVM"),
        _ => format!(
            "{label}: {} passed, {} failed{skipped}{repeated}",
            format_count(*passed, "test"),
            failures.len()
        ),
    };
    let describe = |failure: &TestFailure| {
        let message = failure.message.as_deref().and_then(|text| text.lines().next());
        let message = message.map_or(String::new(), |message| format!(": {message}"));
        format!("{} throws {}{message}", failure.test, failure.exception)
    };
    let named = failures.iter().take(MAX_NAMED_FAILURES).map(describe);
    std::iter::once(first).chain(named).collect()
}

impl CommandResult for TestRun {
    fn status(&self) -> RunStatus {
        match self.report.verdict.as_str() {
            "pass" => RunStatus::None,
            "flaky" => RunStatus::Flaky,
            _ => RunStatus::Found,
        }
    }

    fn write_to(&self, document: &mut RunResult) {
        document.test_run = Some(self.report.clone());
        self.summary.write_to(document);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::Phase;

    fn tests(results: &[(&str, bool)]) -> (Verdict, Outcome) {
        let status = |passes: bool| {
            let failure =
                Failure { exception: "E".into(), message: Some("m\nn".into()), frames: Vec::new() };
            if passes { TestStatus::Passed } else { TestStatus::Failed(failure) }
        };
        let results: Vec<_> =
            results.iter().map(|(test, passes)| TestResult::new(*test, status(*passes))).collect();
        let outcome = Outcome::Tests { results };
        (if outcome.is_pass() { Verdict::Pass } else { Verdict::Fail }, outcome)
    }

    fn messages(run: &TestRun) -> Vec<String> {
        let mut document = RunResult::new(
            "test",
            mend_report::RunGoal::Culprit,
            mend_report::EnvironmentInfo::default(),
        );
        run.write_to(&mut document);
        document.messages
    }

    #[test]
    fn failing_tests_are_counted_and_named() {
        let run = TestRun::from_outcomes(&[tests(&[("a#x", true), ("a#y", false)])], "HEAD");
        assert_eq!(messages(&run), ["HEAD: 1 test passed, 1 failed", "a#y throws E: m"]);
        assert_eq!(run.status(), RunStatus::Found);
    }

    #[test]
    fn runs_that_disagree_are_flaky() {
        let outcomes = [tests(&[("a#x", true)]), tests(&[("a#x", false)])];
        let run = TestRun::from_outcomes(&outcomes, "HEAD");
        assert_eq!((run.status(), run.report.passed), (RunStatus::Flaky, 0));
        assert_eq!(messages(&run)[0], "HEAD: 0 tests passed, 1 failed; 1 of 2 runs fail");
    }

    #[test]
    fn compile_error_is_reported() {
        let outcome =
            (Verdict::Unresolved(Phase::NotCompiled), Outcome::not_built("\nA.java:1: no"));
        let run = TestRun::from_outcomes(&[outcome], "HEAD");
        assert_eq!(messages(&run), ["HEAD: not compiled: A.java:1: no"]);
        assert_eq!(run.report.output.as_deref(), Some("\nA.java:1: no"));
    }
}
