//! Parses names of merge queue branches, such as `gh-readonly-queue/main/pr-12-…`.

use mend_github::PullNumber;
use mend_model::CommitId;

/// Prefix of merge queue branches. GitHub deletes a branch as soon as a check fails.
const PREFIX: &str = "gh-readonly-queue/";

/// Name of a merge queue branch: `gh-readonly-queue/main/pr-12-…`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MergeQueueBranch(String);

impl MergeQueueBranch {
    /// Parses a branch name. Returns `None` for other branches.
    pub fn parse(branch: &str) -> Option<Self> {
        branch.starts_with(PREFIX).then(|| Self(branch.to_owned()))
    }

    /// Creates the branch of a merge group event, without checking its name.
    pub(super) fn from_ref(reference: &str) -> Self {
        Self(reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned())
    }

    /// Returns the target branch of the merge queue.
    pub fn target_branch(&self) -> Option<&str> {
        self.split().map(|(base, _)| base)
    }

    /// Returns the pull request that was added to the queue last, and its base commit.
    pub fn last_entry(&self) -> Option<(PullNumber, CommitId)> {
        let (number, base) = self.split()?.1.strip_prefix("pr-")?.split_once('-')?;
        CommitId::is_full_id(base).then_some(())?;
        Some((PullNumber(number.parse().ok()?), CommitId(base.to_owned())))
    }

    fn split(&self) -> Option<(&str, &str)> {
        self.0.strip_prefix(PREFIX)?.rsplit_once('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_branch_names_target_last_pull_and_its_base() {
        let base = "a1".repeat(20);
        let queue = MergeQueueBranch::parse(&format!("gh-readonly-queue/release/1.x/pr-12-{base}"))
            .unwrap();
        assert_eq!(queue.target_branch(), Some("release/1.x"));
        assert_eq!(queue.last_entry(), Some((PullNumber(12), CommitId(base.clone()))));
        assert_eq!(
            MergeQueueBranch::from_ref("refs/heads/gh-readonly-queue/main/pr-2-0").target_branch(),
            Some("main")
        );
        for name in [&format!("main/pr-x-{base}"), "main/pr-1-0", "main/12", ""] {
            let name = format!("gh-readonly-queue/{name}");
            assert_eq!(MergeQueueBranch::parse(&name).unwrap().last_entry(), None, "{name}");
        }
        assert_eq!(MergeQueueBranch::parse("main"), None);
    }
}
