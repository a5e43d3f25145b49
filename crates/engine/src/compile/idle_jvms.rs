//! Idle JVMs of from-scratch compilations, which the next build uses.

use crate::jvm::jvm_process::Jvm;
use crate::lock::lock;
use std::sync::{Arc, Mutex};

/// Maximum number of idle JVMs.
const MAX_IDLE_JVMS: usize = 2;

/// Idle JVMs.
#[derive(Clone, Default)]
pub(crate) struct IdleJvms(Arc<Mutex<Vec<Jvm>>>);

impl IdleJvms {
    /// Takes a JVM, if there is one.
    pub(super) fn take(&self) -> Option<Jvm> {
        lock(&self.0).pop()
    }

    /// Keeps a JVM for the next build, or ends it if there are enough.
    pub(super) fn add(&self, jvm: Jvm) {
        let mut jvms = lock(&self.0);
        if jvms.len() < MAX_IDLE_JVMS {
            jvms.push(jvm);
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        lock(&self.0).len()
    }

    #[cfg(test)]
    pub(super) fn stop_all(&self) {
        lock(&self.0).iter_mut().for_each(|jvm| drop(jvm.stop()));
    }
}
