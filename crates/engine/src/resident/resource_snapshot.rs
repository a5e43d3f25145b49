//! Snapshot of the files that tests can read, except classes.

use crate::cache::digest::Digest;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Files of a tree with digests of their contents. A file is read again only if it may have changed.
#[derive(Default)]
pub(super) struct ResourceSnapshot {
    files: HashMap<PathBuf, (FileStamp, Vec<u8>)>,
}

/// Stamp that changes when a file is written or replaced.
type FileStamp = [i64; 6];

impl ResourceSnapshot {
    /// Returns a digest of all files except sources, whose changes show in the classes. Of the `.git` folder, only
    /// files that identify the checked-out version count. `None` if a file cannot be read.
    pub(super) fn digest(
        &mut self,
        tree: &Path,
        is_source: impl Fn(&Path) -> bool,
    ) -> Option<String> {
        let mut digest = Digest::default();
        let mut files = HashMap::new();
        let walk = WalkDir::new(tree).sort_by_file_name().into_iter();
        for entry in walk.filter_entry(|entry| !is_git_internal(entry)) {
            let entry = entry.ok()?;
            let path = entry.path();
            if !is_source(path) {
                let metadata = entry.metadata().ok()?;
                let relative_path = path.strip_prefix(tree).unwrap_or(path);
                digest.add("path", relative_path.as_os_str().as_encoded_bytes());
                digest.add("mode", metadata.mode().to_le_bytes());
                let content = self.content_digest(path, &metadata)?;
                digest.add("content", &content);
                files.insert(path.to_owned(), (file_stamp(&metadata), content));
            }
        }
        self.files = files;
        Some(digest.finish_hex())
    }

    fn content_digest(&self, path: &Path, metadata: &Metadata) -> Option<Vec<u8>> {
        if metadata.is_symlink() {
            let target = std::fs::read_link(path).ok()?;
            return Some(target.into_os_string().into_encoded_bytes());
        } else if !metadata.is_file() {
            return Some(Vec::new());
        }
        match self.files.get(path) {
            Some((known, content)) if *known == file_stamp(metadata) => Some(content.clone()),
            _ => Some(Sha256::digest(std::fs::read(path).ok()?).to_vec()),
        }
    }
}

fn file_stamp(metadata: &Metadata) -> FileStamp {
    let [inode, size] = [metadata.ino(), metadata.size()].map(u64::cast_signed);
    let [modified, changed] =
        [(metadata.mtime(), metadata.mtime_nsec()), (metadata.ctime(), metadata.ctime_nsec())];
    [inode, size, modified.0, modified.1, changed.0, changed.1]
}

fn is_git_internal(entry: &DirEntry) -> bool {
    let parent = entry.path().parent().and_then(Path::file_name);
    entry.depth() == 2 && parent.is_some_and(|name| name == ".git") && entry.file_name() != "HEAD"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn digest_covers_resources_but_not_sources_or_times() {
        let dir = tempfile::tempdir().unwrap();
        let path_of = |name: &str| dir.path().join(name);
        fs::create_dir_all(path_of(".git/objects")).unwrap();
        for (name, text) in [(".git/HEAD", "1"), ("A.java", "a"), ("data", "x"), ("other", "y")] {
            fs::write(path_of(name), text).unwrap();
        }
        let mut snapshot = ResourceSnapshot::default();
        let mut digest = || {
            let is_source = |path: &Path| path.ends_with("A.java");
            snapshot.digest(dir.path(), is_source).unwrap()
        };
        let first = digest();
        fs::write(path_of("A.java"), "b").unwrap();
        fs::write(path_of(".git/index"), "1").unwrap();
        fs::write(path_of("data"), "x").unwrap();
        assert_eq!(digest(), first);
        let mut digests = vec![first];
        for (name, text) in [("data", "z"), (".git/HEAD", "2"), ("more", ""), ("B.java", "")] {
            fs::write(path_of(name), text).unwrap();
            digests.push(digest());
        }
        fs::remove_file(path_of("other")).unwrap();
        digests.push(digest());
        std::os::unix::fs::symlink("data", path_of("other")).unwrap();
        digests.push(digest());
        let count = digests.len();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), count);
    }
}
