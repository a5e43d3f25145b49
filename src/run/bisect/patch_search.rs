//! The patches of a run: the minimal culprits, and the fix for bad.

use crate::run::bisect::change_search::{ChangeSearch, MinimisedChange, announce};
use crate::run::bisect::commit_range::ContributingCommits;
use crate::run::bisect::minimisation_scope::MinimisationScope;
use crate::run::bisect::result::{Bisected, BisectionProgress};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::patch::verification::{PatchClaim, WrittenPatch};
use crate::run::session::request::BisectRequest;
use crate::run::session::versions::{ResolvedVersion, VersionPair};
use crate::run::session::{PreparedRun, Session};
use mend_git::ObjectStore;
use mend_model::{Phase, ProgressEvent, RepoPath, Result, TreeId, Verdict};
use mend_search::{MinimisationGoal, Minimiser, SearchLimits};
use std::collections::BTreeSet;

/// Finds, verifies and writes patches in a scope.
pub(crate) struct PatchSearch<'a> {
    pub(crate) request: &'a BisectRequest,
    pub(crate) session: &'a Session<'a>,
    pub(crate) ready: &'a SearchSetup<'a>,
    pub(crate) scope: &'a MinimisationScope,
    pub(crate) progress: &'a BisectionProgress<'a>,
}

/// Role of a patch: culprit or fix.
#[derive(Clone, Copy)]
enum PatchRole {
    /// The first, second, … change that breaks good.
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

