//! Applies an untrusted patch to the files on GitHub, and checks the resulting files rather than the patch. Only git
//! parses the patch, in a folder that contains only the patched files.

use crate::publishing::path_policy::{PathPolicy, check_path};
use crate::publishing::version_edit::reverts_versions;
use mend_git::Git;
use mend_github::{ApiError, ApiResult, ChangedFile, EntryKind, FileContentChange, Repo};
use mend_model::CommitId;
use mend_model::Problem;
use mend_report::github::{FixRefusal, ForbiddenPath, Replacement};
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum number of files in a patch: more are too many for a review.
const MAX_FILES: usize = 20;

/// Maximum size of a patched file, in bytes.
const MAX_FILE_BYTES: usize = 2 << 20;

/// Commit that a patch changes.
#[derive(Clone, Copy)]
pub(super) struct PatchedCommit<'a> {
    pub(super) head: &'a CommitId,
    /// Base of the pull request, if the patch may revert versions that it raises.
    pub(super) base: Option<&'a CommitId>,
}

/// Effect of a patch on one commit.
pub(super) struct AppliedPatch {
    /// Changed files.
    pub(super) changes: Vec<ChangedFile>,
    /// Changes as line replacements.
    pub(super) replacements: Vec<Replacement>,
    /// True if files are created or deleted.
    pub(super) has_created_or_deleted_files: bool,
}

impl AppliedPatch {
    /// Applies a patch to a commit.
    pub(super) async fn apply(
        repo: &Repo,
        PatchedCommit { head, base }: PatchedCommit<'_>,
        patch: &[u8],
        policy: PathPolicy,
    ) -> ApiResult<Result<Self, FixRefusal>> {
        let workspace = match PatchWorkspace::new(patch) {
            Ok(workspace) => workspace,
            Err(error) => return Err(to_transient_error(&error)),
        };
        let paths = match workspace.patched_paths().map_err(|error| to_transient_error(&error))? {
            Ok(paths) => paths,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(forbidden) = paths.iter().find_map(|path| check_path(path, policy).err()) {
            return Ok(Err(FixRefusal::ForbiddenChange(forbidden)));
        }
        let tree = repo.get_commit(head).await?.tree;
        let mut old_files = BTreeMap::new();
        for path in &paths {
            let Some(entry) = repo.find_entry(&tree, path).await? else { continue };
            match entry.kind {
                EntryKind::File => {}
                // Some projects make every file executable. An executable file that is not Java source may be a script.
                EntryKind::Executable if is_java_file(path) => {}
                EntryKind::Executable => {
                    return Ok(Err(FixRefusal::ForbiddenChange(ForbiddenPath::Executable)));
                }
                EntryKind::Folder | EntryKind::Other => {
                    return Ok(Err(FixRefusal::ForbiddenChange(ForbiddenPath::NotRegularFile)));
                }
            }
            let content = repo.read_blob(&entry).await?;
            if content.len() > MAX_FILE_BYTES {
                return Ok(Err(FixRefusal::TooLarge));
            }
            old_files.insert(path.clone(), (entry.kind, content));
        }
        let applied =
            workspace.apply(&paths, &old_files).map_err(|error| to_transient_error(&error))?;
        let base_files = read_build_files(repo, base, &paths).await?;
        Ok(applied.and_then(|applied| applied.check_build_files(&base_files, &old_files)))
    }

    /// Returns an error if a build file changes in more than versions that the pull request raises. `base_files` are the
    /// build files of its base.
    fn check_build_files(
        self,
        base_files: &BTreeMap<String, Vec<u8>>,
        old_files: &FileContents,
    ) -> Result<Self, FixRefusal> {
        let is_allowed = |file: &ChangedFile| {
            if !is_build_file(&file.path) {
                return true;
            }
            let base = base_files.get(&file.path).and_then(|content| as_text(content));
            let old = old_files.get(&file.path).and_then(|(_, content)| as_text(content));
            match (base, old, &file.change) {
                (Some(base), Some(old), FileContentChange::Write(new)) => {
                    as_text(new).is_some_and(|new| reverts_versions(base, old, new))
                }
                _ => false,
            }
        };
        if self.changes.iter().all(is_allowed) {
            Ok(self)
        } else {
            Err(FixRefusal::ForbiddenChange(ForbiddenPath::BuildFile))
        }
    }

    /// Returns true if the patch changes tests, which is forbidden by default.
    pub(super) fn changes_tests(&self) -> bool {
        let is_test = |file: &ChangedFile| {
            check_path(&file.path, PathPolicy::default()) == Err(ForbiddenPath::Test)
        };
        self.changes.iter().any(is_test)
    }
}

/// Returns true for a file that controls the build.
fn is_build_file(path: &str) -> bool {
    check_path(path, PathPolicy::default()) == Err(ForbiddenPath::BuildFile)
}

/// Reads the build files among these paths at the base of a pull request, if there is one.
async fn read_build_files(
    repo: &Repo,
    base: Option<&CommitId>,
    paths: &[String],
) -> ApiResult<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let Some(base) = base else { return Ok(files) };
    let tree = repo.get_commit(base).await?.tree;
    for path in paths.iter().filter(|path| is_build_file(path)) {
        let entry = repo.find_entry(&tree, path).await?;
        if let Some(entry) = entry.filter(|entry| entry.kind == EntryKind::File) {
            files.insert(path.clone(), repo.read_blob(&entry).await?);
        }
    }
    Ok(files)
}

