//! Branches that merge queues make to try pull requests on.

use mend_github::PullNumber;
use mend_model::CommitId;

/// Prefix of these branches. GitHub deletes them as soon as a check fails.
const START: &str = "gh-readonly-queue/";

/// Branch of a merge queue: `gh-readonly-queue/main/pr-12-…`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MergeQueueBranch(String);

impl MergeQueueBranch {
    /// Parses a branch name. Returns `None` for other branches.
    pub fn parse(branch: &str) -> Option<Self> {
        branch.starts_with(START).then(|| Self(branch.to_owned()))
    }

    /// Creates the branch of a merge group event, for any name.
    pub(super) fn named(reference: &str) -> Self {
        Self(reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned())
    }

    /// Returns the target branch of the merge queue.
    pub fn base(&self) -> Option<&str> {
        self.parts().map(|(base, _)| base)
    }

    /// Returns the pull request that entered the queue last, and the base commit that it was added to.
    pub fn last(&self) -> Option<(PullNumber, CommitId)> {
        let (number, below) = self.parts()?.1.strip_prefix("pr-")?.split_once('-')?;
        CommitId::is_id(below).then_some(())?;
        Some((PullNumber(number.parse().ok()?), CommitId(below.to_owned())))
    }

    fn parts(&self) -> Option<(&str, &str)> {
        self.0.strip_prefix(START)?.rsplit_once('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_of_a_queue_names_its_base_its_last_pull_request_and_what_that_is_on() {
        let below = "a1".repeat(20);
        let queue =
            MergeQueueBranch::parse(&format!("gh-readonly-queue/release/1.x/pr-12-{below}"))
                .unwrap();
        assert_eq!(queue.base(), Some("release/1.x"));
        assert_eq!(queue.last(), Some((PullNumber(12), CommitId(below.clone()))));
        assert_eq!(
            MergeQueueBranch::named("refs/heads/gh-readonly-queue/main/pr-2-0").base(),
            Some("main")
        );
        for odd in [&format!("main/pr-x-{below}"), "main/pr-1-0", "main/12", ""] {
            let odd = format!("gh-readonly-queue/{odd}");
            assert_eq!(MergeQueueBranch::parse(&odd).unwrap().last(), None, "{odd}");
        }
        assert_eq!(MergeQueueBranch::parse("main"), None);
    }
}
