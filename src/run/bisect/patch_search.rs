//! Finds the patches of a run: the minimal culprits, and the fix for bad.

use crate::run::bisect::change_search::{ChangeSearch, MinimisedChange, announce_search};
use crate::run::bisect::commit_range::ContributingCommits;
use crate::run::bisect::minimisation_scope::MinimisationScope;
use crate::run::bisect::result::{Bisected, BisectionProgress};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::patch::verification::{PatchClaim, WrittenPatch};
use crate::run::session::request::BisectRequest;
use crate::run::session::versions::{ResolvedVersion, VersionPair};
use crate::run::session::{PreparedRun, Session};
use mend_git::{Commit, ObjectStore};
use mend_model::{Phase, ProgressEvent, RepoPath, Result, TreeId, Verdict};
use mend_search::{MinimisationGoal, Minimiser, SearchLimits};
use std::collections::BTreeSet;

/// Finds, verifies and writes the patches of a scope.
pub(crate) struct PatchSearch<'a> {
    pub(crate) request: &'a BisectRequest,
    pub(crate) session: &'a Session<'a>,
    pub(crate) setup: &'a SearchSetup<'a>,
    pub(crate) scope: &'a MinimisationScope,
    pub(crate) progress: &'a BisectionProgress<'a>,
}

/// Role of a patch: culprit or fix.
#[derive(Clone, Copy)]
enum PatchRole {
    /// Change that breaks good, with its number from 1.
    Culprit(usize),
    Fix,
}

impl PatchRole {
    fn goal(self) -> MinimisationGoal {
        match self {
            Self::Culprit(_) => MinimisationGoal::Culprit,
            Self::Fix => MinimisationGoal::Fix,
        }
    }

    fn file_name(self) -> String {
        match self {
            Self::Culprit(1) => "culprit.patch".to_owned(),
            Self::Culprit(number) => format!("culprit-{number}.patch"),
            Self::Fix => "fix.patch".to_owned(),
        }
    }

    /// Adds a patch to the result.
    fn add_to(self, mut found: Bisected, patch: WrittenPatch) -> Bisected {
        match self {
            Self::Culprit(_) => found.culprits.push(patch.result),
            Self::Fix => found.fix = Some(patch),
        }
        found
    }
}

