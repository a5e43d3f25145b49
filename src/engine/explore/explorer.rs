//! Compiling a tree, and running its tests under many schedules.

use super::worker::ExploreWorker;
use super::{ExploreOrder, Findings, Listener};
use crate::engine::Ended;
use crate::engine::attempt::Hands;
use crate::engine::compile_worker::{Answer, CompileWorker};
use crate::engine::compiler::{Compilation, Compiled};
use crate::engine::result_lines::Told;
use crate::engine::runtime::create;
use crate::engine::test_run::TestRun;
use crate::model::Result;
use std::path::PathBuf;

/// What is kept from one exploration of a tree to the next.
#[derive(Default)]
pub(in crate::engine) struct Explorer {
    /// The warm compiler, if one is requested and fit for this project.
    compiler: Option<CompileWorker>,
    /// The JVM that runs the schedules.
    worker: Option<ExploreWorker>,
}

impl Explorer {
    /// Adds a warm compiler.
    pub(in crate::engine) fn resident() -> Self {
        Self { compiler: Some(CompileWorker::default()), worker: None }
    }
}

/// Compiles, and runs tests under schedules instead of as they come.
pub(in crate::engine) struct ExploringHands<'a> {
    pub(in crate::engine) order: &'a ExploreOrder,
    pub(in crate::engine) listener: &'a mut Listener<'a>,
    pub(in crate::engine) explorer: &'a mut Explorer,
    /// What it came to until now.
    pub(in crate::engine) findings: Option<Findings>,
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
