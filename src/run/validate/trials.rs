//! Tests the patches of a pool.

use crate::run::judge::parallel::run_parallel;
use crate::run::judge::{Judgement, SymptomOracle};
use crate::run::patch::patch_applier::{PatchApplier, PatchVariant, TEST_EDITS_NOTE};
use crate::run::patch::verification::{CleanCheckout, diff_to_original};
use crate::run::session::Session;
use crate::run::session::run_log::TrialCost;
use crate::run::session::summary::Summary;
use crate::run::session::versions::ResolvedVersion;
use crate::run::validate::patch_pool::{PatchPool, PoolEntry};
use crate::run::validate::result::Validated;
use mend_delta::count_changed_tokens;
use mend_model::{
    Outcome, Phase, Problem, Result, TestExpectations, TreeId, Verdict, format_count,
};
use mend_report::PoolPatchResult;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tests and judges patches in parallel.
pub(super) struct PoolTrials<'a> {
    session: &'a Session<'a>,
    oracle: &'a SymptomOracle<'a>,
    tests: PoolTests<'a>,
    patch_applier: &'a PatchApplier<'a>,
    bad: &'a ResolvedVersion,
    /// Judged patches by their index in the pool.
    judged_patches: Mutex<BTreeMap<usize, JudgedPatch>>,
    /// Number of patches whose clean build gave another verdict.
    disagreement_count: AtomicUsize,
}

/// Tests that run with each patch.
#[derive(Clone, Copy)]
pub(super) struct PoolTests<'a> {
    pub(super) expectations: &'a TestExpectations,
    /// True if all of them run, even after one fails.
    pub(super) runs_all: bool,
}

/// Patch with its verdict.
struct JudgedPatch {
    patch: PoolPatchResult,
    plausible: Option<PlausiblePatch>,
    /// A failing test that the patch does not fix.
    unfixed_test: Option<String>,
}

/// Variant of bad with a patch of the pool.
#[derive(Clone)]
struct PatchedTree {
    tree: TreeId,
    /// True if the patch changes sources, false if it changes class files.
    has_sources: bool,
    /// True if the patch also changes test code, which stays unchanged.
    edits_tests: bool,
}

/// Verdict that a clean build confirmed, if the patch is plausible.
struct ConfirmedVerdict {
    verdict: Verdict,
    reason: String,
    /// Total time in compilers and tests.
    seconds: f64,
    effect: TestEffect,
}

/// Tests whose result a patch changes; unknown unless all tests ran.
#[derive(Default)]
struct TestEffect {
    fixed: Option<Vec<String>>,
    broken: Option<Vec<String>>,
}

/// Plausible patch.
#[derive(Clone, Debug)]
pub(super) struct PlausiblePatch {
    pub(super) name: String,
    /// Tree of the patched version, with the tests of bad.
    pub(super) tree: TreeId,
    /// True if the patch changes sources, false if it changes class files.
    pub(super) has_sources: bool,
    /// Number of changed tokens, if sources are changed.
    pub(super) tokens: Option<usize>,
    pub(super) reason: String,
}

impl<'a> PoolTrials<'a> {
    pub(super) fn new(
        session: &'a Session<'a>,
        oracle: &'a SymptomOracle<'a>,
        tests: PoolTests<'a>,
        patchable: &'a PatchApplier<'a>,
        bad: &'a ResolvedVersion,
    ) -> Self {
        let (judged_patches, disagreements) = (Mutex::default(), AtomicUsize::new(0));
        Self {
            session,
            oracle,
            tests,
            patch_applier: patchable,
            bad,
            judged_patches,
            disagreement_count: disagreements,
        }
    }

    /// Tests all patches.
    pub(super) fn try_all(&self, pool: &PatchPool) -> Result<()> {
        let count = pool.entries.len();
        let try_one = |at: usize| {
            self.session.context.interrupt.check()?;
            let judged_patch = self.judge_patch(at, &pool.entries[at], count - at)?;
            let mut judged_patches = self.lock_judged_patches();
            judged_patches.insert(at, judged_patch);
            self.session.run_log.save(&to_validated(&judged_patches))
        };
        run_parallel(self.session.subject.jobs, count, try_one).into_iter().collect()
    }

    /// Returns the plausible patches, in the order of the pool.
    pub(super) fn plausible(&self) -> Vec<PlausiblePatch> {
        self.lock_judged_patches().values().filter_map(|row| row.plausible.clone()).collect()
    }

    /// Returns the results of the patches that were judged.
    pub(super) fn so_far(&self) -> Validated {
        to_validated(&self.lock_judged_patches())
    }

