//! History queries: resolves revisions, and lists the commits between them.

use super::Repository;
use super::commit::{Commit, GIT_LOG_FORMAT_ARGS, parse_log};
use crate::{clone_state, suggestions};
use anyhow::Context;
use mend_model::CommitId;
use mend_model::{Problem, Result};

impl Repository {
    /// Returns the commit of a revision.
    ///
    /// # Errors
    /// [`Problem::UnknownRevision`] with similar names; [`Problem::IncompleteClone`] if a shallow clone may lack it.
    pub fn resolve(&self, spec: &str) -> Result<Commit> {
        match self.resolve_id(spec)? {
            Some(id) => self.commit(&id),
            None => Err(self.unknown_revision_problem(spec)?),
        }
    }

    /// Returns the commit with an id.
    ///
    /// # Errors
    /// [`Problem::UnknownRevision`] if there is no such commit.
    pub fn commit(&self, id: &CommitId) -> Result<Commit> {
        let log_command =
            self.git().args(["log", "-1"]).args(GIT_LOG_FORMAT_ARGS).args([&id.0, "--"]);
        let commits = parse_log(&log_command.output()?.stdout)?;
        commits
            .into_iter()
            .next()
            .ok_or_else(|| Problem::UnknownRevision { spec: id.0.clone(), near: Vec::new() })
    }

    /// Returns the commits that are reachable from `bad` but from no `good`, ancestors first. With `first_parent`, only
    /// first parents are followed.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a shallow clone ends inside the range.
    pub fn commits_between(
        &self,
        good: &[CommitId],
        bad: &CommitId,
        first_parent: bool,
    ) -> Result<Vec<Commit>> {
        let mut log_command =
            self.git().args(["log", "--topo-order", "--reverse"]).args(GIT_LOG_FORMAT_ARGS);
        if first_parent {
            log_command = log_command.arg("--first-parent");
        }
        log_command =
            log_command.arg(&bad.0).args(good.iter().map(|id| format!("^{id}"))).arg("--");
        let commits = parse_log(&self.run_reading(log_command)?)?;
        if commits.iter().any(|commit| self.clone_state().is_shallow_boundary(&commit.id.0)) {
            return Err(clone_state::shallow_clone_problem());
        }
        Ok(commits)
    }

    /// Returns the best common ancestors of two commits; none if their histories are unrelated.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a shallow clone contains none.
    pub fn merge_bases(&self, a: &CommitId, b: &CommitId) -> Result<Vec<CommitId>> {
        let answer = self.git().args(["merge-base", "--all", &a.0, &b.0]).output()?;
        let mut merge_bases = parse_commit_ids(&String::from_utf8_lossy(&answer.stdout));
        merge_bases.sort();
        match answer.code {
            0 => Ok(merge_bases),
            1 if self.clone_state().is_shallow() => Err(clone_state::shallow_clone_problem()),
            1 => Ok(Vec::new()),
            _ => Err(anyhow::anyhow!("git merge-base: {}", answer.stderr).into()),
        }
    }

    /// Returns true if `a` is `b` or an ancestor of it.
    ///
    /// # Errors
    /// [`Problem::Internal`] if one of them is not a commit of the repository.
    pub fn is_ancestor(&self, a: &CommitId, b: &CommitId) -> Result<bool> {
        let answer = self.git().args(["merge-base", "--is-ancestor", &a.0, &b.0]).output()?;
        match answer.code {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(anyhow::anyhow!("git merge-base: {}", answer.stderr).into()),
        }
    }

    /// Returns `bad` and its first parents, back to the root or the boundary of a shallow clone.
    ///
    /// # Errors
    /// [`Problem::Internal`] if `bad` is not a commit of the repository.
    pub fn first_parents(&self, bad: &CommitId) -> Result<Vec<CommitId>> {
        let rev_list =
            self.git().args(["rev-list", "--first-parent", &bad.0, "--"]).stdout_text()?;
        Ok(parse_commit_ids(&rev_list))
    }

    fn resolve_id(&self, spec: &str) -> Result<Option<CommitId>> {
        if spec.starts_with('-') || spec.contains('\0') {
            return Ok(None);
        }
        let peeled = format!("{spec}^{{commit}}");
        let answer = self.git().args(["rev-parse", "--verify", "--quiet", &peeled]).output()?;
        let id = String::from_utf8(answer.stdout).context("git rev-parse")?;
        Ok(Some(id.trim()).filter(|id| !id.is_empty()).map(|id| CommitId(id.to_owned())))
    }

    fn unknown_revision_problem(&self, spec: &str) -> Result<Problem> {
        let base = spec.split(['~', '^', '@', ':']).next().unwrap_or_default();
        let suggestions = suggestions::suggest_names(
            base,
            self.ref_names()?.into_iter().filter(|name| name != base),
        );
        let may_be_unfetched =
            suggestions.is_empty() || is_abbreviated_id(base) || self.resolve_id(base)?.is_some();
        if self.clone_state().is_shallow() && may_be_unfetched {
            return Ok(clone_state::shallow_clone_problem());
        }
        Ok(Problem::UnknownRevision { spec: spec.into(), near: suggestions })
    }

