//! Baseline of a validation: the version to patch, and what its tests show without a patch.

use crate::run::judge::SymptomOracle;
use crate::run::judge::patch_baseline::{LearnedExpectations, PatchBaseline, UnpatchedRun};
use crate::run::patch::patch_applier::PatchApplier;
use crate::run::session::versions::ResolvedVersion;
use crate::run::session::{PreparedRun, Session};
use mend_model::{MissingRequirements, Result, TestExpectations};

/// Version to patch, with the results of its tests and the test order for patches.
pub(super) struct PoolBaseline {
    pub(super) prepared: PreparedRun,
    pub(super) unpatched_run: UnpatchedRun,
    pub(super) expectations: TestExpectations,
    runs_all_tests: bool,
}

impl PoolBaseline {
    /// Prepares the version and tests it twice, in the usual order and in that for patches.
    ///
    /// # Errors
    /// Errors of the preparation and of the baseline check.
    pub(super) fn learn(session: &Session<'_>, runs_all_tests: bool) -> Result<Self> {
        let prepared = session.prepare(None)?;
        let (bad, missing) = (&prepared.bad, &prepared.missing);
        let baseline = patch_baseline(session, bad, missing, runs_all_tests);
        let unpatched_run = baseline.run_unpatched(&prepared.executor, &prepared.store)?;
        let LearnedExpectations { executor, expectations } =
            baseline.learn_expectations(prepared.executor, &unpatched_run)?;
        let prepared = PreparedRun { executor, ..prepared };
        Ok(Self { prepared, unpatched_run, expectations, runs_all_tests })
    }

    /// Creates the oracle for patches.
    pub(super) fn create_oracle<'a>(&'a self, session: &Session<'_>) -> SymptomOracle<'a> {
        let PreparedRun { executor, bad, missing, .. } = &self.prepared;
        patch_baseline(session, bad, missing, self.runs_all_tests).create_oracle(
            executor,
            &self.unpatched_run,
            &self.expectations,
        )
    }

    /// Creates the applier of patches.
    pub(super) fn create_applier(&self) -> Result<PatchApplier<'_>> {
        let PreparedRun { store, bad, overlay, source_roots, .. } = &self.prepared;
        PatchApplier::new(store, bad, overlay, source_roots)
    }
}

fn patch_baseline<'a>(
    session: &'a Session<'_>,
    bad: &'a ResolvedVersion,
    missing: &'a MissingRequirements,
    runs_all_tests: bool,
) -> PatchBaseline<'a> {
    PatchBaseline {
        request: session.subject,
        run_log: &session.run_log,
        bad,
        missing,
        accepts_partial_fixes: false,
        runs_all_tests,
    }
}
