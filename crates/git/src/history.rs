//! History queries: resolves revisions, and lists the commits between them.

use super::Repository;
use super::commit::{Commit, GIT_LOG_FORMAT_ARGS, parse_log};
use crate::program::unreadable_problem;
use crate::{clone_state, suggestions};
use anyhow::Context;
use mend_model::{CommitId, Problem, RepoPath, Result};
use std::collections::HashSet;

impl Repository {
    /// Returns the commit of a revision.
    ///
    /// # Errors
    /// [`Problem::UnknownRevision`] with similar names; [`Problem::IncompleteClone`] if a shallow clone may lack it;
    /// [`Problem::UnreadableRepository`] if the object is damaged.
    pub fn resolve(&self, spec: &str) -> Result<Commit> {
        self.with_enough_history(|| match self.resolve_id(spec)? {
            Some(id) => self.commit(&id),
            None => Err(self.unknown_revision_problem(spec)?),
        })
    }

    /// Returns the commit with an id.
    ///
    /// # Errors
    /// [`Problem::UnknownRevision`] if there is no such commit.
    pub fn commit(&self, id: &CommitId) -> Result<Commit> {
        let log_command =
            self.git().args(["log", "-1"]).args(GIT_LOG_FORMAT_ARGS).args([&id.0, "--"]);
        let output = log_command.output()?;
        let commit = parse_log(&output.stdout)?.into_iter().next();
        commit.filter(|_| output.is_success()).ok_or_else(|| {
            if output.is_success() || output.stderr.contains("bad object") {
                return Problem::UnknownRevision { spec: id.0.clone(), near: Vec::new() };
            }
            self.reading_problem(&output.stderr)
        })
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
        self.with_enough_history(|| {
            let mut log_command =
                self.git().args(["log", "--topo-order", "--reverse"]).args(GIT_LOG_FORMAT_ARGS);
            if first_parent {
                log_command = log_command.arg("--first-parent");
            }
            log_command =
                log_command.arg(&bad.0).args(good.iter().map(|id| format!("^{id}"))).arg("--");
            let commits = parse_log(&self.run_reading(log_command)?)?;
            let state = self.clone_state();
            if commits.iter().any(|commit| state.shallow_boundary().contains(&commit.id.0)) {
                return Err(clone_state::shallow_clone_problem());
            }
            Ok(commits)
        })
    }

    /// Returns the commits that `bad` has and `good` has not and that change one of the paths, merges against any parent.
    /// `first_parent` as in [`Repository::commits_between`].
    ///
    /// # Errors
    /// [`Problem::Internal`] if one of them is no commit here.
    pub fn commits_changing(
        &self,
        good: &CommitId,
        bad: &CommitId,
        paths: &[RepoPath],
        first_parent: bool,
    ) -> Result<HashSet<CommitId>> {
        let mut rev_list = self.git().args(["--literal-pathspecs", "rev-list", "--full-history"]);
        if first_parent {
            rev_list = rev_list.arg("--first-parent");
        }
        rev_list = rev_list.arg(&bad.0).arg(format!("^{good}")).arg("--");
        let rev_list = rev_list.args(paths.iter().map(RepoPath::to_fs_path));
        Ok(parse_commit_ids(&rev_list.stdout_text()?).into_iter().collect())
    }

    /// Returns the best common ancestors of two commits; none if their histories are unrelated.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a shallow clone contains none.
    pub fn merge_bases(&self, a: &CommitId, b: &CommitId) -> Result<Vec<CommitId>> {
        self.with_enough_history(|| {
            let answer = self.git().args(["merge-base", "--all", &a.0, &b.0]).output()?;
            let mut merge_bases = parse_commit_ids(&String::from_utf8_lossy(&answer.stdout));
            merge_bases.sort();
            match answer.code {
                0 => Ok(merge_bases),
                1 if has_reading_error(&answer.stderr) => Err(unreadable_problem(&answer.stderr)),
                1 if self.clone_state().is_shallow() => Err(clone_state::shallow_clone_problem()),
                1 => Ok(Vec::new()),
                _ => Err(unreadable_problem(&answer.stderr)),
            }
        })
    }

