//! Recognises git-mend's own branches by their prefix.

/// Prefix of git-mend's own branches. Events on them start no work.
pub(super) const OWN_BRANCH_PREFIX: &str = "git-mend/";

/// Returns true if a branch has the prefix of git-mend's own branches.
pub(super) fn is_own_branch(name: &str) -> bool {
    name.starts_with(OWN_BRANCH_PREFIX)
}