/// Converts a local failure to a transient API error.
fn to_transient_error(error: &Problem) -> ApiError {
    ApiError::Unreachable(error.to_string())
}

type FileContents = BTreeMap<String, (EntryKind, Vec<u8>)>;

/// Temporary folder that contains the patch and a folder for the patched files.
struct PatchWorkspace {
    dir: tempfile::TempDir,
}

impl PatchWorkspace {
    fn new(patch: &[u8]) -> mend_model::Result<Self> {
        let dir = tempfile::Builder::new().prefix("git-mend-patch-").tempdir();
        let dir = dir.map_err(|error| Problem::io(error, std::env::temp_dir()))?;
        let write = || {
            std::fs::create_dir(dir.path().join("files"))?;
            std::fs::write(dir.path().join("patch"), patch)
        };
        write().map_err(|error| Problem::io(error, dir.path()))?;
        Ok(Self { dir })
    }

    /// Creates a git command that finds no repository around the files.
    fn apply_command(&self, args: &[&str]) -> Git {
        Git::in_folder(&self.dir.path().join("files"))
            .with_ceiling(self.dir.path())
            .arg("apply")
            .args(args)
            .arg(self.dir.path().join("patch"))
    }

    /// Returns the paths in the patch, or the reason to refuse it.
    fn patched_paths(&self) -> mend_model::Result<Result<Vec<String>, FixRefusal>> {
        let answer = self.apply_command(&["--numstat", "-z"]).output()?;
        if !answer.is_success() {
            return Ok(Err(FixRefusal::DoesNotApply));
        }
        let Ok(text) = String::from_utf8(answer.stdout) else {
            return Ok(Err(FixRefusal::ForbiddenChange(ForbiddenPath::NonUtf8Name)));
        };
        // Format of a record: `added TAB deleted TAB path NUL`.
        let path = |line: &str| line.splitn(3, '\t').nth(2).map(str::to_owned);
        let paths: Vec<String> = text.split_terminator('\0').filter_map(path).collect();
        Ok(match paths.len() {
            0 => Err(FixRefusal::DoesNotApply),
            1..=MAX_FILES => Ok(paths),
            _ => Err(FixRefusal::TooLarge),
        })
    }

    /// Writes the files, applies the patch, and reads the result.
    fn apply(
        &self,
        paths: &[String],
        old: &FileContents,
    ) -> mend_model::Result<Result<AppliedPatch, FixRefusal>> {
        let root = self.dir.path().join("files");
        for (path, (_, content)) in old {
            write_file(&root.join(path), content)?;
        }
        if !self.apply_command(&["--whitespace=nowarn"]).output()?.is_success() {
            return Ok(Err(FixRefusal::DoesNotApply));
        }
        let Some(new_files) = read_files(&root) else {
            return Ok(Err(FixRefusal::ForbiddenChange(ForbiddenPath::NotRegularFile)));
        };
        // The list of patched files lacks one path of a rename.
        if new_files.keys().any(|path| !paths.contains(path)) {
            return Ok(Err(FixRefusal::ForbiddenChange(ForbiddenPath::NotInPatch)));
        }
        Ok(compare_files(paths, old, &new_files))
    }
}