    /// Returns true if `a` is `b` or an ancestor of it.
    ///
    /// # Errors
    /// [`Problem::UnreadableRepository`] if one of them is not a commit of the repository, or history is damaged.
    pub fn is_ancestor(&self, a: &CommitId, b: &CommitId) -> Result<bool> {
        let answer = self.git().args(["merge-base", "--is-ancestor", &a.0, &b.0]).output()?;
        match answer.code {
            0 => Ok(true),
            1 if !has_reading_error(&answer.stderr) => Ok(false),
            _ => Err(unreadable_problem(&answer.stderr)),
        }
    }

    /// Returns `bad` and its first parents, back to the root or the boundary of a shallow clone. If history may be
    /// downloaded, these are at least `min_count` commits, unless the history is shorter.
    ///
    /// # Errors
    /// [`Problem::UnreadableRepository`] if `bad` is not a commit of the repository, or history is damaged.
    pub fn first_parents(&self, bad: &CommitId, min_count: usize) -> Result<Vec<CommitId>> {
        let list_commits = || {
            let rev_list = self.git().args(["rev-list", "--first-parent", &bad.0, "--"]);
            Ok(parse_commit_ids(&String::from_utf8_lossy(&self.run_reading(rev_list)?)))
        };
        let enough_commits = self.with_enough_history(|| {
            let commits: Vec<CommitId> = list_commits()?;
            let state = self.clone_state();
            let is_cut_off =
                commits.last().is_some_and(|last| state.shallow_boundary().contains(&last.0));
            if is_cut_off && commits.len() < min_count {
                return Err(clone_state::shallow_clone_problem());
            }
            Ok(commits)
        });
        match enough_commits {
            Err(Problem::IncompleteClone { kind: "shallow", .. }) => list_commits(),
            result => result,
        }
    }

    fn resolve_id(&self, spec: &str) -> Result<Option<CommitId>> {
        if !is_name(spec) {
            return Ok(None);
        }
        let peeled = format!("{spec}^{{commit}}");
        let answer = self.git().args(["rev-parse", "--verify", "--quiet", &peeled]).output()?;
        // For a range, git prints ids and fails.
        let is_commit = answer.is_success();
        let id = String::from_utf8(answer.stdout).context("git rev-parse")?;
        let id = is_commit.then(|| CommitId(id.trim().to_owned()));
        if id.is_none() && has_reading_error(&answer.stderr) {
            return Err(unreadable_problem(&answer.stderr));
        }
        Ok(id)
    }

    fn unknown_revision_problem(&self, spec: &str) -> Result<Problem> {
        if spec == "HEAD" {
            return self.unborn_head_problem();
        }
        self.check_named_object(spec)?;
        let base = spec.split(['~', '^', '@', ':']).next().unwrap_or_default();
        self.check_reference(base)?;
        let suggestions = suggestions::suggest_names(
            base,
            self.ref_names()?.into_iter().filter(|name| name != base),
        );
        // Tags come with the commits that they name, so a name like theirs may still be unfetched.
        let may_be_unfetched = self.download_policy().deepens_history
            || suggestions.is_empty()
            || is_abbreviated_id(base)
            || self.resolve_id(base)?.is_some();
        if self.clone_state().is_shallow() && may_be_unfetched {
            return Ok(clone_state::shallow_clone_problem());
        }
        Ok(Problem::UnknownRevision { spec: spec.into(), near: suggestions })
    }

    /// Returns the problem of a `HEAD` without a commit: its branch has none yet, or is damaged.
    fn unborn_head_problem(&self) -> Result<Problem> {
        self.check_named_object("HEAD")?;
        self.check_reference("HEAD")?;
        let head = self.run_reading(self.git().args(["symbolic-ref", "HEAD"]))?;
        let head = String::from_utf8_lossy(&head).trim().to_owned();
        let branch = head.strip_prefix("refs/heads/").unwrap_or(&head);
        Ok(Problem::Usage {
            message: format!("the branch `{branch}` has no commit yet"),
            remedy: "commit the version to test, or name another one with --bad".to_owned(),
        })
    }

