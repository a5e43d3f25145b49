//! Detects reverted culprits from commit messages.

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
pub(super) fn is_revert(message: &str) -> bool {
    REVERT_MESSAGE.is_match(message)
}

/// Returns the commit between `bad` and `head` that reverts a culprit and is not reverted itself.
///
/// # Errors
/// GitHub's error.
pub(super) async fn find_revert(
    repo: &Repo,
    culprit: &CommitId,
    (bad, head): (&CommitId, &CommitId),
) -> ApiResult<Option<GitHubCommit>> {
    let commits = repo.list_commits_since(bad, head).await?;
    if !commits.iter().any(|commit| is_revert(&commit.message)) {
        return Ok(None);
    }
    let mut culprit_ids = vec![culprit.clone()];
    culprit_ids.extend(merge_commits(repo, culprit).await?);
    Ok(effective_revert(culprit_ids, &commits).cloned())
}

/// Returns the merge commits that contain a culprit: reverting a merge reverts each of its commits. For a rebased pull
/// request, GitHub names its last commit as the merge.
async fn merge_commits(repo: &Repo, culprit: &CommitId) -> ApiResult<Vec<CommitId>> {
    let pulls = repo.list_pulls_with_commit(culprit).await?.into_iter();
    let merged = pulls.filter(|pull| pull.state == PullState::Merged);
    let mut merges = Vec::new();
    for id in merged.filter_map(|pull| pull.merge_commit).filter(|id| id != culprit) {
        match repo.get_commit(&id).await {
            Ok(commit) if commit.parents.len() > 1 => merges.push(id),
            Ok(_) | Err(ApiError::NotFound(_) | ApiError::Invalid(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(merges)
}

/// Returns the commit that reverts one of these commits and is not reverted itself. `commits` starts with the oldest
/// commit. A message that names several reverts, such as that of a squashed pull request, is ignored: it may have
/// reverted one with another.
fn effective_revert(
    mut culprit_ids: Vec<CommitId>,
    commits: &[GitHubCommit],
) -> Option<&GitHubCommit> {
    let mut effective: Option<&GitHubCommit> = None;
    for commit in commits {
        let names_one_commit = REVERT_MESSAGE.find_iter(&commit.message).count() == 1;
        for capture in REVERT_MESSAGE.captures_iter(&commit.message) {
            let is_named = |id: &CommitId| id.0.starts_with(&capture[1]);
            match effective {
                None if names_one_commit && culprit_ids.iter().any(is_named) => {
                    effective = Some(commit);
                }
                // The culprit is in effect again, under another commit id.
                Some(revert) if is_named(&revert.id) => {
                    effective = None;
                    culprit_ids.push(commit.id.clone());
                }
                _ => {}
            }
        }
    }
    effective
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
            parents: Vec::new(),
            is_verified: false,
        }
    }

    fn revert_message(digit: char) -> String {
        format!("Revert \"x\"\n\nThis reverts commit {}.\n", digit.to_string().repeat(40))
    }

    fn revert_digit(since: &[GitHubCommit]) -> Option<char> {
        let names = vec![CommitId("a".repeat(40)), CommitId("e".repeat(40))];
        effective_revert(names, since)?.id.0.chars().next()
    }

    #[test]
    fn commit_can_revert_a_culprit_or_its_merge() {
        assert_eq!(revert_digit(&[commit('1', "x"), commit('2', &revert_message('a'))]), Some('2'));
        assert_eq!(revert_digit(&[commit('1', &revert_message('e'))]), Some('1'));
        assert_eq!(revert_digit(&[commit('1', &revert_message('f'))]), None);
        assert_eq!(revert_digit(&[commit('1', "Reverts commit aaaaaaaa")]), None);
        assert_eq!(
            revert_digit(&[commit('1', "This reverts commit aaaaaaaaaa, reversing")]),
            Some('1')
        );
    }

    #[test]
    fn message_with_several_reverts_is_ignored() {
        let squashed = [revert_message('a'), revert_message('1')].concat();
        assert_eq!(revert_digit(&[commit('2', &squashed)]), None);
        assert_eq!(
            revert_digit(&[commit('1', &revert_message('a')), commit('2', &squashed)]),
            None
        );
        let after = [commit('2', &squashed), commit('3', &revert_message('a'))];
        assert_eq!(revert_digit(&after), Some('3'));
    }

    #[test]
    fn reverted_revert_is_not_in_force() {
        let twice = [commit('1', &revert_message('a')), commit('2', &revert_message('1'))];
        assert_eq!(revert_digit(&twice), None);
        let thrice = [&twice[..], &[commit('3', &revert_message('2'))]].concat();
        assert_eq!(revert_digit(&thrice), Some('3'));
        let reverted_again = [&thrice[..], &[commit('4', &revert_message('3'))]].concat();
        assert_eq!(revert_digit(&reverted_again), None);
    }
}
