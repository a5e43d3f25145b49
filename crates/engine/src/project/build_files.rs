//! Recognises build files, and detects whether two trees have the same project model.

use super::build_overrides::BUILD_OVERRIDES_FILE;
use crate::cache::digest::Digest;
use regex::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use walkdir::{DirEntry, WalkDir};

/// Maximum depth of build files below the root.
const MAX_BUILD_FILE_DEPTH: usize = 6;

/// Returns a hash of all inputs of a project model: the contents of build files, and the names of jars and of the upper
/// folders.
pub(crate) fn hash_build_files(tree: &Path) -> String {
    let included_builds = find_included_builds(tree);
    let is_searched = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        let path = entry.path().strip_prefix(tree).unwrap_or(entry.path());
        let is_near = entry.depth() <= MAX_BUILD_FILE_DEPTH
            || included_builds.iter().any(|build| path.starts_with(build));
        let is_skipped = name.starts_with('.') || name == "node_modules" || !is_near;
        entry.depth() == 0 || name == ".mvn" || !is_skipped
    };
    let entries =
        WalkDir::new(tree).sort_by_file_name().into_iter().filter_entry(is_searched).flatten();
    let mut digest = Digest::default();
    let overrides = std::fs::read(tree.join(BUILD_OVERRIDES_FILE)).unwrap_or_default();
    digest.add("overrides", overrides);
    for entry in entries {
        let name = entry.path().strip_prefix(tree).unwrap_or(entry.path()).to_string_lossy();
        if entry.file_type().is_dir() {
            if entry.depth() <= 4 {
                digest.add("folder", name.as_bytes());
            }
        } else if is_build_file(&name) || is_build_source(&name, &included_builds) {
            let text = std::fs::read(entry.path()).unwrap_or_default();
            for file in profile_condition_files(&String::from_utf8_lossy(&text), entry.path()) {
                digest.add("exists", [u8::from(file.exists())]);
            }
            digest.add(&name, text);
        } else if name.ends_with(".jar") {
            digest.add("jar", name.as_bytes());
        }
    }
    digest.finish_hex()
}

/// A file from which a build tool makes the project model.
pub(super) struct BuildFile {
    /// Path in the tree.
    pub(super) name: String,
    pub(super) content: Vec<u8>,
    /// One byte for each file on which a profile depends: 1 if it exists.
    pub(super) profile_conditions: Vec<u8>,
}

/// Reads the files of a tree from which a build tool makes the project model, in order.
pub(super) fn read_build_files(tree: &Path) -> Vec<BuildFile> {
    let included_builds = find_included_builds(tree);
    let is_searched = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        let is_skipped = name.starts_with('.') || name == "node_modules" || name == "target";
        entry.depth() == 0 || name == ".mvn" || !is_skipped
    };
    let entries = WalkDir::new(tree).sort_by_file_name().into_iter().filter_entry(is_searched);
    let build_file = |entry: DirEntry| {
        let name = entry.path().strip_prefix(tree).ok()?.to_string_lossy().into_owned();
        let is_read = is_tool_file(&name) || is_build_source(&name, &included_builds);
        if !entry.file_type().is_file() || !is_read {
            return None;
        }
        let content = std::fs::read(entry.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&content);
        let conditions = profile_condition_files(&text, entry.path());
        let profile_conditions = conditions.iter().map(|file| u8::from(file.exists())).collect();
        Some(BuildFile { name, content, profile_conditions })
    };
    entries.flatten().filter_map(build_file).collect()
}

/// Returns the folders of builds that make plugins or libraries for the Gradle build of a tree.
fn find_included_builds(tree: &Path) -> Vec<String> {
    static INCLUDED_BUILD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"\bincludeBuild\b[\s(]*(?:file\(\s*)?["'](?:\./)?([^"']+?)/?["']"#)
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let settings = ["settings.gradle", "settings.gradle.kts"].iter();
    let texts = settings.filter_map(|name| std::fs::read_to_string(tree.join(name)).ok());
    let texts: Vec<_> = texts.collect();
    let included = texts.iter().flat_map(|text| INCLUDED_BUILD.captures_iter(text));
    included.map(|build| build[1].to_owned()).chain(["buildSrc".to_owned()]).collect()
}

