//! Fault localisation: from failing tests to candidates, with compiler facts, statement coverage
//! and recorded values.

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
    CallRecording, Candidate, Contracts, Diagnosis, GeneratedTests, PostconditionChecks,
    PostconditionFailures, PostconditionViolations, ProbeExclusions, ProbeInput, ProbedSources,
    RecordedValues, Recording, RepairInput, StatementCoverage, candidates, has_failed, suspects,
};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The version that is to be repaired.
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
    pub(super) candidates: Vec<Candidate>,
    /// The values that tests found.
    pub(super) observed: RecordedValues,
    pub(super) recorders: BehaviourRecorders,
    /// Tests that hang with the probes as they did before.
    pub(super) endless: BTreeSet<String>,
}

/// Everything that records the behaviour of a version.
pub(super) struct BehaviourRecorders {
    /// Tests that distinguish candidates which fix the failing tests.
    pub(super) generated: GeneratedTests,
    /// Checked postconditions of methods.
    pub(super) assured: PostconditionChecks,
    /// Methods whose calls may be recorded.
    pub(super) calls: CallRecording,
    /// File that the recorders write to.
    pub(super) output: PathBuf,
}

impl RepairTarget<'_> {
    /// Locates suspicious statements and generates candidates for them.
    pub(super) fn examined(
        &self,
        bench: &VariantExecutor,
        attribution: &Attribution,
        roots: &[RepoPath],
        before: &UnpatchedRun,
    ) -> Result<FaultLocalisation> {
        self.emit_progress("analysing the code with the compiler", 2)?;
        let (facts, sources) = attribution.of_one(&bench.pool, &self.bad.tree)?;
        let (tests, main) = self.files(&facts, &sources);
        let good = self.good.map(|tree| attribution.of_one(&bench.pool, tree)).transpose()?;
        let good =
            good.as_ref().map_or_else(Vec::new, |(facts, sources)| self.files(facts, sources).1);
        let root = roots.first().cloned().unwrap_or_else(|| RepoPath::new(Vec::new()));
        let output = self.session.ledger.folder.work().join("recorded");
        let recording = Recording { root: &root, output: &output };
        let given_up = before.given_up();
        let probing = ProbeInput { main: &main, tests: &tests, endless: &given_up, recording };
        let watch = ProbeRun { bench, before, probing: &probing };
        self.emit_progress("recording which statements each test executes", 1)?;
        let ProbeResult { probed, recorded, failed } =
            self.watched(&watch, |unprobed| probing.statements(unprobed))?;
        let endless = given_up.intersection(&failed).cloned().collect();
        let sites = probed.sites;
        let hits = StatementCoverage::read(&recorded);
        let results = &endings(&before.outcome, &hits)[..];
        if hits.by_test.is_empty() {
            let what =
                "which statements each test executes: fault localisation uses stack traces only";
            self.session.ledger.note(what.to_owned())?;
        }
        let contracts = Contracts::from_files(&main);
        let (assured, breaches) =
            self.promises(&watch, PostconditionChecks::from_files(&main, &contracts), results)?;
        let suspects = suspects(&main, &contracts, &sites, &hits, results, &breaches);
        self.emit_progress("recording variable values before each suspicious statement", 0)?;
        let ProbeResult { probed, recorded, .. } =
            self.watched(&watch, |unprobed| probing.values(&suspects, &breaches, unprobed))?;
        let places: Vec<_> = probed.sites.into_iter().zip(probed.names).collect();
        if recorded.is_empty() && !places.is_empty() {
            let what =
                "variable values at suspicious statements: they ruled out no candidate condition";
            self.session.ledger.note(what.to_owned())?;
        }
        let observed = RecordedValues::read(&recorded, &places, |test| has_failed(test, results));
        let failures = results.iter().filter_map(TestResult::failure);
        let diagnosis = Diagnosis::from_failures(failures, &tests).with_violations(breaches);
        let material = RepairInput { main: &main, good: &good };
        let candidates = candidates(material, &contracts, &suspects, &observed, &diagnosis);
        let calls = CallRecording::from_candidates(&main, &candidates);
        // A copy of a test that hangs would hang too.
        let has_end = |result: &&TestResult| {
            !is_endless(&before.outcome, result) && !given_up.contains(&result.test)
        };
        let ended: Vec<TestResult> = results.iter().filter(has_end).cloned().collect();
        let generated = GeneratedTests::from_tests(&tests, &ended, &root);
        let recorders = BehaviourRecorders { generated, assured, calls, output };
        Ok(FaultLocalisation { candidates, observed, recorders, endless })
    }

    /// Returns the checkable postconditions that hold in all passing tests, and the violations seen
    /// in failing tests.
    fn promises(
        &self,
        watch: &ProbeRun<'_>,
        mut assured: PostconditionChecks,
        results: &[TestResult],
    ) -> Result<(PostconditionChecks, PostconditionViolations)> {
        let unprobed = ProbeExclusions::default();
        for _ in 0..ROUNDS {
            if assured.is_empty() {
                break;
            }
            self.emit_progress("checking the postconditions of methods", 1)?;
            let probed = watch.probing.assurances(&assured, &unprobed);
            let (execution, recorded) = self.copied(watch, &probed)?;
            if let Outcome::NotBuilt { diagnostics } = &execution.outcome {
                let said = format!("the postcondition checks do not compile: {diagnostics}");
                self.session.ledger.folder.append_log(&said)?;
                if assured.without_refused(&execution.refusals) {
                    continue;
                }
                break;
            }
            let unkept = PostconditionFailures::read(&recorded);
            assured.without_broken_by_passing(&unkept, results);
            let breaches = assured.breaches(&unkept, results);
            return Ok((assured, breaches));
        }
        Ok((PostconditionChecks::default(), PostconditionViolations::default()))
    }

    /// Runs the tests on a copy with probes. Returns the recorded text.
    fn copied(&self, watch: &ProbeRun<'_>, probed: &ProbedSources) -> Result<(Execution, String)> {
        let output = watch.probing.recording.output;
        let watched = InstrumentedTree { files: probed.files.clone(), output };
        let (limits, head) = (&watch.before.limits, self.bad.commit_id());
        watched.run(self.store, &self.bad.tree, |tree| watch.bench.watch(tree, head, limits))
    }

    /// Emits the next step and the number of remaining steps.
    fn emit_progress(&self, what: &str, left: usize) -> Result<()> {
        let if_slow = Some("slow because everything is compiled again".to_owned());
        let what = what.to_owned();
        self.session.ledger.emit(ProgressEvent::BatchProgress { what, left: Some(left), if_slow })
    }

    /// Runs the tests on a copy with probes, without the probes that do not compile. Returns an empty record if it
    /// still does not compile.
    fn watched(
        &self,
        watch: &ProbeRun<'_>,
        probe: impl Fn(&ProbeExclusions) -> ProbedSources,
    ) -> Result<ProbeResult> {
        let mut unprobed = ProbeExclusions::default();
        let mut rounds = 0..ROUNDS;
        loop {
            let probed = probe(&unprobed);
            let (execution, recorded) = self.copied(watch, &probed)?;
            let Outcome::NotBuilt { diagnostics } = &execution.outcome else {
                let failed =
                    execution.outcome.tests(|status| matches!(status, TestStatus::Failed(_)));
                return Ok(ProbeResult { probed, recorded, failed });
            };
            let said = format!("the probes do not compile: {diagnostics}");
            self.session.ledger.folder.append_log(&said)?;
            let is_less = unprobed.add(watch.probing, &probed, &execution.refusals);
            if rounds.next().is_none() || !is_less {
                return Ok(ProbeResult {
                    probed,
                    recorded: String::new(),
                    failed: BTreeSet::new(),
                });
            }
        }
    }

    /// The files of tests, and those of everything else.
    fn files<'a>(
        &self,
        facts: &'a SemanticModel,
        sources: &'a SourceSet,
    ) -> (CodeFiles<'a>, CodeFiles<'a>) {
        let files = sources
            .files
            .iter()
            .filter_map(|(path, content)| Some((path.clone(), Code::new(facts, path, content)?)));
        files.partition(|(path, _)| self.overlay.contains(path))
    }
}

