//! Module: the part of a project that one build file describes.

use super::ResourceFolder;
use super::dependencies::resolution::Substitution;
use super::path_patterns::PathPatterns;
use super::placeholders::TREE_PLACEHOLDER;
use super::test_jvm::TestJvm;
use super::unique::unique;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A module of a project. Folders are relative to the project's root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Module {
    /// Name in other modules: `group:artifact`, or a Gradle path.
    pub name: String,
    /// Folder of its build file.
    pub folder: PathBuf,
    /// Folders of main sources.
    #[serde(rename = "sources")]
    pub main_roots: Vec<PathBuf>,
    /// Folders of test sources.
    #[serde(rename = "test_sources")]
    pub test_roots: Vec<PathBuf>,
    /// Main sources that are compiled, relative to their folders.
    pub source_patterns: PathPatterns,
    /// Folders of main sources that the build filters before compilation.
    pub templates: Vec<ResourceFolder>,
    /// Folders of main resources.
    #[serde(rename = "resources")]
    pub resource_roots: Vec<PathBuf>,
    /// Folders of test resources.
    #[serde(rename = "test_resources")]
    pub test_resource_roots: Vec<PathBuf>,
    /// Main resources that must be copied because their folder cannot be used as it is.
    pub copied_resources: Vec<ResourceFolder>,
    /// Test resources that must be copied because their folder cannot be used as it is.
    pub copied_test_resources: Vec<ResourceFolder>,
    /// Libraries.
    pub class_path: Vec<PathBuf>,
    /// Names of the modules that it depends on.
    pub needs: Vec<String>,
    /// Java language level of the build file.
    pub level: Option<u32>,
    /// Options for `javac`.
    pub javac_options: Vec<String>,
    /// Options for `javac` for the test sources, if they differ.
    pub test_javac_options: Option<Vec<String>>,
    /// JVM that runs the tests.
    pub test_jvm: TestJvm,
    /// Source encoding, if the build file specifies one.
    pub encoding: Option<String>,
    /// Declared libraries that are not on this machine.
    pub missing: Vec<String>,
    /// Libraries that another version replaces, because theirs is not on this machine.
    pub substituted: Vec<Substitution>,
}

impl Module {
    /// Options for `javac` for the test sources.
    pub(super) fn javac_options_of_tests(&self) -> &[String] {
        self.test_javac_options.as_deref().unwrap_or(&self.javac_options)
    }

    /// Returns the module of a build file that compiles nothing.
    pub(super) fn without_sources(self) -> Self {
        Self {
            main_roots: Vec::new(),
            test_roots: Vec::new(),
            templates: Vec::new(),
            resource_roots: Vec::new(),
            test_resource_roots: Vec::new(),
            copied_resources: Vec::new(),
            copied_test_resources: Vec::new(),
            ..self
        }
    }

    /// Returns the module of a build in a folder of a tree, with paths relative to the tree.
    pub(super) fn below(&self, folder: &Path) -> Self {
        let in_tree = |path: &Path| normalise_path(&folder.join(path));
        let build = Path::new(TREE_PLACEHOLDER).join(folder);
        let expand = |text: &str| text.replace(TREE_PLACEHOLDER, &build.to_string_lossy());
        self.map_paths(&in_tree, &in_tree, &expand)
    }

    /// Returns the module with changed paths of folders and of libraries, and changed texts.
    pub(super) fn map_paths(
        &self,
        folder: &dyn Fn(&Path) -> PathBuf,
        library: &dyn Fn(&Path) -> PathBuf,
        text: &dyn Fn(&str) -> String,
    ) -> Self {
        let folders = |paths: &[PathBuf]| paths.iter().map(|path| folder(path)).collect::<Vec<_>>();
        let texts = |all: &[String]| all.iter().map(|one| text(one)).collect::<Vec<_>>();
        let resources = |all: &[ResourceFolder]| {
            all.iter().map(|one| one.map_paths(folder, text)).collect::<Vec<_>>()
        };
        Self {
            folder: folder(&self.folder),
            main_roots: folders(&self.main_roots),
            test_roots: folders(&self.test_roots),
            templates: resources(&self.templates),
            resource_roots: folders(&self.resource_roots),
            test_resource_roots: folders(&self.test_resource_roots),
            copied_resources: resources(&self.copied_resources),
            copied_test_resources: resources(&self.copied_test_resources),
            class_path: self.class_path.iter().map(|path| library(path)).collect(),
            javac_options: texts(&self.javac_options),
            test_javac_options: self.test_javac_options.as_deref().map(texts),
            test_jvm: TestJvm {
                working_directory: self.test_jvm.working_directory.as_deref().map(folder),
                ..self.test_jvm.map_texts(text).map_libraries(library)
            },
            ..self.clone()
        }
    }

