//! Projects without a build file that is understood: folders of sources, and jars beside them.

use super::module::{existing, java_files};
use super::{Module, ProjectOptions};
use crate::Jdk;
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::resolution;
use crate::project::maven::pom_model::{PomCache, PomContext};
use crate::project::parsed_build::ParsedBuild;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

const MAIN: [&str; 5] = ["src/main/java", "crates/java/src", "src", "source", "."];
const TEST: [&str; 5] = ["src/test/java", "src/test", "test/java", "test", "tests"];
const RESOURCES: [&str; 1] = ["src/main/resources"];
const TEST_RESOURCES: [&str; 1] = ["src/test/resources"];
const SYSTEM_JARS: &str = "/usr/share/java";

pub(super) fn read(root: &Path, options: &ProjectOptions, jdk: &Jdk) -> ParsedBuild {
    let test_roots: Vec<PathBuf> = if options.test_sources.is_empty() {
        first_with_sources(root, &TEST, &[]).into_iter().collect()
    } else {
        options.test_sources.clone()
    };
    let main_roots = if options.sources.is_empty() {
        first_with_sources(root, &MAIN, &test_roots).into_iter().collect()
    } else {
        options.sources.clone()
    };
    let mut found = ParsedBuild::default();
    // Without a build tool's convention, properties and other resources are in the source folders.
    let with_sources = |roots: &[PathBuf], resources: [&str; 1]| {
        [roots, &existing(root, Path::new(""), resources)].concat()
    };
    let module = Module {
        resource_roots: with_sources(&main_roots, RESOURCES),
        test_resource_roots: with_sources(&test_roots, TEST_RESOURCES),
        class_path: class_path(root, options, jdk, &mut found.notes),
        main_roots,
        test_roots,
        ..Module::default()
    };
    if !(module.main_roots.is_empty() && module.test_roots.is_empty()) {
        found.modules.push(module);
    }
    found
}

fn first_with_sources(root: &Path, names: &[&str], except: &[PathBuf]) -> Option<PathBuf> {
    let except: Vec<PathBuf> = except.iter().map(|folder| root.join(folder)).collect();
    existing(root, Path::new(""), names.iter().copied())
        .into_iter()
        .find(|folder| !java_files(&root.join(folder), &except).is_empty())
}

/// The user's jars, or else the project's own, or else whatever `JUnit` is on this machine.
fn class_path(
    root: &Path,
    options: &ProjectOptions,
    jdk: &Jdk,
    notes: &mut Vec<String>,
) -> Vec<PathBuf> {
    let given = &options.class_path;
    let own: Vec<PathBuf> =
        if given.is_empty() { jars_in(&root.join("lib")).collect() } else { Vec::new() };
    let names: Vec<String> = given.iter().chain(&own).map(|path| file_name(path)).collect();
    if names.iter().any(|name| name.contains("junit")) {
        return own;
    }
    let junit = junit_in_repositories(options, jdk)
        .or_else(|| junit_in(Path::new(SYSTEM_JARS)))
        .unwrap_or_default();
    if junit.is_empty() && names.is_empty() {
        notes.push("no JUnit was found on this machine".to_owned());
    }
    [own, junit].concat()
}

fn jars_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
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

fn junit_in_repositories(options: &ProjectOptions, jdk: &Jdk) -> Option<Vec<PathBuf>> {
    let wanted = [("junit", "junit"), ("org.junit.jupiter", "junit-jupiter")];
    let direct = wanted.map(|(group, artifact)| Dependency::new(group, artifact, None));
    let ProjectOptions { repositories, maven: settings, .. } = options;
    let memo = &PomCache::default();
    let context = PomContext { repositories, settings, jdk: jdk.version, memo };
    let resolved = resolution::resolve(context, &direct, &[]);
    (!resolved.class_path.is_empty()).then_some(resolved.class_path)
}

fn junit_in(folder: &Path) -> Option<Vec<PathBuf>> {
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
        Jdk { home: "/jdk".into(), version: 17, full: "17".into() }
    }

    fn write(root: &Path, file: &str) {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    fn module(root: &Path, options: &ProjectOptions) -> Module {
        read(root, options, &jdk()).modules.remove(0)
    }

    #[test]
    fn the_first_usual_folder_that_holds_sources_is_taken() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "src/main/java/readme.txt");
        write(root.path(), "src/a/B.java");
        write(root.path(), "test/a/BTest.java");
        let module = module(root.path(), &ProjectOptions::default());
        assert_eq!(module.main_roots, [PathBuf::from("src")]);
        assert_eq!(module.test_roots, [PathBuf::from("test")]);
    }

    #[test]
    fn a_folder_of_tests_that_is_named_among_the_sources_is_no_other_one() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "src/main/java/a/B.java");
        write(root.path(), "src/test/java/a/BTest.java");
        let sources = vec!["src/main/java".into(), "src/test/java".into()];
        let options = ProjectOptions { sources, ..ProjectOptions::default() };
        let project = Project::discover(root.path(), &options, &jdk()).unwrap();
        assert_eq!(project.main_roots, [PathBuf::from("src/main/java")]);
        assert_eq!(project.test_roots, [PathBuf::from("src/test/java")]);
    }

    #[test]
    fn a_junit_of_the_projects_own_is_the_only_one() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "A.java");
        write(root.path(), "lib/x/junit-4.8.jar");
        let module = module(root.path(), &ProjectOptions::default());
        assert_eq!(module.main_roots, [PathBuf::new()]);
        assert_eq!(module.class_path, [root.path().join("lib/x/junit-4.8.jar")]);
    }

    #[test]
    fn a_folder_without_sources_has_no_module() {
        let root = tempfile::tempdir().unwrap();
        assert!(read(root.path(), &ProjectOptions::default(), &jdk()).modules.is_empty());
    }
}
