//! Merkle trees of folders on disk. Digests of unchanged files are cached.

use crate::digest::BlobDigest;
use crate::merkle::{Entry, Folder};
use mend_model::{Problem, Result};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Age of a change below which a file may change again without another time: clocks of some file systems tick in
/// seconds.
const RACY_AGE: Duration = Duration::from_secs(2);

/// Folder of a git repository, which is not part of a variant.
const GIT_FOLDER: &str = ".git";

/// Digests of files by path, valid while the metadata is unchanged.
#[derive(Debug, Default)]
pub(crate) struct FileDigests(HashMap<PathBuf, (FileState, BlobDigest)>);

/// Metadata that changes with the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileState {
    fn new(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns true if a later change would have another time.
    fn is_settled(&self) -> bool {
        let (seconds, nanos) = self.changed;
        let parts = (u64::try_from(seconds), u32::try_from(nanos));
        let (Ok(seconds), Ok(nanos)) = parts else { return false };
        let changed = UNIX_EPOCH + Duration::new(seconds, nanos);
        SystemTime::now().duration_since(changed).is_ok_and(|age| age > RACY_AGE)
    }
}

impl FileDigests {
    /// Returns the Merkle tree of a variant: a folder without its git repository. Links are not followed.
    ///
    /// # Errors
    /// Files that cannot be read, and names that are not UTF-8.
    pub(crate) fn scan_tree(&mut self, root: &Path) -> Result<Arc<Folder>> {
        self.scan_folder(root, &|path| path.ends_with(GIT_FOLDER), false)
    }

    /// Returns the entry of a file or folder outside the trees. Links are followed.
    ///
    /// # Errors
    /// Files that cannot be read, and names that are not UTF-8.
    pub(crate) fn scan_outside(&mut self, path: &Path) -> Result<Entry> {
        self.scan_entry(path, &|_| false, true)
    }

    fn scan_folder(
        &mut self,
        folder: &Path,
        is_excluded: &dyn Fn(&Path) -> bool,
        follows_links: bool,
    ) -> Result<Arc<Folder>> {
        let io_problem = |error| Problem::io(error, folder);
        let mut entries = BTreeMap::new();
        for entry in fs::read_dir(folder).map_err(io_problem)? {
            let path = entry.map_err(io_problem)?.path();
            if is_excluded(&path) {
                continue;
            }
            let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
            let entry = self.scan_entry(&path, is_excluded, follows_links)?;
            // Git stores no empty folders.
            let is_empty = matches!(&entry, Entry::Folder(folder) if folder.entries.is_empty());
            if !is_empty {
                entries.insert(name.ok_or_else(|| not_utf8(&path))?, entry);
            }
        }
        Ok(Folder::new(entries))
    }

    fn scan_entry(
        &mut self,
        path: &Path,
        is_excluded: &dyn Fn(&Path) -> bool,
        follows_links: bool,
    ) -> Result<Entry> {
        let io_problem = |error| Problem::io(error, path);
        let metadata = if follows_links { fs::metadata(path) } else { fs::symlink_metadata(path) };
        let metadata = metadata.map_err(io_problem)?;
        if metadata.is_dir() {
            return Ok(Entry::Folder(self.scan_folder(path, is_excluded, follows_links)?));
        }
        if metadata.is_symlink() {
            let target = fs::read_link(path).map_err(io_problem)?;
            let target = target.to_str().ok_or_else(|| not_utf8(path))?.to_owned();
            return Ok(Entry::Link { target });
        }
        if !metadata.is_file() {
            return Err(anyhow::anyhow!("{} is a special file", path.display()).into());
        }
        let is_executable = metadata.permissions().mode() & 0o100 != 0;
        Ok(Entry::File {
            digest: self.digest_file(path, &metadata).map_err(io_problem)?,
            is_executable,
        })
    }

    /// Returns the digest of a file, which is read only if it has changed.
    fn digest_file(&mut self, path: &Path, metadata: &Metadata) -> io::Result<BlobDigest> {
        let state = FileState::new(metadata);
        match self.0.get(path) {
            Some((known, digest)) if *known == state => return Ok(*digest),
            _ => {}
        }
        let digest = BlobDigest::of_file(path)?;
        if state.is_settled() {
            self.0.insert(path.to_owned(), (state, digest));
        }
        Ok(digest)
    }
}

fn not_utf8(path: &Path) -> Problem {
    anyhow::anyhow!("{}: the name is not UTF-8", path.display()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn tree_has_files_links_and_modes_but_no_repository() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["a/b", ".git/objects", "empty"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("a/b/c"), "1").unwrap();
        fs::write(dir.path().join(".git/HEAD"), "").unwrap();
        symlink("b/c", dir.path().join("a/link")).unwrap();
        fs::set_permissions(dir.path().join("a/b/c"), fs::Permissions::from_mode(0o755)).unwrap();
        let folder = FileDigests::default().scan_tree(dir.path()).unwrap();
        let Some(Entry::Folder(below)) = folder.entries.get("a") else { panic!("{folder:?}") };
        assert_eq!(folder.entries.len(), 1);
        assert_eq!(below.entries["link"], Entry::Link { target: "b/c".to_owned() });
        let Entry::Folder(below) = &below.entries["b"] else { panic!("{folder:?}") };
        let digest = BlobDigest::of_bytes(b"1");
        assert_eq!(below.entries["c"], Entry::File { digest, is_executable: true });
    }

    #[test]
    fn changed_file_of_the_same_size_has_another_digest() {
        let dir = tempfile::tempdir().unwrap();
        let mut digests = FileDigests::default();
        let mut scan = |content: &str| {
            fs::write(dir.path().join("a"), content).unwrap();
            digests.scan_tree(dir.path()).unwrap().digest
        };
        assert_ne!(scan("1"), scan("2"));
    }

    #[test]
    fn links_outside_the_tree_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.jar"), "1").unwrap();
        symlink("a.jar", dir.path().join("b.jar")).unwrap();
        let entry = FileDigests::default().scan_outside(&dir.path().join("b.jar")).unwrap();
        let digest = BlobDigest::of_bytes(b"1");
        assert_eq!(entry, Entry::File { digest, is_executable: false });
    }
}
