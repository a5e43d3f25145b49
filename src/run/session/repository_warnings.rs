//! Warnings about files that a run does not include.

use super::versions::ResolvedVersion;
use mend_git::{ObjectStore, Repository, TreeEntry};
use mend_model::{FileMode, RepoPath, Result};
use std::collections::BTreeMap;

/// Maximum number of paths named in a notice.
const MAX_NAMED_PATHS: usize = 3;

/// Returns notices about what the run does not include. A pending merge is included. A plain folder is included
/// completely, and may be the work tree.
pub(crate) fn omission_notices(
    repository: &Repository,
    is_pending: bool,
    bad: &ResolvedVersion,
    store: &ObjectStore,
) -> Result<Vec<String>> {
    let mut notices = Vec::new();
    if bad.commit.is_some() && !is_pending && repository.is_dirty()? {
        notices.push("uncommitted changes in your work tree: the run leaves them out".to_owned());
    }
    let entries = store.read_tree(&bad.original_tree)?;
    notices.extend(missing_submodules_notice(&entries, store)?);
    if uses_git_lfs(&entries, store)? {
        notices.push(
            "files in Git LFS: every variant contains only their pointers; if the tests need them, test with a \
             command that copies them from your work tree"
                .to_owned(),
        );
    }
    Ok(notices)
}

/// Returns the notice about submodules whose files are not in the user's work tree.
fn missing_submodules_notice(
    entries: &BTreeMap<RepoPath, TreeEntry>,
    store: &ObjectStore,
) -> Result<Option<String>> {
    let mut missing = Vec::new();
    for (path, entry) in entries {
        if entry.mode == FileMode::Submodule && !store.submodules().has_commit(path, &entry.id)? {
            missing.push(path.to_string());
        }
    }
    if missing.is_empty() {
        return Ok(None);
    }
    let words = ["git", "submodule", "update", "--init", "--"].map(str::to_owned);
    let command =
        shell_words::join(words.iter().chain(&missing).take(words.len() + MAX_NAMED_PATHS));
    let names = name_paths(&missing);
    Ok(Some(format!(
        "submodules ({names}): their folders are empty in every variant; if the tests need them, run `{command}`"
    )))
}

/// Names a few paths, and the number of the others.
fn name_paths(paths: &[String]) -> String {
    let named =
        paths.iter().take(MAX_NAMED_PATHS).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MAX_NAMED_PATHS) {
        0 => named,
        others => format!("{named} and {others} more"),
    }
}

/// Returns true if `.gitattributes` files assign files to Git LFS.
fn uses_git_lfs(entries: &BTreeMap<RepoPath, TreeEntry>, store: &ObjectStore) -> Result<bool> {
    for (path, entry) in entries {
        if path.file_name() == b".gitattributes"
            && bstr::ByteSlice::contains_str(&*store.read_blob(&entry.id)?, "filter=lfs")
        {
            return Ok(true);
        }
    }
    Ok(false)
}