impl PatchSearch<'_> {
    /// Finds all requested patches, and adds them to the result so far.
    pub(crate) fn find_all(&self, so_far: Bisected) -> Result<Bisected> {
        let Self {
            request,
            session,
            setup: ready,
            scope: MinimisationScope { base, target, commit_range: lineage, .. },
            progress,
        } = self;
        let run_log = &session.run_log;
        let change =
            ready.change_search(VersionPair { base, target }, lineage.as_ref(), session.subject)?;
        let change = change.write_delta()?;
        announce_search(&ready.oracle, &change.size(), &base.label, &target.label)?;
        let mut minimised = Bisected { delta: Some(change.size()), ..so_far };
        minimised.summary.extend([ready.oracle.symptom.current().describe()]);
        minimised.summary.extend(self.scope.earlier_breaks.iter().map(describe_earlier_break));
        progress(&minimised)?;
        let mut minimiser = self.minimiser(&change)?;
        if request.goal.wants_culprit() {
            run_log.emit(ProgressEvent::Stage("searching for the minimal culprit".to_owned()))?;
            let culprit = change.minimise(&mut minimiser, MinimisationGoal::Culprit)?;
            minimised =
                self.verify_and_record(minimised, PatchRole::Culprit(1), base, culprit, &change)?;
            minimised = self.check_revert_of_blamed(minimised)?;
            if request.finds_all_culprits {
                minimised = self.other_culprits(minimised, &change, &mut minimiser)?;
            }
        }
        if request.goal.wants_fix() {
            run_log.emit(ProgressEvent::Stage("searching for the minimal fix".to_owned()))?;
            let fix = change.minimise(&mut minimiser, MinimisationGoal::Fix)?;
            let fix = self.require_complete(&minimised, PatchRole::Fix, target, fix, &change)?;
            minimised = self.port_fix_to_bad(minimised, fix)?;
        }
        minimised.summary.extend(ready.oracle.repetition.summary());
        session.leave_unselected_tests()?;
        Ok(Bisected { is_verified: true, ..minimised })
    }

    /// Reverts the culprit commit on top of bad, if only the minimal culprit has shown which commit it is.
    fn check_revert_of_blamed(&self, mut found: Bisected) -> Result<Bisected> {
        let Self { request, session, setup, progress, .. } = self;
        let blamed = found.culprit_commit.as_ref().filter(|_| found.revert.is_none());
        if let (Some(commit), Some(history)) = (blamed, setup.commit_bisection(request, session))
            && let Some(change) = history.change_of_commit(commit)?
        {
            found.revert = Some(history.check_revert(&change, &setup.prepared.bad)?);
            progress(&found)?;
        }
        Ok(found)
    }

    fn store(&self) -> &ObjectStore {
        &self.setup.prepared.store
    }

    fn minimiser(&self, change: &ChangeSearch<'_>) -> Result<Minimiser> {
        let interrupt = self.session.context.interrupt.clone();
        change.minimiser(SearchLimits { interrupt, max_tests: None })
    }

    /// Finds all further culprits: first in the searched change, then in the later changes.
    fn other_culprits(
        &self,
        minimised: Bisected,
        change: &ChangeSearch<'_>,
        minimiser: &mut Minimiser,
    ) -> Result<Bisected> {
        let Self { request, session, setup: ready, scope, .. } = self;
        let base = &scope.base;
        session.run_log.emit(ProgressEvent::Stage("searching for further culprits".to_owned()))?;
        let minimised = self.emit_further_culprits(minimised, change, minimiser)?;
        let Some(bad_without_culprits) =
            self.bad_without_culprits(&change.without_culprits(minimiser)?)?
        else {
            return Ok(minimised);
        };
        let history = ready.commit_bisection(request, session);
        let lineage = history
            .map(|history| history.commit_range(base, &bad_without_culprits))
            .transpose()?
            .flatten();
        let ends = VersionPair { base, target: &bad_without_culprits };
        let change = ready.change_search(ends, lineage.as_ref(), session.subject)?;
        announce_search(&ready.oracle, &change.size(), &base.label, &bad_without_culprits.label)?;
        let mut minimiser = self.minimiser(&change)?;
        let role = PatchRole::Culprit(minimised.culprits.len() + 1);
        let culprit = change.minimise(&mut minimiser, MinimisationGoal::Culprit)?;
        let minimised = self.verify_and_record(minimised, role, base, culprit, &change)?;
        self.emit_further_culprits(minimised, &change, &mut minimiser)
    }

    /// Finds all further culprits of a change.
    fn emit_further_culprits(
        &self,
        mut minimised: Bisected,
        change: &ChangeSearch<'_>,
        minimiser: &mut Minimiser,
    ) -> Result<Bisected> {
        while let Some(culprit) = change.find_next_culprit(minimiser)? {
            let role = PatchRole::Culprit(minimised.culprits.len() + 1);
            minimised =
                self.verify_and_record(minimised, role, &self.scope.base, culprit, change)?;
        }
        Ok(minimised)
    }

    /// Returns bad without the culprits of an earlier change, created by a three-way merge. Returns `None` if it does
    /// not fail any more.
    fn bad_without_culprits(
        &self,
        target_without_culprits: &TreeId,
    ) -> Result<Option<ResolvedVersion>> {
        let (bad, target) = (&self.setup.prepared.bad, &self.scope.target);
        if target.overlaid_tree == bad.overlaid_tree {
            return Ok(None);
        }
        let note_unknown = |reason: &str| {
            let note = format!("further culprits after {}: {reason}", target.label);
            self.session.run_log.note_unchecked(note).map(|()| None)
        };
        let Some(tree) = self.store().merge(
            &target.overlaid_tree,
            &bad.overlaid_tree,
            target_without_culprits,
        )?
        else {
            return note_unknown("reverting the culprits found conflicts with bad");
        };
        let label = format!("{} without the culprits found", bad.label);
        match self.setup.oracle.verdict(&tree, bad.commit_id(), label.as_str(), None)? {
            Verdict::Fail => {
                let original = tree.clone();
                Ok(Some(ResolvedVersion {
                    label,
                    commit: bad.commit.clone(),
                    original_tree: original,
                    overlaid_tree: tree,
                }))
            }
            Verdict::Pass => Ok(None),
            Verdict::Unresolved(_) | Verdict::Flaky => {
                note_unknown("bad without the culprits found gives no verdict")
            }
        }
    }

    /// Ports the fix from the culprit commit to bad by a three-way merge, and verifies it there. If that does not work,
    /// searches for a fix in the whole change.
    fn port_fix_to_bad(&self, minimised: Bisected, fix: MinimisedChange) -> Result<Bisected> {
        let Self { session, setup: ready, scope, .. } = self;
        let MinimisationScope { base, target, .. } = scope;
        let PreparedRun { bad, store, .. } = ready.prepared;
        let fix = fix.with_culprit(scope.culprit.as_ref());
        if target.overlaid_tree == bad.overlaid_tree {
            return self.verify_patch(minimised, PatchRole::Fix, bad, &fix);
        }
        if let Some(merged) = store.merge(&target.overlaid_tree, &bad.overlaid_tree, &fix.tree)? {
            let description = "the fix on top of bad";
            let verdict = ready.oracle.verdict(&merged, bad.commit_id(), description, Some(1))?;
            if verdict == Verdict::Pass {
                let fix = MinimisedChange { tree: merged, ..fix };
                return self.verify_patch(minimised, PatchRole::Fix, bad, &fix);
            }
        }
        session.run_log.emit(ProgressEvent::Stage(format!(
            "the fix does not work on {}; searching {}..{} for another one",
            bad.label, base.label, bad.label
        )))?;
        let history = ready.commit_bisection(self.request, session);
        let lineage = history.map(|history| history.commit_range(base, bad)).transpose()?.flatten();
        let ends = VersionPair { base, target: bad };
        let change = ready.change_search(ends, None, session.subject)?;
        // A whole commit would be a larger fix than necessary.
        let change = change.with_blame(lineage.as_ref());
        let fix = change.minimise(&mut self.minimiser(&change)?, MinimisationGoal::Fix)?;
        self.verify_and_record(minimised, PatchRole::Fix, bad, fix, &change)
    }

    /// Verifies the result of a search in `change`, and adds it to the result so far. `from` is the version that the
    /// patch applies to.
    fn verify_and_record(
        &self,
        found: Bisected,
        role: PatchRole,
        from: &ResolvedVersion,
        minimised: MinimisedChange,
        change: &ChangeSearch<'_>,
    ) -> Result<Bisected> {
        let minimised = self.require_complete(&found, role, from, minimised, change)?;
        self.verify_patch(found, role, from, &minimised)
    }

    fn verify_patch(
        &self,
        found: Bisected,
        role: PatchRole,
        from: &ResolvedVersion,
        minimised: &MinimisedChange,
    ) -> Result<Bisected> {
        let authors = self.contributing_commits(role, minimised);
        let commits = authors.commits.clone();
        let claim = PatchClaim { commits, ..to_patch_claim(role, from, minimised) };
        let patch = claim.write_and_verify(self.store(), &self.setup.oracle)?;
        let mut found = role.add_to(found, patch);
        if let (PatchRole::Culprit(1), None) = (role, &self.scope.culprit) {
            found.blame(&authors.commits);
        }
        found.summary.extend(search_remarks(role, minimised));
        found.summary.extend(self.describe_origin(role, &authors));
        (self.progress)(&found)?;
        Ok(found)
    }

    /// Returns the commits that contributed to a culprit.
    fn contributing_commits(
        &self,
        role: PatchRole,
        minimised: &MinimisedChange,
    ) -> ContributingCommits {
        match (role, &self.scope.culprit) {
            (PatchRole::Culprit(_), Some(commit))
                if minimised.contributing_commits.commits.is_empty() =>
            {
                ContributingCommits {
                    commits: vec![commit.clone()],
                    dependency_commits: Vec::new(),
                }
            }
            _ => minimised.contributing_commits.clone(),
        }
    }

    /// Describes the commits that introduced a culprit, unless the culprit commit is already reported.
    fn describe_origin(&self, role: PatchRole, authors: &ContributingCommits) -> Option<String> {
        let subject = match role {
            PatchRole::Culprit(1) if self.scope.culprit.is_none() => "the culprit".to_owned(),
            PatchRole::Culprit(number) if number > 1 => role.file_name(),
            PatchRole::Culprit(_) | PatchRole::Fix => return None,
        };
        authors.describe_origin(&subject, |commit| match self.scope.skipped.get(commit)?.phase() {
            Some(Phase::NotCompiled) => Some("cannot be built alone"),
            Some(Phase::TestsNotCompiled) => Some("lacks what the tests need"),
            _ => Some("could not be tested alone"),
        })
    }

    /// Returns a change whose search completed. For an interrupted search, adds the incomplete change as an unverified
    /// patch and returns the reason for the early end.
    fn require_complete(
        &self,
        found: &Bisected,
        role: PatchRole,
        from: &ResolvedVersion,
        minimised: MinimisedChange,
        change: &ChangeSearch<'_>,
    ) -> Result<MinimisedChange> {
        if !minimised.is_interrupted {
            return Ok(minimised);
        }
        if minimised.components < change.size().components {
            let claim = to_patch_claim(role, from, &minimised);
            let patch = claim.write(self.store(), &self.setup.oracle)?;
            let location = format!("a clean checkout of {}", from.label);
            let run_log = &self.session.run_log;
            let end = self.setup.oracle.early_end_reason();
            run_log.note_unchecked(format!("{} on {location}: {end}", claim.file))?;
            (self.progress)(&role.add_to(found.clone(), patch))?;
        }
        Err(self.setup.oracle.early_end_reason())
    }
}