    /// Returns an error if a name that is no abbreviated id stands for an object that cannot be read.
    fn check_named_object(&self, spec: &str) -> Result<()> {
        if !is_name(spec) {
            return Ok(());
        }
        let named = self.git().args(["rev-parse", "--verify", "--quiet", spec]).output()?;
        let id = String::from_utf8_lossy(&named.stdout).trim().to_owned();
        if !named.is_success() || is_abbreviated_id(spec) {
            return Ok(());
        }
        if self.git().args(["cat-file", "-e", &id]).output()?.is_success() {
            return Ok(());
        }
        self.run_reading(self.git().args(["log", "-1", &id, "--"])).map(drop)
    }

    /// Returns an error if the reference of a short name is damaged; for `HEAD`, if any is.
    fn check_reference(&self, name: &str) -> Result<()> {
        let listed = self.git().args(["for-each-ref", "--format=%(refname)"]).output()?;
        let is_broken = |line: &str| {
            let is_named = name == "HEAD" || line.trim_end().ends_with(&format!("/{name}"));
            line.contains("broken ref") && is_named
        };
        if listed.is_success() && !listed.stderr.lines().any(is_broken) {
            return Ok(());
        }
        Err(self.reading_problem(&listed.stderr))
    }

    /// Returns the short names of all branches, tags and remote branches.
    fn ref_names(&self) -> Result<Vec<String>> {
        let kinds = ["refs/heads", "refs/tags", "refs/remotes"];
        let call = self.git().args(["for-each-ref", "--format=%(refname:short)"]).args(kinds);
        let names = self.run_reading(call)?;
        Ok(String::from_utf8_lossy(&names).lines().map(str::to_owned).collect())
    }

    /// Returns the names of all tags.
    ///
    /// # Errors
    /// [`Problem::UnreadableRepository`].
    pub fn tag_names(&self) -> Result<Vec<String>> {
        let call = self.git().args(["for-each-ref", "--format=%(refname:strip=2)", "refs/tags"]);
        let names = self.run_reading(call)?;
        Ok(String::from_utf8_lossy(&names).lines().map(str::to_owned).collect())
    }

    /// Returns the tags in the format of git's `packed-refs`. Damaged tags are left out.
    pub(super) fn packed_refs_of_tags(&self) -> Result<Vec<u8>> {
        let format = "--format=%(objectname) %(refname)";
        Ok(self.git().args(["for-each-ref", format, "refs/tags"]).output()?.stdout)
    }
}

/// Returns true if git printed an error that is not about the type of an object.
fn has_reading_error(stderr: &str) -> bool {
    let is_error = |line: &str| ["error: ", "fatal: "].iter().any(|start| line.starts_with(start));
    stderr.lines().any(|line| is_error(line) && !line.contains("expected commit type"))
}

/// Returns true if a text can name an object; others are options of git.
fn is_name(text: &str) -> bool {
    !text.starts_with('-') && !text.contains('\0')
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
        assert_eq!(repository.first_parents(&bad.id, 1).unwrap().len(), 4);
    }

    #[test]
    fn commits_that_change_a_path_are_found_on_merged_branches() {
        let test = repository_with_merge();
        let repository = test.open();
        let id = |spec: &str| repository.resolve(spec).unwrap().id;
        let changing = |path: &str, first_parent| {
            let paths = [RepoPath::from(path)];
            repository.commits_changing(&id("HEAD~3"), &id("HEAD"), &paths, first_parent).unwrap()
        };
        assert_eq!(changing("a", false), HashSet::from(["HEAD~2", "HEAD~1", "HEAD"].map(id)));
        assert_eq!(changing("side", false), HashSet::from(["side", "HEAD~1"].map(id)));
        assert_eq!(changing("side", true), HashSet::from(["HEAD~1"].map(id)));
        assert_eq!(changing("*", false), HashSet::new());
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
            assert!(problem.remedy().contains("git fetch --unshallow"));
        }
    }
}