    /// Summarises the results. Schedules rejected `racy_count` patches that pass the tests otherwise.
    pub(super) fn summary(&self, racy_count: usize) -> Summary {
        let plausible_count = self.plausible().len() - racy_count;
        let all = self.lock_judged_patches().len();
        let unfixed_test = self.only_unfixed_test();
        let disagreements = self.disagreement_count.load(Ordering::SeqCst);
        let expectations = self.tests.expectations;
        let (fixed_count, kept_count) =
            (expectations.failing_tests().len(), expectations.passing_tests().len());
        let (failing, kept_count) =
            (format_count(fixed_count, "test"), format_count(kept_count, "test"));
        let are = if plausible_count == 1 || all == 1 { "is" } else { "are" };
        let mut summary = Summary::default();
        summary.extend([
            format!("{plausible_count} of {} {are} plausible", count_patches(all)),
            format!("to fix: {failing}; must still pass: {kept_count}"),
        ]);
        summary.extend((racy_count > 0).then(|| {
            let are = if racy_count == 1 { "is" } else { "are" };
            let patches = count_patches(racy_count);
            format!("{patches} {are} racy: the tests pass, but a thread schedule shows a fault")
        }));
        summary.extend(unfixed_test.map(|test| {
            format!("no patch fixes {test}: if it fails for another reason, leave it out of --test")
        }));
        summary.extend((disagreements > 0).then(|| {
            let patches = count_patches(disagreements);
            format!("clean builds did not confirm {patches}")
        }));
        summary
    }

    /// Returns the only test that prevents every patch from being plausible, if other tests fail too.
    fn only_unfixed_test(&self) -> Option<String> {
        let judged_patches = self.lock_judged_patches();
        let mut unmended = judged_patches.values().filter_map(|row| row.unfixed_test.as_ref());
        let first = unmended.next()?;
        let is_all = judged_patches.values().all(|row| row.plausible.is_none());
        let is_alone = is_all && unmended.all(|test| test == first);
        (is_alone && self.tests.expectations.failing_tests().len() > 1).then(|| first.clone())
    }

    fn lock_judged_patches(&self) -> MutexGuard<'_, BTreeMap<usize, JudgedPatch>> {
        self.judged_patches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn judge_patch(&self, at: usize, entry: &PoolEntry, remaining: usize) -> Result<JudgedPatch> {
        let variant = match self.patch_applier.apply(&entry.source)? {
            PatchVariant::Rejected(reason) => return self.reject_patch(&entry.name, reason),
            PatchVariant::OnlyTests => {
                let reason = "it changes only tests, and validate never changes tests";
                let mut rejected = self.reject_patch(&entry.name, reason.to_owned())?;
                rejected.patch.edits_tests = true;
                return Ok(rejected);
            }
            PatchVariant::Classes(tree) => {
                PatchedTree { tree, has_sources: false, edits_tests: false }
            }
            PatchVariant::Sources { tree, touches_tests } => {
                if touches_tests {
                    self.session.run_log.note_unchecked(TEST_EDITS_NOTE.to_owned())?;
                }
                PatchedTree { tree, has_sources: true, edits_tests: touches_tests }
            }
        };
        self.judge_variant(at, entry, variant, remaining)
    }

    fn judge_variant(
        &self,
        at: usize,
        entry: &PoolEntry,
        variant: PatchedTree,
        remaining: usize,
    ) -> Result<JudgedPatch> {
        let first_judgement = self.oracle.judge(
            &variant.tree,
            self.bad.commit_id(),
            entry.name.as_str(),
            Some(remaining),
        )?;
        let unfixed_test = first_judgement
            .outcome
            .as_ref()
            .and_then(|outcome| self.tests.expectations.first_still_failing(outcome));
        let unfixed_test = unfixed_test.map(str::to_owned);
        let confirmed = self.confirm_verdict(at, entry, &variant, &first_judgement)?;
        let ConfirmedVerdict { verdict, reason, seconds, effect } = confirmed;
        let PatchedTree { tree, has_sources, edits_tests } = variant;
        let tokens = if has_sources { Some(self.change_size(&tree)?) } else { None };
        let patch = PoolPatchResult {
            edits_tests,
            fixed_tests: effect.fixed,
            broken_tests: effect.broken,
            ..to_pool_result(&entry.name, verdict, reason.clone(), tokens, seconds)
        };
        let name = entry.name.clone();
        let plausible = (verdict == Verdict::Pass).then_some(PlausiblePatch {
            name,
            tree,
            has_sources,
            tokens,
            reason,
        });
        Ok(JudgedPatch { patch, plausible, unfixed_test })
    }

    /// Returns the verdict with its evidence. A plausible patch is confirmed by a clean build.
    fn confirm_verdict(
        &self,
        at: usize,
        entry: &PoolEntry,
        variant: &PatchedTree,
        first_judgement: &Judgement,
    ) -> Result<ConfirmedVerdict> {
        let first = self.to_confirmed(first_judgement);
        if first.verdict != Verdict::Pass {
            return Ok(first);
        }
        let clean_judgement =
            self.confirm_in_clean_build(at, entry, variant, first_judgement.outcome.as_ref())?;
        let seconds = first.seconds + clean_judgement.seconds;
        if clean_judgement.verdict == Verdict::Pass {
            return Ok(ConfirmedVerdict { seconds, ..first });
        }
        self.disagreement_count.fetch_add(1, Ordering::SeqCst);
        let clean = self.to_confirmed(&clean_judgement);
        let reason = format!("in a clean build: {}", clean.reason);
        Ok(ConfirmedVerdict { reason, seconds, ..clean })
    }

