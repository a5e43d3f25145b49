//! The wish to stop, shared by every thread of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Problem, Result};

/// A flag that Ctrl-C sets and that everything which waits or loops looks at.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// From then on nobody need ask.
    end: Option<Instant>,
}

impl Interrupt {
    /// The same wish, which comes by itself at a time.
    #[must_use]
    pub fn until(&self, end: Instant) -> Self {
        Self { flag: self.flag(), end: Some(end) }
    }

    /// Asks the run to stop at the next chance.
    pub fn request(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Whether somebody asked the run to stop.
    pub fn is_requested(&self) -> bool {
        self.flag.load(Ordering::SeqCst) || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// The shared flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// # Errors
    /// [`Problem::Interrupted`] once somebody asked the run to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() { Err(Problem::Interrupted) } else { Ok(()) }
    }
}
