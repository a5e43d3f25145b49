//! The folder of the build in a repository whose root has no build file.

use super::build_kind::detect_build_kind;
use super::module::find_java_files;
use super::selected_sources::find_selected_sources;
use super::{BuildKind, ProjectOptions};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Maximum depth of a build below the root.
const MAX_DEPTH: usize = 4;

/// Folders that contain no build of the repository itself.
const SKIPPED_FOLDERS: [&str; 4] = ["node_modules", "target", "build", "vendor"];

/// Folders of sources that are compiled without a build file.
const PLAIN_SOURCES: [&str; 2] = ["src", "source"];

/// The folder of a build, relative to the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BuildFolder {
    pub(super) folder: PathBuf,
    /// Note for the user if it is not the root.
    pub(super) note: Option<String>,
}

impl BuildFolder {
    /// Finds the folder of a build: the root, or else the nearest folder with a build file. Of several, one with the
    /// selected tests, and rather one that the user works in.
    pub(super) fn find(root: &Path, options: &ProjectOptions) -> Self {
        let is_at_root = options.model_file.is_some()
            || options.build == BuildKind::Javac
            || !options.sources.is_empty()
            || is_build(root)
            || PLAIN_SOURCES.iter().any(|name| !find_java_files(&root.join(name), &[]).is_empty());
        if is_at_root {
            return Self::default();
        }
        let builds = find_builds(root);
        let has_tests =
            |build: &&PathBuf| !find_selected_sources(&root.join(build), &options.tests).is_empty();
        let with_tests: Vec<&PathBuf> = builds.iter().filter(has_tests).collect();
        let candidates = if with_tests.is_empty() { builds.iter().collect() } else { with_tests };
        let is_current = |build: &&&PathBuf| options.working_directory.starts_with(build);
        let Some(folder) = candidates.iter().find(is_current).or(candidates.first()) else {
            return Self::default();
        };
        let others = candidates.iter().filter(|other| other != &folder);
        let others: Vec<String> = others.map(|other| other.display().to_string()).collect();
        let note = format!("the root has no build file, so that of {} is used", folder.display());
        let note = if others.is_empty() {
            note
        } else {
            let others = others.join(" or ");
            format!("{note}; to use that of {others}, start git mend in its folder")
        };
        Self { folder: (*folder).clone(), note: Some(note) }
    }

    /// Returns the path of the folder in a tree, without a slash at the end: build files may contain it.
    pub(super) fn path_in(&self, root: &Path) -> PathBuf {
        if self.folder.as_os_str().is_empty() { root.to_owned() } else { root.join(&self.folder) }
    }
}

fn is_build(folder: &Path) -> bool {
    matches!(detect_build_kind(folder), BuildKind::Maven | BuildKind::Gradle)
}

/// Returns the folders with build files below a folder, relative to it, the nearest ones first, without those below
/// others.
fn find_builds(root: &Path) -> Vec<PathBuf> {
    let is_searched = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        let is_skipped = name.starts_with('.') || SKIPPED_FOLDERS.contains(&&*name);
        entry.depth() == 0 || entry.file_type().is_dir() && !is_skipped
    };
    let mut builds: Vec<PathBuf> = Vec::new();
    let mut entries = WalkDir::new(root).min_depth(1).max_depth(MAX_DEPTH).into_iter();
    while let Some(entry) = entries.next() {
        let Ok(entry) = entry else { continue };
        if !is_searched(&entry) {
            if entry.file_type().is_dir() {
                entries.skip_current_dir();
            }
        } else if is_build(entry.path()) {
            builds.extend(entry.path().strip_prefix(root).map(Path::to_owned));
            entries.skip_current_dir();
        }
    }
    builds.sort_by_key(|build| (build.components().count(), build.clone()));
    builds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        root
    }

    fn find(files: &[&str], options: &ProjectOptions) -> String {
        BuildFolder::find(tree(files).path(), options).folder.display().to_string()
    }

    #[test]
    fn nearest_build_is_used_if_the_root_has_none() {
        let find = |files: &[&str]| find(files, &ProjectOptions::default());
        let deep = "sdk/java/build.gradle";
        assert_eq!(find(&[deep, "node_modules/x/pom.xml", ".x/pom.xml"]), "sdk/java");
        assert_eq!(find(&[deep, "server/pom.xml", "server/app/pom.xml"]), "server");
        assert_eq!(find(&[deep, "pom.xml"]), "");
        assert_eq!(find(&[deep, "src/A.java"]), "");
        assert_eq!(find(&["A.java"]), "");
    }

    #[test]
    fn build_with_the_test_is_used_and_rather_the_one_of_the_working_folder() {
        let files = ["a/pom.xml", "b/pom.xml", "c/pom.xml", "b/src/p/T.java", "c/src/p/T.java"];
        let options = |working_directory: &str| ProjectOptions {
            tests: vec!["p.T".parse().unwrap()],
            working_directory: working_directory.into(),
            ..ProjectOptions::default()
        };
        assert_eq!(find(&files, &options("")), "b");
        assert_eq!(find(&files, &options("c/src")), "c");
        assert_eq!(find(&files, &options("a")), "b");
        let note = BuildFolder::find(tree(&files).path(), &options("")).note.unwrap();
        assert!(note.contains("that of b is used; to use that of c, start git mend"), "{note}");
    }
}