fn write_file(path: &Path, content: &[u8]) -> mend_model::Result<()> {
    let write = || {
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, content)
    };
    write().map_err(|error| Problem::io(error, path))
}

/// Returns each file below a folder with its content and its executable bit, or `None` if the folder contains anything
/// but files.
fn read_files(root: &Path) -> Option<FileContents> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut files = FileContents::new();
    for entry in walkdir::WalkDir::new(root).follow_links(false) {
        let entry = entry.ok()?;
        if entry.file_type().is_dir() {
            continue;
        }
        if !entry.file_type().is_file() {
            return None;
        }
        let path = entry.path().strip_prefix(root).ok()?.to_str()?.to_owned();
        let is_executable = entry.metadata().ok()?.permissions().mode() & 0o111 != 0;
        let kind = if is_executable { EntryKind::Executable } else { EntryKind::File };
        files.insert(path, (kind, std::fs::read(entry.path()).ok()?));
    }
    Some(files)
}

/// Compares the files before and after the patch.
fn compare_files(
    paths: &[String],
    old: &FileContents,
    new: &FileContents,
) -> Result<AppliedPatch, FixRefusal> {
    let mut patched = AppliedPatch {
        changes: Vec::new(),
        replacements: Vec::new(),
        has_created_or_deleted_files: false,
    };
    for path in paths {
        let (before, after) = (old.get(path), new.get(path));
        let (kind, change) = match (before, after) {
            // The files are written without the executable bit, so a set bit comes from the patch.
            (_, Some((EntryKind::Executable, _))) => {
                return Err(FixRefusal::ForbiddenChange(ForbiddenPath::ExecutableBit));
            }
            (Some((_, old)), Some((_, new))) if old == new => continue,
            (Some((kind, _)), Some((_, new))) => (*kind, FileContentChange::Write(new.clone())),
            (None, Some((_, new))) => (EntryKind::File, FileContentChange::Write(new.clone())),
            (Some((kind, _)), None) => (*kind, FileContentChange::Delete),
            (None, None) => continue,
        };
        match (before.map(|one| as_text(&one.1)), after.map(|one| as_text(&one.1))) {
            (Some(Some(old)), Some(Some(new))) => {
                patched.replacements.extend(Replacement::from_texts(path, old, new));
            }
            // A review cannot show the effect of such a patch.
            (Some(None), _) | (_, Some(None)) => {
                return Err(FixRefusal::ForbiddenChange(ForbiddenPath::NotText));
            }
            _ => patched.has_created_or_deleted_files = true,
        }
        patched.changes.push(ChangedFile { path: path.clone(), kind, change });
    }
    if patched.changes.is_empty() { Err(FixRefusal::DoesNotApply) } else { Ok(patched) }
}

fn is_java_file(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "java")
}

