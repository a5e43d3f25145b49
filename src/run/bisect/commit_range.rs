//! Commits between two versions, and the changes of each.

use crate::run::bisect::commit_history::CommitHistory;
use crate::run::session::versions::ResolvedVersion;
use mend_delta::{Ancestor, Delta, IntermediateVersion, JavaGranularity, ParentVersion};
use mend_git::Commit;
use mend_model::CommitId;
use mend_model::{Result, TreeId};
use std::collections::{BTreeSet, HashMap};

/// The way from one version to another.
pub(crate) struct CommitRange {
    /// Ancestors first.
    commits: Vec<Commit>,
    /// A step for each commit, and one more if the way ends at no commit.
    steps: Vec<IntermediateVersion>,
}

/// Commits that contributed to each component of a change.
pub(crate) struct ComponentBlame {
    /// Ancestors first.
    commits: Vec<Commit>,
    /// For each component, places in `commits`.
    of_component: Vec<BTreeSet<usize>>,
}

/// Commits that contributed to a part of a change.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContributingCommits {
    /// Commits that contributed to it.
    pub(crate) commits: Vec<Commit>,
    /// Other commits that contributed only to its dependencies.
    pub(crate) needed: Vec<Commit>,
}

impl CommitHistory<'_> {
    /// Returns the commits from `base` to `end`, which may be a commit with our own changes; `None` without commits.
    pub(crate) fn lineage(
        &self,
        base: &ResolvedVersion,
        end: &ResolvedVersion,
    ) -> Result<Option<CommitRange>> {
        let (Some(good), Some(bad)) = (base.commit_id(), end.commit_id()) else { return Ok(None) };
        let first_parent = self.request.first_parent;
        let commits = self.repository.range(std::slice::from_ref(good), bad, first_parent)?;
        let mut way =
            CommitRangeBuilder { history: self, base, steps: Vec::new(), places: HashMap::new() };
        for commit in &commits {
            way.go(commit)?;
        }
        way.end_at(&end.tree)?;
        let steps = way.steps;
        Ok(Some(CommitRange { commits, steps }))
    }
}

/// Builder of a commit range.
struct CommitRangeBuilder<'a> {
    history: &'a CommitHistory<'a>,
    base: &'a ResolvedVersion,
    steps: Vec<IntermediateVersion>,
    /// Steps and trees of the commits added so far.
    places: HashMap<CommitId, (usize, TreeId)>,
}

impl CommitRangeBuilder<'_> {
    fn go(&mut self, commit: &Commit) -> Result<()> {
        let tree = self.history.tree(commit)?;
        let mut parents = Vec::new();
        for id in commit.parents.iter().take(self.history.parents_that_count()) {
            parents.push(self.parent(id, &tree)?);
        }
        if parents.is_empty() {
            parents.push(self.parent_outside(&self.base.tree, &tree)?);
        }
        self.places.insert(commit.id.clone(), (self.steps.len(), tree));
        self.steps.push(IntermediateVersion { parents });
        Ok(())
    }

    fn parent(&self, id: &CommitId, tree: &TreeId) -> Result<ParentVersion> {
        if let Some((step, earlier)) = self.places.get(id) {
            let changes = self.history.store.changes(earlier, tree)?;
            return Ok(ParentVersion { ancestor: Ancestor::Intermediate(*step), changes });
        }
        let outside = self.history.repository.commit(id)?;
        self.parent_outside(&self.history.tree(&outside)?, tree)
    }

    fn parent_outside(&self, outside: &TreeId, tree: &TreeId) -> Result<ParentVersion> {
        let store = self.history.store;
        let ancestor = Ancestor::Outside(store.changes(&self.base.tree, outside)?);
        Ok(ParentVersion { ancestor, changes: store.changes(outside, tree)? })
    }

    fn end_at(&mut self, tree: &TreeId) -> Result<()> {
        let last = self.places.values().max_by_key(|(step, _)| *step);
        let Some((step, last)) = last.filter(|(_, last)| last != tree) else { return Ok(()) };
        let changes = self.history.store.changes(last, tree)?;
        let parent = ParentVersion { ancestor: Ancestor::Intermediate(*step), changes };
        self.steps.push(IntermediateVersion { parents: vec![parent] });
        Ok(())
    }
}

impl CommitRange {
    /// Finds the commits that contributed to each component of a change.
    pub(crate) fn origins(&self, delta: &Delta, mode: JavaGranularity) -> ComponentBlame {
        let brought = delta.brought_by(&self.steps, mode);
        let is_commit = |step: &usize| *step < self.commits.len();
        let of_component = delta.components().iter().map(|component| {
            let hunks = component.hunks.iter().filter(|hunk| !delta.hunks()[**hunk].is_layout);
            hunks.flat_map(|hunk| brought[*hunk].iter().copied()).filter(is_commit).collect()
        });
        ComponentBlame { of_component: of_component.collect(), commits: self.commits.clone() }
    }
}

