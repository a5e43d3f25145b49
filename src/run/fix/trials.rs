//! Trying candidates, the most promising first, until enough are found or the time is over.

use super::FixRequest;
use crate::delta::change_tokens;
use crate::model::{FileState, Result, TreeEdit, TreeId, Verdict};
use crate::repair::{Agreement, Candidate, edited};
use crate::run::mending::Mending;
use crate::run::parallel::each;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// So many repairs are enough to choose from.
const ENOUGH: usize = 20;

/// After the first repair, so many more candidates are tried, for there may be a better one.
const PATIENCE: usize = 250;

/// Judges candidates, several at once.
pub(super) struct Trials<'a> {
    mending: Mending<'a>,
    request: &'a FixRequest,
    begun: Instant,
    tried: AtomicUsize,
    seen: Mutex<HashSet<TreeId>>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    /// By place among the candidates.
    plausible: Vec<(usize, Plausible)>,
    /// How many were tried when the first one was found that gets round no check.
    first: Option<usize>,
}

/// A candidate that does what the tests demand.
#[derive(Clone, Debug)]
pub(super) struct Plausible {
    pub(super) candidate: Candidate,
    pub(super) tree: TreeId,
    /// Deleted plus inserted.
    pub(super) tokens: usize,
    /// How many tests still fail that failed without it.
    pub(super) left: usize,
    /// What generated tests say of it, once they were asked.
    pub(super) agreement: Option<Agreement>,
}

/// A change of so many tokens is worth half as much as none.
const TOKENS: f64 = 15.0;

impl Plausible {
    /// The better one first: what mends more, then what is worth more.
    pub(super) fn rank(&self, other: &Self) -> Ordering {
        self.left.cmp(&other.left).then_with(|| other.worth().total_cmp(&self.worth()))
    }

    /// How good a repair it is: what promised much, is small, and is borne out by generated tests.
    pub(super) fn worth(&self) -> f64 {
        let borne_out = self.agreement.map_or(1.0, |agreement| agreement.weight);
        borne_out * self.candidate.score
            / (1.0 + f64::from(u32::try_from(self.tokens).unwrap_or(u32::MAX)) / TOKENS)
    }
}

impl<'a> Trials<'a> {
    pub(super) fn new(mending: Mending<'a>, request: &'a FixRequest) -> Self {
        Self {
            mending,
            request,
            begun: Instant::now(),
            tried: AtomicUsize::default(),
            seen: Mutex::default(),
            found: Mutex::default(),
        }
    }

    /// Tries candidates in their order.
    pub(super) fn all(&self, candidates: &[Candidate]) -> Result<()> {
        let try_one = |at: usize| {
            if self.is_over() {
                return Ok(());
            }
            self.mending.session.context.interrupt.check()?;
            self.one(at, &candidates[at])
        };
        each(self.mending.session.subject.jobs, candidates.len(), try_one).into_iter().collect()
    }

    /// How many candidates were tried.
    pub(super) fn tried(&self) -> usize {
        self.tried.load(SeqCst)
    }

    /// What was found, the most promising first.
    pub(super) fn plausible(&self) -> Vec<Plausible> {
        let mut found = self.found().plausible.clone();
        found.sort_by_key(|(at, _)| *at);
        let mut found: Vec<Plausible> = found.into_iter().map(|(_, one)| one).collect();
        found.sort_by(Plausible::rank);
        found.truncate(ENOUGH);
        found
    }

    fn is_over(&self) -> bool {
        let found = self.found();
        let is_patient = found.first.is_none_or(|first| self.tried() < first + PATIENCE);
        let whole = found.plausible.iter().filter(|(_, one)| one.left == 0).count();
        whole >= ENOUGH || !is_patient || self.begun.elapsed() > self.request.budget
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn one(&self, at: usize, candidate: &Candidate) -> Result<()> {
        let Some(tree) = self.tree(candidate)? else { return Ok(()) };
        let is_new = self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(tree.clone());
        if !is_new {
            return Ok(());
        }
        let what = format!("{}:{} {}", candidate.path, candidate.line, candidate.why);
        let Mending { judge, demands, store, bad, .. } = self.mending;
        let judgement = judge.judgement(&tree, bad.commit_id(), &what, None)?;
        let tried = self.tried.fetch_add(1, SeqCst) + 1;
        if judgement.verdict == Verdict::Pass {
            let tokens = change_tokens(&store.changes(&bad.tree, &tree)?);
            let left = judgement.outcome.map_or(0, |outcome| demands.left_by(&outcome).len());
            let mut found = self.found();
            // What only gets round a check is shown if nothing else is found.
            if !candidate.is_bypass && left == 0 {
                found.first.get_or_insert(tried);
            }
            let plausible =
                Plausible { candidate: candidate.clone(), tree, tokens, left, agreement: None };
            found.plausible.push((at, plausible));
        }
        Ok(())
    }

    /// What a candidate makes of bad; nothing where its edits overlap.
    fn tree(&self, candidate: &Candidate) -> Result<Option<TreeId>> {
        let Some(state) = self.mending.store.file(&self.mending.bad.tree, &candidate.path)? else {
            return Ok(None);
        };
        let text = std::str::from_utf8(&state.content).ok();
        let Some(text) = text.and_then(|text| edited(text, &candidate.edits)) else {
            return Ok(None);
        };
        let state = FileState { mode: state.mode, content: text.into_bytes().into() };
        let changes = [(candidate.path.clone(), Some(state))].into();
        let tree =
            self.mending.store.write(&TreeEdit { base: self.mending.bad.tree.clone(), changes })?;
        Ok(Some(tree).filter(|tree| *tree != self.mending.bad.tree))
    }
}
