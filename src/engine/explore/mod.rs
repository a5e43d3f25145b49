//! Running tests under many schedules of their threads, one thread at a time.
//!
//! The JVM that does it (`runtime/explore`) loads the project's classes with hooks put into their code, and decides
//! at each hook which thread goes on.

mod findings;
mod worker;

pub use findings::{
    Circle, Example, Findings, Group, Guarded, PatternCount, Race, Schedule, Seen, Site, Step,
};

use super::Ended;
use super::attempt::Hands;
use super::compiler::{Compilation, Compiled};
use super::resident::{Answer, CompileWorker};
use super::result_lines::Told;
use super::runtime::create;
use super::test_run::TestRun;
use crate::model::Result;
use std::path::PathBuf;
use std::sync::Arc;
use worker::ExploreWorker;

/// How schedules are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampler {
    /// Partial order sampling.
    PartialOrder,
    /// Each thread with the same chance at each step.
    RandomWalk,
    /// Priorities that change at a few steps.
    Priorities,
    /// Threads are held up where they come to what a fault was about, until others have come to the same.
    Directed,
    /// All orders of steps that can make a difference, if there are few: not sampled, one after the other.
    AllOrders,
}

impl Sampler {
    /// Its name on the command line and in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::PartialOrder => "pos",
            Self::RandomWalk => "random",
            Self::Priorities => "pct",
            Self::Directed => "directed",
            Self::AllOrders => "dpor",
        }
    }
}

/// What is to be explored.
#[derive(Clone, Debug)]
pub struct ExploreOrder {
    /// Maximum number of schedules.
    pub schedules: u32,
    /// What samples them.
    pub samplers: Vec<Sampler>,
    /// What directed schedules are about: variables, and calls, as sites name them.
    pub targets: Vec<String>,
    /// The seed of all of them.
    pub seed: u64,
    /// One schedule to be run instead.
    pub replay: Option<Schedule>,
    /// What a schedule prints that passes; any other output is a failure.
    pub expected: Option<Arc<str>>,
    /// Whether the first fault is all that is asked for.
    pub is_trial: bool,
}

/// Listener that receives the number of schedules run, and of those that failed.
pub type Listener<'a> = dyn FnMut(usize, usize) + 'a;

/// What is kept from one exploration of a tree to the next.
#[derive(Default)]
pub(super) struct Explorer {
    /// The warm compiler, if one is requested and fit for this project.
    compiler: Option<CompileWorker>,
    /// The JVM that runs the schedules.
    worker: Option<ExploreWorker>,
}

impl Explorer {
    /// Adds a warm compiler.
    pub(super) fn resident() -> Self {
        Self { compiler: Some(CompileWorker::default()), worker: None }
    }
}

/// Compiles, and runs tests under schedules instead of as they come.
pub(super) struct ExploringHands<'a> {
    pub(super) order: &'a ExploreOrder,
    pub(super) listener: &'a mut Listener<'a>,
    pub(super) explorer: &'a mut Explorer,
    /// What it came to until now.
    pub(super) findings: Option<Findings>,
}

impl Hands for ExploringHands<'_> {
    fn compile(&mut self, compilation: &Compilation<'_>, files: &[PathBuf]) -> Result<Compiled> {
        if let Some(compiler) = &mut self.explorer.compiler {
            match compiler.compile(compilation, files)? {
                Answer::Ok(_) => return Ok(Compiled::Ok),
                Answer::TimedOut => return Ok(Compiled::TimedOut(String::new())),
                Answer::Failed(said, _) => return Ok(Compiled::Failed(said)),
                Answer::Unfit(_) => self.explorer.compiler = None,
            }
        }
        // What an earlier tree left must not stand in for what this one lacks.
        drop(std::fs::remove_dir_all(compilation.output));
        create(compilation.output.to_owned())?;
        compilation.run(files)
    }

    fn test(&mut self, run: &TestRun<'_>) -> Result<(Told, Ended)> {
        let is_meant = self.order.replay.as_ref().is_none_or(|schedule| {
            let class = schedule.test.split('\t').next().unwrap_or_default();
            run.wanted.iter().any(|wanted| wanted.class == class)
        });
        if is_meant {
            let known = self.explorer.worker.take().filter(|worker| worker.fits(run));
            let mut worker = match known {
                Some(worker) => worker,
                None => ExploreWorker::start(run)?,
            };
            let findings = worker.explore(run, self.order, self.listener)?;
            self.explorer.worker = Some(worker);
            let before = self.findings.take().unwrap_or_default();
            self.findings = Some(before.with(findings));
        }
        let told = Told { is_finished: true, ..Told::default() };
        Ok((told, Ended { code: Some(0), timed_out: false, output: String::new() }))
    }
}
