//! Runs the tests on a copy of a version with probes, which record what the tests do.

use super::instrumented_tree::InstrumentedTree;
use super::repair_target::RepairTarget;
use crate::run::judge::executor::VariantExecutor;
use crate::run::judge::patch_baseline::UnpatchedRun;
use mend_engine::Execution;
use mend_model::{Outcome, Result, TestStatus};
use mend_repair::{ProbeExclusions, ProbeInput, ProbedSources};
use std::collections::BTreeSet;

/// Maximum number of rounds that remove probes which do not compile.
pub(crate) const MAX_PROBE_ROUNDS: usize = 4;

/// Inputs of a run with probes.
pub(crate) struct ProbeRun<'a> {
    pub(crate) target: &'a RepairTarget<'a>,
    pub(crate) executor: &'a VariantExecutor,
    pub(crate) unpatched_run: &'a UnpatchedRun,
    pub(crate) input: &'a ProbeInput<'a>,
}

/// Result of a run with probes.
pub(crate) struct ProbeResult {
    pub(crate) probed_sources: ProbedSources,
    /// Recorded text; empty if the copy does not compile.
    pub(crate) recorded_text: String,
    /// Tests that failed with the probes.
    pub(crate) failed_tests: BTreeSet<String>,
}

impl ProbeRun<'_> {
    /// Runs the tests on a copy with probes, and removes probes that do not compile. Returns an empty record if the
    /// copy still does not compile.
    pub(crate) fn run(
        &self,
        probe: impl Fn(&ProbeExclusions) -> ProbedSources,
    ) -> Result<ProbeResult> {
        let mut exclusions = ProbeExclusions::default();
        let mut rounds = 0..MAX_PROBE_ROUNDS;
        loop {
            let probed = probe(&exclusions);
            let (execution, recorded) = self.run_copy(&probed)?;
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
            self.target.session.run_log.folder.append_log(&log_line)?;
            let has_fewer_probes =
                exclusions.exclude_rejected(self.input, &probed, &execution.compile_errors);
            if rounds.next().is_none() || !has_fewer_probes {
                return Ok(ProbeResult {
                    probed_sources: probed,
                    recorded_text: String::new(),
                    failed_tests: BTreeSet::new(),
                });
            }
        }
    }

    /// Runs the tests on a copy with probes, and returns the recorded text.
    pub(crate) fn run_copy(&self, probed: &ProbedSources) -> Result<(Execution, String)> {
        let RepairTarget { store, bad, .. } = self.target;
        let (output, files) = (self.input.recording.output, probed.files.clone());
        let (limits, head) = (&self.unpatched_run.limits, bad.commit_id());
        InstrumentedTree { files, output }.run(store, &bad.overlaid_tree, |tree| {
            self.executor.run_instrumented(tree, head, limits)
        })
    }
}
