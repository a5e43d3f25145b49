//! Paths inside a repository.

use bstr::{BStr, BString, ByteSlice};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};

/// Path of a file in a tree: bytes as stored in git, separated by `/`, never absolute.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(BString);

impl RepoPath {
    /// Creates a path from the bytes stored in git.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(BString::from(bytes.into()))
    }

    /// Returns the bytes as stored in git.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// Converts the path to a file system path relative to a work tree.
    pub fn to_fs_path(&self) -> PathBuf {
        self.0.to_path().map_or_else(|_| PathBuf::from(self.to_string()), Path::to_path_buf)
    }

    /// Returns the components between the slashes.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &BStr> {
        self.0.split(|byte| *byte == b'/').map(BStr::new)
    }

    /// Returns the last component.
    pub fn file_name(&self) -> &BStr {
        self.components().next_back().unwrap_or_default()
    }

    /// Returns true if the name ends in `.java`.
    pub fn is_java(&self) -> bool {
        self.0.ends_with(b".java")
    }

    /// Returns true if the path is below `root` (a path without trailing slash; empty means the whole tree).
    pub fn is_under(&self, root: &Self) -> bool {
        root.0.is_empty()
            || self.0.strip_prefix(root.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'/'))
    }

    /// Appends `rest` to the path; an empty path is the tree itself.
    #[must_use]
    pub fn join(&self, rest: &Self) -> Self {
        if self.0.is_empty() {
            return rest.clone();
        }
        Self::new([self.as_bytes(), b"/", rest.as_bytes()].concat())
    }
}

impl From<&str> for RepoPath {
    fn from(path: &str) -> Self {
        Self::new(path.as_bytes())
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RepoPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sibling_with_same_prefix_is_not_under_root() {
        assert!(RepoPath::from("src/a/B.java").is_under(&"src".into()));
        assert!(!RepoPath::from("srcs/a/B.java").is_under(&"src".into()));
        assert!(RepoPath::from("x").is_under(&"".into()));
    }

    #[test]
    fn join_to_empty_path_adds_no_slash() {
        assert_eq!(RepoPath::from("").join(&"a".into()), "a".into());
        assert_eq!(RepoPath::from("b").join(&"a".into()), "b/a".into());
    }
}
