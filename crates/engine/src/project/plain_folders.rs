//! Projects without a supported build file: source folders, and jars next to them.

use super::module::{existing, find_java_files};
use super::{Module, ProjectOptions};
use crate::Jdk;
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::resolution;
use crate::project::maven::pom_model::{PomCache, PomContext};
use crate::project::parsed_build::ParsedBuild;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

const MAIN_SOURCE_FOLDERS: [&str; 5] = ["src/main/java", "src/java", "src", "source", "."];
const TEST_SOURCE_FOLDERS: [&str; 5] = ["src/test/java", "src/test", "test/java", "test", "tests"];
const MAIN_RESOURCE_FOLDERS: [&str; 1] = ["src/main/resources"];
const TEST_RESOURCE_FOLDERS: [&str; 1] = ["src/test/resources"];
const SYSTEM_JAR_FOLDER: &str = "/usr/share/java";

pub(super) fn read(root: &Path, options: &ProjectOptions, jdk: &Jdk) -> ParsedBuild {
    let test_roots: Vec<PathBuf> = if options.test_sources.is_empty() {
        first_folder_with_sources(root, &TEST_SOURCE_FOLDERS, &[]).into_iter().collect()
    } else {
        options.test_sources.clone()
    };
    let main_roots = if options.sources.is_empty() {
        first_folder_with_sources(root, &MAIN_SOURCE_FOLDERS, &test_roots).into_iter().collect()
    } else {
        options.sources.clone()
    };
    let mut build = ParsedBuild::default();
    // Without a build tool's convention, resources are in the source folders.
    let resource_roots = |roots: &[PathBuf], resources: [&str; 1]| {
        [roots, &existing(root, Path::new(""), resources)].concat()
    };
    let module = Module {
        resource_roots: resource_roots(&main_roots, MAIN_RESOURCE_FOLDERS),
        test_resource_roots: resource_roots(&test_roots, TEST_RESOURCE_FOLDERS),
        class_path: find_class_path(root, options, jdk, &mut build.notes),
        main_roots,
        test_roots,
        ..Module::default()
    };
    if !(module.main_roots.is_empty() && module.test_roots.is_empty()) {
        build.modules.push(module);
    }
    build
}

fn first_folder_with_sources(root: &Path, names: &[&str], excluded: &[PathBuf]) -> Option<PathBuf> {
    let excluded: Vec<PathBuf> = excluded.iter().map(|folder| root.join(folder)).collect();
    existing(root, Path::new(""), names.iter().copied())
        .into_iter()
        .find(|folder| !find_java_files(&root.join(folder), &excluded).is_empty())
}

/// Returns the user's jars, otherwise the project's own, otherwise `JUnit` from this machine.
fn find_class_path(
    root: &Path,
    options: &ProjectOptions,
    jdk: &Jdk,
    notes: &mut Vec<String>,
) -> Vec<PathBuf> {
    let configured = &options.class_path;
    let project_jars: Vec<PathBuf> =
        if configured.is_empty() { find_jars(&root.join("lib")).collect() } else { Vec::new() };
    let names: Vec<String> =
        configured.iter().chain(&project_jars).map(|path| file_name(path)).collect();
    if names.iter().any(|name| name.contains("junit")) {
        return project_jars;
    }
    let junit = find_junit_in_repositories(options, jdk)
        .or_else(|| find_junit_jars(Path::new(SYSTEM_JAR_FOLDER)))
        .unwrap_or_default();
    if junit.is_empty() && names.is_empty() {
        notes.push("no JUnit was found on this machine".to_owned());
    }
    [project_jars, junit].concat()
}

fn find_jars(folder: &Path) -> impl Iterator<Item = PathBuf> {
    WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "jar"))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn find_junit_in_repositories(options: &ProjectOptions, jdk: &Jdk) -> Option<Vec<PathBuf>> {
    let artifacts = [("junit", "junit"), ("org.junit.jupiter", "junit-jupiter")];
    let direct = artifacts.map(|(group, artifact)| Dependency::new(group, artifact, None));
    let ProjectOptions { repositories, maven: settings, .. } = options;
    let cache = &PomCache::default();
    let context = PomContext { repositories, settings, jdk: jdk.version, cache };
    let resolved = resolution::resolve(context, &direct, &[]);
    (!resolved.class_path.is_empty()).then_some(resolved.class_path)
}

fn find_junit_jars(folder: &Path) -> Option<Vec<PathBuf>> {
    let names = [
        "junit4",
        "hamcrest",
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-jupiter-params",
        "junit-platform-engine",
        "junit-platform-commons",
        "opentest4j",
        "apiguardian-api",
    ];
    let jars = names.iter().map(|name| folder.join(format!("{name}.jar")));
    let jars: Vec<_> = jars.filter(|jar| jar.is_file()).collect();
    (!jars.is_empty()).then_some(jars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Project;

    fn jdk() -> Jdk {
        Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() }
    }

    fn write_empty_file(root: &Path, file: &str) {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    fn read_module(root: &Path, options: &ProjectOptions) -> Module {
        read(root, options, &jdk()).modules.remove(0)
    }

    #[test]
    fn first_default_folder_with_sources_is_used() {
        let root = tempfile::tempdir().unwrap();
        write_empty_file(root.path(), "src/main/java/readme.txt");
        write_empty_file(root.path(), "src/a/B.java");
        write_empty_file(root.path(), "test/a/BTest.java");
        let module = read_module(root.path(), &ProjectOptions::default());
        assert_eq!(module.main_roots, [PathBuf::from("src")]);
        assert_eq!(module.test_roots, [PathBuf::from("test")]);
    }

    #[test]
    fn test_folder_named_as_source_is_not_a_main_root() {
        let root = tempfile::tempdir().unwrap();
        write_empty_file(root.path(), "src/main/java/a/B.java");
        write_empty_file(root.path(), "src/test/java/a/BTest.java");
        let sources = vec!["src/main/java".into(), "src/test/java".into()];
        let options = ProjectOptions { sources, ..ProjectOptions::default() };
        let project = Project::read_files(root.path(), &options, &jdk()).unwrap();
        assert_eq!(project.main_roots, [PathBuf::from("src/main/java")]);
        assert_eq!(project.test_roots, [PathBuf::from("src/test/java")]);
    }

    #[test]
    fn project_junit_jar_takes_precedence() {
        let root = tempfile::tempdir().unwrap();
        write_empty_file(root.path(), "A.java");
        write_empty_file(root.path(), "lib/x/junit-4.8.jar");
        let module = read_module(root.path(), &ProjectOptions::default());
        assert_eq!(module.main_roots, [PathBuf::new()]);
        assert_eq!(module.class_path, [root.path().join("lib/x/junit-4.8.jar")]);
    }

    #[test]
    fn folder_without_sources_has_no_module() {
        let root = tempfile::tempdir().unwrap();
        assert!(read(root.path(), &ProjectOptions::default(), &jdk()).modules.is_empty());
    }
}
