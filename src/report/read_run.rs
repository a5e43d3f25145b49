//! A run folder, read back. Whoever wrote it ran code of others, so nothing in it is taken on trust: names, sizes
//! and kinds of files are checked before anything is read.

use super::result::{RunResult, SCHEMA};
use crate::model::{Problem, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// The most that a `result.json` may have, in bytes; those of the largest searches have a hundredth.
const MOST_RESULT: u64 = 4 << 20;

/// The most that a patch may have, in bytes: nobody reads a longer one.
const MOST_PATCH: u64 = 1 << 20;

/// The most patches that are read.
const MOST_PATCHES: usize = 64;

/// A run that is over, or was killed: its result and the patches that this names.
#[derive(Debug)]
pub struct ReadRun {
    folder: PathBuf,
    result: RunResult,
    patches: BTreeMap<String, Vec<u8>>,
}

impl ReadRun {
    /// Reads a run folder.
    ///
    /// # Errors
    /// [`Problem::Usage`] if it is none, if it is of another version of the program, or if something in it is
    /// larger than any run makes it or is not a plain file in it.
    pub fn open(folder: &Path) -> Result<Self> {
        let text = read(folder, "result.json", MOST_RESULT)?;
        let result: RunResult = serde_json::from_slice(&text).map_err(|error| Problem::Usage {
            // It repeats what it does not understand, line breaks and all.
            message: format!(
                "{} holds no result of a run: {}",
                folder.display(),
                error.to_string().escape_debug()
            ),
            remedy: "run the search again with this version of git-mend".to_owned(),
        })?;
        if result.schema != SCHEMA {
            return Err(refused(folder, "result.json", "is not of this version of git-mend"));
        }
        let mut patches = BTreeMap::new();
        for name in names(&result) {
            if patches.contains_key(name) {
                continue;
            }
            if !is_patch_name(name) || patches.len() == MOST_PATCHES {
                return Err(refused(folder, name, "is no patch that a run writes"));
            }
            patches.insert(name.to_owned(), read(folder, name, MOST_PATCH)?);
        }
        Ok(Self { folder: folder.to_owned(), result, patches })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the run found.
    pub fn result(&self) -> &RunResult {
        &self.result
    }

    /// A patch that the result names, byte for byte.
    pub fn patch(&self, name: &str) -> Option<&[u8]> {
        self.patches.get(name).map(Vec::as_slice)
    }

    /// A patch for people; what is no UTF-8 is shown as such.
    pub fn patch_text(&self, name: &str) -> String {
        String::from_utf8_lossy(self.patch(name).unwrap_or_default()).into_owned()
    }

    /// Any other file of the folder, where it is there.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn file(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>> {
        match self.folder.join(name).symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            _ => read(&self.folder, name, most).map(Some),
        }
    }
}

/// The patches that a result names.
fn names(result: &RunResult) -> impl Iterator<Item = &str> {
    let found = result.culprit.iter().chain(&result.fix).chain(&result.others);
    let found = found.map(|one| one.patch.as_str());
    let fixes = result.fixes.iter().filter_map(|one| one.patch.as_deref());
    found.chain(fixes).chain(result.patches.iter().filter_map(|one| one.patch.as_deref()))
}

/// Whether a run writes a patch of this name: `culprit.patch`, `fix-2.patch`.
pub(crate) fn is_patch_name(name: &str) -> bool {
    let stem = name.strip_suffix(".patch");
    let number =
        stem.and_then(|stem| ["culprit", "fix"].iter().find_map(|one| stem.strip_prefix(one)));
    let is_number = |text: &str| text.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok());
    number.is_some_and(|number| number.is_empty() || is_number(number))
}

/// Reads a plain file in the folder itself.
fn read(folder: &Path, name: &str, most: u64) -> Result<Vec<u8>> {
    let path = folder.join(name);
    let kind = path.symlink_metadata().map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Problem::Usage {
            message: format!("{} is no run folder: it has no {name}", folder.display()),
            remedy: "name a folder under .git/mend/runs, or what was given as --output".to_owned(),
        },
        _ => Problem::io(error, &path),
    })?;
    if !kind.is_file() {
        return Err(refused(folder, name, "is not a plain file"));
    }
    let mut content = Vec::new();
    File::open(&path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut content))
        .map_err(|error| Problem::io(error, &path))?;
    if content.len() as u64 > most {
        return Err(refused(folder, name, "is larger than any run makes it"));
    }
    Ok(content)
}

fn refused(folder: &Path, name: &str, why: &str) -> Problem {
    Problem::Usage {
        message: format!("{} is refused: {} {why}", folder.display(), name.escape_debug()),
        remedy: "name the folder of a run of this version of git-mend".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{EnvironmentInfo, Goal, PatchResult};
    use std::fs;
    use tempfile::TempDir;

    fn folder(patch: &str) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        let mut result = RunResult::new("bisect", Goal::Both, EnvironmentInfo::default());
        result.fix = Some(PatchResult {
            tokens: 2,
            hunks: 1,
            components: 1,
            files: vec!["src/A.java".to_owned()],
            patch: patch.to_owned(),
            minimal: true,
            commits: Vec::new(),
            parts: Vec::new(),
        });
        let text = serde_json::to_vec(&result).unwrap();
        fs::write(dir.path().join("result.json"), text).unwrap();
        dir
    }

    fn refusal(dir: &TempDir) -> String {
        ReadRun::open(dir.path()).unwrap_err().to_string()
    }

    #[test]
    fn a_run_is_read_with_the_patches_that_it_names() {
        let dir = folder("fix.patch");
        fs::write(dir.path().join("fix.patch"), "diff").unwrap();
        let run = ReadRun::open(dir.path()).unwrap();
        assert_eq!(run.patch("fix.patch"), Some(&b"diff"[..]));
        assert_eq!(run.patch("culprit.patch"), None);
    }

    #[test]
    fn a_patch_elsewhere_is_refused() {
        for name in ["../fix.patch", "/etc/passwd", "fix.patch/../x", "a/fix.patch", "fix-.patch"] {
            assert!(refusal(&folder(name)).contains("is no patch that a run writes"), "{name}");
        }
    }

    #[test]
    fn a_patch_that_leads_elsewhere_is_refused() {
        let dir = folder("fix.patch");
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("fix.patch")).unwrap();
        assert!(refusal(&dir).contains("is not a plain file"));
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let dir = folder("fix.patch");
        File::create(dir.path().join("fix.patch")).unwrap().set_len(MOST_PATCH + 1).unwrap();
        assert!(refusal(&dir).contains("larger than any run makes it"));
    }

    #[test]
    fn what_is_no_run_is_said_to_be_none() {
        let dir = tempfile::tempdir().unwrap();
        assert!(refusal(&dir).contains("is no run folder"));
        fs::write(dir.path().join("result.json"), "{\"schema\": 1}").unwrap();
        assert!(refusal(&dir).contains("holds no result of a run"));
    }

    #[test]
    fn names_of_patches_are_those_that_runs_write() {
        for name in ["culprit.patch", "fix.patch", "fix-12.patch", "culprit-2.patch"] {
            assert!(is_patch_name(name), "{name}");
        }
        for name in ["fix", "fixes.patch", "fix-x.patch", "fix--1.patch", ".patch"] {
            assert!(!is_patch_name(name), "{name}");
        }
    }
}
