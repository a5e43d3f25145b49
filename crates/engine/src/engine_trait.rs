//! Interface of all engines: requests, execution modes and coverage measurement.

use super::{Execution, Limits, TestOrder};
use mend_java::facts::CompileError;
use mend_model::{Outcome, Result};
use std::path::Path;

/// Builds and tests variants.
pub trait Engine: Send + Sync {
    /// Builds a variant and runs the tests on it.
    ///
    /// # Errors
    /// Problems of this machine and internal faults; a problem of the variant is an outcome.
    fn run(&self, request: &RunRequest<'_>) -> Result<Execution>;

    /// Returns the service that measures method coverage, if this engine has one.
    fn coverage_meter(&self) -> Option<&dyn CoverageMeter> {
        None
    }

    /// Returns the service that tests mutant schemata, if this engine has one.
    fn schema_tester(&self) -> Option<&dyn SchemaTester> {
        None
    }

    /// Returns the same engine with another test order.
    fn with_test_order(self: Box<Self>, order: TestOrder) -> Box<dyn Engine>;

    /// Returns a key of everything that an outcome depends on besides the tree.
    fn fingerprint(&self) -> String;
}

/// Request to build and test one variant.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// Folder of the variant.
    pub tree: &'a Path,
    /// Time limits of the phases.
    pub limits: &'a Limits,
    /// Mode of the build and the tests.
    pub mode: RunMode<'a>,
}

impl<'a> RunRequest<'a> {
    /// Creates a request for the fastest execution.
    pub fn quick(tree: &'a Path, limits: &'a Limits) -> Self {
        Self { tree, limits, mode: RunMode::Quick }
    }
}

/// Mode of building and testing a variant.
#[derive(Clone, Copy, Debug)]
pub enum RunMode<'a> {
    /// Fastest execution. Some executions are cross-checked.
    Quick,
    /// Fastest execution, which a clean build checks in any case.
    Checked,
    /// Fastest execution, for tests that record data themselves. Their verdicts are already known and not
    /// cross-checked.
    Recording,
    /// Clean build, and tests in fresh processes.
    Clean,
    /// Clean build whose outcome is compared with this earlier one.
    Confirm(&'a Outcome),
}

/// Measures which tests execute which methods.
pub trait CoverageMeter {
    /// Runs the tests on a tree with method coverage; `None` if it could not be measured.
    ///
    /// # Errors
    /// Errors of [`Engine::run`].
    fn measure(&self, tree: &Path, limits: &Limits) -> Result<Option<Execution>>;
}

/// Tests mutant schemata: versions with many candidates, of which a system property selects one.
pub trait SchemaTester {
    /// Builds a schema in a folder once, and runs the tests for each candidate.
    ///
    /// # Errors
    /// Errors of [`Engine::run`].
    fn test_schema(&self, tree: &Path, request: &SchemaRequest<'_>) -> Result<SchemaRun>;
}

/// Request to test the candidates of a mutant schema.
#[derive(Clone, Copy)]
pub struct SchemaRequest<'a> {
    /// Time limits of the build, and of the tests of each candidate.
    pub limits: &'a Limits,
    /// System property that selects a candidate. Its value is the number and, after a space, the time limit of the
    /// tests in milliseconds.
    pub property: &'a str,
    /// Simple name of the exception that ends endless loops after the time limit.
    pub timeout_exception: &'a str,
    /// Numbers of the candidates.
    pub candidates: &'a [usize],
    /// Returns true if the rest of the candidates is not needed.
    pub is_over: &'a dyn Fn() -> bool,
}

/// Result of testing a mutant schema.
#[derive(Debug)]
pub enum SchemaRun {
    /// Executions by candidate. Candidates whose results need a fresh JVM are left out.
    Tested(Vec<(usize, Execution)>),
    /// The schema does not compile.
    NotBuilt(Vec<CompileError>),
    /// Warm workers cannot test it.
    Unsupported,
}