fn describe_earlier_break(commit: &Commit) -> String {
    format!("{} {} broke the test too, but was repaired", commit.id.short(), commit.summary)
}

/// Returns remarks on a search: components that fail only together, and verdicts that are not monotone.
fn search_remarks(role: PatchRole, minimised: &MinimisedChange) -> Vec<String> {
    let mut remarks = Vec::new();
    let number = minimised.joint_files.len();
    if number > 1 {
        let files = list_files(&minimised.joint_files);
        remarks.push(match role {
            PatchRole::Culprit(1) => {
                format!("{number} changes {files} break the test only together")
            }
            PatchRole::Culprit(_) => {
                let file = role.file_name();
                format!("{file}: {number} changes {files} break the test only together")
            }
            PatchRole::Fix => {
                format!("the fix reverts {number} changes {files}; none of them is enough alone")
            }
        });
    }
    if !minimised.is_monotone {
        remarks.push(
            "test results are not monotonic (some changes fail together, but pass with more changes): there may be other minimal culprits"
                .to_owned(),
        );
    }
    remarks
}

/// Maximum number of files that are listed by name.
const MAX_NAMED_FILES: usize = 3;

/// Lists the files of some components.
fn list_files(paths: &[RepoPath]) -> String {
    let paths: BTreeSet<String> = paths.iter().map(ToString::to_string).collect();
    let paths: Vec<String> = paths.into_iter().collect();
    match &paths[..] {
        many if many.len() > MAX_NAMED_FILES => format!("in {} files", many.len()),
        [before @ .., last] if !before.is_empty() => {
            format!("in {} and {last}", before.join(", "))
        }
        one => format!("in {}", one.concat()),
    }
}

fn to_patch_claim<'a>(
    role: PatchRole,
    from: &'a ResolvedVersion,
    minimised: &MinimisedChange,
) -> PatchClaim<'a> {
    PatchClaim {
        file: role.file_name(),
        from,
        tree: minimised.tree.clone(),
        verdict: role.goal().interesting_verdict(),
        hunks: minimised.hunks,
        components: minimised.components,
        is_minimal: minimised.is_minimal,
        commits: Vec::new(),
        component_numbers: minimised.component_numbers.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_once_and_counted_if_many() {
        let text = |paths: &[&str]| {
            list_files(&paths.iter().map(|path| (*path).into()).collect::<Vec<_>>())
        };
        assert_eq!(text(&["a", "a"]), "in a");
        assert_eq!(text(&["b", "a", "c", "a"]), "in a, b and c");
        assert_eq!(text(&["a", "b", "c", "d"]), "in 4 files");
    }
}
