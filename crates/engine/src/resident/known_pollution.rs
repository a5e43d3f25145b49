//! What tests leave behind whatever the variant.

use crate::lock::lock;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// What tests were seen to leave behind in runs of which a fresh JVM said the same. All of it could be restored.
#[derive(Debug, Default)]
pub(super) struct Habits(Mutex<BTreeSet<String>>);

impl Habits {
    /// Whether all of this was left before.
    pub(super) fn cover(&self, left: &[String]) -> bool {
        let known = lock(&self.0);
        left.iter().all(|one| known.contains(one))
    }

    /// Takes note of what a run left that a fresh JVM has confirmed.
    pub(super) fn learn(&self, left: &[String]) {
        lock(&self.0).extend(left.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_left_before_is_covered() {
        let habits = Habits::default();
        let left = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert!(!habits.cover(&left(&["locale"])));
        habits.learn(&left(&["locale", "time zone"]));
        assert!(habits.cover(&left(&["time zone"])));
        assert!(!habits.cover(&left(&["locale", "cookies"])));
    }
}
