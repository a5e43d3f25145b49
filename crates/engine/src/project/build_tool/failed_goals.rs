//! Plugin goals that failed in a run of the program, with their reasons. They are left out of later calls of Maven.

use crate::lock::lock;
use regex::Regex;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

/// Failed goals (`artifact:goal`) with their reasons, by the key of the build files or of the whole tree.
#[derive(Clone, Default)]
pub(crate) struct FailedGoals(Arc<Mutex<HashMap<String, BTreeMap<String, String>>>>);

impl FailedGoals {
    /// Returns the goals that failed with one of the keys, with their reasons.
    pub(super) fn with_keys(&self, keys: [&str; 2]) -> BTreeMap<String, String> {
        let failed = lock(&self.0);
        keys.iter()
            .filter_map(|key| failed.get(*key))
            .flatten()
            .map(|(goal, reason)| (goal.clone(), reason.clone()))
            .collect()
    }

    pub(super) fn add(&self, key: &str, goal: String, reason: String) {
        lock(&self.0).entry(key.to_owned()).or_default().insert(goal, reason);
    }
}

/// Returns the goal that a message of Maven is about, as `artifact:goal`.
pub(super) fn goal_in(message: &str) -> Option<String> {
    static GOAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"Failed to execute goal [^:\s]+:([^:\s]+):[^:\s]+:(\S+)")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    GOAL.captures(message).map(|place| format!("{}:{}", &place[1], &place[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goal_is_read_from_a_message() {
        let message = "Failed to execute goal org.codehaus.mojo:exec-maven-plugin:1.5.0:exec (update) on project p: \
            Command execution failed.";
        assert_eq!(goal_in(message).as_deref(), Some("exec-maven-plugin:exec"));
        assert_eq!(goal_in("Unknown lifecycle phase"), None);
    }
}
