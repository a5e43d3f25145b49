//! Range of commits between two versions, and the attribution of components to these commits.

use crate::run::bisect::commit_bisection::CommitBisection;
use crate::run::session::versions::ResolvedVersion;
use mend_delta::{Ancestor, Delta, IntermediateVersion, JavaGranularity, ParentVersion};
use mend_git::Commit;
use mend_model::CommitId;
use mend_model::{Result, TreeId};
use std::collections::{BTreeSet, HashMap};

/// Range of commits from one version to another.
pub(crate) struct CommitRange {
    /// Commits, ancestors first.
    commits: Vec<Commit>,
    /// One version per commit, and one more if the range ends with uncommitted changes.
    steps: Vec<IntermediateVersion>,
}

/// Commits that contributed to each component of a change.
pub(crate) struct ComponentBlame {
    /// Commits, ancestors first.
    commits: Vec<Commit>,
    /// Indices in `commits`, for each component.
    commits_of_component: Vec<BTreeSet<usize>>,
}

/// Commits that contributed to a part of a change.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContributingCommits {
    /// Commits that contributed to the part itself.
    pub(crate) commits: Vec<Commit>,
    /// Other commits that contributed only to the dependencies of the part.
    pub(crate) dependency_commits: Vec<Commit>,
}

impl CommitBisection<'_> {
    /// Returns the commits from `base` to `end`, which may be a commit with uncommitted changes. Returns `None` if the
    /// versions are not commits.
    pub(crate) fn commit_range(
        &self,
        base: &ResolvedVersion,
        end: &ResolvedVersion,
    ) -> Result<Option<CommitRange>> {
        let (Some(good), Some(bad)) = (base.commit_id(), end.commit_id()) else { return Ok(None) };
        let first_parent = self.request.first_parent_only;
        let commits =
            self.repository.commits_between(std::slice::from_ref(good), bad, first_parent)?;
        let mut builder = CommitRangeBuilder {
            history: self,
            base,
            steps: Vec::new(),
            steps_by_commit: HashMap::new(),
        };
        for commit in &commits {
            builder.add_commit(commit)?;
        }
        builder.finish(&end.overlaid_tree)?;
        let steps = builder.steps;
        Ok(Some(CommitRange { commits, steps }))
    }
}

/// Builder of a commit range.
struct CommitRangeBuilder<'a> {
    history: &'a CommitBisection<'a>,
    base: &'a ResolvedVersion,
    steps: Vec<IntermediateVersion>,
    /// Index in `steps`, and tree, of each commit added so far.
    steps_by_commit: HashMap<CommitId, (usize, TreeId)>,
}

impl CommitRangeBuilder<'_> {
    fn add_commit(&mut self, commit: &Commit) -> Result<()> {
        let tree = self.history.overlaid_tree(commit)?;
        let mut parents = Vec::new();
        for id in commit.parents.iter().take(self.history.max_parents()) {
            parents.push(self.parent_version(id, &tree)?);
        }
        if parents.is_empty() {
            parents.push(self.outside_parent(&self.base.overlaid_tree, &tree)?);
        }
        self.steps_by_commit.insert(commit.id.clone(), (self.steps.len(), tree));
        self.steps.push(IntermediateVersion { parents });
        Ok(())
    }

    fn parent_version(&self, id: &CommitId, tree: &TreeId) -> Result<ParentVersion> {
        if let Some((step, earlier)) = self.steps_by_commit.get(id) {
            let changes = self.history.store.diff_trees(earlier, tree)?;
            return Ok(ParentVersion { ancestor: Ancestor::Intermediate(*step), changes });
        }
        let outside = self.history.repository.commit(id)?;
        self.outside_parent(&self.history.overlaid_tree(&outside)?, tree)
    }

    fn outside_parent(&self, outside: &TreeId, tree: &TreeId) -> Result<ParentVersion> {
        let store = self.history.store;
        let ancestor = Ancestor::Outside(store.diff_trees(&self.base.overlaid_tree, outside)?);
        Ok(ParentVersion { ancestor, changes: store.diff_trees(outside, tree)? })
    }

    fn finish(&mut self, tree: &TreeId) -> Result<()> {
        let last = self.steps_by_commit.values().max_by_key(|(step, _)| *step);
        let Some((step, last)) = last.filter(|(_, last)| last != tree) else { return Ok(()) };
        let changes = self.history.store.diff_trees(last, tree)?;
        let parent = ParentVersion { ancestor: Ancestor::Intermediate(*step), changes };
        self.steps.push(IntermediateVersion { parents: vec![parent] });
        Ok(())
    }
}

