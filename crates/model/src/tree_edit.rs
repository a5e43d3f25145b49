//! Variants of a code base: a git tree, and the changes to it.

use super::RepoPath;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Object id of a git tree, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeId(pub String);

impl fmt::Display for TreeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Mode of a file in git.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// A regular file.
    Regular,
    /// A file that may be executed.
    Executable,
    /// A symbolic link; its content is the target.
    Symlink,
    /// A submodule; its content is the commit's id in hexadecimal.
    Submodule,
}

/// File of a tree.
#[derive(Clone, PartialEq, Eq)]
pub struct FileState {
    /// File mode.
    pub mode: FileMode,
    /// Content as stored in git (before any checkout filter).
    pub content: Arc<[u8]>,
}

impl FileState {
    /// Creates a regular file.
    pub fn regular(content: impl Into<Arc<[u8]>>) -> Self {
        Self { mode: FileMode::Regular, content: content.into() }
    }
}

impl fmt::Debug for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileState({:?}, {} bytes)", self.mode, self.content.len())
    }
}

/// Variant: a base tree, and the files that differ from it (`None`: the file does not exist).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEdit {
    /// Tree of all other files.
    pub base: TreeId,
    /// New state by path.
    pub changes: BTreeMap<RepoPath, Option<FileState>>,
}

impl TreeEdit {
    /// Creates a variant equal to its base tree.
    pub fn unchanged(base: TreeId) -> Self {
        Self { base, changes: BTreeMap::new() }
    }
}

/// File that differs between two trees: added without `old`, removed without `new`, renamed if the paths differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Path and state in the first tree.
    pub old: Option<(RepoPath, FileState)>,
    /// Path and state in the second tree.
    pub new: Option<(RepoPath, FileState)>,
}

impl FileChange {
    /// Returns the new path of the file, or the old one if it was removed.
    pub fn path(&self) -> Option<&RepoPath> {
        self.new.as_ref().or(self.old.as_ref()).map(|(path, _)| path)
    }
}
