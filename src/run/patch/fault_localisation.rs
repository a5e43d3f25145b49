//! Fault localisation: finds suspicious statements from failing tests, compiler facts and statement coverage.

use super::attributed_version::VersionCode;
use super::probe_run::{MAX_PROBE_ROUNDS, ProbeResult, ProbeRun};
use super::repair_target::{RepairTarget, recorder_root};
use crate::run::judge::executor::VariantExecutor;
use crate::run::judge::patch_baseline::UnpatchedRun;
use mend_java::Code;
use mend_model::{Failure, Outcome, RepoPath, Result, TestResult, TestStatus};
use mend_repair::{
    Contracts, Diagnosis, GeneratedTests, PatchLocator, PostconditionChecks, PostconditionFailures,
    PostconditionViolations, ProbeExclusions, ProbeInput, Recording, StatementCoverage,
    SuspiciousStatement, rank_suspects,
};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Result of fault localisation.
pub(crate) struct LocatedFaults {
    pub(crate) evidence: FaultEvidence,
    pub(crate) recorders: BehaviourRecorders,
    /// Results of the tests without a patch.
    pub(crate) results: Vec<TestResult>,
    /// Postconditions that failing tests violated.
    pub(crate) violations: PostconditionViolations,
    /// Tests that hang with the probes, as they did without.
    pub(crate) endless: BTreeSet<String>,
}

/// Contracts, suspicious statements and failures of a version.
pub(crate) struct FaultEvidence {
    pub(crate) contracts: Contracts,
    /// Suspicious statements, best first.
    pub(crate) suspicious_statements: Vec<SuspiciousStatement>,
    pub(crate) diagnosis: Diagnosis,
}

impl FaultEvidence {
    /// Creates the locator of patches for the sources of the version.
    pub(crate) fn locator<'a>(&'a self, main: &'a [(RepoPath, Code<'a>)]) -> PatchLocator<'a> {
        PatchLocator::new(main, &self.contracts, &self.suspicious_statements, &self.diagnosis)
    }
}

/// Instrumentation that records the behaviour of a version.
pub(crate) struct BehaviourRecorders {
    /// Generated tests that distinguish plausible fixes.
    pub(crate) generated_tests: GeneratedTests,
    /// Checked postconditions of methods.
    pub(crate) postcondition_checks: PostconditionChecks,
    /// Path of the file that the recorders write to.
    pub(crate) output: PathBuf,
}

/// Version whose faults are located.
#[derive(Clone, Copy)]
pub(crate) struct FaultLocaliser<'a> {
    pub(crate) target: &'a RepairTarget<'a>,
    pub(crate) executor: &'a VariantExecutor,
    pub(crate) code: &'a VersionCode<'a>,
    /// Source folders.
    pub(crate) roots: &'a [RepoPath],
    pub(crate) unpatched_run: &'a UnpatchedRun,
}

