//! Branches of a push, from the input of git's hook, and the base commit of each.

use super::Repository;
use mend_model::CommitId;
use mend_model::{Problem, Result};

/// A branch of a remote repository that a push updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushedBranch {
    /// The new commit of the branch.
    pub local: CommitId,
    /// The old commit of the branch; `None` for a new branch.
    pub remote: Option<CommitId>,
}

impl PushedBranch {
    /// Parses lines of the form `<local ref> <local id> <remote ref> <remote id>`. Deletions and tags are skipped.
    pub fn parse(lines: &str) -> Vec<Self> {
        let parse_line = |line: &str| {
            let [_, local, name, remote] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                return None;
            };
            let is_branch = !name.starts_with("refs/tags/");
            let local = id(local).filter(|_| is_branch)?;
            Some(Self { local, remote: id(remote) })
        };
        lines.lines().filter_map(parse_line).collect()
    }
}

/// Returns a commit id; `None` for zeros.
fn id(text: &str) -> Option<CommitId> {
    text.bytes().any(|byte| byte != b'0').then(|| CommitId(text.to_owned()))
}

impl Repository {
    /// Returns the base commit of a push: the old commit of the branch, otherwise the merge base with the remote's main
    /// branch, otherwise the nearest ancestor on any remote branch. `None` if all of these are unknown.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a shallow clone lacks the history.
    pub fn push_base(&self, push: &PushedBranch, remote: &str) -> Result<Option<CommitId>> {
        for remote_id in push.remote.iter().map(|id| &*id.0) {
            match self.resolve(remote_id) {
                Ok(commit) => return Ok(Some(commit.id)),
                // Another clone may have pushed it, or this one never fetched it.
                Err(Problem::UnknownRevision { .. } | Problem::IncompleteClone { .. }) => {}
                Err(problem) => return Err(problem),
            }
        }
        if let Ok(main) = self.resolve(&format!("refs/remotes/{remote}/HEAD"))
            && let [base, ..] = &self.merge_bases(&main.id, &push.local)?[..]
        {
            return Ok(Some(base.clone()));
        }
        self.nearest_ancestor_on_remote(remote, &push.local)
    }

    /// Returns the newest ancestor of a commit on any branch of a remote; the commit itself if it is on one.
    fn nearest_ancestor_on_remote(
        &self,
        remote: &str,
        from: &CommitId,
    ) -> Result<Option<CommitId>> {
        let glob = format!("--glob=refs/remotes/{remote}/*");
        let rev_list =
            self.git().args(["rev-list", "--date-order", "--boundary", &from.0, "--not", &glob]);
        let text = String::from_utf8_lossy(&self.run_reading(rev_list)?).into_owned();
        if text.is_empty() {
            return Ok(Some(from.clone()));
        }
        let mut boundary = text.lines().filter_map(|line| line.strip_prefix('-'));
        Ok(boundary.next().map(|id| CommitId(id.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRepository;

    #[test]
    fn deletions_and_tags_are_not_pushed_branches() {
        let zero = "0".repeat(40);
        let lines = format!(
            "refs/heads/a a1 refs/heads/a b1\nrefs/heads/b a2 refs/heads/b {zero}\n(delete) {zero} refs/heads/c c1\n\
             refs/tags/v1 d1 refs/tags/v1 {zero}\n\nHEAD~ e1 refs/heads/e f1\n"
        );
        let pushed: Vec<_> = PushedBranch::parse(&lines)
            .into_iter()
            .map(|push| (push.local.0, push.remote.map(|id| id.0)))
            .collect();
        let some = |text: &str| Some(text.to_owned());
        let expected = [("a1", some("b1")), ("a2", None), ("e1", some("f1"))];
        assert_eq!(pushed, expected.map(|(local, remote)| (local.to_owned(), remote)));
    }

    #[test]
    fn push_base_is_where_the_branch_left_the_remote() {
        let test = TestRepository::new();
        for name in ["one", "two", "three", "four"] {
            test.write(name, b"x").commit(name);
        }
        let repository = test.open();
        let id = |spec: &str| repository.resolve(spec).unwrap().id;
        let push = |local: &str, remote: Option<&str>| PushedBranch {
            local: id(local),
            remote: remote.map(|id| CommitId(id.to_owned())),
        };
        let start = |push: &PushedBranch| repository.push_base(push, "origin").unwrap();
        assert_eq!(start(&push("HEAD", None)), None);
        test.git(&["update-ref", "refs/remotes/origin/side", "HEAD~1"]);
        assert_eq!(start(&push("HEAD", None)), Some(id("HEAD~1")));
        assert_eq!(start(&push("HEAD~2", None)), Some(id("HEAD~2")));
        test.git(&["update-ref", "refs/remotes/origin/main", "HEAD~2"]);
        test.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
        assert_eq!(start(&push("HEAD", None)), Some(id("HEAD~2")));
        assert_eq!(start(&push("HEAD", Some(&id("HEAD~3").0))), Some(id("HEAD~3")));
        let unknown = "1234567890123456789012345678901234567890";
        assert_eq!(start(&push("HEAD", Some(unknown))), Some(id("HEAD~2")));
    }
}
