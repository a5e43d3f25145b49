//! Tries candidates, the most promising first, until enough fixes are found or the budget is used up.

use super::budget::BudgetUse;
use super::plausible::PlausibleFix;
use super::request::FixRequest;
use crate::run::fix::applied_edits::variant;
use crate::run::fix::combined_fixes::groups;
use crate::run::judge::parallel::each;
use crate::run::patch::repair_context::RepairContext;
use mend_delta::change_tokens;
use mend_model::{Result, TreeId, Verdict};
use mend_repair::Candidate;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of plausible candidates after which the search stops.
const ENOUGH: usize = 20;

/// Number of further candidates that are tried after the first fix, because a better one may
/// follow.
const PATIENCE: usize = 250;

/// Tries candidates in parallel.
pub(super) struct CandidateTrials<'a> {
    mending: RepairContext<'a>,
    pub(super) spending: BudgetUse,
    /// Maximum number of candidates to try.
    most: usize,
    tried: AtomicUsize,
    seen: Mutex<HashSet<TreeId>>,
    found: Mutex<TrialResults>,
}

#[derive(Default)]
struct TrialResults {
    /// Plausible fixes with their index among the candidates.
    plausible: Vec<(usize, PlausibleFix)>,
    /// Number of tried candidates when the first fix without overfitting was found.
    first: Option<usize>,
}

impl<'a> CandidateTrials<'a> {
    pub(super) fn new(mending: RepairContext<'a>, request: &FixRequest, candidates: usize) -> Self {
        Self {
            mending,
            spending: request.budget.begin(),
            most: request.budget.most(candidates),
            tried: AtomicUsize::default(),
            seen: Mutex::default(),
            found: Mutex::default(),
        }
    }

    /// Tries candidates in their order, as many as may be tried.
    pub(super) fn try_all(&self, candidates: &[Candidate]) -> Result<()> {
        let try_one = |at: usize| {
            if self.is_over() {
                return Ok(());
            }
            self.mending.session.context.interrupt.check()?;
            self.try_together(at, std::slice::from_ref(&candidates[at]))
        };
        let jobs = self.mending.session.subject.jobs;
        each(jobs, self.most, try_one).into_iter().collect::<Result<()>>()?;
        self.merge(candidates.len())
    }

    /// If no candidate fixes all failing tests, tries partial fixes together. `from` is the index
    /// of the first combination.
    fn merge(&self, from: usize) -> Result<()> {
        let found = self.ranked();
        if found.first().is_none_or(|best| best.left.is_empty()) {
            return Ok(());
        }
        let left: Vec<BTreeSet<String>> = found.iter().map(|one| one.left.clone()).collect();
        for (group, at) in groups(&left).into_iter().zip(from..) {
            self.mending.session.context.interrupt.check()?;
            let parts: Vec<Candidate> =
                group.into_iter().map(|place| found[place].candidate.clone()).collect();
            self.try_together(at, &parts)?;
        }
        Ok(())
    }

    /// Returns the number of candidates tried so far.
    pub(super) fn tried(&self) -> usize {
        self.tried.load(SeqCst)
    }

    /// Returns the best plausible fixes found.
    pub(super) fn plausible(&self) -> Vec<PlausibleFix> {
        let mut found = self.ranked();
        found.truncate(ENOUGH);
        found
    }

    fn ranked(&self) -> Vec<PlausibleFix> {
        let mut found = self.found().plausible.clone();
        found.sort_by_key(|(at, _)| *at);
        let mut found: Vec<PlausibleFix> = found.into_iter().map(|(_, one)| one).collect();
        found.sort_by(PlausibleFix::rank);
        found
    }

    fn is_over(&self) -> bool {
        let found = self.found();
        let is_patient = found.first.is_none_or(|first| self.tried() < first + PATIENCE);
        let is_whole = |one: &PlausibleFix| one.left.is_empty() && one.evasion().is_none();
        let whole = found.plausible.iter().filter(|(_, one)| is_whole(one)).count();
        whole >= ENOUGH || !is_patient || self.spending.is_late()
    }

    /// Returns true if a larger budget would allow more of the `candidates`.
    pub(super) fn is_cut_short(&self, candidates: usize) -> bool {
        self.spending.is_late() || self.most < candidates
    }

    /// Returns how many candidates may still be tried while the one at `at` is.
    fn estimate_remaining(&self, at: usize) -> usize {
        let tried = self.tried();
        let waiting = self.most.saturating_sub(at + 1);
        let first = self.found().first;
        let patient = first.map_or(waiting, |first| (first + PATIENCE).saturating_sub(tried));
        self.spending.estimate_remaining(tried, waiting.min(patient))
    }

    fn found(&self) -> MutexGuard<'_, TrialResults> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries candidates together; mostly it is one alone.
    fn try_together(&self, at: usize, parts: &[Candidate]) -> Result<()> {
        let RepairContext { judge, demands, store, bad, .. } = self.mending;
        let edits = parts.iter().map(|part| (&part.path, &part.edits[..]));
        let tree = variant(store, &bad.tree, edits)?;
        let (Some((candidate, others)), Some(tree)) = (parts.split_first(), tree) else {
            return Ok(());
        };
        let is_new = self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(tree.clone());
        if !is_new {
            return Ok(());
        }
        let told = parts.iter().map(|one| format!("{}:{} {}", one.path, one.line, one.why));
        let what = told.collect::<Vec<_>>().join("; ");
        let judgement = judge.judgement(
            &tree,
            bad.commit_id(),
            what.as_str(),
            Some(self.estimate_remaining(at)),
        )?;
        let tried = self.tried.fetch_add(1, SeqCst) + 1;
        if judgement.verdict == Verdict::Pass {
            let tokens = change_tokens(&store.changes(&bad.tree, &tree)?);
            let left = judgement.outcome.map(|outcome| demands.left_by(&outcome));
            let left = left.unwrap_or_default();
            let mut found = self.found();
            // What only evades is shown if nothing else is found.
            if candidate.evasion.is_none() && left.is_empty() {
                found.first.get_or_insert(tried);
            }
            let (candidate, others) = (candidate.clone(), others.to_vec());
            let (agreement, breaks, is_shrunk) = (None, None, false);
            let plausible = PlausibleFix {
                candidate,
                others,
                tree,
                tokens,
                left,
                agreement,
                breaks,
                is_shrunk,
            };
            found.plausible.push((at, plausible));
        }
        Ok(())
    }
}
