//! Workers that compile a tree and run its tests under many schedules.

use super::{ExplorationResult, ExploreConfig, FailureGoal, ScheduleListener};
use crate::build_and_test::{BatchRun, BuildAndTest};
use crate::compile::compile_worker::{CompileWorker, WarmCompileResult};
use crate::compile::javac::{Compilation, CompileResult};
use crate::explore::explore_worker::ExploreWorker;
use crate::jvm::java_program::create_folder;
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_run::TestRun;
use crate::{ExitInfo, Limits};
use mend_model::Result;
use mend_model::schedules::Findings;
use std::path::PathBuf;

/// Workers that are kept between explorations of a tree.
#[derive(Default)]
pub(super) struct ExploreWorkers {
    /// The warm compiler, if one is requested and supports this project.
    compiler: Option<CompileWorker>,
    /// The JVM that runs the schedules.
    worker: Option<ExploreWorker>,
}

impl ExploreWorkers {
    /// Creates workers with a warm compiler.
    pub(super) fn resident() -> Self {
        Self { compiler: Some(CompileWorker::default()), worker: None }
    }

    /// Builds a tree, and runs its tests under controlled schedules.
    pub(super) fn explore(
        &mut self,
        attempt: &BuildAndTest<'_>,
        limits: &Limits,
        config: &ExploreConfig,
        goal: Option<&FailureGoal>,
        listener: &mut ScheduleListener<'_>,
    ) -> Result<ExplorationResult> {
        let Self { compiler, worker } = self;
        let (execution, findings) = attempt.run(
            limits,
            |compilation, files| compile(compiler, compilation, files),
            || Ok(()),
            |run| {
                let is_meant =
                    config.replay.as_ref().is_none_or(|schedule| runs(run, &schedule.test));
                let findings = is_meant
                    .then(|| run_schedules(worker, run, config, goal, listener))
                    .transpose()?;
                let report = RunnerReport { is_finished: true, ..RunnerReport::default() };
                let exit = ExitInfo { code: Some(0), has_timed_out: false, output: String::new() };
                Ok(BatchRun { report, exit, details: findings })
            },
        )?;
        let findings = findings
            .into_iter()
            .flatten()
            .fold(None, |all: Option<Findings>, one| Some(all.unwrap_or_default().merge(one)));
        Ok(ExplorationResult { execution, findings })
    }
}

/// Returns true if a run includes a test of a schedule.
fn runs(run: &TestRun<'_>, test: &str) -> bool {
    let class = test.split('\t').next().unwrap_or_default();
    run.requests.iter().any(|wanted| wanted.class == class)
}

/// Compiles with the warm compiler as long as it supports the project, otherwise with a new one.
fn compile(
    warm: &mut Option<CompileWorker>,
    compilation: &Compilation<'_>,
    files: &[PathBuf],
) -> Result<CompileResult> {
    if let Some(compiler) = warm {
        match compiler.compile(compilation, files)? {
            WarmCompileResult::Ok(_) => return Ok(CompileResult::Ok),
            WarmCompileResult::TimedOut => return Ok(CompileResult::TimedOut(String::new())),
            WarmCompileResult::Failed(said, _) => return Ok(CompileResult::Failed(said)),
            WarmCompileResult::Unsupported(_) => *warm = None,
        }
    }
    // Classes of an earlier tree must not be found instead of missing ones.
    drop(std::fs::remove_dir_all(compilation.output));
    create_folder(compilation.output.to_owned())?;
    compilation.run(files)
}

/// Runs the schedules of tests in the worker, or in a new one if the worker does not fit.
fn run_schedules(
    worker: &mut Option<ExploreWorker>,
    run: &TestRun<'_>,
    config: &ExploreConfig,
    goal: Option<&FailureGoal>,
    listener: &mut ScheduleListener<'_>,
) -> Result<Findings> {
    let known = worker.take().filter(|worker| worker.can_run(run));
    let mut fit = match known {
        Some(fit) => fit,
        None => ExploreWorker::start(run)?,
    };
    let findings = fit.explore(run, config, goal, listener)?;
    *worker = Some(fit);
    Ok(findings)
}
