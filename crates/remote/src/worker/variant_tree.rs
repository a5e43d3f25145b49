//! Folder in which a worker tests one variant after the other. Only files that differ are written.

use anyhow::Context as _;
use mend_model::{Problem, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Files of a variant: the place in the input root of each, by path in the tree.
pub(super) type VariantFiles = BTreeMap<PathBuf, PathBuf>;

/// Returns the files and links below a folder, which need not exist.
pub(super) fn list_files(folder: &Path) -> Result<VariantFiles> {
    let mut files = VariantFiles::new();
    if !folder.exists() {
        return Ok(files);
    }
    for entry in WalkDir::new(folder) {
        let entry = entry.context("reading a variant")?;
        if !entry.file_type().is_dir() {
            let path = entry.path().strip_prefix(folder).context("reading a variant")?;
            files.insert(path.to_owned(), entry.path().to_owned());
        }
    }
    Ok(files)
}

/// Returns the files of a variant: those of the base without what was removed, and the changed ones.
pub(super) fn apply_changes(
    base: &VariantFiles,
    removed: &[PathBuf],
    changed: VariantFiles,
) -> VariantFiles {
    let is_kept = |path: &Path| !removed.iter().any(|gone| path.starts_with(gone));
    let kept = base.iter().filter(|(path, _)| is_kept(path));
    kept.map(|(path, place)| (path.clone(), place.clone())).chain(changed).collect()
}

/// The folder, and what was written there.
#[derive(Debug)]
pub(super) struct VariantTree {
    folder: PathBuf,
    /// Place in the input root of each written file, and its metadata afterwards.
    written: BTreeMap<PathBuf, (PathBuf, FileState)>,
}

/// Metadata that changes if a test changes a file.
type FileState = (u64, u64, i64, i64, u32);

fn file_state(metadata: &Metadata) -> FileState {
    let (inode, size, mode) = (metadata.ino(), metadata.size(), metadata.mode());
    (inode, size, metadata.ctime(), metadata.ctime_nsec(), mode)
}

fn is_executable(metadata: &Metadata) -> bool {
    metadata.permissions().mode() & 0o100 != 0
}

/// Returns true if two input files have the same kind, content and mode. Links are the same if their targets are.
fn is_same_entry(one: &Path, other: &Path) -> io::Result<bool> {
    let metadata = [fs::symlink_metadata(one)?, fs::symlink_metadata(other)?];
    Ok(match metadata.each_ref().map(Metadata::is_symlink) {
        [true, true] => fs::read_link(one)? == fs::read_link(other)?,
        [false, false] => {
            let [one_metadata, other_metadata] = &metadata;
            one_metadata.len() == other_metadata.len()
                && is_executable(one_metadata) == is_executable(other_metadata)
                && fs::read(one)? == fs::read(other)?
        }
        _ => false,
    })
}

impl VariantTree {
    /// Creates the folder.
    pub(super) fn create(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder).map_err(|error| Problem::io(error, &folder))?;
        Ok(Self { folder, written: BTreeMap::new() })
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Gives the folder exactly these files, regardless of what the tests of the last variant left.
    pub(super) fn check_out(&mut self, files: &VariantFiles) -> Result<()> {
        let existing = self.remove_others(files)?;
        for (path, place) in files {
            let target = self.folder.join(path);
            if existing.contains(path) && self.is_unchanged(path, place, &target) {
                continue;
            }
            let write = || -> io::Result<FileState> {
                copy_entry(place, &target)?;
                Ok(file_state(&fs::symlink_metadata(&target)?))
            };
            let state = write().map_err(|error| Problem::io(error, &target))?;
            self.written.insert(path.clone(), (place.clone(), state));
        }
        Ok(())
    }

    fn is_unchanged(&self, path: &Path, place: &Path, target: &Path) -> bool {
        let Some((known, state)) = self.written.get(path) else { return false };
        fs::symlink_metadata(target).is_ok_and(|metadata| file_state(&metadata) == *state)
            && (known == place || is_same_entry(known, place).unwrap_or(false))
    }

    /// Removes everything but the wanted files, and returns those that exist.
    fn remove_others(&mut self, files: &VariantFiles) -> Result<BTreeSet<PathBuf>> {
        let mut existing = BTreeSet::new();
        let folders =
            |path: &Path| path.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>();
        let wanted_folders: BTreeSet<PathBuf> =
            files.keys().flat_map(|path| folders(path)).collect();
        let mut walk = WalkDir::new(&self.folder).min_depth(1).into_iter();
        while let Some(entry) = walk.next() {
            let entry = entry.context("cleaning the tree")?;
            let path = entry.path().strip_prefix(&self.folder).context("cleaning the tree")?;
            let is_folder = entry.file_type().is_dir();
            if is_folder && wanted_folders.contains(path) {
                make_writable(entry.path()).map_err(|error| Problem::io(error, entry.path()))?;
            } else if !is_folder && files.contains_key(path) {
                existing.insert(path.to_owned());
            } else {
                let removed = if is_folder {
                    walk.skip_current_dir();
                    remove_folder(entry.path())
                } else {
                    fs::remove_file(entry.path())
                };
                removed.map_err(|error| Problem::io(error, entry.path()))?;
            }
        }
        self.written.retain(|path, _| existing.contains(path));
        Ok(existing)
    }
}

fn make_writable(folder: &Path) -> io::Result<()> {
    let mode = fs::metadata(folder)?.permissions().mode();
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    fs::set_permissions(folder, Permissions::from_mode(mode | 0o700))
}

/// Removes a folder, even if it has read-only folders.
fn remove_folder(folder: &Path) -> io::Result<()> {
    for entry in WalkDir::new(folder) {
        let entry = entry?;
        if entry.file_type().is_dir() {
            make_writable(entry.path())?;
        }
    }
    fs::remove_dir_all(folder)
}

/// Copies a file or link, in place of what is there. The copy is writable: input files need not be.
fn copy_entry(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::remove_file(to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    fs::write(to, fs::read(from)?)?;
    let mode = if is_executable(&metadata) { 0o755 } else { 0o644 };
    fs::set_permissions(to, Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (path, content) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    fn contents(tree: &VariantTree) -> Vec<(String, String)> {
        let files = list_files(tree.path()).unwrap();
        let content = |path: &Path| fs::read_to_string(tree.path().join(path)).unwrap();
        files.keys().map(|path| (path.display().to_string(), content(path))).collect()
    }

    fn expected(files: &[(&str, &str)]) -> Vec<(String, String)> {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn folder_has_exactly_the_files_of_the_variant() {
        let input = tempfile::tempdir().unwrap();
        write(&input.path().join("base"), &[("a", "1"), ("b/c", "2"), ("b/d", "3")]);
        write(&input.path().join("1"), &[("b/c", "4"), ("a/e", "5")]);
        let base = list_files(&input.path().join("base")).unwrap();
        let changed = list_files(&input.path().join("1")).unwrap();
        let other = apply_changes(&base, &["a", "b/d"].map(PathBuf::from), changed);
        let mut tree = VariantTree::create(input.path().join("tree")).unwrap();
        for _ in 0..2 {
            tree.check_out(&base).unwrap();
            assert_eq!(contents(&tree), expected(&[("a", "1"), ("b/c", "2"), ("b/d", "3")]));
            tree.check_out(&other).unwrap();
            assert_eq!(contents(&tree), expected(&[("a/e", "5"), ("b/c", "4")]));
        }
    }

    #[test]
    fn what_tests_changed_is_restored() {
        let input = tempfile::tempdir().unwrap();
        write(&input.path().join("base"), &[("a", "1"), ("b/c", "2")]);
        let base = list_files(&input.path().join("base")).unwrap();
        let mut tree = VariantTree::create(input.path().join("tree")).unwrap();
        tree.check_out(&base).unwrap();
        write(tree.path(), &[("a", "x"), ("left/over", "x"), ("b/more", "x")]);
        fs::remove_file(tree.path().join("b/c")).unwrap();
        fs::set_permissions(tree.path().join("left"), Permissions::from_mode(0o500)).unwrap();
        tree.check_out(&base).unwrap();
        assert_eq!(contents(&tree), expected(&[("a", "1"), ("b/c", "2")]));
    }

    #[test]
    fn unchanged_files_are_not_written_again() {
        let input = tempfile::tempdir().unwrap();
        write(&input.path().join("base"), &[("a", "1")]);
        write(&input.path().join("1"), &[("a", "1")]);
        let mut tree = VariantTree::create(input.path().join("tree")).unwrap();
        let mut modified = |folder: &str| {
            tree.check_out(&list_files(&input.path().join(folder)).unwrap()).unwrap();
            fs::metadata(tree.path().join("a")).unwrap().modified().unwrap()
        };
        assert_eq!(modified("base"), modified("1"));
    }

    #[test]
    fn modes_and_links_follow_the_variant() {
        let input = tempfile::tempdir().unwrap();
        let names = ["mode", "target", "kind"];
        for folder in ["base", "1"] {
            write(&input.path().join(folder), &[("x", "1"), ("y", "1"), ("mode", "1")]);
        }
        let place = |folder: &str, name: &str| input.path().join(folder).join(name);
        fs::set_permissions(place("1", "mode"), Permissions::from_mode(0o555)).unwrap();
        symlink("x", place("base", "target")).unwrap();
        symlink("y", place("1", "target")).unwrap();
        symlink("x", place("base", "kind")).unwrap();
        fs::write(place("1", "kind"), "1").unwrap();
        let mut tree = VariantTree::create(input.path().join("tree")).unwrap();
        for folder in ["base", "1", "base"] {
            tree.check_out(&list_files(&input.path().join(folder)).unwrap()).unwrap();
            for name in names {
                let is_same = is_same_entry(&place(folder, name), &tree.path().join(name)).unwrap();
                assert!(is_same, "{folder} {name}");
            }
        }
    }
}
