//! Result of a bisection.

use crate::run::patch::verification::WrittenPatch;
use crate::run::session::command_result::{CommandResult, verified_by_fresh_processes};
use crate::run::session::summary::Summary;
use crate::run::session::versions::ResolvedVersion;
use mend_git::Commit;
use mend_model::{CommitId, TreeId, format_count};
use mend_report::{CommitInfo, DeltaSize, PatchResult, RevertResult, RunResult, RunStatus};
use std::collections::BTreeSet;

/// Result of a bisection, complete or so far.
#[derive(Clone, Default)]
pub(crate) struct Bisected {
    /// Passing version, with the tests of bad.
    pub(crate) good: Option<ResolvedVersion>,
    /// Culprit commit, if it is certain.
    pub(crate) culprit_commit: Option<Commit>,
    /// Suspect commits, if the culprit commit is not certain.
    pub(crate) suspects: Vec<Commit>,
    /// Commits that could not be tested, by id.
    pub(crate) untestable: BTreeSet<CommitId>,
    /// Result of reverting the culprit commit on top of bad.
    pub(crate) revert: Option<RevertResult>,
    /// Size of the change that was split into components.
    pub(crate) delta: Option<DeltaSize>,
    /// Minimal culprits. The first is that of the searched change.
    pub(crate) culprits: Vec<PatchResult>,
    pub(crate) fix: Option<WrittenPatch>,
    /// Verified repair that is smaller than the fix, which reverts the culprit.
    pub(crate) repair: Option<Repair>,
    pub(crate) summary: Summary,
    /// True if all patches were verified.
    pub(crate) is_verified: bool,
}

/// Repair of bad: new code, not a revert.
#[derive(Clone)]
pub(crate) struct Repair {
    pub(crate) patch: PatchResult,
    /// Location and edit.
    pub(crate) description: String,
}

impl Repair {
    /// Describes the repair for people.
    pub(crate) fn describe(&self) -> String {
        let PatchResult { patch, tokens, .. } = &self.patch;
        format!(
            "a smaller repair passes too: {} ({}, {patch}); it is new code, not a revert",
            self.description,
            format_count(*tokens, "token"),
        )
    }
}

/// Function that receives the result of a bisection so far.
pub(crate) type BisectionProgress<'a> = dyn Fn(&Bisected) -> mend_model::Result<()> + 'a;

impl Bisected {
    /// Returns the tree of good with the tests of the search, if there is a good version.
    pub(crate) fn good_tree(&self) -> Option<&TreeId> {
        self.good.as_ref().map(|good| &good.overlaid_tree)
    }

    /// Records the commits that contributed to the culprit: a single one as culprit commit, several as suspects.
    pub(crate) fn blame(&mut self, commits: &[Commit]) {
        match commits {
            [] => {}
            [one] => (self.culprit_commit, self.suspects) = (Some(one.clone()), Vec::new()),
            several => self.suspects = several.to_vec(),
        }
    }

    /// Writes everything except the summary and the description of the culprit commit.
    pub(crate) fn write_search_to(&self, document: &mut RunResult) {
        document.culprit_commit = self.culprit_commit.as_ref().map(|commit| commit.id.0.clone());
        document.suspects = self.suspects.iter().map(|commit| commit.id.0.clone()).collect();
        document.revert = self.revert;
        document.delta.clone_from(&self.delta);
        document.culprit = self.culprits.first().cloned();
        document.others = self.culprits.iter().skip(1).cloned().collect();
        document.fix = self.fix.as_ref().map(|fix| fix.result.clone());
        document.repair = self.repair.as_ref().map(|repair| repair.patch.clone());
        document.confirmed = self.is_verified.then(|| verified_by_fresh_processes(true));
    }
}

impl CommandResult for Bisected {
    fn status(&self) -> RunStatus {
        RunStatus::Found
    }

    fn write_to(&self, document: &mut RunResult) {
        self.write_search_to(document);
        document.culprit_info = self.culprit_commit.as_ref().map(commit_info);
        self.summary.write_to(document);
    }
}

fn commit_info(commit: &Commit) -> CommitInfo {
    CommitInfo {
        short_id: commit.id.short().to_owned(),
        author: commit.author.clone(),
        date: commit.date.get(..10).unwrap_or(&commit.date).to_owned(),
        summary: commit.summary.clone(),
    }
}

/// Size of a search, for `--dry-run`.
pub(crate) struct SearchPlan {
    pub(crate) message: String,
    pub(crate) delta: DeltaSize,
    /// Command line that runs the search.
    pub(crate) command_line: String,
}

impl CommandResult for SearchPlan {
    fn status(&self) -> RunStatus {
        RunStatus::Found
    }

    fn write_to(&self, document: &mut RunResult) {
        document.message = Some(self.message.clone());
        document.delta = Some(self.delta.clone());
        document.reproduce = Some(self.command_line.clone());
    }
}
