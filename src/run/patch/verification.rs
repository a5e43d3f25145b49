//! Verifies patches: applies each to a clean checkout, builds from scratch and runs the tests.

use crate::run::judge::executor::CachedExecution;
use crate::run::judge::{Judgement, SymptomOracle};
use crate::run::session::run_log::TrialCost;
use crate::run::session::versions::ResolvedVersion;
use anyhow::anyhow;
use mend_delta::count_changed_tokens;
use mend_engine::Limits;
use mend_git::ApplyStatus;
use mend_git::{ApplyResult, Commit, ObjectStore};
use mend_model::{
    FileChange, Outcome, Problem, ProgressEvent, RepoPath, Result, TreeEdit, TreeId, Verdict,
};
use mend_report::PatchResult;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Patch to verify.
pub(crate) struct PatchClaim<'a> {
    /// Path in the run folder.
    pub(crate) file: String,
    /// Version that the patch applies to.
    pub(crate) from: &'a ResolvedVersion,
    /// Tree of the patched version, with the tests of bad.
    pub(crate) tree: TreeId,
    /// Expected verdict of the patched version.
    pub(crate) verdict: Verdict,
    pub(crate) hunks: usize,
    pub(crate) components: usize,
    pub(crate) is_minimal: bool,
    /// Commits that contributed to the patch, if known.
    pub(crate) commits: Vec<Commit>,
    /// Numbers of its components in the written delta.
    pub(crate) component_numbers: Vec<usize>,
}

/// Patch in the run folder.
#[derive(Clone)]
pub(crate) struct WrittenPatch {
    pub(crate) result: PatchResult,
    /// Tree of the patched version, with the tests of bad.
    pub(crate) tree: TreeId,
    /// Content of the patch.
    pub(crate) text: Vec<u8>,
}

impl PatchClaim<'_> {
    /// Writes the patch and verifies it.
    ///
    /// # Errors
    /// [`Problem::NotReproduced`] if the clean checkout gives another verdict.
    pub(crate) fn write_and_verify(
        &self,
        store: &ObjectStore,
        oracle: &SymptomOracle<'_>,
    ) -> Result<WrittenPatch> {
        let patch = self.write(store, oracle)?;
        self.verify(oracle)?;
        Ok(patch)
    }

    /// Writes the patch without verifying it.
    pub(crate) fn write(
        &self,
        store: &ObjectStore,
        oracle: &SymptomOracle<'_>,
    ) -> Result<WrittenPatch> {
        let (changes, text) = diff_to_original(self.from, &self.tree, store)?;
        oracle.run_log.folder.write_file(&self.file, &text)?;
        let result = PatchResult {
            tokens: count_changed_tokens(&changes),
            hunks: self.hunks,
            components: self.components,
            files: changes.iter().filter_map(FileChange::path).map(ToString::to_string).collect(),
            patch: self.file.clone(),
            minimal: self.is_minimal,
            commits: self.commits.iter().map(|commit| commit.id.0.clone()).collect(),
            component_ids: self.component_numbers.clone(),
        };
        Ok(WrittenPatch { result, tree: self.tree.clone(), text })
    }

    fn verify(&self, oracle: &SymptomOracle<'_>) -> Result<()> {
        let patch = oracle.run_log.folder.path().join(&self.file);
        let clean_checkout = CleanCheckout {
            description: format!("{} on a clean checkout", self.file),
            from: self.from,
            patch: Some(&patch),
            tree: &self.tree,
            limits: oracle.limits.clone(),
            earlier_outcome: None,
            accepts_cached: false,
        };
        let Judgement { verdict, outcome, left_out, .. } =
            clean_checkout.judge_clean_build(oracle)?;
        if verdict == self.verdict {
            return self.note_broken_tests(&left_out, oracle);
        }
        // An unverified patch is deleted.
        drop(std::fs::remove_file(patch));
        let output = outcome.map(|outcome| outcome.text()).unwrap_or_default();
        let is_flaky = !matches!(verdict, Verdict::Unresolved(_));
        Err(Problem::NotReproduced { what: self.file.clone(), output, is_flaky })
    }

    /// Notes test code that compiles without the patch and not with it.
    fn note_broken_tests(
        &self,
        left_out: &BTreeSet<String>,
        oracle: &SymptomOracle<'_>,
    ) -> Result<()> {
        if left_out.is_empty() {
            return Ok(());
        }
        let (tree, head) = (&self.from.overlaid_tree, self.from.commit_id());
        let unpatched = oracle.executor.execute(tree, head, 0, &oracle.limits)?.execution;
        let broken: Vec<String> =
            left_out.difference(&unpatched.adaptation.left_out).cloned().collect();
        if broken.is_empty() {
            return Ok(());
        }
        let note =
            format!("test code that does not compile with {}: {}", self.file, broken.join(", "));
        oracle.run_log.note_unchecked(note)
    }
}

