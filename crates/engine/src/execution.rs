//! The result of one test execution, and how it was made.

use super::{Coverage, Variables};
use mend_java::facts::Refusal;
use mend_model::Outcome;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One test execution: what came out, and what it cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// What came out.
    pub outcome: Outcome,
    /// Time spent compiling; `None` where nothing was compiled by us.
    pub build: Option<Duration>,
    /// Time spent testing.
    pub test: Duration,
    /// JVMs started to run tests.
    pub jvms: usize,
    /// How much of it was done afresh.
    #[serde(default)]
    pub rung: Rung,
    /// Compile errors from the resident compiler; not kept in the cache.
    #[serde(skip)]
    pub refusals: Vec<Refusal>,
    /// Which tests executed which methods, if coverage was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// The environment variables that affected the result.
    #[serde(default, skip_serializing_if = "Variables::is_empty")]
    pub variables: Variables,
}

impl Execution {
    /// What came out, at no cost yet.
    pub fn of(outcome: Outcome) -> Self {
        let (test, rung, refusals) = (Duration::ZERO, Rung::default(), Vec::new());
        let (coverage, variables) = (None, Variables::default());
        Self { outcome, build: None, test, jvms: 0, rung, refusals, coverage, variables }
    }
}

/// Execution mode of a trial, from the fastest to the most reliable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// Warm compiler, no test run: the tests ran on identical classes before.
    Same,
    /// Warm compiler, and newly loaded classes in a warm JVM.
    Loader,
    /// As before, in a restarted JVM: the earlier variants may have caused a failure in the old one.
    Recycled,
    /// Warm compiler, and a fresh JVM for the tests.
    Jvm,
    /// Full build in new processes, and a fresh JVM.
    #[default]
    Process,
}

impl Rung {
    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "identical-classes",
            Self::Loader => "warm-jvm",
            Self::Recycled => "restarted-jvm",
            Self::Jvm => "fresh-jvm",
            Self::Process => "clean-build",
        }
    }
}