    fn to_confirmed(&self, judgement: &Judgement) -> ConfirmedVerdict {
        let (verdict, outcome) = (judgement.verdict, judgement.outcome.as_ref());
        ConfirmedVerdict {
            verdict,
            reason: self.verdict_reason(outcome, verdict),
            seconds: judgement.seconds,
            effect: outcome.map(|outcome| self.test_effect(outcome, verdict)).unwrap_or_default(),
        }
    }

    /// Returns the tests whose result differs from that without a patch, if all tests ran.
    fn test_effect(&self, outcome: &Outcome, verdict: Verdict) -> TestEffect {
        let is_complete = verdict == Verdict::Pass || self.tests.runs_all;
        if !is_complete || verdict == Verdict::Flaky {
            return TestEffect::default();
        }
        let expectations = self.tests.expectations;
        TestEffect {
            fixed: expectations.fixed_in(outcome).map(|tests| tests.into_iter().collect()),
            broken: expectations.broken_in(outcome).map(|tests| tests.into_iter().collect()),
        }
    }

    fn reject_patch(&self, name: &str, reason: String) -> Result<JudgedPatch> {
        let verdict = Verdict::Unresolved(Phase::Rejected);
        let run_log = &self.session.run_log;
        run_log.count_rejected()?;
        let description = format!("{name}: {reason}");
        run_log.record_trial(
            &TreeId(String::new()),
            description.as_str().into(),
            verdict,
            TrialCost::default(),
        )?;
        Ok(JudgedPatch {
            patch: to_pool_result(name, verdict, reason, None, 0.0),
            plausible: None,
            unfixed_test: None,
        })
    }

    /// Verifies a patch in a clean build and a fresh JVM. For class files, builds bad and replaces its classes.
    fn confirm_in_clean_build(
        &self,
        at: usize,
        entry: &PoolEntry,
        PatchedTree { tree, has_sources, .. }: &PatchedTree,
        earlier_outcome: Option<&Outcome>,
    ) -> Result<Judgement> {
        let run_log = &self.session.run_log;
        let patch_path = run_log.folder.work_dir().join(format!("{at}.patch"));
        let with_class_files = ResolvedVersion { overlaid_tree: tree.clone(), ..self.bad.clone() };
        if *has_sources {
            let (_, patch) = diff_to_original(self.bad, tree, self.patch_applier.store())?;
            std::fs::write(&patch_path, patch).map_err(|error| Problem::io(error, &patch_path))?;
        } else {
            run_log.note_unchecked(
                "that the class files of the pool match sources: they replaced those of bad unchanged"
                    .to_owned(),
            )?;
        }
        let clean_checkout = CleanCheckout {
            description: format!("{} in a clean build", entry.name),
            from: if *has_sources { self.bad } else { &with_class_files },
            patch: has_sources.then_some(patch_path.as_path()),
            tree,
            limits: self.oracle.limits.clone(),
            earlier_outcome,
            accepts_cached: self.session.subject.is_resumed,
        };
        clean_checkout.judge_clean_build(self.oracle)
    }

    fn verdict_reason(&self, outcome: Option<&Outcome>, verdict: Verdict) -> String {
        match (outcome, verdict) {
            (_, Verdict::Flaky) => "its runs disagree".to_owned(),
            (outcome, _) => {
                outcome.map_or(String::new(), |outcome| self.tests.expectations.explain(outcome))
            }
        }
    }

    fn change_size(&self, tree: &TreeId) -> Result<usize> {
        let changes = self.patch_applier.store().diff_trees(&self.bad.overlaid_tree, tree)?;
        Ok(count_changed_tokens(&changes))
    }
}

fn to_validated(rows: &BTreeMap<usize, JudgedPatch>) -> Validated {
    let patches = rows.values().map(|row| row.patch.clone()).collect();
    Validated { patches, ..Validated::default() }
}

/// Formats a number of patches.
pub(super) fn count_patches(count: usize) -> String {
    if count == 1 { "1 patch".to_owned() } else { format!("{count} patches") }
}

fn to_pool_result(
    name: &str,
    verdict: Verdict,
    reason: String,
    tokens: Option<usize>,
    seconds: f64,
) -> PoolPatchResult {
    PoolPatchResult {
        name: name.to_owned(),
        verdict: verdict.name().to_owned(),
        phase: verdict.phase(),
        reason,
        tokens,
        seconds,
        ..PoolPatchResult::default()
    }
}