    /// Returns the short names of all branches, tags and remote branches.
    fn ref_names(&self) -> Result<Vec<String>> {
        let kinds = ["refs/heads", "refs/tags", "refs/remotes"];
        let call = self.git().args(["for-each-ref", "--format=%(refname:short)"]).args(kinds);
        let names = call.stdout()?;
        Ok(String::from_utf8_lossy(&names).lines().map(str::to_owned).collect())
    }

    /// Returns the tags in the format of git's `packed-refs`.
    pub(super) fn packed_refs_of_tags(&self) -> Result<Vec<u8>> {
        let format = "--format=%(objectname) %(refname)";
        self.git().args(["for-each-ref", format, "refs/tags"]).stdout()
    }
}

fn is_abbreviated_id(text: &str) -> bool {
    text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn parse_commit_ids(text: &str) -> Vec<CommitId> {
    text.lines().map(|line| CommitId(line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRepository;

    /// Creates the history `one - two - merge - last`, with `side` branching off at `one` and merged in `merge`.
    fn repository_with_merge() -> TestRepository {
        let test = TestRepository::new();
        test.write("a", b"1").commit("one");
        test.git(&["checkout", "-b", "side"]);
        test.write("side", b"s").commit("side");
        test.git(&["checkout", "main"]);
        test.write("a", b"2").commit("two");
        test.git(&["merge", "--no-ff", "-m", "merge", "side"]);
        test.write("a", b"3").commit("last");
        test.git(&["tag", "-a", "-m", "tagged", "v1"]);
        test
    }

    fn summaries(commits: &[Commit]) -> Vec<&str> {
        commits.iter().map(|commit| commit.summary.as_str()).collect()
    }

    #[test]
    fn annotated_tag_resolves_to_its_commit() {
        let test = repository_with_merge();
        let commit = test.open().resolve("v1").unwrap();
        assert_eq!(commit.summary, "last");
        assert_eq!(commit.author, "Ann Author <ann@example.org>");
        assert_eq!(commit.date, "2024-02-03T04:05:06+01:00");
        assert_eq!(commit.id, test.open().resolve("HEAD").unwrap().id);
    }

    #[test]
    fn mistyped_revision_gets_suggestions() {
        let test = repository_with_merge();
        let problem = test.open().resolve("mian").unwrap_err();
        assert!(matches!(&problem, Problem::UnknownRevision { near, .. } if near == &["main"]));
    }

    #[test]
    fn options_ranges_and_paths_are_not_revisions() {
        let test = repository_with_merge();
        let repository = test.open();
        for spec in ["--all", "side..main", "HEAD:a", "", "HEAD~99"] {
            let problem = repository.resolve(spec).unwrap_err();
            assert!(matches!(problem, Problem::UnknownRevision { .. }), "{spec}");
        }
    }

    #[test]
    fn range_has_both_merge_parents_in_topological_order() {
        let test = repository_with_merge();
        let repository = test.open();
        let good = repository.resolve("HEAD~3").unwrap();
        let bad = repository.resolve("HEAD").unwrap();
        let range =
            repository.commits_between(std::slice::from_ref(&good.id), &bad.id, false).unwrap();
        assert_eq!(range.len(), 4);
        for (index, commit) in range.iter().enumerate() {
            let earlier_ids: Vec<_> = range[..index].iter().map(|commit| &commit.id).collect();
            assert!(commit.parents.iter().all(|id| *id == good.id || earlier_ids.contains(&id)));
        }
        assert_eq!(range[2].parents.len(), 2);
    }

    #[test]
    fn first_parent_range_omits_the_merged_branch() {
        let test = repository_with_merge();
        let repository = test.open();
        let good = repository.resolve("HEAD~3").unwrap();
        let bad = repository.resolve("HEAD").unwrap();
        let range = repository.commits_between(&[good.id], &bad.id, true).unwrap();
        assert_eq!(summaries(&range), ["two", "merge", "last"]);
        assert_eq!(range[1].parents.len(), 2);
        assert_eq!(repository.first_parents(&bad.id).unwrap().len(), 4);
    }

    #[test]
    fn is_ancestor_and_merge_bases_follow_history() {
        let test = repository_with_merge();
        let repository = test.open();
        let id = |spec: &str| repository.resolve(spec).unwrap().id;
        assert!(repository.is_ancestor(&id("side"), &id("main")).unwrap());
        assert!(!repository.is_ancestor(&id("main"), &id("side")).unwrap());
        let bases = repository.merge_bases(&id("side"), &id("HEAD~2")).unwrap();
        assert_eq!(bases, [id("HEAD~3")]);
    }

    #[test]
    fn shallow_clone_reports_missing_history() {
        let clone = repository_with_merge().clone_with(&["--depth", "2"]);
        let repository = clone.open();
        let bad = repository.resolve("HEAD").unwrap();
        let good = repository.resolve("HEAD~1").unwrap();
        assert_eq!(
            summaries(&repository.commits_between(&[good.id], &bad.id, false).unwrap()),
            ["last"]
        );
        let problems = [
            repository.commits_between(&[], &bad.id, false).unwrap_err(),
            repository.resolve("HEAD~2").unwrap_err(),
            repository.resolve("0123456789abcdef").unwrap_err(),
        ];
        for problem in problems {
            assert!(matches!(problem, Problem::IncompleteClone { kind: "shallow", .. }));
            assert_eq!(problem.remedy(), "git fetch --unshallow");
        }
    }
}
