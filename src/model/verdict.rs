//! The judgement on one variant.

use serde::{Deserialize, Serialize};

/// The judgement on one variant. It is never guessed: what cannot be told apart is unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The tests passed.
    Pass,
    /// The tests failed with the symptom.
    Fail,
    /// Neither can be said.
    Unresolved(Phase),
    /// Repeated runs disagreed.
    Flaky,
}

/// Where a variant that could not be judged got stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Refused before any compilation: it breaks a coupling or does not parse.
    Rejected,
    /// It did not compile.
    NotCompiled,
    /// The tests failed, but not with the symptom.
    OtherFailure,
    /// The time limit ran out, and that is not the symptom.
    TimedOut,
    /// The command said that it cannot test this (exit code 125), or no test was run.
    NotTestable,
}

impl Phase {
    /// In words, for tables.
    pub fn words(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::NotCompiled => "not compiled",
            Self::OtherFailure => "other failure",
            Self::TimedOut => "timed out",
            Self::NotTestable => "not testable",
        }
    }
}

impl Verdict {
    /// One word for logs and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unresolved(_) => "unresolved",
            Self::Flaky => "flaky",
        }
    }

    /// The phase of an unresolved verdict.
    pub fn phase(self) -> Option<Phase> {
        match self {
            Self::Unresolved(phase) => Some(phase),
            Self::Pass | Self::Fail | Self::Flaky => None,
        }
    }
}
