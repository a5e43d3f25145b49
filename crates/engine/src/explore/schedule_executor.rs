//! Compiling a tree, and running its tests under many schedules.

use super::{ExploreOrder, Listener};
use crate::Ended;
use crate::build_and_test::Hands;
use crate::compile::compile_worker::{Answer, CompileWorker};
use crate::compile::javac::{Compilation, Compiled};
use crate::explore::explore_worker::ExploreWorker;
use crate::jvm::java_program::create;
use crate::test_execution::runner_report::Told;
use crate::test_execution::test_run::TestRun;
use mend_model::Result;
use mend_model::schedules::Findings;
use std::path::PathBuf;

/// What is kept from one exploration of a tree to the next.
#[derive(Default)]
pub(crate) struct Explorer {
    /// The warm compiler, if one is requested and fit for this project.
    compiler: Option<CompileWorker>,
    /// The JVM that runs the schedules.
    worker: Option<ExploreWorker>,
}

impl Explorer {
    /// Adds a warm compiler.
    pub(crate) fn resident() -> Self {
        Self { compiler: Some(CompileWorker::default()), worker: None }
    }
}

/// Compiles, and runs tests under schedules instead of as they come.
pub(crate) struct ExploringHands<'a> {
    pub(crate) order: &'a ExploreOrder,
    pub(crate) listener: &'a mut Listener<'a>,
    pub(crate) explorer: &'a mut Explorer,
    /// What it came to until now.
    pub(crate) findings: Option<Findings>,
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
