//! Detection of reverted culprits from commit messages.

use mend_github::{ApiError, ApiResult, GitHubCommit, PullState, Repo};
use mend_model::CommitId;
use regex::Regex;
use std::sync::LazyLock;

/// Message of `git revert` and of GitHub's revert button. A user with write access could forge it, but only to close a
/// pull request that the user could close anyway.
static REVERT_MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    let regex = Regex::new(r"This reverts commit ([0-9a-f]{7,64})");
    regex.unwrap_or_else(|_| unreachable!("a constant pattern"))
});

/// Returns true if a commit message says that the commit reverts another one.
pub(super) fn takes_back(message: &str) -> bool {
    REVERT_MESSAGE.is_match(message)
}

/// Returns the commit between `bad` and `at` that reverts a culprit and is still in force.
///
/// # Errors
/// GitHub's error.
pub(super) async fn taken_back_by(
    repo: &Repo,
    culprit: &CommitId,
    (bad, at): (&CommitId, &CommitId),
) -> ApiResult<Option<GitHubCommit>> {
    let since = repo.commits_since(bad, at).await?;
    if !since.iter().any(|commit| takes_back(&commit.message)) {
        return Ok(None);
    }
    let mut names = vec![culprit.clone()];
    names.extend(merges_of(repo, culprit).await?);
    Ok(in_force(names, &since).cloned())
}

/// Returns the merge commits that contain a culprit: reverting a merge reverts each of its commits. For a rebased pull
/// request, GitHub names its last commit as the merge.
async fn merges_of(repo: &Repo, culprit: &CommitId) -> ApiResult<Vec<CommitId>> {
    let pulls = repo.pulls_of(culprit).await?.into_iter();
    let merged = pulls.filter(|pull| pull.state == PullState::Merged);
    let mut merges = Vec::new();
    for id in merged.filter_map(|pull| pull.merge_commit).filter(|id| id != culprit) {
        match repo.commit(&id).await {
            Ok(commit) if commit.parents.len() > 1 => merges.push(id),
            Ok(_) | Err(ApiError::NotFound(_) | ApiError::Invalid(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(merges)
}

/// Returns the commit that reverts one of these names and is not reverted itself. `since` starts with the oldest
/// commit. A message that names several reverts, such as that of a squashed pull request, may have reverted one with
/// another and is ignored.
fn in_force(mut names: Vec<CommitId>, since: &[GitHubCommit]) -> Option<&GitHubCommit> {
    let mut by: Option<&GitHubCommit> = None;
    for commit in since {
        let is_plain = REVERT_MESSAGE.find_iter(&commit.message).count() == 1;
        for found in REVERT_MESSAGE.captures_iter(&commit.message) {
            let is_it = |id: &CommitId| id.0.starts_with(&found[1]);
            match by {
                None if is_plain && names.iter().any(is_it) => by = Some(commit),
                // The culprit is there again, under another name.
                Some(revert) if is_it(&revert.id) => {
                    by = None;
                    names.push(commit.id.clone());
                }
                _ => {}
            }
        }
    }
    by
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(digit: char, message: &str) -> GitHubCommit {
        let id = CommitId(digit.to_string().repeat(40));
        GitHubCommit {
            id,
            tree: String::new(),
            message: message.to_owned(),
            author: String::new(),
            login: None,
            date: String::new(),
            html_url: String::new(),
            parents: Vec::new(),
            is_verified: false,
        }
    }

    fn reverts(digit: char) -> String {
        format!("Revert \"x\"\n\nThis reverts commit {}.\n", digit.to_string().repeat(40))
    }

    fn revert_digit(since: &[GitHubCommit]) -> Option<char> {
        let names = vec![CommitId("a".repeat(40)), CommitId("e".repeat(40))];
        in_force(names, since)?.id.0.chars().next()
    }

    #[test]
    fn the_commit_that_says_so_takes_back_a_culprit_or_the_merge_that_brought_it() {
        assert_eq!(revert_digit(&[commit('1', "x"), commit('2', &reverts('a'))]), Some('2'));
        assert_eq!(revert_digit(&[commit('1', &reverts('e'))]), Some('1'));
        assert_eq!(revert_digit(&[commit('1', &reverts('f'))]), None);
        assert_eq!(revert_digit(&[commit('1', "Reverts commit aaaaaaaa")]), None);
        assert_eq!(
            revert_digit(&[commit('1', "This reverts commit aaaaaaaaaa, reversing")]),
            Some('1')
        );
    }

    #[test]
    fn a_message_that_speaks_of_several_takes_nothing_back() {
        let squashed = [reverts('a'), reverts('1')].concat();
        assert_eq!(revert_digit(&[commit('2', &squashed)]), None);
        assert_eq!(revert_digit(&[commit('1', &reverts('a')), commit('2', &squashed)]), None);
        let after = [commit('2', &squashed), commit('3', &reverts('a'))];
        assert_eq!(revert_digit(&after), Some('3'));
    }

    #[test]
    fn what_is_taken_back_itself_takes_nothing_back() {
        let twice = [commit('1', &reverts('a')), commit('2', &reverts('1'))];
        assert_eq!(revert_digit(&twice), None);
        let thrice = [&twice[..], &[commit('3', &reverts('2'))]].concat();
        assert_eq!(revert_digit(&thrice), Some('3'));
        let again = [&thrice[..], &[commit('4', &reverts('3'))]].concat();
        assert_eq!(revert_digit(&again), None);
    }
}
