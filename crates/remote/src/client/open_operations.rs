//! Operations on the server that are not done.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names of the operations that wait or run, and whose result is still needed.
#[derive(Debug, Default)]
pub(crate) struct OpenOperations(Mutex<BTreeSet<String>>);

impl OpenOperations {
    pub(crate) fn insert(&self, name: &str) {
        self.lock().insert(name.to_owned());
    }

    /// Removes an operation. Returns false if it was not open.
    pub(crate) fn remove(&self, name: &str) -> bool {
        self.lock().remove(name)
    }

    /// Removes all operations, and returns them.
    pub(crate) fn take_all(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
