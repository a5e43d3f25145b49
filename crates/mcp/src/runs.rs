//! Runs that this server started.

use crate::active_run::ActiveRun;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Runs that this server started, by run folder. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    runs: Arc<Mutex<HashMap<PathBuf, Arc<ActiveRun>>>>,
}

impl Runs {
    /// Adds a run.
    pub(crate) fn add(&self, run: ActiveRun) -> Arc<ActiveRun> {
        let run = Arc::new(run);
        self.lock().insert(run.folder.clone(), Arc::clone(&run));
        run
    }

    /// Returns the run in a folder, if this server started it.
    pub(crate) fn find(&self, folder: &Path) -> Option<Arc<ActiveRun>> {
        self.lock().get(folder).cloned()
    }

    /// Returns the folders of the runs in progress.
    pub(crate) fn in_progress(&self) -> Vec<PathBuf> {
        let runs = self.lock();
        runs.values().filter(|run| run.end().is_none()).map(|run| run.folder.clone()).collect()
    }

    /// Asks all runs to stop.
    pub(crate) fn stop_all(&self) {
        self.lock().values().for_each(|run| run.stop());
    }

    /// Stops all runs and waits until their processes are gone, for at most this time.
    pub(crate) async fn stop_and_wait(&self, limit: Duration) {
        self.stop_all();
        let deadline = Instant::now() + limit;
        let runs: Vec<_> = self.lock().values().cloned().collect();
        for run in runs {
            run.wait(deadline.saturating_duration_since(Instant::now())).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<ActiveRun>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
