//! Tests candidates, the most promising first, until there are enough fixes or the budget is exhausted.

use super::budget::BudgetUse;
use super::plausible::{FixOrigin, PlausibleFix};
use super::schema_trials::SchemaTrials;
use crate::run::fix::combined_fixes::combine_fixes;
use crate::run::judge::Judgement;
use crate::run::judge::parallel::run_parallel;
use crate::run::patch::apply_edits::write_variant;
use crate::run::patch::attributed_version::CodeFiles;
use crate::run::patch::repair_context::RepairContext;
use mend_delta::count_changed_tokens;
use mend_engine::Execution;
use mend_model::{Result, TreeId, Verdict};
use mend_repair::LocatedCandidate;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of plausible candidates after which the search stops.
const MAX_PLAUSIBLE_FIXES: usize = 20;

/// Number of further candidates after the first fix, because a better one may follow.
const CANDIDATES_AFTER_FIRST_FIX: usize = 250;

/// Tests candidates in parallel.
pub(super) struct CandidateTrials<'a> {
    pub(super) repair_context: RepairContext<'a>,
    pub(super) budget_use: BudgetUse,
    schema_trials: SchemaTrials<'a>,
    /// Maximum number of candidates to try.
    max_candidates: usize,
    tried_count: AtomicUsize,
    tried_trees: Mutex<HashMap<TreeId, TriedTree>>,
    results: Mutex<TrialResults>,
}

/// Patch of a generator to test.
pub(super) struct PatchTrial {
    /// Number of the patch.
    pub(super) number: usize,
    /// Tree of bad with the patch.
    pub(super) tree: TreeId,
    pub(super) candidate: LocatedCandidate,
    pub(super) origin: FixOrigin,
}

/// Outcome of a trial.
pub(super) struct TrialOutcome {
    pub(super) judgement: Judgement,
    /// Failing tests that the candidate does not fix.
    pub(super) still_failing: BTreeSet<String>,
}

/// Result of trying a patch.
pub(super) enum PatchTrialResult {
    Tested(TrialOutcome),
    /// The same change was tried before, or is being tested.
    Known(KnownVerdict),
}

/// Verdict on a tree that was tried before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::run) enum KnownVerdict {
    #[default]
    BeingTested,
    /// It fixes all failing tests.
    Plausible,
    /// It fixes some of the failing tests.
    Partial,
    Implausible,
}

/// Tree that was tried.
#[derive(Clone, Debug, Default)]
struct TriedTree {
    verdict: KnownVerdict,
    /// Our own candidates with this tree, if a generator offered it first.
    own_candidates: Vec<LocatedCandidate>,
}

/// Candidates that are applied together, with their tree.
struct AppliedCandidates<'a> {
    /// Index among all candidates.
    at: usize,
    tree: TreeId,
    candidates: &'a [LocatedCandidate],
    origin: FixOrigin,
    /// Execution in a mutant schema that rejected them.
    rejection: Option<&'a Execution>,
}

#[derive(Default)]
struct TrialResults {
    /// Plausible fixes, with their index among the candidates.
    plausible: Vec<(usize, PlausibleFix)>,
    /// Number of candidates that were tried before the first complete fix without overfitting.
    first_fix_at: Option<usize>,
}

impl<'a> CandidateTrials<'a> {
    pub(super) fn new(
        repair_context: RepairContext<'a>,
        main: &'a CodeFiles<'a>,
        budget_use: BudgetUse,
        max_candidates: usize,
    ) -> Self {
        Self {
            repair_context,
            budget_use,
            schema_trials: SchemaTrials::new(repair_context, main),
            max_candidates,
            tried_count: AtomicUsize::default(),
            tried_trees: Mutex::default(),
            results: Mutex::default(),
        }
    }

