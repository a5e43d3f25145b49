//! Trying the patches of a pool.

use crate::run::judge::parallel::each;
use crate::run::judge::{Judgement, SymptomOracle};
use crate::run::patch::verification::{CleanCheckout, difference};
use crate::run::session::Session;
use crate::run::session::run_log::TrialCost;
use crate::run::session::summary::Summary;
use crate::run::session::versions::ResolvedVersion;
use crate::run::validate::patch_applier::{PatchApplier, PatchVariant};
use crate::run::validate::patch_pool::{PatchPool, PoolEntry};
use crate::run::validate::result::Validated;
use mend_delta::change_tokens;
use mend_model::{Outcome, Phase, Problem, Result, TestExpectations, TreeId, Verdict, counted};
use mend_report::PoolPatchResult;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Judges patches in parallel.
pub(super) struct PoolTrials<'a> {
    session: &'a Session<'a>,
    judge: &'a SymptomOracle<'a>,
    demands: &'a TestExpectations,
    patchable: &'a PatchApplier<'a>,
    bad: &'a ResolvedVersion,
    /// Judged patches by their index in the pool.
    rows: Mutex<BTreeMap<usize, JudgedPatch>>,
    /// Number of patches whose clean build gave another verdict.
    disagreements: AtomicUsize,
}

/// A patch that was judged.
struct JudgedPatch {
    patch: PoolPatchResult,
    plausible: Option<PlausiblePatch>,
    /// A test that it does not fix.
    unmended: Option<String>,
}

/// Variant of bad with a patch of the pool.
#[derive(Clone)]
struct PatchedTree {
    tree: TreeId,
    /// The patch changes sources, not class files.
    has_sources: bool,
}

/// A plausible patch.
#[derive(Clone, Debug)]
pub(super) struct PlausiblePatch {
    pub(super) name: String,
    /// Tree of the patched version, with the tests of bad.
    pub(super) tree: TreeId,
    /// The patch changes sources, not class files.
    pub(super) has_sources: bool,
    pub(super) why: String,
}

impl<'a> PoolTrials<'a> {
    pub(super) fn new(
        session: &'a Session<'a>,
        judge: &'a SymptomOracle<'a>,
        demands: &'a TestExpectations,
        patchable: &'a PatchApplier<'a>,
        bad: &'a ResolvedVersion,
    ) -> Self {
        let (rows, disagreements) = (Mutex::default(), AtomicUsize::new(0));
        Self { session, judge, demands, patchable, bad, rows, disagreements }
    }

    /// Tries every patch.
    pub(super) fn try_all(&self, pool: &PatchPool) -> Result<()> {
        let count = pool.entries.len();
        let try_one = |at: usize| {
            self.session.context.interrupt.check()?;
            let row = self.row(at, &pool.entries[at], count - at)?;
            let mut rows = self.rows();
            rows.insert(at, row);
            self.session.ledger.save(&to_validated(&rows))
        };
        each(self.session.subject.jobs, count, try_one).into_iter().collect()
    }

    /// Returns the plausible patches, in the order of the pool.
    pub(super) fn plausible(&self) -> Vec<PlausiblePatch> {
        self.rows().values().filter_map(|row| row.plausible.clone()).collect()
    }

    /// Returns the results of the patches that were judged.
    pub(super) fn so_far(&self) -> Validated {
        to_validated(&self.rows())
    }

    /// Summarises the results.
    pub(super) fn summary(&self) -> Summary {
        let found = self.plausible().len();
        let all = self.rows().len();
        let stubborn = self.stubborn();
        let disagreements = self.disagreements.load(Ordering::SeqCst);
        let (mended, kept) = (self.demands.mended().len(), self.demands.kept().len());
        let (failing, kept) = (counted(mended, "test"), counted(kept, "test"));
        let are = if found == 1 || all == 1 { "is" } else { "are" };
        let mut summary = Summary::default();
        summary.extend([
            format!("{found} of {} {are} plausible", patches(all)),
            format!("to fix: {failing}; must still pass: {kept}"),
        ]);
        summary.extend(stubborn.map(|test| {
            format!("no patch fixes {test}: if it fails for another reason, leave it out of --test")
        }));
        summary.extend((disagreements > 0).then(|| {
            let patches = patches(disagreements);
            format!("clean builds contradicted the resident engine on {patches}")
        }));
        summary
    }

    /// Returns the only test that prevents every patch from being plausible, if there are other
    /// tests to fix.
    fn stubborn(&self) -> Option<String> {
        let rows = self.rows();
        let mut unmended = rows.values().filter_map(|row| row.unmended.as_ref());
        let first = unmended.next()?;
        let is_all = rows.values().all(|row| row.plausible.is_none());
        let is_alone = is_all && unmended.all(|test| test == first);
        (is_alone && self.demands.mended().len() > 1).then(|| first.clone())
    }