    fn file(self) -> String {
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
            ready,
            scope: MinimisationScope { base, target, lineage, .. },
            progress,
        } = self;
        let ledger = &session.ledger;
        let change =
            ready.change(VersionPair { base, target }, lineage.as_ref(), session.subject)?;
        let change = change.written()?;
        announce(&ready.judge, &change.size(), &base.label, &target.label)?;
        let mut found = Bisected { delta: Some(change.size()), ..so_far };
        found.summary.extend([ready.judge.symptom.describe()]);
        progress(&found)?;
        let mut minimiser = self.minimiser(&change)?;
        if request.goal.wants_culprit() {
            ledger.emit(ProgressEvent::Stage("searching for the minimal culprit".to_owned()))?;
            let culprit = change.minimise(&mut minimiser, MinimisationGoal::Culprit)?;
            found = self.emit(found, PatchRole::Culprit(1), base, culprit, &change)?;
            if request.all {
                found = self.other_culprits(found, &change, &mut minimiser)?;
            }
        }
        if request.goal.wants_fix() {
            ledger.emit(ProgressEvent::Stage("searching for the minimal fix".to_owned()))?;
            let fix = change.minimise(&mut minimiser, MinimisationGoal::Fix)?;
            let fix = self.completed(&found, PatchRole::Fix, target, fix, &change)?;
            found = self.carry_over(found, &fix)?;
        }
        found.summary.extend(ready.judge.repetition.remark());
        ledger.leave_unchecked("tests not selected with --test")?;
        Ok(Bisected { is_verified: true, ..found })
    }

    fn store(&self) -> &ObjectStore {
        &self.ready.prepared.store
    }

    fn minimiser(&self, change: &ChangeSearch<'_>) -> Result<Minimiser> {
        let interrupt = self.session.context.interrupt.clone();
        change.minimiser(SearchLimits { interrupt, max_tests: None })
    }

    /// Finds every other culprit: first in the searched change, then in the later changes.
    fn other_culprits(
        &self,
        found: Bisected,
        change: &ChangeSearch<'_>,
        minimiser: &mut Minimiser,
    ) -> Result<Bisected> {
        let Self { request, session, ready, scope, .. } = self;
        let base = &scope.base;
        session.ledger.emit(ProgressEvent::Stage("searching for further culprits".to_owned()))?;
        let found = self.further(found, change, minimiser)?;
        let Some(later) = self.bad_without_culprits(&change.without_culprits(minimiser)?)? else {
            return Ok(found);
        };
        let history = ready.history(request, session);
        let lineage = history.map(|history| history.lineage(base, &later)).transpose()?.flatten();
        let ends = VersionPair { base, target: &later };
        let change = ready.change(ends, lineage.as_ref(), session.subject)?;
        announce(&ready.judge, &change.size(), &base.label, &later.label)?;
        let mut minimiser = self.minimiser(&change)?;
        let role = PatchRole::Culprit(found.culprits.len() + 1);
        let culprit = change.minimise(&mut minimiser, MinimisationGoal::Culprit)?;
        let found = self.emit(found, role, base, culprit, &change)?;
        self.further(found, &change, &mut minimiser)
    }

    /// Finds every further culprit of a change.
    fn further(
        &self,
        mut found: Bisected,
        change: &ChangeSearch<'_>,
        minimiser: &mut Minimiser,
    ) -> Result<Bisected> {
        while let Some(culprit) = change.further(minimiser)? {
            let role = PatchRole::Culprit(found.culprits.len() + 1);
            found = self.emit(found, role, &self.scope.base, culprit, change)?;
        }
        Ok(found)
    }

    /// Returns bad without the culprits of an earlier change, merged from the end of that change without them; `None`
    /// unless it still fails.
    fn bad_without_culprits(&self, rest: &TreeId) -> Result<Option<ResolvedVersion>> {
        let (bad, target) = (&self.ready.prepared.bad, &self.scope.target);
        if target.tree == bad.tree {
            return Ok(None);
        }
        let unknown = |reason: &str| {
            let what = format!("further culprits after {}: {reason}", target.label);
            self.session.ledger.note(what).map(|()| None)
        };
        let Some(tree) = self.store().merge(&target.tree, &bad.tree, rest)? else {
            return unknown("reverting the culprits found conflicts with bad");
        };
        let label = format!("{} without the culprits found", bad.label);
        match self.ready.judge.verdict(&tree, bad.commit_id(), label.as_str(), None)? {
            Verdict::Fail => {
                let original = tree.clone();
                Ok(Some(ResolvedVersion { label, commit: bad.commit.clone(), original, tree }))
            }
            Verdict::Pass => Ok(None),
            Verdict::Unresolved(_) | Verdict::Flaky => {
                unknown("bad without the culprits found gives no verdict")
            }
        }
    }

    /// Carries the fix from the commit that broke it over to bad, and emits it there.
    fn carry_over(&self, found: Bisected, fix: &MinimisedChange) -> Result<Bisected> {
        let Self { session, ready, scope: MinimisationScope { base, target, .. }, .. } = self;
        let PreparedRun { bad, store, .. } = ready.prepared;
        if target.tree == bad.tree {
            return self.prove(found, PatchRole::Fix, bad, fix);
        }
        if let Some(merged) = store.merge(&target.tree, &bad.tree, &fix.tree)? {
            let what = "the fix on top of bad";
            let verdict = ready.judge.verdict(&merged, bad.commit_id(), what, Some(1))?;
            if verdict == Verdict::Pass {
                let fix = MinimisedChange { tree: merged, ..fix.clone() };
                return self.prove(found, PatchRole::Fix, bad, &fix);
            }
        }
        session.ledger.emit(ProgressEvent::Stage(format!(
            "the fix does not work on {}; searching {}..{} for another one",
            bad.label, base.label, bad.label
        )))?;
        let change = ready.change(VersionPair { base, target: bad }, None, session.subject)?;
        let fix = change.minimise(&mut self.minimiser(&change)?, MinimisationGoal::Fix)?;
        self.emit(found, PatchRole::Fix, bad, fix, &change)
    }

    /// Verifies the result of a search in `change` for `from`, and adds it to the result so far.
    fn emit(
        &self,
        found: Bisected,
        role: PatchRole,
        from: &ResolvedVersion,
        minimised: MinimisedChange,
        change: &ChangeSearch<'_>,
    ) -> Result<Bisected> {
        let minimised = self.completed(&found, role, from, minimised, change)?;
        self.prove(found, role, from, &minimised)
    }

    fn prove(
        &self,
        found: Bisected,
        role: PatchRole,
        from: &ResolvedVersion,
        minimised: &MinimisedChange,
    ) -> Result<Bisected> {
        let authors = self.authors(role, minimised);
        let commits = authors.commits.clone();
        let claim = PatchClaim { commits, ..claim(role, from, minimised) };
        let patch = claim.emit(self.store(), &self.ready.judge)?;
        let mut found = role.add_to(found, patch);
        if let (PatchRole::Culprit(1), None) = (role, &self.scope.culprit) {
            found.blame(&authors.commits);
        }
        found.summary.extend(remarks(role, minimised));
        found.summary.extend(self.provenance(role, &authors));
        (self.progress)(&found)?;
        Ok(found)
    }

    /// Returns the commits that contributed to a culprit.
    fn authors(&self, role: PatchRole, found: &MinimisedChange) -> ContributingCommits {
        match (role, &self.scope.culprit) {
            (PatchRole::Fix, _) => ContributingCommits::default(),
            (_, Some(commit)) if found.authors.commits.is_empty() => {
                ContributingCommits { commits: vec![commit.clone()], needed: Vec::new() }
            }
            _ => found.authors.clone(),
        }
    }

    /// Describes the origin of a culprit, unless the culprit commit already does.
    fn provenance(&self, role: PatchRole, authors: &ContributingCommits) -> Option<String> {
        let what = match role {
            PatchRole::Culprit(1) if self.scope.culprit.is_none() => "the culprit".to_owned(),
            PatchRole::Culprit(number) if number > 1 => role.file(),
            PatchRole::Culprit(_) | PatchRole::Fix => return None,
        };
        authors.describe_origin(&what, |commit| match self.scope.skipped.get(commit)?.phase() {
            Some(Phase::NotCompiled) => Some("cannot be built alone"),
            _ => Some("could not be tested alone"),
        })
    }

    /// Returns a complete change. Otherwise adds the incomplete change as an unverified patch, and returns the reason
    /// for the early end.
    fn completed(
        &self,
        found: &Bisected,
        role: PatchRole,
        from: &ResolvedVersion,
        minimised: MinimisedChange,
        change: &ChangeSearch<'_>,
    ) -> Result<MinimisedChange> {
        if !minimised.interrupted {
            return Ok(minimised);
        }
        if minimised.components < change.size().components {
            let claim = claim(role, from, &minimised);
            let patch = claim.write(self.store(), &self.ready.judge)?;
            let place = format!("a clean checkout of {}", from.label);
            let ledger = &self.session.ledger;
            let end = self.ready.judge.end();
            ledger.note(format!("{} on {place}: {end}", claim.file))?;
            (self.progress)(&role.add_to(found.clone(), patch))?;
        }
        Err(self.ready.judge.end())
    }
}

