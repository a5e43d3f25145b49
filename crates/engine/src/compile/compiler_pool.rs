//! Pool of the warm compilers of a run. Each compiles for one worker, and also serves facts, errors and clean builds:
//! the warm-up of a JVM takes longer than a small compilation.

use crate::jvm::jvm_process::{Jvm, JvmResponse};
use crate::lock::lock;
use mend_model::Result;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// Pool of warm compilers.
#[derive(Clone, Default)]
pub(crate) struct CompilerPool(Arc<Mutex<PoolState>>);

impl CompilerPool {
    /// Returns a compiler that compiles for no other worker; `start` starts one if there is none.
    ///
    /// # Errors
    /// Errors of `start`.
    pub(crate) fn acquire_for_compilation(
        &self,
        start: impl FnOnce() -> Result<Jvm>,
    ) -> Result<WarmCompiler> {
        let mut pool = lock(&self.0);
        let compiler = match pool.find_usable(|compiler| !compiler.has_worker()) {
            Some(compiler) => compiler,
            None => pool.add(start()?),
        };
        compiler.0.is_compiling.store(true, Ordering::Relaxed);
        pool.reserved.retain(|reserved| !Arc::ptr_eq(reserved, &compiler.0));
        Ok(compiler)
    }

    /// Returns a compiler that serves facts; it may also compile for a worker. `start` starts one if there is none.
    ///
    /// # Errors
    /// Errors of `start`.
    pub(crate) fn acquire_for_attribution(
        &self,
        start: impl FnOnce() -> Result<Jvm>,
    ) -> Result<WarmCompiler> {
        let mut pool = lock(&self.0);
        pool.least_busy().map_or_else(|| Ok(pool.add_reserved(start()?)), Ok)
    }

    /// Returns a compiler for a compilation of a clean build; it may also compile for a worker. `start` starts one if
    /// there is none. Without workers, clean builds may run at the same time, so a busy compiler does not count.
    ///
    /// # Errors
    /// Errors of `start`.
    pub(crate) fn acquire_for_clean_build(
        &self,
        start: impl FnOnce() -> Result<Jvm>,
    ) -> Result<WarmCompiler> {
        let mut pool = lock(&self.0);
        let has_worker = pool.find_usable(SharedCompiler::has_worker).is_some();
        let found = pool.least_busy().filter(|compiler| has_worker || !compiler.0.is_busy());
        found.map_or_else(|| Ok(pool.add_reserved(start()?)), Ok)
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        lock(&self.0).running().len()
    }

    #[cfg(test)]
    pub(super) fn stop_all(&self) {
        lock(&self.0).running().iter().for_each(|compiler| drop(compiler.stop()));
    }
}

#[derive(Default)]
struct PoolState {
    compilers: Vec<Weak<SharedCompiler>>,
    /// Compilers that have not compiled for a worker so far. They are kept for the next worker or clean build.
    reserved: Vec<Arc<SharedCompiler>>,
}

struct SharedCompiler {
    jvm: Mutex<Jvm>,
    /// True if a worker compiles its classes with this compiler.
    is_compiling: AtomicBool,
    /// Number of requests that run or wait.
    requests: AtomicUsize,
}

impl SharedCompiler {
    fn has_worker(&self) -> bool {
        self.is_compiling.load(Ordering::Relaxed)
    }

    fn is_busy(&self) -> bool {
        self.requests.load(Ordering::Relaxed) > 0
    }
}

/// A warm compiler. It ends with its last user, or with the run.
pub(crate) struct WarmCompiler(Arc<SharedCompiler>);

impl WarmCompiler {
    /// Sends a request and waits for its result, after earlier requests.
    ///
    /// # Errors
    /// [`mend_model::Problem::Interrupted`] after an interrupt.
    pub(crate) fn send_and_receive(
        &self,
        request: Vec<u8>,
        limit: Option<Duration>,
    ) -> Result<JvmResponse> {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
        let response = {
            let mut jvm = lock(&self.0.jvm);
            // The output of earlier requests.
            jvm.discard_output();
            jvm.send_and_receive(request, limit)
        };
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
        response
    }

    /// Stops the compiler for all its users, and returns its output.
    pub(crate) fn stop(&self) -> String {
        lock(&self.0.jvm).stop()
    }

