//! A variant of a code base: a tree that git has, and what differs from it.

use super::RepoPath;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The object id of a git tree, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeId(pub String);

impl fmt::Display for TreeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What git remembers of a file besides its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// A plain file.
    Regular,
    /// A file that may be executed.
    Executable,
    /// A symbolic link; its content is the target.
    Symlink,
    /// A submodule; its content is the commit's id in hexadecimal.
    Submodule,
}

/// One file of a tree.
#[derive(Clone, PartialEq, Eq)]
pub struct FileState {
    /// Kind and permission.
    pub mode: FileMode,
    /// The bytes as git has them (before any checkout filter).
    pub content: Arc<[u8]>,
}

impl FileState {
    /// A plain file of these bytes.
    pub fn regular(content: impl Into<Arc<[u8]>>) -> Self {
        Self { mode: FileMode::Regular, content: content.into() }
    }
}

impl fmt::Debug for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileState({:?}, {} bytes)", self.mode, self.content.len())
    }
}

/// A variant: a base tree, and the files that differ from it (`None`: the file is not there).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEdit {
    /// The tree that everything unnamed is taken from.
    pub base: TreeId,
    /// Path to its new state.
    pub changes: BTreeMap<RepoPath, Option<FileState>>,
}

impl TreeEdit {
    /// The base tree itself.
    pub fn unchanged(base: TreeId) -> Self {
        Self { base, changes: BTreeMap::new() }
    }
}

/// One file that differs between two trees: added without `old`, removed without `new`, renamed where
/// the paths differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Path and state in the first tree.
    pub old: Option<(RepoPath, FileState)>,
    /// Path and state in the second tree.
    pub new: Option<(RepoPath, FileState)>,
}

impl FileChange {
    /// Where the file is, or was if it is gone.
    pub fn path(&self) -> Option<&RepoPath> {
        self.new.as_ref().or(self.old.as_ref()).map(|(path, _)| path)
    }
}
