//! Verification of patches: each is applied to a clean checkout, built from scratch and tested.

use crate::run::judge::executor::CachedExecution;
use crate::run::judge::{Judgement, SymptomOracle};
use crate::run::session::run_log::TrialCost;
use crate::run::session::versions::ResolvedVersion;
use anyhow::anyhow;
use mend_delta::change_tokens;
use mend_engine::Limits;
use mend_git::ApplyStatus;
use mend_git::{ApplyResult, Commit, ObjectStore};
use mend_model::{
    FileChange, Outcome, Problem, ProgressEvent, RepoPath, Result, TreeEdit, TreeId, Verdict,
};
use mend_report::PatchResult;
use std::collections::BTreeMap;
use std::path::Path;

/// Patch to verify.
pub(crate) struct PatchClaim<'a> {
    /// The file in the run folder.
    pub(crate) file: String,
    /// The version it is meant for.
    pub(crate) from: &'a ResolvedVersion,
    /// Tree of the patched version, with the tests of bad.
    pub(crate) tree: TreeId,
    /// Expected verdict of the patched version.
    pub(crate) verdict: Verdict,
    pub(crate) hunks: usize,
    pub(crate) components: usize,
    pub(crate) minimal: bool,
    /// Commits that contributed to it, if known.
    pub(crate) commits: Vec<Commit>,
    /// The numbers of its components in the change that was written down.
    pub(crate) parts: Vec<usize>,
}

/// A patch in the run folder.
#[derive(Clone)]
pub(crate) struct WrittenPatch {
    pub(crate) result: PatchResult,
    /// Tree of the patched version, with the tests of bad.
    pub(crate) tree: TreeId,
    /// Content of the file.
    pub(crate) text: Vec<u8>,
}

impl PatchClaim<'_> {
    /// Writes the patch and verifies it.
    ///
    /// # Errors
    /// [`Problem::NotReproduced`] if the clean checkout says otherwise.
    pub(crate) fn emit(
        &self,
        store: &ObjectStore,
        judge: &SymptomOracle<'_>,
    ) -> Result<WrittenPatch> {
        let patch = self.write(store, judge)?;
        self.prove(judge)?;
        Ok(patch)
    }

    /// Writes the patch without verifying it.
    pub(crate) fn write(
        &self,
        store: &ObjectStore,
        judge: &SymptomOracle<'_>,
    ) -> Result<WrittenPatch> {
        let (changes, text) = difference(self.from, &self.tree, store)?;
        judge.ledger.folder.write(&self.file, &text)?;
        let result = PatchResult {
            tokens: change_tokens(&changes),
            hunks: self.hunks,
            components: self.components,
            files: changes.iter().filter_map(FileChange::path).map(ToString::to_string).collect(),
            patch: self.file.clone(),
            minimal: self.minimal,
            commits: self.commits.iter().map(|commit| commit.id.0.clone()).collect(),
            component_ids: self.parts.clone(),
        };
        Ok(WrittenPatch { result, tree: self.tree.clone(), text })
    }

    fn prove(&self, judge: &SymptomOracle<'_>) -> Result<()> {
        let patch = judge.ledger.folder.path().join(&self.file);
        let fresh = CleanCheckout {
            what: format!("{} on a clean checkout", self.file),
            from: self.from,
            patch: Some(&patch),
            tree: &self.tree,
            limits: judge.limits.clone(),
            before: None,
            may_be_known: false,
        };
        let Judgement { verdict, outcome, .. } = fresh.judged(judge)?;
        if verdict == self.verdict {
            return Ok(());
        }
        // An unverified patch is deleted.
        drop(std::fs::remove_file(patch));
        let output = outcome.map(|outcome| outcome.text()).unwrap_or_default();
        Err(Problem::NotReproduced { what: self.file.clone(), output })
    }
}