impl FaultLocaliser<'_> {
    /// Locates suspicious statements, and prepares the recorders of behaviour.
    pub(crate) fn locate_faults(&self) -> Result<LocatedFaults> {
        let Self { target, executor, unpatched_run, .. } = *self;
        let VersionCode { tests, main } = self.code;
        let (root, output) = (recorder_root(self.roots), target.record_file());
        let timed_out = unpatched_run.framework_timeouts();
        let recording = Recording { source_root: &root, output: &output };
        let probe_input = ProbeInput { main, tests, hanging_tests: &timed_out, recording };
        let probe_run = ProbeRun { target, executor, unpatched_run, input: &probe_input };
        target.emit_progress("recording which statements each test executes", 1)?;
        let ProbeResult { probed_sources, recorded_text, failed_tests } =
            probe_run.run(|unprobed| probe_input.probe_statements(unprobed))?;
        let endless = timed_out.intersection(&failed_tests).cloned().collect();
        let coverage = StatementCoverage::read(&recorded_text);
        let results = test_results(&unpatched_run.outcome, &coverage);
        if coverage.probes_by_test.is_empty() {
            let note =
                "which statements each test executes: fault localisation uses stack traces only";
            target.session.run_log.note_unchecked(note.to_owned())?;
        }
        let contracts = Contracts::from_files(main);
        let (postcondition_checks, violations) = self.check_postconditions(
            &probe_run,
            PostconditionChecks::from_files(main, &contracts),
            &results,
        )?;
        let failures = results.iter().filter_map(TestResult::failure);
        let diagnosis =
            Diagnosis::from_failures(failures, tests).with_violations(violations.clone());
        let suspicious_statements =
            rank_suspects(main, &contracts, &probed_sources.sites, &coverage, &results, &diagnosis);
        // The copy of a hanging test would hang too.
        let is_finished = |result: &&TestResult| {
            !is_hanging_test(&unpatched_run.outcome, result) && !timed_out.contains(&result.test)
        };
        let finished_results: Vec<TestResult> =
            results.iter().filter(is_finished).cloned().collect();
        let generated_tests = GeneratedTests::from_tests(tests, &finished_results, &root);
        Ok(LocatedFaults {
            evidence: FaultEvidence { contracts, suspicious_statements, diagnosis },
            recorders: BehaviourRecorders { generated_tests, postcondition_checks, output },
            results,
            violations,
            endless,
        })
    }

    /// Returns the checkable postconditions that hold in all passing tests, and the violations in failing tests.
    fn check_postconditions(
        &self,
        probe_run: &ProbeRun<'_>,
        mut postcondition_checks: PostconditionChecks,
        results: &[TestResult],
    ) -> Result<(PostconditionChecks, PostconditionViolations)> {
        let exclusions = ProbeExclusions::default();
        for _ in 0..MAX_PROBE_ROUNDS {
            if postcondition_checks.is_empty() {
                break;
            }
            self.target.emit_progress("checking the postconditions of methods", 1)?;
            let probed = probe_run.input.probe_postconditions(&postcondition_checks, &exclusions);
            let (execution, recorded) = probe_run.run_copy(&probed)?;
            if let Outcome::NotBuilt { diagnostics, .. } = &execution.outcome {
                let log_line = format!("the postcondition checks do not compile: {diagnostics}");
                self.target.session.run_log.folder.append_log(&log_line)?;
                if postcondition_checks.remove_rejected(&execution.compile_errors) {
                    continue;
                }
                break;
            }
            let postcondition_failures = PostconditionFailures::read(&recorded);
            postcondition_checks.remove_violated_by_passing(&postcondition_failures, results);
            let violations = postcondition_checks.violations(&postcondition_failures, results);
            return Ok((postcondition_checks, violations));
        }
        Ok((PostconditionChecks::default(), PostconditionViolations::default()))
    }
}

/// Returns the test results. If a test hung, the tests that executed a probe before it count as passed.
fn test_results(outcome: &Outcome, coverage: &StatementCoverage) -> Vec<TestResult> {
    match outcome {
        Outcome::Tests { results } => results.clone(),
        Outcome::TimedOut { test: Some(hanging_test), .. } => {
            let nothing = Failure { exception: String::new(), message: None, frames: Vec::new() };
            let status = TestStatus::Failed(nothing);
            let hanging_test = TestResult::new(hanging_test.clone(), status);
            let other_tests =
                coverage.probes_by_test.keys().filter(|test| **test != hanging_test.test);
            let status = TestStatus::Passed;
            let passed = other_tests.map(|test| TestResult::new(test.clone(), status.clone()));
            passed.chain([hanging_test.clone()]).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns true if a result belongs to the test that hung.
fn is_hanging_test(outcome: &Outcome, result: &TestResult) -> bool {
    matches!(outcome, Outcome::TimedOut { test: Some(endless), .. } if *endless == result.test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_repair::has_failed;

    #[test]
    fn tests_finished_before_a_hang_count_as_passed() {
        let hits = StatementCoverage::read("B\nT a.B#c\nH 2\nB\nT a.B#d\nH 1\n");
        let outcome = Outcome::TimedOut { test: Some("a.B#d".to_owned()), output: String::new() };
        let results = test_results(&outcome, &hits);
        assert_eq!(has_failed("a.B#c", &results), Some(false));
        assert_eq!(has_failed("a.B#d", &results), Some(true));
        assert_eq!(has_failed("a.B#e", &results), None);
        assert!(results.iter().filter(|one| is_hanging_test(&outcome, one)).count() == 1);
    }
}
