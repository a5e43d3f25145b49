//! The patches of a run: the minimal culprits, and the fix for bad.

use crate::run::bisect::change_search::{ChangeSearch, MinimisedChange, announce};
use crate::run::bisect::commit_range::ContributingCommits;
use crate::run::bisect::minimisation_scope::MinimisationScope;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::patch::verification::PatchClaim;
use crate::run::session::Session;
use crate::run::session::request::BisectRequest;
use crate::run::session::versions::ResolvedVersion;
use mend_engine::ExecutionMode;
use mend_git::ObjectStore;
use mend_model::{Phase, ProgressEvent, RepoPath, Result, TreeId, Verdict};
use mend_report::{PatchResult, RunResult, Verification};
use mend_search::{MinimisationGoal, Minimiser, SearchLimits};
use std::collections::BTreeSet;

/// Finds, verifies and writes patches in a scope.
pub(crate) struct PatchSearch<'a> {
    pub(crate) request: &'a BisectRequest,
    pub(crate) session: &'a Session<'a>,
    pub(crate) ready: &'a SearchSetup,
    pub(crate) scope: &'a MinimisationScope,
    pub(crate) store: &'a ObjectStore,
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

    fn enter(self, result: &mut RunResult, patch: PatchResult) {
        match self {
            Self::Culprit(1) => result.culprit = Some(patch),
            Self::Culprit(_) => result.others.push(patch),
            Self::Fix => result.fix = Some(patch),
        }
    }
}

