//! Verdicts on variants.

use serde::{Deserialize, Serialize};

/// Result of testing one variant. It is never guessed: an ambiguous result is unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The tests passed.
    Pass,
    /// The tests failed with the symptom.
    Fail,
    /// The result is neither a pass nor the symptom.
    Unresolved(Phase),
    /// Repeated runs disagreed.
    Flaky,
}

/// Phase in which a variant became unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It was rejected before compilation: it violates a dependency or does not parse.
    Rejected,
    /// It did not compile.
    NotCompiled,
    /// It compiled, but the selected tests did not.
    TestsNotCompiled,
    /// The tests failed, but not with the symptom.
    OtherFailure,
    /// It timed out, and that is not the symptom.
    TimedOut,
    /// The command exited with 125 (cannot be tested), or no test ran.
    NotTestable,
}

impl Phase {
    /// Returns the phase in words, for tables.
    pub fn description(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::NotCompiled => "not compiled",
            Self::TestsNotCompiled => "tests not compiled",
            Self::OtherFailure => "other failure",
            Self::TimedOut => "timed out",
            Self::NotTestable => "not testable",
        }
    }
}

impl Verdict {
    /// Returns the word for logs and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unresolved(_) => "unresolved",
            Self::Flaky => "flaky",
        }
    }

    /// Returns the phase of an unresolved verdict.
    pub fn phase(self) -> Option<Phase> {
        match self {
            Self::Unresolved(phase) => Some(phase),
            Self::Pass | Self::Fail | Self::Flaky => None,
        }
    }
}
