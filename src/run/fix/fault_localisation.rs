//! Fault localisation for contract repair: computes ranked candidates from failing tests, compiler facts, statement
//! coverage and recorded values.

use crate::run::fix::instrumented_tree::InstrumentedTree;
use crate::run::judge::executor::VariantExecutor;
use crate::run::judge::patch_baseline::UnpatchedRun;
use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::TestOverlay;
use mend_engine::{Execution, SourceSet};
use mend_git::ObjectStore;
use mend_java::Code;
use mend_java::facts::SemanticModel;
use mend_model::{
    Failure, Outcome, ProgressEvent, RepoPath, Result, TestResult, TestStatus, TreeId,
};
use mend_repair::{
    Contracts, Diagnosis, GeneratedTests, LocatedCandidate, MethodContract, PatchLocator,
    PostconditionChecks, PostconditionFailures, PostconditionViolations, ProbeExclusions,
    ProbeInput, ProbedSources, RecordedValues, Recording, RepairInput, StatementCoverage,
    SuspiciousLocation, SuspiciousStatement, describe_contracts, describe_suspects,
    generate_candidates, has_failed, rank_suspects,
};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Version to repair.
pub(super) struct RepairTarget<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) store: &'a ObjectStore,
    pub(super) bad: &'a ResolvedVersion,
    /// Tree of good with the tests of bad, if good is known.
    pub(super) good: Option<&'a TreeId>,
    pub(super) overlay: &'a TestOverlay,
}

/// Result of fault localisation.
pub(super) struct FaultLocalisation {
    /// Candidates, the most promising first.
    pub(super) candidates: Vec<LocatedCandidate>,
    /// Values that tests recorded.
    pub(super) recorded_values: RecordedValues,
    pub(super) recorders: BehaviourRecorders,
    /// Suspicious statements in words, best first.
    pub(super) locations: Vec<SuspiciousLocation>,
    /// Contracts of the methods around them, in words.
    pub(super) described_contracts: Vec<MethodContract>,
    /// Evidence that classifies patches of a generator.
    pub(super) patch_evidence: PatchEvidence,
    /// Tests that hang with the probes, as they did without.
    pub(super) endless: BTreeSet<String>,
}

/// Contracts, suspicious statements and failures of a version.
pub(super) struct PatchEvidence {
    contracts: Contracts,
    suspicious_statements: Vec<SuspiciousStatement>,
    diagnosis: Diagnosis,
}

impl PatchEvidence {
    /// Creates the locator of patches for the sources of the version.
    pub(super) fn locator<'a>(&'a self, main: &'a [(RepoPath, Code<'a>)]) -> PatchLocator<'a> {
        PatchLocator::new(main, &self.contracts, &self.suspicious_statements, &self.diagnosis)
    }
}

/// Version with compiler facts.
pub(super) struct AttributedVersion {
    semantic_model: SemanticModel,
    sources: SourceSet,
}

/// Files of an attributed version.
pub(super) struct VersionCode<'a> {
    pub(super) tests: CodeFiles<'a>,
    /// All other files.
    pub(super) main: CodeFiles<'a>,
}

impl AttributedVersion {
    /// Attributes a tree.
    pub(super) fn attribute(
        attribution: &Attribution,
        executor: &VariantExecutor,
        tree: &TreeId,
    ) -> Result<Self> {
        let (semantic_model, sources) = attribution.attribute_version(&executor.pool, tree)?;
        Ok(Self { semantic_model, sources })
    }

    /// Separates the files of tests from all other files.
    pub(super) fn split_files(&self, overlay: &TestOverlay) -> VersionCode<'_> {
        let files = self.sources.files.iter().filter_map(|(path, content)| {
            Some((path.clone(), Code::new(&self.semantic_model, path, content)?))
        });
        let (tests, main) = files.partition(|(path, _)| overlay.contains(path));
        VersionCode { tests, main }
    }
}

