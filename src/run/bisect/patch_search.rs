//! The patches of a run: the minimal culprits, and the fix for bad.

use crate::run::bisect::change_search::{Change, Found, announce};
use crate::run::bisect::commit_range::Authors;
use crate::run::bisect::minimization_scope::Scope;
use crate::run::bisect::search_setup::Ready;
use crate::run::patch::verification::Claim;
use crate::run::session::Session;
use crate::run::session::request::Request;
use crate::run::session::versions::Version;
use mend_engine::Rung;
use mend_git::Store;
use mend_model::{Event, Phase, RepoPath, Result, TreeId, Verdict};
use mend_report::{Confirmed, PatchResult, RunResult};
use mend_search::{Goal, Limits, Minimiser};
use std::collections::BTreeSet;

/// Finds, proves and emits patches in a scope.
pub(crate) struct Patches<'a> {
    pub(crate) request: &'a Request,
    pub(crate) session: &'a Session<'a>,
    pub(crate) ready: &'a Ready,
    pub(crate) scope: &'a Scope,
    pub(crate) store: &'a Store,
}

/// What a patch is for.
#[derive(Clone, Copy)]
enum Role {
    /// The first, second, … change that breaks good.
    Culprit(usize),
    Fix,
}

impl Role {
    fn goal(self) -> Goal {
        match self {
            Self::Culprit(_) => Goal::Culprit,
            Self::Fix => Goal::Fix,
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

impl Patches<'_> {
    /// Everything that was asked for.
    pub(crate) fn all(&self) -> Result<()> {
        let Self { request, session, ready, scope: Scope { base, target, lineage, .. }, store } =
            self;
        let ledger = &session.ledger;
        let change = ready.change((base, target), lineage.as_ref(), session.subject, store)?;
        let change = change.written()?;
        announce(&ready.judge, &change.size(), &base.label, &target.label)?;
        ledger.update(|result| {
            result.delta = Some(change.size());
            result.say(ready.judge.symptom.describe());
        })?;
        let mut minimiser = self.minimiser(&change)?;
        if request.goal.wants_culprit() {
            ledger.tell(Event::Stage("searching for the minimal culprit".to_owned()))?;
            let found = change.minimise(&mut minimiser, Goal::Culprit)?;
            self.emit(Role::Culprit(1), base, found, &change)?;
            if request.all {
                self.other_culprits(&change, &mut minimiser)?;
            }
        }
        if request.goal.wants_fix() {
            ledger.tell(Event::Stage("searching for the minimal fix".to_owned()))?;
            let found = change.minimise(&mut minimiser, Goal::Fix)?;
            let found = self.completed(Role::Fix, target, found, &change)?;
            self.carry_over(&found)?;
        }
        ledger.update(|result| {
            ready.judge.repetition.remark().into_iter().for_each(|remark| result.say(remark));
            result.confirmed =
                Some(Confirmed { rung: Rung::Process.word().to_owned(), fresh_build: true });
            result.leave_unchecked("tests not selected with --test");
        })
    }

    fn minimiser(&self, change: &Change<'_>) -> Result<Minimiser> {
        let interrupt = self.session.context.interrupt.clone();
        change.minimiser(Limits { interrupt, max_tests: None })
    }

    /// Every other culprit: first in the change that was searched, then in what came after it.
    fn other_culprits(&self, change: &Change<'_>, minimiser: &mut Minimiser) -> Result<()> {
        let Self { request, session, ready, scope: Scope { base, .. }, store } = self;
        session.ledger.tell(Event::Stage("searching for further culprits".to_owned()))?;
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
        let found = change.minimise(&mut minimiser, Goal::Culprit)?;
        self.emit(Role::Culprit(number), base, found, &change)?;
        self.further(&change, &mut minimiser, number + 1)
    }

    /// Every further culprit of a change, counted from `number`.
    fn further(&self, change: &Change<'_>, minimiser: &mut Minimiser, number: usize) -> Result<()> {
        let mut roles = (number..).map(Role::Culprit);
        while let (Some(role), Some(found)) = (roles.next(), change.further(minimiser)?) {
            self.emit(role, &self.scope.base, found, change)?;
        }
        Ok(())
    }

    /// Bad without the culprits of an earlier change, given what they leave of that change's end; `None`
    /// unless it still fails.
    fn bad_without_culprits(&self, rest: &TreeId) -> Result<Option<Version>> {
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
                Ok(Some(Version { label, commit: bad.commit.clone(), original, tree }))
            }
            Verdict::Pass => Ok(None),
            Verdict::Unresolved(_) | Verdict::Flaky => {
                unknown("bad without the culprits found gives no verdict")
            }
        }
    }

