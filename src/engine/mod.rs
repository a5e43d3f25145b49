//! Building one variant of a Java project and running its tests: a raw outcome, and no judgement.

mod attempt;
mod cache;
mod class_archive;
mod class_file;
mod command_engine;
mod compiler;
mod copies;
mod coverage;
mod doctor;
mod encoding;
mod environment;
mod explore;
mod facts_server;
mod fingerprint;
mod framework;
mod fresh_compiler;
mod java_source;
mod jdk;
mod jvm;
mod launch;
mod library;
mod one_core;
mod order;
mod outline;
mod process_engine;
mod processors;
mod project;
mod reach;
mod request;
mod resident;
mod resident_compiler;
mod result_lines;
mod runtime;
mod selection;
mod source_level;
mod supervised;
mod test_limits;
mod test_run;
mod testbed;
#[cfg(test)]
mod testing;
mod toolchain;
mod warm;
mod wildcard;

pub use attempt::SWAPPED_CLASSES;
pub use cache::OutcomeCache;
pub use class_file::class_file_path;
pub use command_engine::CommandEngine;
pub use coverage::Coverage;
pub use doctor::{Checkup, Finding, Health};
pub use environment::{Environment, Variables};
pub use explore::{
    Circle, Example, ExploreOrder, Findings, Group, Guarded, Listener, PatternCount, Race, Sampler,
    Schedule, Seen, Site, Step,
};
#[cfg(test)]
pub(crate) use facts_server::testing as facts_testing;
pub use facts_server::{FactsServer, SourceSet};
pub use framework::Framework;
pub use jdk::Jdk;
pub use launch::{Ended, Launch, Launched};
pub use order::TestOrder;
pub use process_engine::ProcessEngine;
pub use project::{
    Batch, Build, LocalRepositories, MavenSettings, Module, Project, ProjectOptions, Recorded,
    Resources, Values,
};
pub use reach::{Reached, may_matter, reached};
pub use resident::ResidentEngine;
pub use selection::{Selection, TestClass, select};
pub use supervised::SupervisedLauncher;
pub use test_limits::TestLimits;
pub use toolchain::Toolchain;
pub use warm::warm;

use crate::facts::Refusal;
use crate::model::{Outcome, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// How long the phases of one test execution may take; `None` is for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Compiling.
    pub build: Option<Duration>,
    /// Running the tests, all of them together.
    pub test: Option<Duration>,
    /// Running each test of which it is known how long it takes.
    pub each: TestLimits,
}

/// What a JVM may take to start where a machine is busy.
const START: Duration = Duration::from_secs(10);

impl Limits {
    /// Time limits for repeating in a fresh JVM what a warm JVM finished in time: they allow for
    /// JVM start-up and machine load.
    #[must_use]
    pub fn patient(&self) -> Self {
        let test = self.test.map(|limit| limit * 2 + START);
        Self { test, each: self.each.patient(START), ..*self }
    }

    /// The shortest time after which a test may be given up; `None` if none is.
    fn least(&self) -> Option<Duration> {
        self.test.into_iter().chain(self.each.least()).min()
    }
}

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
    pub(crate) fn of(outcome: Outcome) -> Self {
        let (test, rung, refusals) = (Duration::ZERO, Rung::default(), Vec::new());
        let (coverage, variables) = (None, Variables::default());
        Self { outcome, build: None, test, jvms: 0, rung, refusals, coverage, variables }
    }
}

/// Result of building a tree and running its tests under many schedules.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What it cost; its outcome says why there are no findings, if there are none.
    pub execution: Execution,
    /// What the schedules came to.
    pub findings: Option<Findings>,
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

/// How variants are built and run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The resident engine where it can, else processes.
    #[default]
    Auto,
    /// The resident engine, or not at all.
    Resident,
    /// A fresh compiler and a fresh JVM each.
    Process,
}

/// Builds and tests variants.
pub trait Engine: Send + Sync {
    /// Builds the variant that stands in a folder, and runs the tests on it.
    ///
    /// # Errors
    /// What is wrong with this machine or with us; what is wrong with the variant is an outcome.
    fn run(&self, tree: &Path, limits: &Limits) -> Result<Execution>;

    /// As [`Engine::run`], for tests that record data themselves: their verdicts are known and not
    /// cross-checked.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn watch(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        self.run(tree, limits)
    }

    /// As [`Engine::run`], with nothing kept from earlier runs.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn run_afresh(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        self.run(tree, limits)
    }

    /// As [`Engine::run_afresh`]; a contradiction to what came out before lowers the trust in that way.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn confirm(&self, tree: &Path, limits: &Limits, before: &Outcome) -> Result<Execution> {
        let _ = before;
        self.run_afresh(tree, limits)
    }

    /// Runs the tests on a tree with method coverage; `None` if this engine cannot measure it.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn coverage(&self, tree: &Path, limits: &Limits) -> Result<Option<Execution>> {
        let _ = (tree, limits);
        Ok(None)
    }

    /// Runs the tests of a tree under many schedules of their threads; `None` if this engine cannot.
    ///
    /// # Errors
    /// As [`Engine::run`], and [`crate::model::Problem::NotControlled`].
    fn explore(
        &self,
        tree: &Path,
        limits: &Limits,
        order: &ExploreOrder,
        listener: &mut Listener<'_>,
    ) -> Result<Option<Explored>> {
        let _ = (tree, limits, order, listener);
        Ok(None)
    }

    /// The same engine, running the tests in another order.
    fn reordered(self: Box<Self>, order: TestOrder) -> Box<dyn Engine>;

    /// What the user should know of how variants were judged, said once.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// A key of all that an outcome depends on besides the tree.
    fn fingerprint(&self) -> String;
}
