//! Generators of a build that failed in a run of the program, with their reasons: plugin goals of Maven, or tasks of
//! Gradle. They are left out of later calls of the build tool.

use crate::lock::lock;
use regex::Regex;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

/// Failed goals (`artifact:goal`) or tasks (`:project:task`) with their reasons, by the key of the build files or of the
/// whole tree.
#[derive(Clone, Default)]
pub(crate) struct FailedGenerators(Arc<Mutex<HashMap<String, BTreeMap<String, String>>>>);

impl FailedGenerators {
    /// Returns the generators that failed with one of the keys, with their reasons.
    pub(super) fn with_keys(&self, keys: [&str; 2]) -> BTreeMap<String, String> {
        let failed = lock(&self.0);
        keys.iter()
            .filter_map(|key| failed.get(*key))
            .flatten()
            .map(|(generator, reason)| (generator.clone(), reason.clone()))
            .collect()
    }

    pub(super) fn add(&self, key: &str, generator: String, reason: String) {
        lock(&self.0).entry(key.to_owned()).or_default().insert(generator, reason);
    }
}

/// Returns those of some generators that a message of a build tool is about. Without its libraries, no goal of a plugin
/// runs.
pub(super) fn generators_in(message: &str, names: &[&String]) -> Vec<String> {
    let Some(failed) = generator_in(message) else { return Vec::new() };
    let plugin = failed.split_once(':').map_or(&*failed, |(plugin, _)| plugin);
    let affects_plugin = message.contains(UNRESOLVED_PLUGIN) && !plugin.is_empty();
    let is_affected = |name: &str| {
        let is_of_plugin = name.split_once(':').is_some_and(|(other, _)| other == plugin);
        name == failed || affects_plugin && is_of_plugin
    };
    names.iter().filter(|name| is_affected(name)).map(ToString::to_string).collect()
}

/// Message of Maven if a plugin or its libraries are missing.
const UNRESOLVED_PLUGIN: &str = "or one of its dependencies could not be resolved";

/// Returns what a message of Maven says after the names of the goal and of the project.
pub(super) fn reason_in(message: &str) -> String {
    static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:Failed to execute goal \S+ (?:\(\S+\) )?on project [^:\s]+: )?(?:Execution \S+ of goal \S+ failed: )?",
        )
        .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let text = message.split_whitespace().collect::<Vec<_>>().join(" ");
    PREFIX.replace(&text, "").into_owned()
}

/// Returns the goal or task that a message of a build tool is about.
fn generator_in(message: &str) -> Option<String> {
    static GOAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"Failed to execute goal [^:\s]+:([^:\s]+):[^:\s]+:(\S+)")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    static TASK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"Execution failed for task '([^']+)'")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let goal = GOAL.captures(message).map(|place| format!("{}:{}", &place[1], &place[2]));
    goal.or_else(|| TASK.captures(message).map(|place| place[1].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generator_is_read_from_a_message() {
        let message = "Failed to execute goal org.codehaus.mojo:exec-maven-plugin:1.5.0:exec (update) on project p: \
            Command execution failed.";
        assert_eq!(generator_in(message).as_deref(), Some("exec-maven-plugin:exec"));
        let message = "Execution failed for task ':core:generateProto'. no network";
        assert_eq!(generator_in(message).as_deref(), Some(":core:generateProto"));
        assert_eq!(generator_in("Unknown lifecycle phase"), None);
    }

    const UNRESOLVED: &str = "Failed to execute goal org.codehaus.mojo:exec-maven-plugin:3.6.3:java (default) on project \
        p: Execution default of goal org.codehaus.mojo:exec-maven-plugin:3.6.3:java failed: Plugin \
        org.codehaus.mojo:exec-maven-plugin:3.6.3 or one of its dependencies could not be resolved: no x:y:jar:1";

    #[test]
    fn plugin_without_its_libraries_runs_no_goal() {
        let names =
            ["exec-maven-plugin:exec", "exec-maven-plugin:java", "antlr4-maven-plugin:antlr4"]
                .map(str::to_owned);
        let names: Vec<&String> = names.iter().collect();
        assert_eq!(
            generators_in(UNRESOLVED, &names),
            ["exec-maven-plugin:exec", "exec-maven-plugin:java"]
        );
        let message = "Failed to execute goal org.codehaus.mojo:exec-maven-plugin:3.6.3:java (default) on project p: x";
        assert_eq!(generators_in(message, &names), ["exec-maven-plugin:java"]);
        let tasks = [":core:one", ":core:two"].map(str::to_owned);
        let tasks: Vec<&String> = tasks.iter().collect();
        assert_eq!(
            generators_in("Execution failed for task ':core:one'. x", &tasks),
            [":core:one"]
        );
    }

    #[test]
    fn reason_does_not_repeat_the_goal() {
        assert!(
            reason_in(UNRESOLVED)
                .starts_with("Plugin org.codehaus.mojo:exec-maven-plugin:3.6.3 or")
        );
        assert_eq!(
            reason_in("Execution failed for task ':a:b'.\n  no"),
            "Execution failed for task ':a:b'. no"
        );
    }
}
