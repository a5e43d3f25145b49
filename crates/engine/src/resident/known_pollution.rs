//! Known state pollution by tests, independent of the variant.

use crate::lock::lock;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Leftovers of tests that were restored, from runs that a fresh JVM confirmed.
#[derive(Debug, Default)]
pub(super) struct KnownPollution(Mutex<BTreeSet<String>>);

impl KnownPollution {
    /// Returns true if all of these leftovers are known.
    pub(super) fn contains_all(&self, leftovers: &[String]) -> bool {
        let leftovers_seen = lock(&self.0);
        leftovers.iter().all(|one| leftovers_seen.contains(one))
    }

    /// Adds leftovers of a run that a fresh JVM has confirmed.
    pub(super) fn add(&self, leftovers: &[String]) {
        lock(&self.0).extend(leftovers.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recorded_leftovers_are_known() {
        let known_pollution = KnownPollution::default();
        let leftovers =
            |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert!(!known_pollution.contains_all(&leftovers(&["locale"])));
        known_pollution.add(&leftovers(&["locale", "time zone"]));
        assert!(known_pollution.contains_all(&leftovers(&["time zone"])));
        assert!(!known_pollution.contains_all(&leftovers(&["locale", "cookies"])));
    }
}
