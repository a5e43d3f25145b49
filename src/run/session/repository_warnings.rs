//! Warnings about files that a run does not include.

use super::versions::ResolvedVersion;
use mend_git::{ObjectStore, Repository};
use mend_model::{Result, TreeId};

/// Returns notices about what the run does not include. A pending merge is included. A plain folder is included
/// completely, and may be the work tree.
pub(crate) fn omission_notices(
    repository: &Repository,
    is_pending: bool,
    bad: &ResolvedVersion,
    store: &ObjectStore,
) -> Result<Vec<String>> {
    let mut notices = Vec::new();
    if bad.commit.is_some() {
        if !is_pending && repository.is_dirty()? {
            notices.push("uncommitted changes in your work tree: the run leaves them out");
        }
        if repository.has_submodules(&bad.original_tree)? {
            notices.push("submodules: their folders are empty in every variant");
        }
    }
    if uses_git_lfs(&bad.original_tree, store)? {
        notices.push("files in Git LFS: every variant contains only their pointers");
    }
    Ok(notices.into_iter().map(str::to_owned).collect())
}

/// Returns true if `.gitattributes` files assign files to Git LFS.
fn uses_git_lfs(tree: &TreeId, store: &ObjectStore) -> Result<bool> {
    let entries = store.read_tree(tree)?;
    for (path, entry) in entries {
        if path.file_name() == b".gitattributes"
            && bstr::ByteSlice::contains_str(&*store.read_blob(&entry.id)?, "filter=lfs")
        {
            return Ok(true);
        }
    }
    Ok(false)
}