/// Instrumentation that records the behaviour of a version.
pub(super) struct BehaviourRecorders {
    /// Generated tests that distinguish plausible fixes.
    pub(super) generated_tests: GeneratedTests,
    /// Checked postconditions of methods.
    pub(super) postcondition_checks: PostconditionChecks,
    /// Path of the file that the recorders write to.
    pub(super) output: PathBuf,
}

impl RepairTarget<'_> {
    /// Locates suspicious statements and generates candidates for them.
    pub(super) fn localise(
        &self,
        executor: &VariantExecutor,
        attribution: &Attribution,
        VersionCode { tests, main }: &VersionCode<'_>,
        roots: &[RepoPath],
        unpatched_run: &UnpatchedRun,
    ) -> Result<FaultLocalisation> {
        let good = self
            .good
            .map(|tree| AttributedVersion::attribute(attribution, executor, tree))
            .transpose()?;
        let good = good.as_ref().map_or_else(Vec::new, |good| good.split_files(self.overlay).main);
        let root = roots.first().cloned().unwrap_or_else(|| RepoPath::new(Vec::new()));
        let output = self.session.run_log.folder.work_dir().join("recorded");
        let recording = Recording { source_root: &root, output: &output };
        let timed_out = unpatched_run.framework_timeouts();
        let probing = ProbeInput { main, tests, hanging_tests: &timed_out, recording };
        let probe_run = ProbeRun { bench: executor, unpatched_run, probe_input: &probing };
        self.emit_progress("recording which statements each test executes", 1)?;
        let ProbeResult { probed_sources: probed, recorded_text: recorded, failed_tests: failed } =
            self.run_with_probes(&probe_run, |unprobed| probing.probe_statements(unprobed))?;
        let endless = timed_out.intersection(&failed).cloned().collect();
        let sites = probed.sites;
        let coverage = StatementCoverage::read(&recorded);
        let results = &test_results(&unpatched_run.outcome, &coverage)[..];
        if coverage.probes_by_test.is_empty() {
            let note =
                "which statements each test executes: fault localisation uses stack traces only";
            self.session.run_log.note_unchecked(note.to_owned())?;
        }
        let contracts = Contracts::from_files(main);
        let (postcondition_checks, violations) = self.check_postconditions(
            &probe_run,
            PostconditionChecks::from_files(main, &contracts),
            results,
        )?;
        let suspicious_statements =
            rank_suspects(main, &contracts, &sites, &coverage, results, &violations);
        self.emit_progress("recording variable values before each suspicious statement", 0)?;
        let ProbeResult { probed_sources: probed, recorded_text: recorded, .. } = self
            .run_with_probes(&probe_run, |unprobed| {
                probing.probe_values(&suspicious_statements, &violations, unprobed)
            })?;
        let places: Vec<_> = probed.sites.into_iter().zip(probed.recorded_terms).collect();
        if recorded.is_empty() && !places.is_empty() {
            let note =
                "variable values at suspicious statements: they ruled out no candidate condition";
            self.session.run_log.note_unchecked(note.to_owned())?;
        }
        let recorded_values =
            RecordedValues::read(&recorded, &places, |test| has_failed(test, results));
        let failures = results.iter().filter_map(TestResult::failure);
        let diagnosis = Diagnosis::from_failures(failures, tests).with_violations(violations);
        let repair_input = RepairInput { main, passing_version: &good };
        let candidates = generate_candidates(
            repair_input,
            &contracts,
            &suspicious_statements,
            &recorded_values,
            &diagnosis,
        );
        // The copy of a hanging test would hang too.
        let is_finished = |result: &&TestResult| {
            !is_hanging_test(&unpatched_run.outcome, result) && !timed_out.contains(&result.test)
        };
        let finished_results: Vec<TestResult> =
            results.iter().filter(is_finished).cloned().collect();
        let generated = GeneratedTests::from_tests(tests, &finished_results, &root);
        let recorders =
            BehaviourRecorders { generated_tests: generated, postcondition_checks, output };
        let locations = describe_suspects(main, &suspicious_statements, &recorded_values);
        Ok(FaultLocalisation {
            locations,
            described_contracts: describe_contracts(main, &contracts, &suspicious_statements),
            patch_evidence: PatchEvidence { contracts, suspicious_statements, diagnosis },
            candidates,
            recorded_values,
            recorders,
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
            self.emit_progress("checking the postconditions of methods", 1)?;
            let probed =
                probe_run.probe_input.probe_postconditions(&postcondition_checks, &exclusions);
            let (execution, recorded) = self.run_probed_copy(probe_run, &probed)?;
            if let Outcome::NotBuilt { diagnostics, .. } = &execution.outcome {
                let log_line = format!("the postcondition checks do not compile: {diagnostics}");
                self.session.run_log.folder.append_log(&log_line)?;
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

    /// Runs the tests on a copy with probes, and returns the recorded text.
    fn run_probed_copy(
        &self,
        probe_run: &ProbeRun<'_>,
        probed: &ProbedSources,
    ) -> Result<(Execution, String)> {
        let output = probe_run.probe_input.recording.output;
        let instrumented_tree = InstrumentedTree { files: probed.files.clone(), output };
        let (limits, head) = (&probe_run.unpatched_run.limits, self.bad.commit_id());
        instrumented_tree.run(self.store, &self.bad.overlaid_tree, |tree| {
            probe_run.bench.run_instrumented(tree, head, limits)
        })
    }

    /// Reports the next step and the number of remaining steps.
    pub(super) fn emit_progress(&self, step: &str, remaining_steps: usize) -> Result<()> {
        let if_slow = Some("slow because everything is compiled again".to_owned());
        let step = step.to_owned();
        self.session.run_log.emit(ProgressEvent::BatchProgress {
            description: step,
            remaining: Some(remaining_steps),
            slow_hint: if_slow,
        })
    }

    /// Runs the tests on a copy with probes, and removes probes that do not compile. Returns an empty record if the
    /// copy still does not compile.
    fn run_with_probes(
        &self,
        probe_run: &ProbeRun<'_>,
        probe: impl Fn(&ProbeExclusions) -> ProbedSources,
    ) -> Result<ProbeResult> {
        let mut exclusions = ProbeExclusions::default();
        let mut rounds = 0..MAX_PROBE_ROUNDS;
        loop {
            let probed = probe(&exclusions);
            let (execution, recorded) = self.run_probed_copy(probe_run, &probed)?;
            let Outcome::NotBuilt { diagnostics, .. } = &execution.outcome else {
                let failed = execution
                    .outcome
                    .tests_with_status(|status| matches!(status, TestStatus::Failed(_)));
                return Ok(ProbeResult {
                    probed_sources: probed,
                    recorded_text: recorded,
                    failed_tests: failed,
                });
            };
            let log_line = format!("the probes do not compile: {diagnostics}");
            self.session.run_log.folder.append_log(&log_line)?;
            let has_fewer_probes = exclusions.exclude_rejected(
                probe_run.probe_input,
                &probed,
                &execution.compile_errors,
            );
            if rounds.next().is_none() || !has_fewer_probes {
                return Ok(ProbeResult {
                    probed_sources: probed,
                    recorded_text: String::new(),
                    failed_tests: BTreeSet::new(),
                });
            }
        }
    }
}

pub(super) type CodeFiles<'a> = Vec<(RepoPath, Code<'a>)>;

/// Result of a run with probes.
struct ProbeResult {
    probed_sources: ProbedSources,
    /// Recorded text.
    recorded_text: String,
    /// Tests that failed with the probes.
    failed_tests: BTreeSet<String>,
}

/// Maximum number of rounds that remove probes which do not compile.
const MAX_PROBE_ROUNDS: usize = 4;

/// Inputs of a run with probes.
struct ProbeRun<'a> {
    bench: &'a VariantExecutor,
    unpatched_run: &'a UnpatchedRun,
    probe_input: &'a ProbeInput<'a>,
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
