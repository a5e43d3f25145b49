//! Settings of the JVM that runs the tests of a POM.

use super::pom_model::PomModel;
use crate::project::relevant_arguments::relevant_jvm_options;
use regex::Regex;
use std::sync::LazyLock;

const SUREFIRE_PLUGIN: &str = "maven-surefire-plugin";

/// Returns the options of the JVM that affect the tests: those of `argLine` and system properties.
pub(crate) fn jvm_options(model: &PomModel) -> Vec<String> {
    let surefire = model.configurations(SUREFIRE_PLUGIN);
    let configured = surefire.iter().find_map(|configuration| configuration.text_at(&["argLine"]));
    let line = configured.map(str::to_owned).or_else(|| model.property("argLine"));
    let line = replace_late_properties(model, &model.interpolate(&line.unwrap_or_default()));
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
        Regex::new(r"@\{([^}]+)\}").unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let value = |place: &regex::Captures<'_>| model.property(&place[1]).unwrap_or_default();
    LATE_PROPERTY.replace_all(line, value).into_owned()
}
