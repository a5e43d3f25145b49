//! Reader of run folders. Untrusted code may have written a run folder, so the reader checks names, sizes and types of
//! files before it reads them.

use super::result::{RunResult, SCHEMA};
use mend_model::{Problem, Result};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Maximum size of `result.json`, in bytes. The largest searches need a hundredth of it.
const MAX_RESULT_BYTES: u64 = 4 << 20;

/// Maximum size of a patch, in bytes.
const MAX_PATCH_BYTES: u64 = 1 << 20;

/// Maximum number of patches.
const MAX_PATCHES: usize = 64;

/// Completed or killed run: its result, and the patches that the result names.
#[derive(Debug)]
pub struct SavedRun {
    folder: OpenFolder,
    result: RunResult,
    patches: BTreeMap<String, Vec<u8>>,
}

impl SavedRun {
    /// Reads a run folder.
    ///
    /// # Errors
    /// [`Problem::Usage`] if it is not a run folder, was written by an incompatible version, or contains a file that is
    /// too large or not a regular file.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::read(OpenFolder::open(folder, OFlags::empty())?)
    }

    /// Reads a run folder that untrusted code may replace. Does not follow a symbolic link.
    ///
    /// # Errors
    /// Errors of [`Self::open`]; [`Problem::Usage`] if it is a symbolic link.
    pub fn open_no_link(folder: &Path) -> Result<Self> {
        Self::read(OpenFolder::open(folder, OFlags::NOFOLLOW)?)
    }

    fn read(open_folder: OpenFolder) -> Result<Self> {
        let folder = open_folder.path.as_path();
        let read_required = |name: &str, most: u64| {
            open_folder.read(name, most)?.ok_or_else(|| not_a_run_folder(folder, name))
        };
        let text = read_required("result.json", MAX_RESULT_BYTES)?;
        let result: RunResult = serde_json::from_slice(&text).map_err(|error| Problem::Usage {
            // The parser error quotes the input, with its line breaks.
            message: format!(
                "cannot read result.json in {}: {}",
                folder.display(),
                error.to_string().escape_debug()
            ),
            remedy: "repeat the search with this version of git-mend".to_owned(),
        })?;
        if result.schema != SCHEMA {
            return Err(unreadable_run_folder(folder, "result.json", "has another schema version"));
        }
        let mut patches = BTreeMap::new();
        for name in patch_names(&result) {
            if patches.contains_key(name) {
                continue;
            }
            if !is_patch_name(name) || patches.len() == MAX_PATCHES {
                return Err(unreadable_run_folder(
                    folder,
                    name,
                    "is not the name of a patch of a run",
                ));
            }
            patches.insert(name.to_owned(), read_required(name, MAX_PATCH_BYTES)?);
        }
        Ok(Self { folder: open_folder, result, patches })
    }

    /// Returns the path of the run folder.
    pub fn path(&self) -> &Path {
        &self.folder.path
    }

    /// Returns the result.
    pub fn result(&self) -> &RunResult {
        &self.result
    }

    /// Returns the bytes of a patch that the result names.
    pub fn patch(&self, name: &str) -> Option<&[u8]> {
        self.patches.get(name).map(Vec::as_slice)
    }

    /// Returns the text of a patch, with replacement characters for invalid UTF-8.
    pub fn patch_text(&self, name: &str) -> String {
        String::from_utf8_lossy(self.patch(name).unwrap_or_default()).into_owned()
    }

    /// Reads another file of the folder, if it exists.
    ///
    /// # Errors
    /// Errors of [`Self::open`].
    pub fn read_file(&self, name: &str, max_bytes: u64) -> Result<Option<Vec<u8>>> {
        self.folder.read(name, max_bytes)
    }
}

/// Returns the patches that a result names.
fn patch_names(result: &RunResult) -> impl Iterator<Item = &str> {
    let bisection_patches = result.culprit.iter().chain(&result.fix).chain(&result.others);
    let bisection_patches = bisection_patches.map(|one| one.patch.as_str());
    let fixes = result.fixes.iter().filter_map(|one| one.patch.as_deref());
    bisection_patches
        .chain(fixes)
        .chain(result.patches.iter().filter_map(|one| one.patch.as_deref()))
}

/// Returns true if a run can write a patch of this name: `culprit.patch`, `fix-2.patch`.
pub fn is_patch_name(name: &str) -> bool {
    let stem = name.strip_suffix(".patch");
    let number =
        stem.and_then(|stem| ["culprit", "fix"].iter().find_map(|one| stem.strip_prefix(one)));
    let is_number = |text: &str| text.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok());
    number.is_some_and(|number| number.is_empty() || is_number(number))
}

/// Open folder. It stays the same folder even if another one replaces its path.
#[derive(Debug)]
struct OpenFolder {
    path: PathBuf,
    folder: OwnedFd,
}

impl OpenFolder {
    fn open(path: &Path, flags: OFlags) -> Result<Self> {
        let flags = flags | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, path, flags, Mode::empty()).map_err(|error| match error {
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => not_a_run_folder(path, "result.json"),
            _ => Problem::io(error.into(), path),
        })?;
        Ok(Self { path: path.to_owned(), folder })
    }

    /// Reads a regular file of the folder, if it exists. Checks the type after opening, so that the file cannot be
    /// exchanged in between. Does not follow links, and does not block on a pipe.
    fn read(&self, name: &str, max_bytes: u64) -> Result<Option<Vec<u8>>> {
        let path = self.path.join(name);
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&self.folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            // The file is a symbolic link or a socket.
            Err(Errno::LOOP | Errno::NXIO) => return Err(self.not_regular_file(name)),
            Err(error) => return Err(Problem::io(error.into(), &path)),
        };
        if !file.metadata().map_err(|error| Problem::io(error, &path))?.is_file() {
            return Err(self.not_regular_file(name));
        }
        let mut content = Vec::new();
        file.take(max_bytes + 1)
            .read_to_end(&mut content)
            .map_err(|error| Problem::io(error, &path))?;
        if content.len() as u64 > max_bytes {
            return Err(unreadable_run_folder(&self.path, name, "is too large"));
        }
        Ok(Some(content))
    }

    fn not_regular_file(&self, name: &str) -> Problem {
        unreadable_run_folder(&self.path, name, "is not a regular file")
    }
}