impl ComponentBlame {
    /// Returns a number for each component that groups components by commit, in the order of history. A component of
    /// several commits belongs to the last one.
    pub(crate) fn stage(&self) -> Vec<usize> {
        let last = |commits: &BTreeSet<usize>| commits.last().map_or(0, |commit| commit + 1);
        self.of_component.iter().map(last).collect()
    }

    /// Returns the commits that introduced the components `heads`, and the other commits that introduced some of `all`:
    /// the heads and their dependencies.
    pub(crate) fn authors(
        &self,
        heads: &[usize],
        all: impl Iterator<Item = usize>,
    ) -> ContributingCommits {
        let of = |components: &mut dyn Iterator<Item = usize>| -> BTreeSet<usize> {
            components.flat_map(|one| self.of_component[one].iter().copied()).collect()
        };
        let (own, all) = (of(&mut heads.iter().copied()), of(&mut { all }));
        let commit = |place: &usize| self.commits[*place].clone();
        ContributingCommits {
            commits: own.iter().map(commit).collect(),
            needed: all.difference(&own).map(commit).collect(),
        }
    }
}

/// Maximum number of commits that are listed by name.
const NAMED: usize = 3;

impl ContributingCommits {
    /// Describes the origin of `subject`; `None` if it is unknown. `remark` describes a single commit.
    pub(crate) fn describe_origin(
        &self,
        what: &str,
        remark: impl FnOnce(&CommitId) -> Option<&'static str>,
    ) -> Option<String> {
        let remark = match &self.commits[..] {
            [] => return None,
            [one] => remark(&one.id).map(|remark| format!(", which {remark}")).unwrap_or_default(),
            _ => String::new(),
        };
        let needs = if self.needed.is_empty() {
            String::new()
        } else {
            format!("; it needs parts of {}", named(&self.needed))
        };
        Some(format!("{what} comes from {}{remark}{needs}", named(&self.commits)))
    }
}

fn named(commits: &[Commit]) -> String {
    let name = |commit: &Commit| format!("{} {}", commit.id.short(), commit.summary);
    let names: Vec<String> = commits.iter().map(name).collect();
    match &names[..] {
        many if many.len() > NAMED => format!("{} commits", many.len()),
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        one => one.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(id: &str) -> Commit {
        Commit {
            id: CommitId(id.to_owned()),
            tree: TreeId(String::new()),
            parents: Vec::new(),
            author: String::new(),
            date: String::new(),
            summary: format!("do {id}"),
        }
    }

    fn origins() -> ComponentBlame {
        let of_component = [&[0][..], &[2], &[0, 1], &[]].map(|all| all.iter().copied().collect());
        ComponentBlame {
            commits: ["a", "b", "c"].map(commit).to_vec(),
            of_component: of_component.to_vec(),
        }
    }

    #[test]
    fn what_is_needed_has_other_authors_than_what_needs_it() {
        let ids =
            |commits: &[Commit]| commits.iter().map(|one| one.id.0.clone()).collect::<Vec<_>>();
        let authors = origins().authors(&[0], [0, 1].into_iter());
        assert_eq!(
            (ids(&authors.commits), ids(&authors.needed)),
            (vec!["a".into()], vec!["c".into()])
        );
        let authors = origins().authors(&[0, 2], [0, 2].into_iter());
        assert_eq!((ids(&authors.commits).len(), ids(&authors.needed).len()), (2, 0));
    }

    #[test]
    fn components_stand_with_the_last_commit_that_brought_them() {
        assert_eq!(origins().stage(), [1, 3, 2, 0]);
    }

    #[test]
    fn authors_are_named_with_what_is_known_of_them() {
        let said = |commits: &[&str], needed: &[&str]| {
            let all = |ids: &[&str]| ids.iter().map(|id| commit(id)).collect();
            let authors = ContributingCommits { commits: all(commits), needed: all(needed) };
            authors.describe_origin("the culprit", |_| Some("cannot be built alone"))
        };
        assert_eq!(said(&[], &["a"]), None);
        let alone = "the culprit comes from a do a, which cannot be built alone";
        assert_eq!(said(&["a"], &[]).unwrap(), alone);
        assert_eq!(said(&["a"], &["b"]).unwrap(), format!("{alone}; it needs parts of b do b"));
        assert_eq!(said(&["a", "b"], &[]).unwrap(), "the culprit comes from a do a and b do b");
        assert_eq!(said(&["a", "b", "c", "d"], &[]).unwrap(), "the culprit comes from 4 commits");
    }
}
