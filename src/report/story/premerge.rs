//! What is said to a merge queue that waits for our check.

/// The title of a check run that lets a merge group through: plain text.
pub fn let_through_title() -> &'static str {
    "Nothing to look for"
}

/// Its summary.
pub fn let_through_summary() -> &'static str {
    "git-mend has nothing against this merge: it looks for what broke a check once one has failed. What it finds then is \
     told on the pull request that broke it, and on no other."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_queue_is_told_why_nothing_stands_against_it() {
        insta::assert_snapshot!(format!("# {}\n{}", let_through_title(), let_through_summary()), @r"
        # Nothing to look for
        git-mend has nothing against this merge: it looks for what broke a check once one has failed. What it finds then is told on the pull request that broke it, and on no other.
        ");
    }
}
