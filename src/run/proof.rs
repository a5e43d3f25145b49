//! What is emitted has been applied to a clean checkout, built from scratch and tested.

use super::judge::Judge;
use super::ledger::Effort;
use super::versions::Version;
use crate::delta::change_tokens;
use crate::engine::Execution;
use crate::git::{Commit, Store};
use crate::model::{Event, FileChange, Problem, RepoPath, Result, TreeEdit, TreeId, Verdict};
use crate::report::PatchResult;
use crate::trial::Applied;
use anyhow::anyhow;
use std::collections::BTreeMap;
use std::path::Path;

/// What a search has to say about a patch.
pub(super) struct Claim<'a> {
    /// The file in the run folder.
    pub(super) file: String,
    /// The version it is meant for.
    pub(super) from: &'a Version,
    /// What it makes of that version, with bad's tests.
    pub(super) tree: TreeId,
    /// The verdict that it makes.
    pub(super) verdict: Verdict,
    pub(super) hunks: usize,
    pub(super) components: usize,
    pub(super) minimal: bool,
    /// Who brought it, where that is known.
    pub(super) commits: Vec<Commit>,
}

impl Claim<'_> {
    /// Writes the patch and proves it.
    ///
    /// # Errors
    /// [`Problem::NotConfirmed`] if the clean checkout says otherwise.
    pub(super) fn emit(&self, store: &Store, judge: &Judge) -> Result<PatchResult> {
        let patch = self.write(store, judge)?;
        self.prove(judge)?;
        Ok(patch)
    }

    /// Writes the patch, unproved.
    pub(super) fn write(&self, store: &Store, judge: &Judge) -> Result<PatchResult> {
        let changes = store.changes(&self.from.tree, &self.tree)?;
        let to = store
            .write(&TreeEdit { base: self.from.original.clone(), changes: edits(&changes) })?;
        let folder = &judge.ledger.folder;
        folder.write(&self.file, &store.patch(&self.from.original, &to)?)?;
        Ok(PatchResult {
            tokens: change_tokens(&changes),
            hunks: self.hunks,
            components: self.components,
            files: changes.iter().filter_map(FileChange::path).map(ToString::to_string).collect(),
            patch: self.file.clone(),
            minimal: self.minimal,
            commits: self.commits.iter().map(|commit| commit.id.0.clone()).collect(),
        })
    }

    fn prove(&self, judge: &Judge) -> Result<()> {
        let what = format!("{} on a clean checkout", self.file);
        judge.ledger.tell(Event::Trying { what: what.clone(), left: Some(1) })?;
        let patch = judge.ledger.folder.path().join(&self.file);
        let (mut effort, mut output) = (Effort::default(), String::new());
        let verdict = judge.repetition.verdict(&mut |_| {
            let execution = self.clean_execution(judge, &patch)?;
            effort.milliseconds += Effort::of(&execution).milliseconds;
            effort.runs += 1;
            output = execution.outcome.text();
            Ok(judge.verdict_of(&execution.outcome))
        })?;
        judge.ledger.judged(&self.tree, &what, verdict, effort)?;
        if verdict == self.verdict {
            return Ok(());
        }
        // A patch that is not proved is not left lying about.
        drop(std::fs::remove_file(patch));
        Err(Problem::NotConfirmed { what: self.file.clone(), output })
    }

    fn clean_execution(&self, judge: &Judge, patch: &Path) -> Result<Execution> {
        let Version { tree, .. } = self.from;
        judge.bench.clean_execution(tree, self.from.commit_id(), &judge.limits, |scratch| {
            match scratch.apply(patch)? {
                Applied::Whole => Ok(()),
                Applied::Refused { reason } => {
                    Err(anyhow!("git apply refused our own patch: {reason}").into())
                }
            }
        })
    }
}

/// Changes of files as an edit of a tree.
pub(super) fn edits(changes: &[FileChange]) -> BTreeMap<RepoPath, Option<crate::model::FileState>> {
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
