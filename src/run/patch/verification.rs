//! Verification of patches: each is applied to a clean checkout, built from scratch and tested.

use crate::run::judge::executor::Known;
use crate::run::judge::{Judge, Judgement};
use crate::run::session::run_log::Effort;
use crate::run::session::versions::Version;
use anyhow::anyhow;
use mend_delta::change_tokens;
use mend_engine::Limits;
use mend_git::Applied;
use mend_git::{Commit, Patched, Store};
use mend_model::{
    Event, FileChange, Outcome, Problem, RepoPath, Result, TreeEdit, TreeId, Verdict,
};
use mend_report::PatchResult;
use std::collections::BTreeMap;
use std::path::Path;

/// What a search has to say about a patch.
pub(crate) struct Claim<'a> {
    /// The file in the run folder.
    pub(crate) file: String,
    /// The version it is meant for.
    pub(crate) from: &'a Version,
    /// What it makes of that version, with bad's tests.
    pub(crate) tree: TreeId,
    /// The verdict that it makes.
    pub(crate) verdict: Verdict,
    pub(crate) hunks: usize,
    pub(crate) components: usize,
    pub(crate) minimal: bool,
    /// Who brought it, where that is known.
    pub(crate) commits: Vec<Commit>,
    /// The numbers of its components in the change that was written down.
    pub(crate) parts: Vec<usize>,
}

impl Claim<'_> {
    /// Writes the patch and verifies it.
    ///
    /// # Errors
    /// [`Problem::NotConfirmed`] if the clean checkout says otherwise.
    pub(crate) fn emit(&self, store: &Store, judge: &Judge) -> Result<PatchResult> {
        let patch = self.write(store, judge)?;
        self.prove(judge)?;
        Ok(patch)
    }

    /// Writes the patch without verifying it.
    pub(crate) fn write(&self, store: &Store, judge: &Judge) -> Result<PatchResult> {
        let (changes, patch) = difference(self.from, &self.tree, store)?;
        judge.ledger.folder.write(&self.file, &patch)?;
        Ok(PatchResult {
            tokens: change_tokens(&changes),
            hunks: self.hunks,
            components: self.components,
            files: changes.iter().filter_map(FileChange::path).map(ToString::to_string).collect(),
            patch: self.file.clone(),
            minimal: self.minimal,
            commits: self.commits.iter().map(|commit| commit.id.0.clone()).collect(),
            component_ids: self.parts.clone(),
        })
    }

    fn prove(&self, judge: &Judge) -> Result<()> {
        let patch = judge.ledger.folder.path().join(&self.file);
        let fresh = Fresh {
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
        Err(Problem::NotConfirmed { what: self.file.clone(), output })
    }
}

/// A patched version, to be tested as a stranger would find it.
pub(crate) struct Fresh<'a> {
    pub(crate) what: String,
    /// What is checked out.
    pub(crate) from: &'a Version,
    /// What `git apply` is given there; nothing where the version has it already.
    pub(crate) patch: Option<&'a Path>,
    /// The patched tree.
    pub(crate) tree: &'a TreeId,
    /// How long it may take.
    pub(crate) limits: Limits,
    /// What came out before.
    pub(crate) before: Option<&'a Outcome>,
    /// Whether it is enough that an earlier run did the same.
    pub(crate) may_be_known: bool,
}

impl Fresh<'_> {
    /// Builds it from scratch and tests it in a fresh JVM, as often as was asked for.
    pub(crate) fn judged(&self, judge: &Judge) -> Result<Judgement> {
        judge.ledger.tell(Event::Trying {
            what: self.what.clone(),
            left: Some(1),
            if_slow: Some("slow because a clean checkout is built from scratch".to_owned()),
        })?;
        let mut effort = Effort { cached: true, ..Effort::default() };
        let mut outcome = None;
        let verdict = judge.repetition.verdict(&mut |repetition| {
            let Known { execution, cached } = self.execution(judge, repetition)?;
            if !cached {
                effort.milliseconds += Effort::of(&execution).milliseconds;
            }
            effort.cached &= cached;
            effort.runs += 1;
            Ok(judge.verdict_of(outcome.insert(execution.outcome)))
        })?;
        judge.ledger.judged(self.tree, self.what.as_str().into(), verdict, effort)?;
        Ok(Judgement { verdict, outcome, refusals: Vec::new(), seconds: effort.seconds() })
    }

    fn execution(&self, judge: &Judge, repetition: u32) -> Result<Known> {
        let (bench, limits) = (&judge.bench, &self.limits);
        if self.may_be_known
            && let Some(execution) = bench.known_clean(self.tree, repetition, limits)?
        {
            return Ok(Known { execution, cached: true });
        }
        let (tree, head) = (&self.from.tree, self.from.commit_id());
        let execution = bench.clean_execution(tree, head, (limits, self.before), |scratch| {
            match self.patch.map(|patch| scratch.apply(patch)).transpose()? {
                None | Some(Applied::Whole) => Ok(()),
                Some(Applied::Refused { reason }) => {
                    Err(anyhow!("git apply rejected our own patch: {reason}").into())
                }
            }
        })?;
        bench.remember_clean(self.tree, repetition, limits, &execution)?;
        Ok(Known { execution, cached: false })
    }
}

/// What a tree changes in a version, and the patch that does the same to the version as the user has it.
pub(crate) fn difference(
    from: &Version,
    tree: &TreeId,
    store: &Store,
) -> Result<(Vec<FileChange>, Vec<u8>)> {
    let changes = store.changes(&from.tree, tree)?;
    let to = store.write(&TreeEdit { base: from.original.clone(), changes: edits(&changes) })?;
    let patch = store.patch(&from.original, &to)?;
    Ok((changes, patch))
}

/// What a patch makes of a version, with bad's tests but for those that it changes.
pub(crate) fn patched(patch: &Path, version: &Version, store: &Store) -> Result<Patched> {
    let applied = match store.apply(&version.original, patch)? {
        Patched::Tree(applied) => applied,
        refused @ Patched::Refused(_) => return Ok(refused),
    };
    let changes = edits(&store.changes(&version.original, &applied)?);
    store.write(&TreeEdit { base: version.tree.clone(), changes }).map(Patched::Tree)
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
