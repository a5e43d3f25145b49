//! The wish to stop, shared by every thread of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Problem, Result};

/// A flag that Ctrl-C sets and that everything which waits or loops looks at.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the run to stop at the next chance.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody asked the run to stop.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// The shared flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// # Errors
    /// [`Problem::Interrupted`] once somebody asked the run to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() { Err(Problem::Interrupted) } else { Ok(()) }
    }
}
