//! Pool of test workers, one for each working directory of tests, up to a limit.

use super::test_worker::{TestWorker, WorkerResult};
use crate::test_execution::test_run::TestRun;
use mend_model::Result;
use std::path::{Path, PathBuf};

/// Maximum number of folders with a worker; each worker may have two JVMs.
const MAX_WORKERS: usize = 4;

/// Workers of the most recently used folders.
#[derive(Default)]
pub(super) struct TestWorkerPool {
    /// Workers by folder; the most recently used one is last.
    workers: Vec<(PathBuf, TestWorker)>,
    /// Number of started JVMs; a standby one counts once it is used.
    pub(super) started_jvms: usize,
}

impl TestWorkerPool {
    /// Runs tests like [`TestWorker::run`].
    ///
    /// # Errors
    /// Errors of starting a JVM.
    pub(super) fn run(
        &mut self,
        run: &TestRun<'_>,
        folder: &Path,
        coverage_dir: Option<&Path>,
    ) -> Result<WorkerResult> {
        let position = self.workers.iter().position(|(cwd, _)| cwd == run.cwd);
        let position = position.map(|at| self.workers.remove(at).1);
        if position.is_none() && self.workers.len() >= MAX_WORKERS {
            self.workers.remove(0);
        }
        let mut worker = position.unwrap_or_default();
        let started_before = worker.started_jvms;
        let result = worker.run(run, folder, coverage_dir);
        self.started_jvms += worker.started_jvms - started_before;
        self.workers.push((run.cwd.to_owned(), worker));
        result
    }
}
