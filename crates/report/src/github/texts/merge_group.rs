//! Texts of the check run that passes a merge group, for merge queues that require the git-mend check.

/// Returns the title of a check run that passes a merge group: plain text.
pub fn passing_check_title() -> &'static str {
    "No search needed"
}

/// Returns the summary of a check run that passes a merge group.
pub fn passing_check_summary() -> &'static str {
    "git-mend does not block this merge. It searches for the culprit only after another check has failed. It then comments \
     only on the pull request that contains the culprit."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_group_check_passes_with_an_explanation() {
        insta::assert_snapshot!(format!("# {}\n{}", passing_check_title(), passing_check_summary()), @r"
        # No search needed
        git-mend does not block this merge. It searches for the culprit only after another check has failed. It then comments only on the pull request that contains the culprit.
        ");
    }
}