type CodeFiles<'a> = Vec<(RepoPath, Code<'a>)>;

/// Result of a run with probes.
struct ProbeResult {
    probed: ProbedSources,
    /// Recorded text.
    recorded: String,
    /// The tests that failed with them.
    failed: BTreeSet<String>,
}

/// Maximum number of rounds that remove probes which do not compile.
const ROUNDS: usize = 4;

/// Inputs of a run with probes.
struct ProbeRun<'a> {
    bench: &'a VariantExecutor,
    before: &'a UnpatchedRun,
    probing: &'a ProbeInput<'a>,
}

/// Returns the test results. If a test hung, the others that executed a probe before it have passed.
fn endings(outcome: &Outcome, hits: &StatementCoverage) -> Vec<TestResult> {
    match outcome {
        Outcome::Tests { results } => results.clone(),
        Outcome::TimedOut { test: Some(endless), .. } => {
            let nothing = Failure { exception: String::new(), message: None, frames: Vec::new() };
            let status = TestStatus::Failed(nothing);
            let endless = TestResult::new(endless.clone(), status);
            let others = hits.by_test.keys().filter(|test| **test != endless.test);
            let status = TestStatus::Passed;
            let passed = others.map(|test| TestResult::new(test.clone(), status.clone()));
            passed.chain([endless.clone()]).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns true if this is the test that hung.
fn is_endless(outcome: &Outcome, result: &TestResult) -> bool {
    matches!(outcome, Outcome::TimedOut { test: Some(endless), .. } if *endless == result.test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_before_a_test_without_end_tells_it_apart() {
        let hits = StatementCoverage::read("B\nT a.B#c\nH 2\nB\nT a.B#d\nH 1\n");
        let outcome = Outcome::TimedOut { test: Some("a.B#d".to_owned()), output: String::new() };
        let results = endings(&outcome, &hits);
        assert_eq!(has_failed("a.B#c", &results), Some(false));
        assert_eq!(has_failed("a.B#d", &results), Some(true));
        assert_eq!(has_failed("a.B#e", &results), None);
        assert!(results.iter().filter(|one| is_endless(&outcome, one)).count() == 1);
    }
}