impl PatchSearch<'_> {
    /// Finds all requested patches.
    pub(crate) fn find_all(&self) -> Result<()> {
        let Self {
            request,
            session,
            ready,
            scope: MinimisationScope { base, target, lineage, .. },
            store,
        } = self;
        let ledger = &session.ledger;
        let change = ready.change((base, target), lineage.as_ref(), session.subject, store)?;
        let change = change.written()?;
        announce(&ready.judge, &change.size(), &base.label, &target.label)?;
        ledger.update(|result| {
            result.delta = Some(change.size());
            result.add_message(ready.judge.symptom.describe());
        })?;
        let mut minimiser = self.minimiser(&change)?;
        if request.goal.wants_culprit() {
            ledger.emit(ProgressEvent::Stage("searching for the minimal culprit".to_owned()))?;
            let found = change.minimise(&mut minimiser, MinimisationGoal::Culprit)?;
            self.emit(PatchRole::Culprit(1), base, found, &change)?;
            if request.all {
                self.other_culprits(&change, &mut minimiser)?;
            }
        }
        if request.goal.wants_fix() {
            ledger.emit(ProgressEvent::Stage("searching for the minimal fix".to_owned()))?;
            let found = change.minimise(&mut minimiser, MinimisationGoal::Fix)?;
            let found = self.completed(PatchRole::Fix, target, found, &change)?;
            self.carry_over(&found)?;
        }
        ledger.update(|result| {
            ready
                .judge
                .repetition
                .remark()
                .into_iter()
                .for_each(|remark| result.add_message(remark));
            result.confirmed = Some(Verification {
                rung: ExecutionMode::Process.word().to_owned(),
                fresh_build: true,
            });
            result.add_unchecked("tests not selected with --test");
        })
    }

    fn minimiser(&self, change: &ChangeSearch<'_>) -> Result<Minimiser> {
        let interrupt = self.session.context.interrupt.clone();
        change.minimiser(SearchLimits { interrupt, max_tests: None })
    }

    /// Finds every other culprit: first in the searched change, then in the later changes.
    fn other_culprits(&self, change: &ChangeSearch<'_>, minimiser: &mut Minimiser) -> Result<()> {
        let Self { request, session, ready, scope: MinimisationScope { base, .. }, store } = self;
        session.ledger.emit(ProgressEvent::Stage("searching for further culprits".to_owned()))?;
        self.further(change, minimiser, 2)?;
        let Some(later) = self.bad_without_culprits(&change.without_culprits(minimiser)?)? else {
            return Ok(());
        };
        let history = ready.history(request, session, store);
        let lineage = history.map(|history| history.lineage(base, &later)).transpose()?.flatten();
        let change = ready.change((base, &later), lineage.as_ref(), session.subject, store)?;
        announce(&ready.judge, &change.size(), &base.label, &later.label)?;
        let mut minimiser = self.minimiser(&change)?;
        let number = session.ledger.result().others.len() + 2;
        let found = change.minimise(&mut minimiser, MinimisationGoal::Culprit)?;
        self.emit(PatchRole::Culprit(number), base, found, &change)?;
        self.further(&change, &mut minimiser, number + 1)
    }

    /// Every further culprit of a change, counted from `number`.
    fn further(
        &self,
        change: &ChangeSearch<'_>,
        minimiser: &mut Minimiser,
        number: usize,
    ) -> Result<()> {
        let mut roles = (number..).map(PatchRole::Culprit);
        while let (Some(role), Some(found)) = (roles.next(), change.further(minimiser)?) {
            self.emit(role, &self.scope.base, found, change)?;
        }
        Ok(())
    }

    /// Returns bad without the culprits of an earlier change, merged from the end of that change without them; `None`
    /// unless it still fails.
    fn bad_without_culprits(&self, rest: &TreeId) -> Result<Option<ResolvedVersion>> {
        let (bad, target) = (&self.ready.bad, &self.scope.target);
        if target.tree == bad.tree {
            return Ok(None);
        }
        let unknown = |reason: &str| {
            let what = format!("further culprits after {}: {reason}", target.label);
            self.session.ledger.note(what).map(|()| None)
        };
        let Some(tree) = self.store.merge(&target.tree, &bad.tree, rest)? else {
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
    fn carry_over(&self, found: &MinimisedChange) -> Result<()> {
        let Self { session, ready, scope: MinimisationScope { base, target, .. }, store, .. } =
            self;
        let bad = &ready.bad;
        if target.tree == bad.tree {
            return self.prove(PatchRole::Fix, bad, found);
        }
        if let Some(merged) = store.merge(&target.tree, &bad.tree, &found.tree)? {
            let what = "the fix on top of bad";
            let verdict = ready.judge.verdict(&merged, bad.commit_id(), what, Some(1))?;
            if verdict == Verdict::Pass {
                return self.prove(
                    PatchRole::Fix,
                    bad,
                    &MinimisedChange { tree: merged, ..found.clone() },
                );
            }
        }
        session.ledger.emit(ProgressEvent::Stage(format!(
            "the fix does not work on {}; searching {}..{} for another one",
            bad.label, base.label, bad.label
        )))?;
        let change = ready.change((base, bad), None, session.subject, store)?;
        let found = change.minimise(&mut self.minimiser(&change)?, MinimisationGoal::Fix)?;
        self.emit(PatchRole::Fix, bad, found, &change)
    }

    /// Verifies and records the result of a search in `change` for `base`.
    fn emit(
        &self,
        role: PatchRole,
        from: &ResolvedVersion,
        found: MinimisedChange,
        change: &ChangeSearch<'_>,
    ) -> Result<()> {
        self.prove(role, from, &self.completed(role, from, found, change)?)
    }

    fn prove(
        &self,
        role: PatchRole,
        from: &ResolvedVersion,
        found: &MinimisedChange,
    ) -> Result<()> {
        let authors = self.authors(role, found);
        let commits = authors.commits.clone();
        let claim = PatchClaim { commits, ..claim(role, from, found) };
        let patch = claim.emit(self.store, &self.ready.judge)?;
        self.session.ledger.update(|result| {
            if let (PatchRole::Culprit(1), None) = (role, &self.scope.culprit) {
                blame(result, &patch.commits);
            }
            role.enter(result, patch);
            for remark in remarks(role, found).into_iter().chain(self.provenance(role, &authors)) {
                result.add_message(remark);
            }
        })
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

    /// Returns a complete result. Otherwise writes the incomplete result as an unverified patch, and returns the reason
    /// for the early end.
    fn completed(
        &self,
        role: PatchRole,
        from: &ResolvedVersion,
        found: MinimisedChange,
        change: &ChangeSearch<'_>,
    ) -> Result<MinimisedChange> {
        if !found.interrupted {
            return Ok(found);
        }
        if found.components < change.size().components {
            let claim = claim(role, from, &found);
            let patch = claim.write(self.store, &self.ready.judge)?;
            let place = format!("a clean checkout of {}", from.label);
            let ledger = &self.session.ledger;
            let end = self.ready.judge.end();
            ledger.note(format!("{} on {place}: {end}", claim.file))?;
            ledger.update(|result| role.enter(result, patch))?;
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

/// Records the contributing commits of the culprit, as culprit commit or as suspects.
fn blame(result: &mut RunResult, commits: &[String]) {
    match commits {
        [] => {}
        [one] => (result.culprit_commit, result.suspects) = (Some(one.clone()), Vec::new()),
        several => result.suspects = several.to_vec(),
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
