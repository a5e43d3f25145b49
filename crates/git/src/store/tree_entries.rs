//! Entries of trees, as libgit2 reads them.

use mend_model::{FileMode, FileState, RepoPath};

/// Object id and mode bits of a tree entry.
pub(crate) type EntryId = (git2::Oid, i32);

/// Returns the entry of a tree with this name. libgit2 rejects names with a NUL.
pub(crate) fn find_entry(folder: &git2::Tree<'_>, name: &[u8]) -> Option<EntryId> {
    let tree_entry = if name.contains(&0) { None } else { folder.get_name_bytes(name) };
    tree_entry.map(|entry| (entry.id(), entry.filemode()))
}

/// Returns the id and mode of a file in a tree; `None` if there is no file at this path.
pub(crate) fn find_file(
    git: &git2::Repository,
    tree: git2::Oid,
    path: &RepoPath,
) -> Result<Option<(git2::Oid, FileMode)>, git2::Error> {
    let (mut folder, mut components) = (git.find_tree(tree)?, path.components().peekable());
    while let Some((id, bits)) = components.next().and_then(|part| find_entry(&folder, part)) {
        match (file_mode(bits), components.peek()) {
            (Some(mode), None) => return Ok(Some((id, mode))),
            (None, Some(_)) => folder = git.find_tree(id)?,
            _ => break,
        }
    }
    Ok(None)
}

/// Converts git's mode bits; `None` for a folder.
pub(crate) fn file_mode(bits: i32) -> Option<FileMode> {
    match bits & 0o170_000 {
        0o040_000 => None,
        0o120_000 => Some(FileMode::Symlink),
        0o160_000 => Some(FileMode::Submodule),
        _ if bits & 0o100 != 0 => Some(FileMode::Executable),
        _ => Some(FileMode::Regular),
    }
}

/// Reads the file of an entry.
pub(crate) fn read_file_state(
    git: &git2::Repository,
    mode: FileMode,
    id: git2::Oid,
) -> Result<FileState, git2::Error> {
    let content = match mode {
        FileMode::Submodule => id.to_string().into_bytes().into(),
        _ => git.find_blob(id)?.content().into(),
    };
    Ok(FileState { mode, content })
}
