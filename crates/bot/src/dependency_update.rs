//! Recognises pull requests of dependency update bots.

use mend_github::Pull;

/// Accounts of these bots.
const UPDATE_ACCOUNTS: [&str; 4] =
    ["dependabot[bot]", "dependabot-preview[bot]", "renovate[bot]", "renovate-bot"];

/// Prefixes of their branches.
const UPDATE_BRANCHES: [&str; 2] = ["dependabot/", "renovate/"];

/// Returns true if a pull request updates dependencies, by its branch or its author.
pub(crate) fn is_dependency_update(branch: Option<&str>, author: Option<&str>) -> bool {
    branch.is_some_and(|name| UPDATE_BRANCHES.iter().any(|prefix| name.starts_with(prefix)))
        || author.is_some_and(|login| UPDATE_ACCOUNTS.contains(&login))
}

/// Returns true if a pull request updates dependencies.
pub(crate) fn is_update_pull(pull: &Pull) -> bool {
    let author = pull.author.as_ref().map(|login| login.0.as_str());
    is_dependency_update(Some(&pull.head_branch), author)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_known_by_branch_or_author() {
        for (branch, author, expected) in [
            ("dependabot/maven/commons-io-2.9", None, true),
            ("renovate/all-minor", Some("alice"), true),
            ("deps", Some("renovate[bot]"), true),
            ("topic", Some("alice"), false),
            ("topic/renovate/x", None, false),
        ] {
            assert_eq!(is_dependency_update(Some(branch), author), expected, "{branch}");
        }
        assert!(!is_dependency_update(None, None));
    }
}
