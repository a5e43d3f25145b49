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

/// Returns the goal or task that a message of a build tool is about.
pub(super) fn generator_in(message: &str) -> Option<String> {
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
}