    /// Carries the fix from the commit that broke it over to bad, and emits it there.
    fn carry_over(&self, found: &Found) -> Result<()> {
        let Self { session, ready, scope: Scope { base, target, .. }, store, .. } = self;
        let bad = &ready.bad;
        if target.tree == bad.tree {
            return self.prove(Role::Fix, bad, found);
        }
        if let Some(merged) = store.merge(&target.tree, &bad.tree, &found.tree)? {
            let what = "the fix on top of bad";
            let verdict = ready.judge.verdict(&merged, bad.commit_id(), what, Some(1))?;
            if verdict == Verdict::Pass {
                return self.prove(Role::Fix, bad, &Found { tree: merged, ..found.clone() });
            }
        }
        session.ledger.tell(Event::Stage(format!(
            "the fix does not work on {}; searching {}..{} for another one",
            bad.label, base.label, bad.label
        )))?;
        let change = ready.change((base, bad), None, session.subject, store)?;
        let found = change.minimise(&mut self.minimiser(&change)?, Goal::Fix)?;
        self.emit(Role::Fix, bad, found, &change)
    }

    /// Proves and enters what a search in `change` has found for `from`.
    fn emit(&self, role: Role, from: &Version, found: Found, change: &Change<'_>) -> Result<()> {
        self.prove(role, from, &self.completed(role, from, found, change)?)
    }

    fn prove(&self, role: Role, from: &Version, found: &Found) -> Result<()> {
        let authors = self.authors(role, found);
        let commits = authors.commits.clone();
        let claim = Claim { commits, ..claim(role, from, found) };
        let patch = claim.emit(self.store, &self.ready.judge)?;
        self.session.ledger.update(|result| {
            if let (Role::Culprit(1), None) = (role, &self.scope.culprit) {
                blame(result, &patch.commits);
            }
            role.enter(result, patch);
            for remark in remarks(role, found).into_iter().chain(self.provenance(role, &authors)) {
                result.say(remark);
            }
        })
    }

    /// Who brought a culprit.
    fn authors(&self, role: Role, found: &Found) -> Authors {
        match (role, &self.scope.culprit) {
            (Role::Fix, _) => Authors::default(),
            (_, Some(commit)) if found.authors.commits.is_empty() => {
                Authors { commits: vec![commit.clone()], needed: Vec::new() }
            }
            _ => found.authors.clone(),
        }
    }

    /// Where a culprit comes from, in words, unless the commit that broke it says so already.
    fn provenance(&self, role: Role, authors: &Authors) -> Option<String> {
        let what = match role {
            Role::Culprit(1) if self.scope.culprit.is_none() => "the culprit".to_owned(),
            Role::Culprit(number) if number > 1 => role.file(),
            Role::Culprit(_) | Role::Fix => return None,
        };
        authors.said(&what, |commit| match self.scope.skipped.get(commit)?.phase() {
            Some(Phase::NotCompiled) => Some("cannot be built alone"),
            _ => Some("could not be tested alone"),
        })
    }

    /// What was found, if the search came to its end. One that did not ends the run: what was found so far is
    /// kept, as a patch that is not proved.
    fn completed(
        &self,
        role: Role,
        from: &Version,
        found: Found,
        change: &Change<'_>,
    ) -> Result<Found> {
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

/// What a search has seen that one patch does not show: changes that matter only together, and answers that
/// contradict each other.
fn remarks(role: Role, found: &Found) -> Vec<String> {
    let mut remarks = Vec::new();
    let number = found.together.len();
    if number > 1 {
        let places = places(&found.together);
        remarks.push(match role {
            Role::Culprit(1) => format!("{number} changes {places} break the test only together"),
            Role::Culprit(_) => {
                let file = role.file();
                format!("{file}: {number} changes {places} break the test only together")
            }
            Role::Fix => {
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

/// Where some changes stand.
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

/// Names those who brought the culprit, if they are known, as the one that broke it or as suspects.
fn blame(result: &mut RunResult, commits: &[String]) {
    match commits {
        [] => {}
        [one] => (result.culprit_commit, result.suspects) = (Some(one.clone()), Vec::new()),
        several => result.suspects = several.to_vec(),
    }
}

fn claim<'a>(role: Role, from: &'a Version, found: &Found) -> Claim<'a> {
    Claim {
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
