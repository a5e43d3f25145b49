//! Pool of the warm compilers of a run. Each compiles for one worker, and also serves facts and errors, because a
//! compiler that is warmed up responds sooner.

use crate::jvm::jvm_process::{Jvm, JvmResponse};
use crate::lock::lock;
use mend_model::Result;
use std::sync::atomic::{AtomicBool, Ordering};
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
        let compiler =
            match pool.find_usable(|compiler| !compiler.is_compiling.load(Ordering::Relaxed)) {
                Some(compiler) => compiler,
                None => pool.add(start()?),
            };
        compiler.0.is_compiling.store(true, Ordering::Relaxed);
        pool.reserved = None;
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
        if let Some(compiler) = pool.find_usable(|_| true) {
            return Ok(compiler);
        }
        let compiler = pool.add(start()?);
        pool.reserved = Some(Arc::clone(&compiler.0));
        Ok(compiler)
    }
}

#[derive(Default)]
struct PoolState {
    compilers: Vec<Weak<SharedCompiler>>,
    /// A compiler that has only served facts so far. It is kept for the next worker.
    reserved: Option<Arc<SharedCompiler>>,
}

struct SharedCompiler {
    jvm: Mutex<Jvm>,
    /// True if a worker compiles its classes with this compiler.
    is_compiling: AtomicBool,
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
        lock(&self.0.jvm).send_and_receive(request, limit)
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
    /// Returns a running compiler that is suitable, if there is one.
    fn find_usable(
        &mut self,
        is_suitable: impl Fn(&SharedCompiler) -> bool,
    ) -> Option<WarmCompiler> {
        self.compilers.retain(|one| one.strong_count() > 0);
        // A busy compiler is running.
        let is_running =
            |one: &SharedCompiler| one.jvm.try_lock().map_or(true, |jvm| !jvm.is_stopped());
        let mut compilers = self.compilers.iter().filter_map(Weak::upgrade);
        compilers.find(|one| is_running(one) && is_suitable(one)).map(WarmCompiler)
    }

    fn add(&mut self, jvm: Jvm) -> WarmCompiler {
        let compiler =
            Arc::new(SharedCompiler { jvm: Mutex::new(jvm), is_compiling: AtomicBool::new(false) });
        self.compilers.push(Arc::downgrade(&compiler));
        WarmCompiler(compiler)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::warm_compiler::{acquire_for_attribution, acquire_for_compilation};
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
}
