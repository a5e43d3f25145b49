//! Cancellation flag, shared by all threads of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::problem::Problem;
use super::result::Result;

/// Cancellation flag that Ctrl-C sets. Loops and blocking calls poll it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// Deadline after which the flag counts as set.
    deadline: Option<Instant>,
}

impl Interrupt {
    /// Returns the same flag with a deadline.
    #[must_use]
    pub fn with_deadline(&self, end: Instant) -> Self {
        Self { flag: self.flag(), deadline: Some(end) }
    }

    /// Sets the flag: the run stops at the next poll.
    pub fn request(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Returns true if the flag is set or the deadline has passed.
    pub fn is_requested(&self) -> bool {
        self.flag.load(Ordering::SeqCst) || self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// Returns the shared flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Returns an error if the run is to stop.
    ///
    /// # Errors
    /// [`Problem::Interrupted`] if the flag is set or the deadline has passed.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() { Err(Problem::Interrupted) } else { Ok(()) }
    }
}