impl CommitRange {
    /// Finds the commits that contributed to each component of a delta.
    pub(crate) fn blame_components(&self, delta: &Delta, mode: JavaGranularity) -> ComponentBlame {
        let steps_of_hunk = delta.introducing_steps(&self.steps, mode);
        let is_commit = |step: &usize| *step < self.commits.len();
        let of_component = delta.components().iter().map(|component| {
            let hunks = component.hunks.iter().filter(|hunk| !delta.hunks()[**hunk].is_layout);
            hunks.flat_map(|hunk| steps_of_hunk[*hunk].iter().copied()).filter(is_commit).collect()
        });
        ComponentBlame {
            commits_of_component: of_component.collect(),
            commits: self.commits.clone(),
        }
    }
}

impl ComponentBlame {
    /// Returns a group number for each component: the index of its commit in the history. A component of several
    /// commits belongs to the last one.
    pub(crate) fn group_by_commit(&self) -> Vec<usize> {
        let last = |commits: &BTreeSet<usize>| commits.last().map_or(0, |commit| commit + 1);
        self.commits_of_component.iter().map(last).collect()
    }

    /// Returns the commits that introduced the components `heads`, and the other commits that introduced components of
    /// `all`, which are the heads and their dependencies.
    pub(crate) fn contributing_commits(
        &self,
        heads: &[usize],
        all: impl Iterator<Item = usize>,
    ) -> ContributingCommits {
        let commits_of = |components: &mut dyn Iterator<Item = usize>| -> BTreeSet<usize> {
            components.flat_map(|one| self.commits_of_component[one].iter().copied()).collect()
        };
        let (head_commits, all) =
            (commits_of(&mut heads.iter().copied()), commits_of(&mut { all }));
        let commit = |place: &usize| self.commits[*place].clone();
        ContributingCommits {
            commits: head_commits.iter().map(commit).collect(),
            dependency_commits: all.difference(&head_commits).map(commit).collect(),
        }
    }
}

/// Maximum number of commits that are listed by name.
const MAX_NAMED_COMMITS: usize = 3;

impl ContributingCommits {
    /// Describes the commits that introduced `subject`. Returns `None` if they are unknown. `remark` describes a single
    /// commit.
    pub(crate) fn describe_origin(
        &self,
        subject: &str,
        remark: impl FnOnce(&CommitId) -> Option<&'static str>,
    ) -> Option<String> {
        let remark = match &self.commits[..] {
            [] => return None,
            [one] => remark(&one.id).map(|remark| format!(", which {remark}")).unwrap_or_default(),
            _ => String::new(),
        };
        let dependency_remark = if self.dependency_commits.is_empty() {
            String::new()
        } else {
            format!("; it needs parts of {}", list_commits(&self.dependency_commits))
        };
        Some(format!(
            "{subject} comes from {}{remark}{dependency_remark}",
            list_commits(&self.commits)
        ))
    }
}

fn list_commits(commits: &[Commit]) -> String {
    let name = |commit: &Commit| format!("{} {}", commit.id.short(), commit.summary);
    let names: Vec<String> = commits.iter().map(name).collect();
    match &names[..] {
        many if many.len() > MAX_NAMED_COMMITS => format!("{} commits", many.len()),
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

    fn blame() -> ComponentBlame {
        let of_component = [&[0][..], &[2], &[0, 1], &[]].map(|all| all.iter().copied().collect());
        ComponentBlame {
            commits: ["a", "b", "c"].map(commit).to_vec(),
            commits_of_component: of_component.to_vec(),
        }
    }

    #[test]
    fn dependency_commits_are_listed_separately() {
        let ids =
            |commits: &[Commit]| commits.iter().map(|one| one.id.0.clone()).collect::<Vec<_>>();
        let authors = blame().contributing_commits(&[0], [0, 1].into_iter());
        assert_eq!(
            (ids(&authors.commits), ids(&authors.dependency_commits)),
            (vec!["a".into()], vec!["c".into()])
        );
        let authors = blame().contributing_commits(&[0, 2], [0, 2].into_iter());
        assert_eq!((ids(&authors.commits).len(), ids(&authors.dependency_commits).len()), (2, 0));
    }

    #[test]
    fn components_are_grouped_by_last_commit() {
        assert_eq!(blame().group_by_commit(), [1, 3, 2, 0]);
    }

    #[test]
    fn origin_names_commits_with_remarks() {
        let describe = |commits: &[&str], needed: &[&str]| {
            let all = |ids: &[&str]| ids.iter().map(|id| commit(id)).collect();
            let authors =
                ContributingCommits { commits: all(commits), dependency_commits: all(needed) };
            authors.describe_origin("the culprit", |_| Some("cannot be built alone"))
        };
        assert_eq!(describe(&[], &["a"]), None);
        let alone = "the culprit comes from a do a, which cannot be built alone";
        assert_eq!(describe(&["a"], &[]).unwrap(), alone);
        assert_eq!(describe(&["a"], &["b"]).unwrap(), format!("{alone}; it needs parts of b do b"));
        assert_eq!(describe(&["a", "b"], &[]).unwrap(), "the culprit comes from a do a and b do b");
        assert_eq!(
            describe(&["a", "b", "c", "d"], &[]).unwrap(),
            "the culprit comes from 4 commits"
        );
    }
}
