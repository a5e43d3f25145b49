//! Trying candidates, the most promising first, until enough are found or the time is over.

use super::budget::Spending;
use super::plausible::Plausible;
use super::request::FixRequest;
use crate::run::fix::applied_edits::variant;
use crate::run::fix::combined_fixes::groups;
use crate::run::judge::parallel::each;
use crate::run::patch::repair_context::Mending;
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

/// Judges candidates, several at once.
pub(super) struct Trials<'a> {
    mending: Mending<'a>,
    pub(super) spending: Spending,
    /// How many candidates there are to try.
    most: usize,
    tried: AtomicUsize,
    seen: Mutex<HashSet<TreeId>>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    /// By place among the candidates.
    plausible: Vec<(usize, Plausible)>,
    /// How many were tried when the first one was found that evades nothing.
    first: Option<usize>,
}

impl<'a> Trials<'a> {
    pub(super) fn new(mending: Mending<'a>, request: &FixRequest, candidates: usize) -> Self {
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
    pub(super) fn all(&self, candidates: &[Candidate]) -> Result<()> {
        let try_one = |at: usize| {
            if self.is_over() {
                return Ok(());
            }
            self.mending.session.context.interrupt.check()?;
            self.one(at, std::slice::from_ref(&candidates[at]))
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
            self.one(at, &parts)?;
        }
        Ok(())
    }

    /// How many candidates were tried.
    pub(super) fn tried(&self) -> usize {
        self.tried.load(SeqCst)
    }

    /// The best of what was found, the most promising first.
    pub(super) fn plausible(&self) -> Vec<Plausible> {
        let mut found = self.ranked();
        found.truncate(ENOUGH);
        found
    }

    fn ranked(&self) -> Vec<Plausible> {
        let mut found = self.found().plausible.clone();
        found.sort_by_key(|(at, _)| *at);
        let mut found: Vec<Plausible> = found.into_iter().map(|(_, one)| one).collect();
        found.sort_by(Plausible::rank);
        found
    }

    fn is_over(&self) -> bool {
        let found = self.found();
        let is_patient = found.first.is_none_or(|first| self.tried() < first + PATIENCE);
        let is_whole = |one: &Plausible| one.left.is_empty() && one.evasion().is_none();
        let whole = found.plausible.iter().filter(|(_, one)| is_whole(one)).count();
        whole >= ENOUGH || !is_patient || self.spending.is_late()
    }

    /// Whether candidates were left out that a larger budget allows; `candidates` is how many there are.
    pub(super) fn is_cut_short(&self, candidates: usize) -> bool {
        self.spending.is_late() || self.most < candidates
    }

    /// Returns how many candidates may still be tried while the one at `at` is.
    fn left(&self, at: usize) -> usize {
        let tried = self.tried();
        let waiting = self.most.saturating_sub(at + 1);
        let first = self.found().first;
        let patient = first.map_or(waiting, |first| (first + PATIENCE).saturating_sub(tried));
        self.spending.left(tried, waiting.min(patient))
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries candidates together; mostly it is one alone.
    fn one(&self, at: usize, parts: &[Candidate]) -> Result<()> {
        let Mending { judge, demands, store, bad, .. } = self.mending;
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
        let judgement =
            judge.judgement(&tree, bad.commit_id(), what.as_str(), Some(self.left(at)))?;
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
            let plausible =
                Plausible { candidate, others, tree, tokens, left, agreement, breaks, is_shrunk };
            found.plausible.push((at, plausible));
        }
        Ok(())
    }
}