/// Returns true for a source of a build that makes plugins, whose outputs do not count.
fn is_build_source(path: &str, included_builds: &[String]) -> bool {
    included_builds.iter().any(|build| {
        let below = path.strip_prefix(build.as_str()).and_then(|rest| rest.strip_prefix('/'));
        below.is_some_and(|below| below.starts_with("src/") || below.contains("/src/"))
    })
}

/// Returns true if a build tool may read its settings from a file.
fn is_tool_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = Path::new(name).extension().unwrap_or_default();
    let is_pom = name.starts_with("pom") && extension == "xml";
    let is_maven_setting = path.starts_with(".mvn/") && extension != "jar";
    // Gradle scripts often read their versions from such a file.
    let is_near_root = !path.contains('/') || path.starts_with("gradle/");
    let is_property_file = is_near_root && (extension == "properties" || extension == "toml");
    is_pom || is_maven_setting || is_property_file || is_build_file(path)
}

/// Returns the files on which the activation of profiles in a POM depends.
fn profile_condition_files(text: &str, pom: &Path) -> Vec<PathBuf> {
    static FILE_CONDITION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"<(?:exists|missing)>\s*(?:\$\{(?:project\.)?basedir\}/)?([^<]*?)\s*<")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let folder = pom.parent().unwrap_or(pom);
    FILE_CONDITION.captures_iter(text).map(|path| folder.join(&path[1])).collect()
}

/// Returns true if the path is that of a file that the project model is read from.
pub fn is_build_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "pom.xml"
        || path.starts_with(".mvn/") && name.ends_with(".config")
        || name == "gradle.properties"
        || name == "gradle-wrapper.properties"
        || [".gradle", ".gradle.kts", ".versions.toml", ".lockfile"]
            .iter()
            .any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_build_files_change_the_hash() {
        let tree = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| std::fs::write(tree.path().join(file), text).unwrap();
        write("pom.xml", "1");
        write("A.java", "1");
        let first = hash_build_files(tree.path());
        write("A.java", "2");
        assert_eq!(hash_build_files(tree.path()), first);
        write("pom.xml", "2<exists>${basedir}/flag.txt</exists>");
        let second = hash_build_files(tree.path());
        assert_ne!(second, first);
        write("flag.txt", "");
        assert_ne!(hash_build_files(tree.path()), second);
    }

    #[test]
    fn sources_of_included_builds_are_build_files() {
        let tree = tempfile::tempdir().unwrap();
        let settings =
            "pluginManagement { includeBuild(\"./build-logic\") }\nincludeBuild '../x'\n";
        std::fs::write(tree.path().join("settings.gradle.kts"), settings).unwrap();
        let builds = find_included_builds(tree.path());
        assert_eq!(builds, ["build-logic", "../x", "buildSrc"]);
        let is_source = |path: &str| is_build_source(path, &builds);
        assert!(is_source("build-logic/java/src/main/kotlin/P.kt"));
        assert!(is_source("buildSrc/src/main/groovy/p.groovy"));
        assert!(!is_source("buildSrc/build/classes/P.class"));
        assert!(!is_source("src/main/java/A.java"));
        let first = hash_build_files(tree.path());
        let deep = tree.path().join("buildSrc/src/main/java/org/acme/build/P.java");
        std::fs::create_dir_all(deep.parent().unwrap()).unwrap();
        let empty_folders = hash_build_files(tree.path());
        std::fs::write(&deep, "class P {}").unwrap();
        assert_ne!(hash_build_files(tree.path()), empty_folders);
        assert_ne!(empty_folders, first);
    }
}
