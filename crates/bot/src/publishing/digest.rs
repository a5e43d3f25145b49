//! Short digests of texts, for markers and branch names.

use mend_github::RepoName;
use sha2::{Digest as _, Sha256};

/// Returns a short digest that distinguishes texts.
pub(super) fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes())[..6])
}

/// Returns a short digest of a branch. Branches of a fork differ from those of the repository.
pub(super) fn branch_digest(repo: &RepoName, branch: &str) -> String {
    digest(&format!("{repo}\n{branch}"))
}
