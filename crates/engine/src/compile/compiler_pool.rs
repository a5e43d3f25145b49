//! The warm compilers of a run: each compiles for one worker, and serves facts and errors too,
//! because a compiler that has compiled before returns them sooner.

use crate::jvm::jvm_process::{Jvm, JvmResponse};
use crate::lock::lock;
use mend_model::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The warm compilers of a run.
#[derive(Clone, Default)]
pub(crate) struct CompilerPool(Arc<Mutex<PoolState>>);

impl CompilerPool {
    /// Returns a compiler that compiles for no other worker; `start` starts one where there is none.
    ///
    /// # Errors
    /// Those of `start`.
    pub(crate) fn for_classes(&self, start: impl FnOnce() -> Result<Jvm>) -> Result<WarmCompiler> {
        let mut known = lock(&self.0);
        let one = match known.find(|one| !one.has_classes.load(Ordering::Relaxed)) {
            Some(one) => one,
            None => known.add(start()?),
        };
        one.0.has_classes.store(true, Ordering::Relaxed);
        known.waiting = None;
        Ok(one)
    }

    /// Returns a compiler that serves facts; it may also compile for a worker. `start` starts one where there is none.
    ///
    /// # Errors
    /// Those of `start`.
    pub(crate) fn for_facts(&self, start: impl FnOnce() -> Result<Jvm>) -> Result<WarmCompiler> {
        let mut known = lock(&self.0);
        if let Some(one) = known.find(|_| true) {
            return Ok(one);
        }
        let one = known.add(start()?);
        known.waiting = Some(Arc::clone(&one.0));
        Ok(one)
    }
}

#[derive(Default)]
struct PoolState {
    all: Vec<Weak<SharedCompiler>>,
    /// A compiler that has only served facts so far. It is kept for the next worker.
    waiting: Option<Arc<SharedCompiler>>,
}

struct SharedCompiler {
    jvm: Mutex<Jvm>,
    /// True if a worker compiles its classes with it.
    has_classes: AtomicBool,
}

/// A warm compiler. It ends with its last user, or with the run.
pub(crate) struct WarmCompiler(Arc<SharedCompiler>);

impl WarmCompiler {
    /// Sends a request and waits for its result, after earlier requests.
    ///
    /// # Errors
    /// [`mend_model::Problem::Interrupted`] after an interrupt.
    pub(crate) fn ask(&self, request: Vec<u8>, limit: Option<Duration>) -> Result<JvmResponse> {
        lock(&self.0.jvm).ask(request, limit)
    }

    /// Ends it for all that hold it, and says what it printed.
    pub(crate) fn end(&self) -> String {
        lock(&self.0.jvm).end()
    }

    /// Returns true if the compiler was stopped.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.0.jvm).is_over()
    }
}

impl PoolState {
    /// One that goes on, if any is fit.
    fn find(&mut self, is_fit: impl Fn(&SharedCompiler) -> bool) -> Option<WarmCompiler> {
        self.all.retain(|one| one.strong_count() > 0);
        // One that is busy goes on.
        let goes_on = |one: &SharedCompiler| one.jvm.try_lock().map_or(true, |jvm| !jvm.is_over());
        let mut known = self.all.iter().filter_map(Weak::upgrade);
        known.find(|one| goes_on(one) && is_fit(one)).map(WarmCompiler)
    }

    fn add(&mut self, jvm: Jvm) -> WarmCompiler {
        let one =
            Arc::new(SharedCompiler { jvm: Mutex::new(jvm), has_classes: AtomicBool::new(false) });
        self.all.push(Arc::downgrade(&one));
        WarmCompiler(one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::warm_compiler::{for_classes, for_facts};
    use crate::testing::EngineFixture;

    fn is_same(one: &WarmCompiler, other: &WarmCompiler) -> bool {
        Arc::ptr_eq(&one.0, &other.0)
    }

    #[test]
    fn one_compiler_tells_facts_and_compiles_for_one_worker() {
        let bench = EngineFixture::new(&[]);
        let tools = bench.tools();
        let teller = for_facts(&tools).unwrap();
        let first = Arc::downgrade(&teller.0);
        drop(teller);
        let worker = for_classes(&tools).unwrap();
        assert!(first.upgrade().is_some_and(|first| Arc::ptr_eq(&first, &worker.0)));
        let other = for_classes(&tools).unwrap();
        assert!(!is_same(&worker, &other));
        assert!(is_same(&worker, &for_facts(&tools).unwrap()));
        // Compilers that ended are not offered again, and unused ones are gone.
        worker.end();
        assert!(is_same(&other, &for_facts(&tools).unwrap()));
        drop(worker);
        assert!(first.upgrade().is_none());
    }
}
