//! Settings of the JVM that runs the tests of a POM.

use super::pom_model::PomModel;
use crate::project::relevant_arguments::relevant_jvm_options;
use regex::{Captures, Regex};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub(super) const SUREFIRE_PLUGIN: &str = "maven-surefire-plugin";

/// Returns the options of the JVM that affect the tests: those of `argLine` and system properties. Agents may be
/// libraries of the class path.
pub(crate) fn jvm_options(model: &PomModel, class_path: &[PathBuf]) -> Vec<String> {
    let surefire = model.configurations(SUREFIRE_PLUGIN);
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
}