/// Remarks on a search: changes that fail only together, and verdicts that are not monotone.
fn remarks(role: PatchRole, found: &MinimisedChange) -> Vec<String> {
    let mut remarks = Vec::new();
    let number = found.together.len();
    if number > 1 {
        let places = places(&found.together);
        remarks.push(match role {
            PatchRole::Culprit(1) => {
                format!("{number} changes {places} break the test only together")
            }
            PatchRole::Culprit(_) => {
                let file = role.file();
                format!("{file}: {number} changes {places} break the test only together")
            }
            PatchRole::Fix => {
                format!("the fix reverts {number} changes {places}; none of them is enough alone")
            }
        });
    }
    if !found.monotone {
        remarks.push(
            "test results are not monotonic (some changes fail together, but pass with more changes): there may be other minimal culprits"
                .to_owned(),
        );
    }
    remarks
}

/// Maximum number of files that are listed by name.
const NAMED: usize = 3;

/// Lists the files of some changes.
fn places(paths: &[RepoPath]) -> String {
    let paths: BTreeSet<String> = paths.iter().map(ToString::to_string).collect();
    let paths: Vec<String> = paths.into_iter().collect();
    match &paths[..] {
        many if many.len() > NAMED => format!("in {} files", many.len()),
        [before @ .., last] if !before.is_empty() => {
            format!("in {} and {last}", before.join(", "))
        }
        one => format!("in {}", one.concat()),
    }
}

fn claim<'a>(
    role: PatchRole,
    from: &'a ResolvedVersion,
    found: &MinimisedChange,
) -> PatchClaim<'a> {
    PatchClaim {
        file: role.file(),
        from,
        tree: found.tree.clone(),
        verdict: role.goal().interesting(),
        hunks: found.hunks,
        components: found.components,
        minimal: found.minimal,
        commits: Vec::new(),
        parts: found.parts.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_once_and_counted_where_they_are_many() {
        let text =
            |paths: &[&str]| places(&paths.iter().map(|path| (*path).into()).collect::<Vec<_>>());
        assert_eq!(text(&["a", "a"]), "in a");
        assert_eq!(text(&["b", "a", "c", "a"]), "in a, b and c");
        assert_eq!(text(&["a", "b", "c", "d"]), "in 4 files");
    }
}
