//! Supervisor of all programs of a run.

use super::watchdog::Watchdog;
use mend_model::{Interrupt, Result};
use rustix::process::Pid;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Supervisor of the programs of a run: cancellation, process tags, and the watchdog that outlives the run. There is
/// one per run; clones share it.
#[derive(Clone, Debug)]
pub struct Supervisor {
    interrupt: Interrupt,
    nonce: Arc<str>,
    started_count: Arc<AtomicU64>,
    watchdog: Option<Arc<Watchdog>>,
}

impl Supervisor {
    /// Creates a supervisor with a watchdog: `program` is this program, which is started again as the watchdog.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if it cannot be started.
    pub fn start(interrupt: Interrupt, program: &Path) -> Result<Self> {
        let mut supervisor = Self::without_watchdog(interrupt);
        let watchdog = Watchdog::start(program, &supervisor.run_tag_prefix())?;
        supervisor.watchdog = Some(Arc::new(watchdog));
        Ok(supervisor)
    }

    /// Creates a supervisor without a watchdog: its programs keep running if this process is killed.
    pub fn without_watchdog(interrupt: Interrupt) -> Self {
        Self {
            interrupt,
            nonce: random_nonce().into(),
            started_count: Arc::default(),
            watchdog: None,
        }
    }

    /// Returns the cancellation flag of the run.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Returns the common prefix of the tags of all programs of the run.
    pub(super) fn run_tag_prefix(&self) -> String {
        format!("{}.", self.nonce)
    }

    /// Returns the tag of the next program. No tag is a prefix of another.
    pub(super) fn next_tag(&self) -> String {
        format!("{}{}.", self.run_tag_prefix(), self.started_count.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn report_started(&self, group: Pid) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.report_group('+', group);
        }
    }

    pub(super) fn report_ended(&self, group: Pid) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.report_group('-', group);
        }
    }
}

/// Returns random digits that are unique to the run.
fn random_nonce() -> String {
    let digits = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}{:x}", digits(), digits(), std::process::id())
}
