//! Compiling a tree, and running its tests under many schedules.

use super::{ExploreConfig, ScheduleListener};
use crate::ExitInfo;
use crate::build_and_test::Executor;
use crate::compile::compile_worker::{CompileWorker, WarmCompileResult};
use crate::compile::javac::{Compilation, CompileResult};
use crate::explore::explore_worker::ExploreWorker;
use crate::jvm::java_program::create;
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_run::TestRun;
use mend_model::Result;
use mend_model::schedules::Findings;
use std::path::PathBuf;

/// Workers that are kept between explorations of a tree.
#[derive(Default)]
pub(crate) struct ExploreWorkers {
    /// The warm compiler, if one is requested and fit for this project.
    compiler: Option<CompileWorker>,
    /// The JVM that runs the schedules.
    worker: Option<ExploreWorker>,
}

impl ExploreWorkers {
    /// Adds a warm compiler.
    pub(crate) fn resident() -> Self {
        Self { compiler: Some(CompileWorker::default()), worker: None }
    }
}

/// Compiles, and runs tests under schedules instead of as they come.
pub(crate) struct ScheduleExecutor<'a> {
    pub(crate) order: &'a ExploreConfig,
    pub(crate) listener: &'a mut ScheduleListener<'a>,
    pub(crate) explorer: &'a mut ExploreWorkers,
    /// Findings so far.
    pub(crate) findings: Option<Findings>,
}

impl Executor for ScheduleExecutor<'_> {
    fn compile(
        &mut self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<CompileResult> {
        if let Some(compiler) = &mut self.explorer.compiler {
            match compiler.compile(compilation, files)? {
                WarmCompileResult::Ok(_) => return Ok(CompileResult::Ok),
                WarmCompileResult::TimedOut => return Ok(CompileResult::TimedOut(String::new())),
                WarmCompileResult::Failed(said, _) => return Ok(CompileResult::Failed(said)),
                WarmCompileResult::Unsupported(_) => self.explorer.compiler = None,
            }
        }
        // Classes of an earlier tree must not be found in place of classes that this one lacks.
        drop(std::fs::remove_dir_all(compilation.output));
        create(compilation.output.to_owned())?;
        compilation.run(files)
    }

    fn test(&mut self, run: &TestRun<'_>) -> Result<(RunnerReport, ExitInfo)> {
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
            self.findings = Some(before.merged_with(findings));
        }
        let told = RunnerReport { is_finished: true, ..RunnerReport::default() };
        Ok((told, ExitInfo { code: Some(0), timed_out: false, output: String::new() }))
    }
}