    /// Tests candidates in their order, within the limits. Calls `before_each` before each tested candidate.
    pub(super) fn try_all(
        &self,
        candidates: &[LocatedCandidate],
        before_each: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<()> {
        let mut next = 0;
        while next < self.max_candidates && !self.is_finished() {
            let end = next.saturating_add(self.schema_trials.window_size());
            let window = next..end.min(self.max_candidates);
            next = window.end;
            self.try_window(candidates, window, before_each)?;
        }
        Ok(())
    }

    /// Rejects what it can of a window of the candidates, and tests the others one by one.
    fn try_window(
        &self,
        candidates: &[LocatedCandidate],
        window: Range<usize>,
        before_each: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<()> {
        let session = self.repair_context.session;
        let is_over = || self.is_finished() || session.context.interrupt.check().is_err();
        let rejections = self.schema_trials.reject(candidates, window.clone(), &is_over)?;
        let try_one = |offset: usize| {
            if self.is_finished() {
                return Ok(());
            }
            before_each()?;
            session.context.interrupt.check()?;
            let at = window.start + offset;
            self.try_together(at, std::slice::from_ref(&candidates[at]), rejections.get(&at))
        };
        run_parallel(session.subject.jobs, window.len(), try_one).into_iter().collect()
    }

    /// Tests a patch of a generator, unless the same change was tried before.
    pub(super) fn try_patch(&self, patch: PatchTrial) -> Result<PatchTrialResult> {
        let PatchTrial { number, tree, candidate, origin } = patch;
        let outcome = self.try_tree(&AppliedCandidates {
            at: self.max_candidates + number,
            tree: tree.clone(),
            candidates: &[candidate],
            origin,
            rejection: None,
        })?;
        let known_verdict = || {
            self.lock_tried_trees().get(&tree).map_or_else(KnownVerdict::default, |one| one.verdict)
        };
        Ok(outcome
            .map_or_else(|| PatchTrialResult::Known(known_verdict()), PatchTrialResult::Tested))
    }

    /// Tests combinations of our own partial fixes if no candidate fixes all failing tests. `first_index` is the index of
    /// the first combination.
    pub(super) fn try_combinations(&self, first_index: usize) -> Result<()> {
        let ranked = self.ranked_fixes();
        if ranked.first().is_none_or(|best| best.still_failing.is_empty()) {
            return Ok(());
        }
        let mut ranked: Vec<PlausibleFix> =
            ranked.into_iter().filter_map(|one| self.to_own_fix(one)).collect();
        ranked.sort_by(PlausibleFix::compare_rank);
        let left: Vec<BTreeSet<String>> =
            ranked.iter().map(|one| one.still_failing.clone()).collect();
        for (group, at) in combine_fixes(&left).into_iter().zip(first_index..) {
            self.repair_context.session.context.interrupt.check()?;
            let parts: Vec<LocatedCandidate> =
                group.into_iter().map(|place| ranked[place].candidate.clone()).collect();
            self.try_together(at, &parts, None)?;
        }
        Ok(())
    }

    /// Returns the number of candidates tried so far.
    pub(super) fn tried_count(&self) -> usize {
        self.tried_count.load(SeqCst)
    }

    /// Returns the best plausible fixes found.
    pub(super) fn plausible(&self) -> Vec<PlausibleFix> {
        let mut ranked = self.ranked_fixes();
        ranked.truncate(MAX_PLAUSIBLE_FIXES);
        ranked
    }

    /// Returns our own fix with the same tree, if there is one.
    fn to_own_fix(&self, fix: PlausibleFix) -> Option<PlausibleFix> {
        if fix.origin == FixOrigin::Contract {
            return Some(fix);
        }
        let mut own = self.lock_tried_trees().get(&fix.tree)?.own_candidates.clone().into_iter();
        let candidate = own.next()?;
        let further_candidates = own.collect();
        Some(PlausibleFix { origin: FixOrigin::Contract, candidate, further_candidates, ..fix })
    }

    fn ranked_fixes(&self) -> Vec<PlausibleFix> {
        let mut plausible = self.lock_results().plausible.clone();
        plausible.sort_by_key(|(at, _)| *at);
        let mut plausible: Vec<PlausibleFix> = plausible.into_iter().map(|(_, one)| one).collect();
        plausible.sort_by(PlausibleFix::compare_rank);
        plausible
    }

    /// Returns true if there are enough fixes, or no time is left.
    fn is_finished(&self) -> bool {
        let results = self.lock_results();
        let may_continue = results
            .first_fix_at
            .is_none_or(|first| self.tried_count() < first + CANDIDATES_AFTER_FIRST_FIX);
        let is_complete = |one: &PlausibleFix| {
            one.still_failing.is_empty() && one.is_classified() && one.overfitting_kind().is_none()
        };
        let complete_fixes = results.plausible.iter().filter(|(_, one)| is_complete(one)).count();
        complete_fixes >= MAX_PLAUSIBLE_FIXES || !may_continue || self.budget_use.is_time_over()
    }

    /// Returns true if a larger budget would allow more of the `candidates`.
    pub(super) fn is_limited_by_budget(&self, candidates: usize) -> bool {
        self.budget_use.is_time_over() || self.max_candidates < candidates
    }

    /// Estimates the number of remaining candidates while the candidate at `at` is tested.
    fn estimate_remaining(&self, at: usize) -> usize {
        let tried_count = self.tried_count();
        let waiting = self.max_candidates.saturating_sub(at + 1);
        let first = self.lock_results().first_fix_at;
        let patience_left = first.map_or(waiting, |first| {
            (first + CANDIDATES_AFTER_FIRST_FIX).saturating_sub(tried_count)
        });
        self.budget_use.estimate_remaining(tried_count, waiting.min(patience_left))
    }

    fn lock_results(&self) -> MutexGuard<'_, TrialResults> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_tried_trees(&self) -> MutexGuard<'_, HashMap<TreeId, TriedTree>> {
        self.tried_trees.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a tree before its test. Returns false if it was tried before.
    fn register_tree(&self, applied: &AppliedCandidates<'_>) -> bool {
        let mut tried_trees = self.lock_tried_trees();
        if let Some(known) = tried_trees.get_mut(&applied.tree) {
            if applied.origin == FixOrigin::Contract && known.own_candidates.is_empty() {
                known.own_candidates = applied.candidates.to_vec();
            }
            return false;
        }
        tried_trees.insert(applied.tree.clone(), TriedTree::default());
        true
    }

    /// Tests the combination of candidates, which is usually a single one, unless a mutant schema rejected it.
    fn try_together(
        &self,
        at: usize,
        candidates: &[LocatedCandidate],
        rejection: Option<&Execution>,
    ) -> Result<()> {
        let RepairContext { store, bad, .. } = self.repair_context;
        let edits = candidates.iter().flat_map(|part| part.change.edited_files());
        let Some(tree) = write_variant(store, &bad.overlaid_tree, edits)? else { return Ok(()) };
        let origin = FixOrigin::Contract;
        let applied = AppliedCandidates { at, tree, candidates, origin, rejection };
        self.try_tree(&applied).map(drop)
    }

    /// Returns the judgement on a tree: that of the mutant schema that rejected it, or that of its tests.
    fn judge(&self, applied: &AppliedCandidates<'_>) -> Result<Judgement> {
        let AppliedCandidates { at, tree, candidates, rejection, .. } = applied;
        let RepairContext { oracle, bad, .. } = self.repair_context;
        let descriptions = candidates
            .iter()
            .map(|one| format!("{}:{} {}", one.path, one.line, one.change.description));
        let description = descriptions.collect::<Vec<_>>().join("; ");
        let remaining = Some(self.estimate_remaining(*at));
        let test_alone = || oracle.judge(tree, bad.commit_id(), description.as_str(), remaining);
        match rejection {
            None => test_alone(),
            Some(execution) if self.schema_trials.is_check_due() => {
                let alone = test_alone()?;
                self.schema_trials.compare(&execution.outcome, &alone)?;
                Ok(alone)
            }
            Some(execution) => {
                oracle.judge_execution(tree, execution, description.as_str(), remaining)
            }
        }
    }

    /// Tests a tree. Returns `None` if it was tried before.
    fn try_tree(&self, applied: &AppliedCandidates<'_>) -> Result<Option<TrialOutcome>> {
        let AppliedCandidates { at, tree, candidates, origin, .. } = applied;
        let RepairContext { expectations, store, bad, .. } = self.repair_context;
        let Some((candidate, others)) = candidates.split_first() else { return Ok(None) };
        if !self.register_tree(applied) {
            return Ok(None);
        }
        let judgement = self.judge(applied)?;
        let tried_count = self.tried_count.fetch_add(1, SeqCst) + 1;
        let still_failing =
            judgement.outcome.as_ref().map(|outcome| expectations.still_failing_in(outcome));
        let still_failing = still_failing.unwrap_or_default();
        if judgement.verdict == Verdict::Pass {
            let tokens = count_changed_tokens(&store.diff_trees(&bad.overlaid_tree, tree)?);
            let (candidate, others) = (candidate.clone(), others.to_vec());
            let (agreement, breaks, is_shrunk) = (None, None, false);
            let plausible = PlausibleFix {
                origin: origin.clone(),
                candidate,
                further_candidates: others,
                tree: tree.clone(),
                tokens,
                still_failing: still_failing.clone(),
                agreement,
                violated_contract: breaks,
                is_minimised: is_shrunk,
            };
            let mut results = self.lock_results();
            // An overfitting fix does not end the search. A patch may be one if some checks do not apply to it.
            let ends_search = plausible.is_classified() && plausible.overfitting_kind().is_none();
            if ends_search && still_failing.is_empty() {
                results.first_fix_at.get_or_insert(tried_count);
            }
            results.plausible.push((*at, plausible));
        }
        let verdict = match judgement.verdict {
            Verdict::Pass if still_failing.is_empty() => KnownVerdict::Plausible,
            Verdict::Pass => KnownVerdict::Partial,
            _ => KnownVerdict::Implausible,
        };
        if let Some(tried) = self.lock_tried_trees().get_mut(tree) {
            tried.verdict = verdict;
        }
        Ok(Some(TrialOutcome { judgement, still_failing }))
    }
}
