//! Test workers for tests that run in several folders: each module keeps its own, up to a limit.

use super::test_worker::{TestWorker, WorkerResult};
use crate::test_execution::test_run::TestRun;
use mend_model::Result;
use std::path::{Path, PathBuf};

/// Maximum number of folders with a worker; each may be two JVMs.
const MOST: usize = 4;

/// A worker for each folder that tests were run in last.
#[derive(Default)]
pub(super) struct TestWorkerPool {
    /// The one that was used last is at the end.
    workers: Vec<(PathBuf, TestWorker)>,
    /// Number of started JVMs; a spare one counts once it is needed.
    pub(super) started: usize,
}

impl TestWorkerPool {
    /// Runs tests as [`TestWorker::run`] does.
    ///
    /// # Errors
    /// Those of starting a JVM.
    pub(super) fn run(
        &mut self,
        run: &TestRun<'_>,
        folder: &Path,
        probed: Option<&Path>,
    ) -> Result<WorkerResult> {
        let known = self.workers.iter().position(|(cwd, _)| cwd == run.cwd);
        let known = known.map(|at| self.workers.remove(at).1);
        if known.is_none() && self.workers.len() >= MOST {
            self.workers.remove(0);
        }
        let mut worker = known.unwrap_or_default();
        let before = worker.started;
        let ran = worker.run(run, folder, probed);
        self.started += worker.started - before;
        self.workers.push((run.cwd.to_owned(), worker));
        ran
    }
}
