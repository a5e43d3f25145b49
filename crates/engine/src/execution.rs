//! Result of one test execution, and its execution mode.

use super::{Coverage, TestAdaptation, VariableDigests};
use mend_java::facts::CompileError;
use mend_model::Outcome;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One test execution: its outcome and cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// The outcome.
    pub outcome: Outcome,
    /// Time spent compiling; `None` if git-mend compiled nothing.
    pub build: Option<Duration>,
    /// Time spent testing.
    pub test: Duration,
    /// Number of JVMs that were started to run tests.
    pub jvms: usize,
    /// Mode of the execution: warm or clean.
    #[serde(default, rename = "rung")]
    pub mode: ExecutionMode,
    /// Compile errors from the resident compiler; not kept in the cache.
    #[serde(skip)]
    pub compile_errors: Vec<CompileError>,
    /// Notes for the user on how the variant was tested; not kept in the cache.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// True if another engine than the chosen one tested the variant, so that the outcome is not kept in the cache.
    #[serde(skip)]
    pub is_substitute: bool,
    /// How the tests were adapted to the variant.
    #[serde(default, skip_serializing_if = "TestAdaptation::is_empty")]
    pub adaptation: TestAdaptation,
    /// Method coverage, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// The environment variables that affected the result.
    #[serde(default, skip_serializing_if = "VariableDigests::is_empty")]
    pub variables: VariableDigests,
}

impl Execution {
    /// Creates an execution with an outcome and without cost.
    pub fn from_outcome(outcome: Outcome) -> Self {
        Self {
            outcome,
            build: None,
            test: Duration::ZERO,
            jvms: 0,
            mode: ExecutionMode::default(),
            compile_errors: Vec::new(),
            notes: Vec::new(),
            is_substitute: false,
            adaptation: TestAdaptation::default(),
            coverage: None,
            variables: VariableDigests::default(),
        }
    }
}

/// Execution mode of a trial, from the fastest to the most reliable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionMode {
    /// Warm compiler, and no test run: the tests ran before on identical classes.
    Same,
    /// Warm compiler, which compiled many candidates together, and newly loaded classes in a warm JVM.
    Schema,
    /// Warm compiler, and newly loaded classes in a warm JVM.
    Loader,
    /// Warm compiler, and a restarted warm JVM: earlier variants may have caused a failure in the previous one.
    Recycled,
    /// Warm compiler, and a fresh JVM for the tests.
    Jvm,
    /// Full build in new processes, and a fresh JVM.
    #[default]
    Process,
}

impl ExecutionMode {
    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "identical-classes",
            Self::Schema => "mutant-schema",
            Self::Loader => "warm-jvm",
            Self::Recycled => "restarted-jvm",
            Self::Jvm => "fresh-jvm",
            Self::Process => "clean-build",
        }
    }
}
