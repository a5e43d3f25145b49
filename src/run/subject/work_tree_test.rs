//! A selected test that only the user's work tree has.

use crate::run::subject::test_overlay::to_repo_path;
use mend_engine::find_selected_sources;
use mend_model::{FileState, RepoPath, Selector};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Folder of tests in a project without one.
const DEFAULT_TEST_ROOT: &str = "src/test/java";

/// The file of a test class in the user's work tree.
pub(crate) struct WorkTreeTest {
    /// Path in the repository.
    pub(crate) path: RepoPath,
    /// The test folder that has it.
    root: PathBuf,
    content: Vec<u8>,
}

/// Finds the file of a selected class in the test folders of a work tree.
pub(crate) fn find_work_tree_test(
    work_dir: &Path,
    roots: &[RepoPath],
    selector: &str,
) -> Option<WorkTreeTest> {
    let class = selector.split(['#', '$']).next().unwrap_or(selector);
    let file = PathBuf::from(format!("{}.java", class.replace('.', "/")));
    let default_root = RepoPath::from(DEFAULT_TEST_ROOT);
    roots.iter().chain([&default_root]).find_map(|root| {
        let folder = work_dir.join(root.to_string());
        let files = WalkDir::new(&folder).sort_by_file_name().into_iter().flatten();
        let found = files.map(walkdir::DirEntry::into_path).find(|path| path.ends_with(&file))?;
        let path = to_repo_path(found.strip_prefix(work_dir).ok()?);
        Some(WorkTreeTest { path, root: folder, content: std::fs::read(found).ok()? })
    })
}

/// Returns the usual test folders of a work tree that have a file with the name of the selected class.
pub(crate) fn usual_test_roots(work_dir: &Path, selector: &Selector) -> Vec<RepoPath> {
    let root_of = |file: PathBuf| {
        let root = file.ancestors().find(|folder| folder.ends_with(DEFAULT_TEST_ROOT))?;
        Some(to_repo_path(root))
    };
    let files = find_selected_sources(work_dir, std::slice::from_ref(selector));
    files.into_iter().filter_map(root_of).collect()
}

impl WorkTreeTest {
    /// Returns what the user can do about a test that bad does not have; `None` if the file is the same in bad.
    pub(crate) fn remedy(
        &self,
        in_bad: Option<&FileState>,
        bad: &str,
        working_dir: &Path,
    ) -> Option<String> {
        let (path, root) = (&self.path, relative_path(&self.root, working_dir));
        match in_bad {
            None => Some(format!(
                "the work tree has {path}, but bad ({bad}) does not: add --test-source {root}"
            )),
            Some(state) if *state.content != *self.content => Some(format!(
                "{path} differs in the work tree: add --test-source {root} to use the tests there"
            )),
            Some(_) => None,
        }
    }
}

/// Returns a path as the user can write it.
fn relative_path(path: &Path, working_dir: &Path) -> String {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (path, working_dir) = (canonical(path), canonical(working_dir));
    path.strip_prefix(&working_dir).unwrap_or(&path).display().to_string()
}
