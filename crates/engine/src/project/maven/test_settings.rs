//! Settings of the JVM that runs the tests of a POM.

use super::pom::XmlElement;
use super::pom_model::PomModel;
use crate::project::TestJvm;
use crate::project::module::{folder_in_tree, relative_path};
use crate::project::relevant_arguments::relevant_jvm_options;
use regex::{Captures, Regex};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub(super) const SUREFIRE_PLUGIN: &str = "maven-surefire-plugin";

/// Returns the JVM of the tests. Agents may be libraries of the class path.
pub(crate) fn test_jvm(root: &Path, model: &PomModel, class_path: &[PathBuf]) -> TestJvm {
    let surefire = model.configurations(SUREFIRE_PLUGIN);
    let directory = surefire.iter().find_map(|one| one.text_at(&["workingDirectory"]));
    let directory = directory.map(|name| model.folder.join(model.interpolate(name)));
    TestJvm {
        options: jvm_options(model, &surefire, class_path),
        variables: environment_variables(model, &surefire),
        working_directory: directory.and_then(|path| folder_in_tree(root, &path)),
        excluded_libraries: excluded_libraries(model, &surefire, class_path),
        additional_class_path: additional_class_path(root, model, &surefire),
    }
}

fn environment_variables(model: &PomModel, surefire: &[&XmlElement]) -> BTreeMap<String, String> {
    let declared =
        surefire.iter().rev().flat_map(|one| one.find_all(&["environmentVariables", "*"]));
    let variables = declared.map(|one| (one.name.clone(), model.interpolate(&one.text)));
    variables.filter(|(_, value)| !value.contains("${")).collect()
}

/// Returns the libraries of `classpathDependencyExcludes`. A pattern begins with `group:artifact`; `*` as one of them
/// means all.
fn excluded_libraries(
    model: &PomModel,
    surefire: &[&XmlElement],
    class_path: &[PathBuf],
) -> Vec<PathBuf> {
    let patterns =
        surefire.iter().flat_map(|one| one.find_all(&["classpathDependencyExcludes", "*"]));
    let patterns: Vec<String> = patterns.map(|one| model.interpolate(one.text.trim())).collect();
    let is_excluded = |path: &Path| {
        patterns.iter().any(|pattern| {
            let mut parts = pattern.split(':');
            let (Some(group), Some(artifact)) = (parts.next(), parts.next()) else { return false };
            matches_library(path, group, artifact)
        })
    };
    class_path.iter().filter(|path| is_excluded(path)).cloned().collect()
}

/// Returns the folders of the tree, and the libraries, of `additionalClasspathElements`.
fn additional_class_path(root: &Path, model: &PomModel, surefire: &[&XmlElement]) -> Vec<PathBuf> {
    let elements =
        surefire.iter().flat_map(|one| one.find_all(&["additionalClasspathElements", "*"]));
    let names =
        elements.flat_map(|one| one.text.split(',')).map(|name| model.interpolate(name.trim()));
    let paths = names.filter(|name| !name.is_empty() && !name.contains("${"));
    paths.map(|name| relative_path(root, model.folder.join(name))).collect()
}

/// Returns the options that affect the tests: those of `argLine` and system properties.
fn jvm_options(model: &PomModel, surefire: &[&XmlElement], class_path: &[PathBuf]) -> Vec<String> {
    let configured = surefire.iter().find_map(|configuration| configuration.text_at(&["argLine"]));
    let line = configured.map(str::to_owned).or_else(|| model.property("argLine"));
    let line = replace_late_properties(model, &model.interpolate(&line.unwrap_or_default()));
    let line = replace_library_paths(&line, class_path);
    let words = shell_words::split(&line).unwrap_or_default();
    let mut options = relevant_jvm_options(words);
    for name in ["systemPropertyVariables", "systemProperties"] {
        let path = [name, "*"];
        let properties = surefire.iter().flat_map(|configuration| configuration.find_all(&path));
        for property in properties {
            let text = |child: &str| property.text_at(&[child]);
            let (name, value) = match (property.children.is_empty(), text("name")) {
                (true, _) => (property.name.as_str(), property.text.as_str()),
                (false, Some(name)) => (name, text("value").unwrap_or_default()),
                (false, None) => continue,
            };
            let option = format!("-D{name}={}", model.interpolate(value));
            if !option.contains("${") {
                options.push(option);
            }
        }
    }
    options
}

/// Replaces `@{name}`, which Surefire resolves when it runs; unknown names become empty.
fn replace_late_properties(model: &PomModel, line: &str) -> String {
    static LATE_PROPERTY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"@\{([^:}]+)\}").unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let value = |place: &Captures<'_>| model.property(&place[1]).unwrap_or_default();
    LATE_PROPERTY.replace_all(line, value).into_owned()
}

/// Replaces `${group:artifact:jar}`, a property that the goal `dependency:properties` sets. Other types and unknown
/// libraries keep their placeholder.
fn replace_library_paths(line: &str, class_path: &[PathBuf]) -> String {
    static LIBRARY_PROPERTY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"[$@]\{([^:}]+):([^:}]+):jar\}")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let path = |place: &Captures<'_>| {
        let library = class_path.iter().find(|path| is_library(path, &place[1], &place[2]));
        library.map_or_else(|| place[0].to_owned(), |path| path.display().to_string())
    };
    LIBRARY_PROPERTY.replace_all(line, path).into_owned()
}

/// Returns true for a path as in a local repository: `org/group/artifact/version/file`.
fn is_library(path: &Path, group: &str, artifact: &str) -> bool {
    let folder = path.parent().and_then(Path::parent);
    folder
        .is_some_and(|folder| folder.ends_with(Path::new(&group.replace('.', "/")).join(artifact)))
}

/// Returns true if a library has this group and artifact; `*` means any.
fn matches_library(path: &Path, group: &str, artifact: &str) -> bool {
    let artifact_folder = path.parent().and_then(Path::parent);
    let Some(own_artifact) = artifact_folder.and_then(Path::file_name) else { return false };
    let own_artifact = &own_artifact.to_string_lossy();
    let artifact = if artifact == "*" { own_artifact } else { artifact };
    match group {
        "*" => own_artifact == artifact,
        _ => is_library(path, group, artifact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_libraries_replace_their_properties() {
        let class_path = ["/m2/org/mockito/mockito-core/5.8.0/mockito-core-5.8.0.jar".into()];
        let line =
            "-javaagent:${org.mockito:mockito-core:jar} @{org.mockito:mockito-core:jar} ${a:b:jar}";
        assert_eq!(
            replace_library_paths(line, &class_path),
            "-javaagent:/m2/org/mockito/mockito-core/5.8.0/mockito-core-5.8.0.jar \
             /m2/org/mockito/mockito-core/5.8.0/mockito-core-5.8.0.jar ${a:b:jar}"
        );
    }
    #[test]
    fn excluded_libraries_match_group_and_artifact() {
        let library =
            Path::new("/m2/ch/qos/logback/logback-classic/1.5.0/logback-classic-1.5.0.jar");
        for (group, artifact, is_match) in [
            ("ch.qos.logback", "logback-classic", true),
            ("ch.qos.logback", "*", true),
            ("*", "logback-classic", true),
            ("ch.qos.logback", "logback-core", false),
            ("org.slf4j", "*", false),
            ("*", "logback", false),
        ] {
            assert_eq!(matches_library(library, group, artifact), is_match, "{group}:{artifact}");
        }
    }
}