    /// Returns the module with paths relative to the tree that it was read from.
    pub(super) fn relative_to_tree(self, root: &Path) -> Self {
        let folder = root.to_string_lossy();
        let expand_text = |text: &str| text.replace(&*folder, TREE_PLACEHOLDER);
        let expand = |options: Vec<String>| -> Vec<String> {
            options.iter().map(|option| expand_text(option)).collect()
        };
        Self {
            class_path: unique(self.class_path.into_iter().map(|path| relative_path(root, path))),
            javac_options: expand(self.javac_options),
            test_javac_options: self.test_javac_options.map(expand),
            test_jvm: self.test_jvm.map_texts(expand_text),
            ..self
        }
    }
}

/// Returns a path relative to a folder if it lies inside it.
pub(super) fn relative_path(root: &Path, path: PathBuf) -> PathBuf {
    path.strip_prefix(root).map(Path::to_path_buf).unwrap_or(path)
}

/// Returns a folder relative to the tree, if it is inside it.
pub(super) fn folder_in_tree(root: &Path, folder: &Path) -> Option<PathBuf> {
    folder.strip_prefix(root).ok().map(normalise_path).filter(|path| !path.starts_with(".."))
}

/// Returns the folders that exist, relative to `root`.
pub(super) fn existing<'a>(
    root: &Path,
    folder: &Path,
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<PathBuf> {
    let folders = names.into_iter().map(|name| normalise_path(&folder.join(name)));
    folders.filter(|path| root.join(path).is_dir()).collect()
}

/// Normalises a relative path: removes `.`, and resolves `..` where possible.
pub(super) fn normalise_path(path: &Path) -> PathBuf {
    use std::path::Component::{CurDir, Normal, ParentDir};
    path.components().fold(PathBuf::new(), |mut tidied, part| {
        match part {
            CurDir => {}
            ParentDir if matches!(tidied.components().next_back(), Some(Normal(_))) => {
                tidied.pop();
            }
            part => tidied.push(part),
        }
        tidied
    })
}

/// Returns the Java sources below a folder, in order, without those below `excluded`, in hidden folders, and module
/// declarations (everything is compiled on the class path).
pub(crate) fn find_java_files(folder: &Path, excluded: &[PathBuf]) -> Vec<PathBuf> {
    let is_searched = |entry: &walkdir::DirEntry| {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let is_excepted = excluded.iter().any(|path| path == entry.path());
        entry.depth() == 0 || !entry.file_type().is_dir() || !(is_hidden || is_excepted)
    };
    WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(is_searched)
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .filter(|path| path.file_name().is_some_and(|name| name != "module-info.java"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_and_excluded_folders_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a/B.java", "a/module-info.java", ".git/X.java", "test/T.java"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let files = find_java_files(folder.path(), &[folder.path().join("test")]);
        assert_eq!(files, [folder.path().join("a/B.java")]);
    }

    #[test]
    fn module_of_a_build_in_a_folder_has_paths_of_the_tree() {
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let module = |folder: &str, source: &str, options: &[&str], libraries: &[&str]| Module {
            folder: folder.into(),
            main_roots: paths(&[source]),
            copied_resources: vec![ResourceFolder {
                folder: source.into(),
                ..ResourceFolder::default()
            }],
            class_path: paths(libraries),
            javac_options: texts(options),
            test_jvm: TestJvm { options: texts(options), ..TestJvm::default() },
            ..Module::default()
        };
        let read = module("", "src", &["-Da=${tree}/x"], &["lib/a.jar", "/m/b.jar"]);
        let moved =
            module("java", "java/src", &["-Da=${tree}/java/x"], &["java/lib/a.jar", "/m/b.jar"]);
        assert_eq!(read.below(Path::new("java")), moved);
    }

    #[test]
    fn normalised_paths_have_no_dots() {
        assert_eq!(normalise_path(Path::new("./a/../b/./c")), Path::new("b/c"));
        assert_eq!(normalise_path(Path::new("../a")), Path::new("../a"));
        assert_eq!(normalise_path(Path::new(".")), Path::new(""));
    }
}
