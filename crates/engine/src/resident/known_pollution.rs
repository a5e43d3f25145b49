//! Known state pollution by tests, independent of the variant.

use crate::lock::lock;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Known leftovers of tests from runs that a fresh JVM confirmed. All of them could be restored.
#[derive(Debug, Default)]
pub(super) struct KnownPollution(Mutex<BTreeSet<String>>);

impl KnownPollution {
    /// Returns true if all of these leftovers are known.
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
        let habits = KnownPollution::default();
        let left = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert!(!habits.cover(&left(&["locale"])));
        habits.learn(&left(&["locale", "time zone"]));
        assert!(habits.cover(&left(&["time zone"])));
        assert!(!habits.cover(&left(&["locale", "cookies"])));
    }
}
