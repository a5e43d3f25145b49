//! Reads a folder of patches.

use crate::run::patch::patch_source::{PatchSource, is_diff};
use mend_model::{Problem, Result};
use std::cmp::Ordering;
use std::fs::DirEntry;
use std::path::Path;

/// Patches of a pool, in the natural order of their names.
#[derive(Debug, Default)]
pub(super) struct PatchPool {
    pub(super) entries: Vec<PoolEntry>,
    /// Names of files that are not patches.
    pub(super) non_patch_files: Vec<String>,
}

/// Patch of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PoolEntry {
    /// Name of the file or folder.
    pub(super) name: String,
    pub(super) source: PatchSource,
}

impl PatchPool {
    /// Lists a pool.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the path is not a folder or the folder contains no patch.
    pub(super) fn read(dir: &Path) -> Result<Self> {
        let usage = |message: String| Problem::Usage {
            message,
            remedy: "pass a folder with one diff or one folder of changed files per patch".into(),
        };
        let directory_entries = std::fs::read_dir(dir)
            .map_err(|error| (dir.display(), Problem::io_error_reason(&error)))
            .map_err(|(dir, why)| usage(format!("cannot read the pool {dir}: {why}")))?;
        let mut pool = Self::default();
        for entry in directory_entries {
            let entry = entry.map_err(|error| Problem::io(error, dir))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            match to_patch_source(&entry) {
                _ if name.starts_with('.') => {}
                Some(source) => pool.entries.push(PoolEntry { name, source }),
                None => pool.non_patch_files.push(name),
            }
        }
        if pool.entries.is_empty() {
            return Err(usage(format!("the pool {} contains no patch", dir.display())));
        }
        pool.entries.sort_by(|a, b| compare_naturally(&a.name, &b.name));
        pool.non_patch_files.sort();
        Ok(pool)
    }
}

/// Returns the patch in a file or folder of a pool, or `None` if there is none.
fn to_patch_source(entry: &DirEntry) -> Option<PatchSource> {
    let path = entry.path();
    let has_diff_extension = is_diff(&path);
    Some(match path.metadata() {
        Ok(kind) if kind.is_dir() => PatchSource::Folder(path),
        Ok(kind) if kind.is_file() && has_diff_extension => PatchSource::Diff(path),
        Ok(_) if has_diff_extension => {
            PatchSource::Unreadable("it is neither a file nor a folder".to_owned())
        }
        Ok(_) => return None,
        Err(error) => PatchSource::Unreadable(format!("cannot read it: {error}")),
    })
}

/// Compares names with numbers by their value: 2 comes before 10.
fn compare_naturally(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some(first), Some(second)) = (left.chars().next(), right.chars().next()) {
        let are_numbers = first.is_ascii_digit() && second.is_ascii_digit();
        let order = if are_numbers {
            take_number(&mut left).cmp(&take_number(&mut right))
        } else {
            left = &left[first.len_utf8()..];
            right = &right[second.len_utf8()..];
            first.cmp(&second)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// Removes a leading number. Returns its length and digits without leading zeros.
fn take_number<'a>(text: &mut &'a str) -> (usize, &'a str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let digits = digits.trim_start_matches('0');
    (digits.len(), digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_their_numbers() {
        let mut names = ["p10", "p9", "10", "p9b", "02", "2", "1", "p", "99999999999999999999999"];
        names.sort_by(|a, b| compare_naturally(a, b));
        let expected = ["1", "02", "2", "10", "99999999999999999999999", "p", "p9", "p9b", "p10"];
        assert_eq!(names, expected);
    }

    #[test]
    fn pool_lists_diffs_folders_and_other_files() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["10.patch", "2.diff", "README", ".hidden.patch"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("3")).unwrap();
        std::os::unix::fs::symlink("nowhere", dir.path().join("4.patch")).unwrap();
        let pool = PatchPool::read(dir.path()).unwrap();
        let names: Vec<_> = pool.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["2.diff", "3", "4.patch", "10.patch"]);
        assert!(matches!(pool.entries[2].source, PatchSource::Unreadable(_)));
        assert_eq!(pool.non_patch_files, ["README"]);
    }

    #[test]
    fn pool_without_patches_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let error_of = |path: &Path| PatchPool::read(path).unwrap_err().to_string();
        assert!(error_of(dir.path()).ends_with("contains no patch"));
        assert!(error_of(&dir.path().join("none")).starts_with("cannot read the pool"));
    }
}
