//! Tests on remote workers: creates their engine, if this build of the program has the feature `remote`.

use crate::run::session::request::ExecutorRequest;
use mend_engine::{Engine, RemoteTests};
use mend_model::{Interrupt, Problem, Result};
use std::ffi::OsString;

/// What is tested twice because its worker may be busy.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "remote"), expect(dead_code, reason = "only remote workers read it"))]
pub(super) struct SecondRuns {
    /// True if the user chose the time limit, after which no test is repeated.
    pub(super) has_chosen_limit: bool,
    /// True if each run is a sample, which the faster one of two runs would distort.
    pub(super) are_samples: bool,
}

/// Returns a command of the user for workers.
///
/// # Errors
/// [`Problem::Usage`] if it is not UTF-8.
pub(super) fn command_on_workers(argv: &[OsString]) -> Result<RemoteTests> {
    let words = argv.iter().map(|word| word.to_str().map(str::to_owned)).collect::<Option<_>>();
    words.map(RemoteTests::Command).ok_or_else(|| Problem::Usage {
        message: "the command after `--` is not UTF-8, so that no executor can run it".to_owned(),
        remedy: "omit --executor".to_owned(),
    })
}

/// Returns an engine whose variants are tested by the workers of an executor, and by `local` if they cannot.
///
/// # Errors
/// [`Problem::ExecutorFailed`] if the server cannot be used; [`Problem::Usage`] for invalid headers.
#[cfg(feature = "remote")]
pub(super) fn distribute_tests(
    executor: &ExecutorRequest,
    tests: RemoteTests,
    second_runs: SecondRuns,
    local: Box<dyn Engine>,
    interrupt: &Interrupt,
) -> Result<Box<dyn Engine>> {
    use anyhow::Context as _;
    use mend_engine::Environment;
    use mend_remote::Timing;
    use mend_remote::{Headers, RemoteEngine, RemoteExecutor, RemoteOptions, Repetition};
    use secrecy::ExposeSecret as _;
    use std::sync::Arc;

    let headers =
        Headers::parse(executor.headers.expose_secret()).map_err(|line| Problem::Usage {
            message: format!("line {line} of the headers for the executor is invalid"),
            remedy: "write one header in each line: `Name: value`".to_owned(),
        })?;
    let this_program = || std::env::current_exe().context("finding this program");
    let options = RemoteOptions {
        address: executor.address.clone(),
        instance: executor.instance.clone(),
        platform: executor.platform.clone(),
        variables: executor.variables.clone(),
        headers,
        workers: executor.workers,
        program: executor.program.clone().map_or_else(this_program, Ok)?,
        timing: executor.timeout.map_or_else(Timing::default, Timing::with_patience),
    };
    let remote = RemoteExecutor::connect(&options, interrupt.clone(), executor.local_jobs)?;
    let repetition = match second_runs {
        SecondRuns { are_samples: true, .. } => Repetition::Never,
        SecondRuns { has_chosen_limit: true, .. } => Repetition::Slow,
        SecondRuns { .. } => Repetition::SlowAndTimedOut,
    };
    let environment = Environment::from_process();
    Ok(Box::new(RemoteEngine::new(Arc::new(remote), tests, local, environment, repetition)))
}

/// Returns the error of a build of the program without the feature `remote`.
///
/// # Errors
/// [`Problem::Usage`].
#[cfg(not(feature = "remote"))]
pub(super) fn distribute_tests(
    executor: &ExecutorRequest,
    _: RemoteTests,
    _: SecondRuns,
    _: Box<dyn Engine>,
    _: &Interrupt,
) -> Result<Box<dyn Engine>> {
    Err(Problem::Usage {
        message: format!("this build of git-mend cannot use the executor {}", executor.address),
        remedy: "use a release, or install it with `cargo install --path . --features remote`"
            .to_owned(),
    })
}