    fn rows(&self) -> MutexGuard<'_, BTreeMap<usize, JudgedPatch>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row(&self, at: usize, entry: &PoolEntry, left: usize) -> Result<JudgedPatch> {
        let variant = match self.patchable.variant(entry)? {
            PatchVariant::Rejected(reason) => return self.refused(&entry.name, reason),
            PatchVariant::Classes(tree) => PatchedTree { tree, has_sources: false },
            PatchVariant::Sources { tree, touches_tests } => {
                if touches_tests {
                    let what =
                        "changes to test code in the patches: the tests of bad were used instead";
                    self.session.ledger.note(what.to_owned())?;
                }
                PatchedTree { tree, has_sources: true }
            }
        };
        let quick = self.judge.judgement(
            &variant.tree,
            self.bad.commit_id(),
            entry.name.as_str(),
            Some(left),
        )?;
        let unmended = quick.outcome.as_ref().and_then(|outcome| self.demands.unmended(outcome));
        let unmended = unmended.map(str::to_owned);
        let (verdict, reason, seconds) = self.sure(at, entry, &variant, &quick)?;
        let PatchedTree { tree, has_sources } = variant;
        let tokens = if has_sources { Some(self.tokens(&tree)?) } else { None };
        let patch = pooled(&entry.name, verdict, reason.clone(), tokens, seconds);
        let name = entry.name.clone();
        let plausible = (verdict == Verdict::Pass).then_some(PlausiblePatch {
            name,
            tree,
            has_sources,
            why: reason,
        });
        Ok(JudgedPatch { patch, plausible, unmended })
    }

    /// Returns the verdict, the reason and the total seconds. A plausible patch is confirmed by a clean build.
    fn sure(
        &self,
        at: usize,
        entry: &PoolEntry,
        variant: &PatchedTree,
        quick: &Judgement,
    ) -> Result<(Verdict, String, f64)> {
        let reason = self.reason(quick.outcome.as_ref(), quick.verdict);
        if quick.verdict != Verdict::Pass {
            return Ok((quick.verdict, reason, quick.seconds));
        }
        let sure = self.confirmed(at, entry, variant, quick.outcome.as_ref())?;
        let seconds = quick.seconds + sure.seconds;
        if sure.verdict == Verdict::Pass {
            return Ok((Verdict::Pass, reason, seconds));
        }
        self.disagreements.fetch_add(1, Ordering::SeqCst);
        let reason = self.reason(sure.outcome.as_ref(), sure.verdict);
        Ok((sure.verdict, format!("in a clean build: {reason}"), seconds))
    }

    fn refused(&self, name: &str, reason: String) -> Result<JudgedPatch> {
        let verdict = Verdict::Unresolved(Phase::Rejected);
        let ledger = &self.session.ledger;
        ledger.rejected()?;
        let what = format!("{name}: {reason}");
        ledger.judged(
            &TreeId(String::new()),
            what.as_str().into(),
            verdict,
            TrialCost::default(),
        )?;
        Ok(JudgedPatch {
            patch: pooled(name, verdict, reason, None, 0.0),
            plausible: None,
            unmended: None,
        })
    }

    /// Verifies a patch in a clean build and a fresh JVM. For class files, bad is built and its classes are replaced.
    fn confirmed(
        &self,
        at: usize,
        entry: &PoolEntry,
        PatchedTree { tree, has_sources }: &PatchedTree,
        before: Option<&Outcome>,
    ) -> Result<Judgement> {
        let ledger = &self.session.ledger;
        let place = ledger.folder.work().join(format!("{at}.patch"));
        let swapped = ResolvedVersion { tree: tree.clone(), ..self.bad.clone() };
        if *has_sources {
            let (_, patch) = difference(self.bad, tree, self.patchable.store())?;
            std::fs::write(&place, patch).map_err(|error| Problem::io(error, &place))?;
        } else {
            ledger.note(
                "that the class files of the pool match sources: they replaced those of bad unchanged"
                    .to_owned(),
            )?;
        }
        let fresh = CleanCheckout {
            what: format!("{} in a clean build", entry.name),
            from: if *has_sources { self.bad } else { &swapped },
            patch: has_sources.then_some(place.as_path()),
            tree,
            limits: self.judge.limits.clone(),
            before,
            may_be_known: self.session.subject.resume,
        };
        fresh.judged(self.judge)
    }

    fn reason(&self, outcome: Option<&Outcome>, verdict: Verdict) -> String {
        match (outcome, verdict) {
            (_, Verdict::Flaky) => "its runs disagree".to_owned(),
            (outcome, _) => outcome.map_or(String::new(), |outcome| self.demands.reason(outcome)),
        }
    }

    fn tokens(&self, tree: &TreeId) -> Result<usize> {
        let changes = self.patchable.store().changes(&self.bad.tree, tree)?;
        Ok(change_tokens(&changes))
    }
}

fn to_validated(rows: &BTreeMap<usize, JudgedPatch>) -> Validated {
    let patches = rows.values().map(|row| row.patch.clone()).collect();
    Validated { patches, ..Validated::default() }
}

/// A number of patches, in words.
pub(super) fn patches(count: usize) -> String {
    if count == 1 { "1 patch".to_owned() } else { format!("{count} patches") }
}

fn pooled(
    name: &str,
    verdict: Verdict,
    reason: String,
    tokens: Option<usize>,
    seconds: f64,
) -> PoolPatchResult {
    PoolPatchResult {
        name: name.to_owned(),
        verdict: verdict.word().to_owned(),
        phase: verdict.phase(),
        patch: None,
        reason,
        tokens,
        seconds,
    }
}
