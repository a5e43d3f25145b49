//! Merkle trees of folders, in the protocol's form: a folder's digest is that of the message that lists its entries.

use crate::digest::BlobDigest;
use bazel_remote_apis::build::bazel::remote::execution::v2;
use prost::Message as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A file.
    File {
        /// Digest of its content.
        digest: BlobDigest,
        /// True if its owner may execute it.
        is_executable: bool,
    },
    /// A symbolic link.
    Link {
        /// Its target.
        target: String,
    },
    /// A folder.
    Folder(Arc<Folder>),
}

/// A folder with its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    /// Entries by name.
    pub(crate) entries: BTreeMap<String, Entry>,
    /// Digest of the message.
    pub(crate) digest: BlobDigest,
}

impl Folder {
    pub(crate) fn new(entries: BTreeMap<String, Entry>) -> Arc<Self> {
        let digest = BlobDigest::of_bytes(&encode(&entries));
        Arc::new(Self { entries, digest })
    }

    /// Returns the message that lists the entries.
    pub(crate) fn encode(&self) -> Vec<u8> {
        encode(&self.entries)
    }

    /// Returns the entries of `self` that differ from `base`, and the paths of entries of `base` that `self` lacks.
    pub(crate) fn changes_since(&self, base: &Self) -> (Arc<Self>, Vec<PathBuf>) {
        let mut removed = Vec::new();
        let changed = self.add_changes(base, Path::new(""), &mut removed);
        (Self::new(changed), removed)
    }

    fn add_changes(
        &self,
        base: &Self,
        path: &Path,
        removed: &mut Vec<PathBuf>,
    ) -> BTreeMap<String, Entry> {
        let gone = base.entries.keys().filter(|name| !self.entries.contains_key(*name));
        removed.extend(gone.map(|name| path.join(name)));
        let mut changed = BTreeMap::new();
        for (name, entry) in &self.entries {
            match (entry, base.entries.get(name)) {
                (Entry::Folder(new), Some(Entry::Folder(old))) => {
                    if new.digest != old.digest {
                        let below = new.add_changes(old, &path.join(name), removed);
                        changed.insert(name.clone(), Entry::Folder(Self::new(below)));
                    }
                }
                (_, Some(old)) if old == entry => {}
                (_, old) => {
                    // An entry of another kind is in the way.
                    removed.extend(old.map(|_| path.join(name)));
                    changed.insert(name.clone(), entry.clone());
                }
            }
        }
        changed
    }
}

fn encode(entries: &BTreeMap<String, Entry>) -> Vec<u8> {
    let mut message = v2::Directory::default();
    for (name, entry) in entries {
        let name = name.clone();
        match entry {
            Entry::File { digest, is_executable } => message.files.push(v2::FileNode {
                name,
                digest: Some(digest.to_proto()),
                is_executable: *is_executable,
                node_properties: None,
            }),
            Entry::Link { target } => message.symlinks.push(v2::SymlinkNode {
                name,
                target: target.clone(),
                node_properties: None,
            }),
            Entry::Folder(folder) => message
                .directories
                .push(v2::DirectoryNode { name, digest: Some(folder.digest.to_proto()) }),
        }
    }
    message.encode_to_vec()
}

/// Folder that is built from paths.
#[derive(Debug, Default)]
pub(crate) struct FolderBuilder {
    entries: BTreeMap<String, Entry>,
    folders: BTreeMap<String, FolderBuilder>,
}

impl FolderBuilder {
    /// Adds an entry at a path of normal components.
    pub(crate) fn insert(&mut self, path: &[&str], entry: Entry) {
        match path {
            [] => {}
            [name] => drop(self.entries.insert((*name).to_owned(), entry)),
            [folder, rest @ ..] => {
                self.folders.entry((*folder).to_owned()).or_default().insert(rest, entry);
            }
        }
    }

    /// Returns the folder.
    pub(crate) fn build(self) -> Arc<Folder> {
        let mut entries = self.entries;
        for (name, folder) in self.folders {
            entries.insert(name, Entry::Folder(folder.build()));
        }
        Folder::new(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> Arc<Folder> {
        let mut builder = FolderBuilder::default();
        for (path, content) in files {
            let digest = BlobDigest::of_bytes(content.as_bytes());
            let entry = Entry::File { digest, is_executable: false };
            builder.insert(&path.split('/').collect::<Vec<_>>(), entry);
        }
        builder.build()
    }

    #[test]
    fn digest_depends_on_names_and_contents_only() {
        let one = folder(&[("a/b", "1"), ("c", "2")]);
        assert_eq!(one.digest, folder(&[("c", "2"), ("a/b", "1")]).digest);
        for other in [[("a/b", "1"), ("c", "3")], [("a/x", "1"), ("c", "2")]] {
            assert_ne!(one.digest, folder(&other).digest);
        }
    }

    #[test]
    fn changes_are_what_differs() {
        let base = folder(&[("a/b", "1"), ("a/c", "1"), ("d/e", "1"), ("f", "1")]);
        let other = folder(&[("a/b", "1"), ("a/c", "2"), ("d", "1"), ("g/h", "1")]);
        let (changed, removed) = other.changes_since(&base);
        assert_eq!(changed.digest, folder(&[("a/c", "2"), ("d", "1"), ("g/h", "1")]).digest);
        assert_eq!(removed, ["f", "a/c", "d"].map(PathBuf::from));
        let (unchanged, removed) = base.changes_since(&base);
        assert!(unchanged.entries.is_empty() && removed.is_empty());
    }
}