/// Patched version to test from scratch.
pub(crate) struct CleanCheckout<'a> {
    pub(crate) description: String,
    /// Version to check out.
    pub(crate) from: &'a ResolvedVersion,
    /// Patch for `git apply`; `None` if the version already contains the change.
    pub(crate) patch: Option<&'a Path>,
    /// Patched tree.
    pub(crate) tree: &'a TreeId,
    /// Time limits.
    pub(crate) limits: Limits,
    /// Earlier outcome of the same tree.
    pub(crate) earlier_outcome: Option<&'a Outcome>,
    /// True if the cached result of an earlier run suffices.
    pub(crate) accepts_cached: bool,
}

impl CleanCheckout<'_> {
    /// Builds the patched version from scratch and tests it in a fresh JVM, with repetitions if requested.
    pub(crate) fn judge_clean_build(&self, oracle: &SymptomOracle<'_>) -> Result<Judgement> {
        oracle.run_log.emit(ProgressEvent::TrialStarted {
            description: self.description.clone(),
            remaining: Some(1),
            slow_hint: Some("slow because a clean checkout is built from scratch".to_owned()),
        })?;
        let mut cost = TrialCost { is_cached: true, ..TrialCost::default() };
        let (mut left_out, mut outcome) = (BTreeSet::new(), None);
        let verdict = oracle.repetition.verdict(&mut |repetition| {
            let CachedExecution { execution, is_cached: cached } =
                self.execute(oracle, repetition)?;
            if !cached {
                cost.milliseconds += TrialCost::from_execution(&execution).milliseconds;
            }
            cost.is_cached &= cached;
            cost.runs += 1;
            let accepted_outcome = oracle.accept_outcome(&execution)?;
            left_out = execution.adaptation.left_out;
            oracle.judge_outcome(outcome.insert(accepted_outcome))
        })?;
        oracle.run_log.record_trial(self.tree, self.description.as_str().into(), verdict, cost)?;
        let (compile_errors, seconds) = (Vec::new(), cost.seconds());
        Ok(Judgement { verdict, outcome, left_out, compile_errors, seconds })
    }

    fn execute(&self, oracle: &SymptomOracle<'_>, repetition: u32) -> Result<CachedExecution> {
        let (executor, limits) = (&oracle.executor, &self.limits);
        if self.accepts_cached
            && let Some(execution) =
                executor.cached_clean_execution(self.tree, repetition, limits)?
        {
            return Ok(CachedExecution { execution, is_cached: true });
        }
        let (tree, head) = (&self.from.overlaid_tree, self.from.commit_id());
        let execution = executor.clean_execution(
            tree,
            head,
            limits,
            self.earlier_outcome,
            |scratch| match self.patch.map(|patch| scratch.apply(patch)).transpose()? {
                None | Some(ApplyStatus::Applied) => Ok(()),
                Some(ApplyStatus::Rejected { reason }) => {
                    Err(anyhow!("git apply rejected our own patch: {reason}").into())
                }
            },
        )?;
        executor.cache_clean_execution(self.tree, repetition, limits, &execution)?;
        Ok(CachedExecution { execution, is_cached: false })
    }
}

/// Returns the changes from a version to a tree, and the equivalent patch for the version with its own tests.
pub(crate) fn diff_to_original(
    from: &ResolvedVersion,
    tree: &TreeId,
    store: &ObjectStore,
) -> Result<(Vec<FileChange>, Vec<u8>)> {
    let changes = store.diff_trees(&from.overlaid_tree, tree)?;
    let to = store.write_tree(&TreeEdit {
        base: from.original_tree.clone(),
        changes: to_tree_edits(&changes),
    })?;
    let patch = store.write_patch(&from.original_tree, &to)?;
    Ok((changes, patch))
}

/// Applies a patch to a version. Tests that the patch does not change have the content of bad.
pub(crate) fn apply_patch(
    patch: &Path,
    version: &ResolvedVersion,
    store: &ObjectStore,
) -> Result<ApplyResult> {
    let applied = match store.apply(&version.original_tree, patch)? {
        ApplyResult::Tree(applied) => applied,
        refused @ ApplyResult::Rejected(_) => return Ok(refused),
    };
    let changes = to_tree_edits(&store.diff_trees(&version.original_tree, &applied)?);
    store
        .write_tree(&TreeEdit { base: version.overlaid_tree.clone(), changes })
        .map(ApplyResult::Tree)
}

/// Converts changed files to the edits of a tree.
fn to_tree_edits(changes: &[FileChange]) -> BTreeMap<RepoPath, Option<mend_model::FileState>> {
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