fn not_a_run_folder(folder: &Path, name: &str) -> Problem {
    Problem::Usage {
        message: format!("{} is not a run folder: it has no {name}", folder.display()),
        remedy: "name a folder in .git/mend/runs, or the --output folder of a run".to_owned(),
    }
}

fn unreadable_run_folder(folder: &Path, name: &str, why: &str) -> Problem {
    Problem::Usage {
        message: format!(
            "cannot read the run folder {}: {} {why}",
            folder.display(),
            name.escape_debug()
        ),
        remedy: "name a run folder that this version of git-mend wrote".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, PatchResult, RunGoal};
    use rustix::fs::{FileType, mknodat};
    use std::fs;
    use tempfile::TempDir;

    fn sample_folder(patch: &str) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        let mut result = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        result.fix = Some(PatchResult {
            tokens: 2,
            hunks: 1,
            components: 1,
            files: vec!["src/A.java".to_owned()],
            patch: patch.to_owned(),
            minimal: true,
            commits: Vec::new(),
            component_ids: Vec::new(),
        });
        let text = serde_json::to_vec(&result).unwrap();
        fs::write(dir.path().join("result.json"), text).unwrap();
        dir
    }

    fn open_error(dir: &TempDir) -> String {
        SavedRun::open(dir.path()).unwrap_err().to_string()
    }

    #[test]
    fn run_is_read_with_its_named_patches() {
        let dir = sample_folder("fix.patch");
        fs::write(dir.path().join("fix.patch"), "diff").unwrap();
        let run = SavedRun::open(dir.path()).unwrap();
        assert_eq!(run.patch("fix.patch"), Some(&b"diff"[..]));
        assert_eq!(run.patch("culprit.patch"), None);
    }

    #[test]
    fn patch_outside_the_folder_is_refused() {
        for name in ["../fix.patch", "/etc/passwd", "fix.patch/../x", "a/fix.patch", "fix-.patch"] {
            assert!(
                open_error(&sample_folder(name)).contains("is not the name of a patch of a run"),
                "{name}"
            );
        }
    }

    #[test]
    fn symlinked_patch_is_refused() {
        let dir = sample_folder("fix.patch");
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("fix.patch")).unwrap();
        assert!(open_error(&dir).contains("is not a regular file"));
    }

    #[test]
    fn named_pipe_does_not_block_the_reader() {
        for name in ["fix.patch", "result.json"] {
            let dir = sample_folder("fix.patch");
            let path = dir.path().join(name);
            let _ = fs::remove_file(&path);
            mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
            assert!(open_error(&dir).contains("is not a regular file"), "{name}");
        }
    }

    #[test]
    fn symlinked_folder_is_followed_only_on_request() {
        let (dir, elsewhere) = (sample_folder("fix.patch"), tempfile::tempdir().unwrap());
        fs::write(dir.path().join("fix.patch"), "diff").unwrap();
        let link = elsewhere.path().join("run");
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        assert!(SavedRun::open(&link).is_ok() && SavedRun::open_no_link(dir.path()).is_ok());
        let error = SavedRun::open_no_link(&link).unwrap_err().to_string();
        assert!(error.contains("is not a run folder"), "{error}");
    }

    #[test]
    fn replaced_folder_is_not_read() {
        let dir = sample_folder("fix.patch");
        let run = dir.path().join("run");
        fs::create_dir(&run).unwrap();
        fs::rename(dir.path().join("result.json"), run.join("result.json")).unwrap();
        fs::write(run.join("fix.patch"), "diff").unwrap();
        let read = SavedRun::open_no_link(&run).unwrap();
        fs::rename(&run, dir.path().join("old")).unwrap();
        fs::create_dir(&run).unwrap();
        fs::write(run.join("trials.jsonl"), "theirs").unwrap();
        assert_eq!(read.read_file("trials.jsonl", 10).unwrap(), None);
    }

    #[test]
    fn too_large_patch_is_refused() {
        let dir = sample_folder("fix.patch");
        File::create(dir.path().join("fix.patch")).unwrap().set_len(MAX_PATCH_BYTES + 1).unwrap();
        assert!(open_error(&dir).contains("is too large"));
    }

    #[test]
    fn folder_without_a_run_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(open_error(&dir).contains("is not a run folder"));
        fs::write(dir.path().join("result.json"), "{\"schema\": 1}").unwrap();
        assert!(open_error(&dir).contains("cannot read result.json in"));
    }

    #[test]
    fn patch_names_are_those_that_runs_write() {
        for name in ["culprit.patch", "fix.patch", "fix-12.patch", "culprit-2.patch"] {
            assert!(is_patch_name(name), "{name}");
        }
        for name in ["fix", "fixes.patch", "fix-x.patch", "fix--1.patch", ".patch"] {
            assert!(!is_patch_name(name), "{name}");
        }
    }
}