/// A patched version, to be tested as a stranger would find it.
pub(crate) struct CleanCheckout<'a> {
    pub(crate) what: String,
    /// Version to check out.
    pub(crate) from: &'a ResolvedVersion,
    /// Patch for `git apply`; `None` if the version already contains the change.
    pub(crate) patch: Option<&'a Path>,
    /// The patched tree.
    pub(crate) tree: &'a TreeId,
    /// Time limits.
    pub(crate) limits: Limits,
    /// Earlier outcome of the same tree.
    pub(crate) before: Option<&'a Outcome>,
    /// A cached result of an earlier run suffices.
    pub(crate) may_be_known: bool,
}

impl CleanCheckout<'_> {
    /// Builds the patched version from scratch and tests it in a fresh JVM, with repetitions if requested.
    pub(crate) fn judged(&self, judge: &SymptomOracle<'_>) -> Result<Judgement> {
        judge.ledger.emit(ProgressEvent::TrialStarted {
            what: self.what.clone(),
            left: Some(1),
            if_slow: Some("slow because a clean checkout is built from scratch".to_owned()),
        })?;
        let mut effort = TrialCost { cached: true, ..TrialCost::default() };
        let mut outcome = None;
        let verdict = judge.repetition.verdict(&mut |repetition| {
            let CachedExecution { execution, cached } = self.execution(judge, repetition)?;
            if !cached {
                effort.milliseconds += TrialCost::from_execution(&execution).milliseconds;
            }
            effort.cached &= cached;
            effort.runs += 1;
            Ok(judge.verdict_of(outcome.insert(execution.outcome)))
        })?;
        judge.ledger.judged(self.tree, self.what.as_str().into(), verdict, effort)?;
        Ok(Judgement { verdict, outcome, refusals: Vec::new(), seconds: effort.seconds() })
    }

    fn execution(&self, judge: &SymptomOracle<'_>, repetition: u32) -> Result<CachedExecution> {
        let (bench, limits) = (&judge.bench, &self.limits);
        if self.may_be_known
            && let Some(execution) = bench.known_clean(self.tree, repetition, limits)?
        {
            return Ok(CachedExecution { execution, cached: true });
        }
        let (tree, head) = (&self.from.tree, self.from.commit_id());
        let execution =
            bench.clean_execution(tree, head, limits, self.before, |scratch| {
                match self.patch.map(|patch| scratch.apply(patch)).transpose()? {
                    None | Some(ApplyStatus::Applied) => Ok(()),
                    Some(ApplyStatus::Rejected { reason }) => {
                        Err(anyhow!("git apply rejected our own patch: {reason}").into())
                    }
                }
            })?;
        bench.remember_clean(self.tree, repetition, limits, &execution)?;
        Ok(CachedExecution { execution, cached: false })
    }
}

/// Returns the changes of a tree against a version, and the equivalent patch for the original version.
pub(crate) fn difference(
    from: &ResolvedVersion,
    tree: &TreeId,
    store: &ObjectStore,
) -> Result<(Vec<FileChange>, Vec<u8>)> {
    let changes = store.changes(&from.tree, tree)?;
    let to = store.write(&TreeEdit { base: from.original.clone(), changes: edits(&changes) })?;
    let patch = store.patch(&from.original, &to)?;
    Ok((changes, patch))
}

/// Applies a patch to a version; tests that it does not change come from bad.
pub(crate) fn patched(
    patch: &Path,
    version: &ResolvedVersion,
    store: &ObjectStore,
) -> Result<ApplyResult> {
    let applied = match store.apply(&version.original, patch)? {
        ApplyResult::Tree(applied) => applied,
        refused @ ApplyResult::Rejected(_) => return Ok(refused),
    };
    let changes = edits(&store.changes(&version.original, &applied)?);
    store.write(&TreeEdit { base: version.tree.clone(), changes }).map(ApplyResult::Tree)
}

/// Changes of files as an edit of a tree.
fn edits(changes: &[FileChange]) -> BTreeMap<RepoPath, Option<mend_model::FileState>> {
    let mut edits = BTreeMap::new();
    for change in changes {
        if let Some((path, _)) = &change.old {
            edits.entry(path.clone()).or_insert(None);
        }
        if let Some((path, state)) = &change.new {
            edits.insert(path.clone(), Some(state.clone()));
        }
    }
    edits
}
