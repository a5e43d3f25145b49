//! How tests were adapted to a version that is older than they are.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How tests were adapted to a version that is older than they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestAdaptation {
    /// Members of test classes, and whole classes, that were left out because they do not compile: `pkg.Class#member`.
    pub left_out: BTreeSet<String>,
    /// Libraries of bad that the version lacks.
    pub libraries: BTreeSet<String>,
}

impl TestAdaptation {
    /// Returns true if the tests were compiled as they are.
    pub fn is_empty(&self) -> bool {
        self.left_out.is_empty() && self.libraries.is_empty()
    }

    /// Returns these adaptations and others.
    #[must_use]
    pub fn merged(mut self, other: &Self) -> Self {
        self.left_out.extend(other.left_out.iter().cloned());
        self.libraries.extend(other.libraries.iter().cloned());
        self
    }
}