    /// Returns true if the compiler was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        lock(&self.0.jvm).is_stopped()
    }
}

impl PoolState {
    /// Returns the running compilers.
    fn running(&mut self) -> Vec<WarmCompiler> {
        self.compilers.retain(|one| one.strong_count() > 0);
        // A busy compiler is running.
        let is_running =
            |one: &SharedCompiler| one.jvm.try_lock().map_or(true, |jvm| !jvm.is_stopped());
        self.reserved.retain(|one| is_running(one));
        let compilers = self.compilers.iter().filter_map(Weak::upgrade);
        compilers.filter(|one| is_running(one)).map(WarmCompiler).collect()
    }

    /// Returns a running compiler that is suitable, if there is one.
    fn find_usable(
        &mut self,
        is_suitable: impl Fn(&SharedCompiler) -> bool,
    ) -> Option<WarmCompiler> {
        self.running().into_iter().find(|one| is_suitable(&one.0))
    }

    /// Returns the running compiler with the fewest requests.
    fn least_busy(&mut self) -> Option<WarmCompiler> {
        self.running().into_iter().min_by_key(|one| one.0.requests.load(Ordering::Relaxed))
    }

    fn add(&mut self, jvm: Jvm) -> WarmCompiler {
        let compiler = Arc::new(SharedCompiler {
            jvm: Mutex::new(jvm),
            is_compiling: AtomicBool::new(false),
            requests: AtomicUsize::new(0),
        });
        self.compilers.push(Arc::downgrade(&compiler));
        WarmCompiler(compiler)
    }

    /// Adds a compiler that is kept for the next worker or clean build.
    fn add_reserved(&mut self, jvm: Jvm) -> WarmCompiler {
        let compiler = self.add(jvm);
        self.reserved.push(Arc::clone(&compiler.0));
        compiler
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::warm_compiler::{
        acquire_for_attribution, acquire_for_clean_build, acquire_for_compilation,
    };
    use crate::testing::EngineFixture;

    fn is_same_compiler(first: &WarmCompiler, second: &WarmCompiler) -> bool {
        Arc::ptr_eq(&first.0, &second.0)
    }

    #[test]
    fn attribution_compiler_is_reused_for_one_worker() {
        let fixture = EngineFixture::new(&[]);
        let tools = fixture.tools();
        let attribution_compiler = acquire_for_attribution(&tools).unwrap();
        let first = Arc::downgrade(&attribution_compiler.0);
        drop(attribution_compiler);
        let worker = acquire_for_compilation(&tools).unwrap();
        assert!(first.upgrade().is_some_and(|first| Arc::ptr_eq(&first, &worker.0)));
        let second_worker = acquire_for_compilation(&tools).unwrap();
        assert!(!is_same_compiler(&worker, &second_worker));
        assert!(is_same_compiler(&worker, &acquire_for_attribution(&tools).unwrap()));
        // Stopped compilers are not reused, and unused ones are gone.
        worker.stop();
        assert!(is_same_compiler(&second_worker, &acquire_for_attribution(&tools).unwrap()));
        drop(worker);
        assert!(first.upgrade().is_none());
    }

    #[test]
    fn clean_build_waits_for_a_worker_but_not_for_another_clean_build() {
        let fixture = EngineFixture::new(&[]);
        let tools = fixture.tools();
        let first = acquire_for_clean_build(&tools).unwrap();
        assert!(is_same_compiler(&first, &acquire_for_clean_build(&tools).unwrap()));
        // It compiles.
        first.0.requests.store(1, Ordering::Relaxed);
        let second = acquire_for_clean_build(&tools).unwrap();
        assert!(!is_same_compiler(&first, &second));
        // Both are kept, and the idle one is preferred.
        assert!(is_same_compiler(&second, &acquire_for_clean_build(&tools).unwrap()));
        second.0.requests.store(2, Ordering::Relaxed);
        let worker = acquire_for_compilation(&tools).unwrap();
        assert!(is_same_compiler(&first, &worker));
        assert!(is_same_compiler(&first, &acquire_for_clean_build(&tools).unwrap()));
        assert_eq!(tools.compilers.count(), 2);
    }
}