fn as_text(content: &[u8]) -> Option<&str> {
    std::str::from_utf8(content).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUNK: &str = "@@ -1,2 +1,2 @@\n a\n-b\n+B\n";

    fn old_files(paths: &[&str]) -> FileContents {
        let file = |path: &&str| ((*path).to_owned(), (EntryKind::File, b"a\nb\n".to_vec()));
        paths.iter().map(file).collect()
    }

    fn apply_patch(patch: &str, files: &[&str]) -> Result<AppliedPatch, FixRefusal> {
        let workspace = PatchWorkspace::new(patch.as_bytes()).unwrap();
        let paths = workspace.patched_paths().unwrap()?;
        let existing: Vec<&str> =
            files.iter().copied().filter(|one| paths.iter().any(|path| path == one)).collect();
        workspace.apply(&paths, &old_files(&existing)).unwrap()
    }

    #[test]
    fn applied_patch_is_read_from_the_files() {
        let patched =
            apply_patch(&format!("--- a/A.java\n+++ b/A.java\n{HUNK}"), &["A.java"]).unwrap();
        assert_eq!(patched.changes.len(), 1);
        assert_eq!(patched.changes[0].change, FileContentChange::Write(b"a\nB\n".to_vec()));
        assert_eq!(
            (patched.replacements[0].first_line, patched.replacements[0].text.as_str()),
            (2, "B\n")
        );
    }

    #[test]
    fn build_files_only_take_back_versions() {
        let edit = |base: &str, old: &str, new: &str| {
            let patch = format!("--- a/pom.xml\n+++ b/pom.xml\n@@ -1 +1 @@\n-{old}\n+{new}\n");
            let workspace = PatchWorkspace::new(patch.as_bytes()).unwrap();
            let content = |text: &str| format!("{text}\n").into_bytes();
            let files =
                FileContents::from([("pom.xml".to_owned(), (EntryKind::File, content(old)))]);
            let base_files = BTreeMap::from([("pom.xml".to_owned(), content(base))]);
            let applied = workspace.apply(&["pom.xml".to_owned()], &files).unwrap().unwrap();
            let checked = applied.check_build_files(&base_files, &files);
            checked.map(|applied| applied.replacements.len())
        };
        let [one, two, four] = ["1", "2", "4"].map(|one| format!("<version>{one}</version>"));
        assert_eq!(edit(&one, &four, &two), Ok(1));
        let refused = Err(FixRefusal::ForbiddenChange(ForbiddenPath::BuildFile));
        assert_eq!(edit(&four, &four, &two), refused);
        assert_eq!(edit(&one, &four, &format!("{two}<x/>")), refused);
        let creation = "diff --git a/pom.xml b/pom.xml\nnew file mode 100644\n--- /dev/null\n+++ b/pom.xml\n@@ -0,0 +1 @@\n+x\n";
        let created = apply_patch(creation, &[]).unwrap();
        assert!(created.check_build_files(&BTreeMap::new(), &FileContents::new()).is_err());
    }

    #[test]
    fn patch_can_create_and_delete_files() {
        let creation = "diff --git a/N.java b/N.java\nnew file mode 100644\n--- /dev/null\n+++ b/N.java\n@@ -0,0 +1 @@\n+x\n";
        let patched = apply_patch(creation, &[]).unwrap();
        assert!(patched.has_created_or_deleted_files);
        let deletion = "diff --git a/A.java b/A.java\ndeleted file mode 100644\n--- a/A.java\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
        assert_eq!(
            apply_patch(deletion, &["A.java"]).unwrap().changes[0].change,
            FileContentChange::Delete
        );
    }

    #[test]
    fn links_modes_and_outside_paths_are_refused() {
        let symlink = "diff --git a/L b/L\nnew file mode 120000\n--- /dev/null\n+++ b/L\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n";
        assert!(matches!(apply_patch(symlink, &[]), Err(FixRefusal::ForbiddenChange(_))));
        let mode_change = "diff --git a/A.java b/A.java\nold mode 100644\nnew mode 100755\n";
        assert!(matches!(
            apply_patch(mode_change, &["A.java"]),
            Err(FixRefusal::ForbiddenChange(_) | FixRefusal::DoesNotApply)
        ));
        let rename = "diff --git a/A.java b/.github/x.yml\nsimilarity index 100%\nrename from A.java\nrename to .github/x.yml\n";
        assert!(apply_patch(rename, &["A.java"]).is_err());
        let outside = format!("--- a/../../x\n+++ b/../../x\n{HUNK}");
        assert!(apply_patch(&outside, &[]).is_err());
        assert!(matches!(apply_patch("no patch", &[]), Err(FixRefusal::DoesNotApply)));
        let binary = "diff --git a/x.bin b/x.bin\nnew file mode 100644\n--- /dev/null\n+++ b/x.bin\n@@ -0,0 +1 @@\n+a\0b\n";
        assert!(apply_patch(binary, &[]).is_err());
    }
}
