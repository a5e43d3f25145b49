//! JVMs with a warm compiler: each compiles for one worker, and serves facts and errors too,
//! because a compiler that has compiled before returns them sooner.

use super::Toolchain;
use super::compiler::joined;
use super::jvm::{Jvm, JvmStart, Reply};
use super::runtime::{Program, Source, source};
use crate::model::Result;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

const SOURCES: [Source; 31] = [
    source!("Wire.java"),
    source!("compile/Asked.java"),
    source!("compile/Change.java"),
    source!("compile/ClassFolder.java"),
    source!("compile/Compilation.java"),
    source!("compile/Compilations.java"),
    source!("compile/Compiled.java"),
    source!("compile/Compiler.java"),
    source!("compile/CompilerServer.java"),
    source!("compile/Digests.java"),
    source!("compile/FreshCompiler.java"),
    source!("compile/Inside.java"),
    source!("compile/LastingContext.java"),
    source!("compile/Libraries.java"),
    source!("compile/MemoryClass.java"),
    source!("compile/MemoryFiles.java"),
    source!("compile/Plan.java"),
    source!("compile/Shape.java"),
    source!("compile/Sources.java"),
    source!("compile/Unit.java"),
    source!("facts/Facts.java"),
    source!("facts/FactsTeller.java"),
    source!("facts/Obligations.java"),
    source!("facts/Refusals.java"),
    source!("facts/Request.java"),
    source!("facts/Role.java"),
    source!("facts/SourceText.java"),
    source!("facts/Strings.java"),
    source!("facts/Symbols.java"),
    source!("facts/Walker.java"),
    source!("facts/Writer.java"),
];

/// What is opened of the compiler, so that it reads the JDK's classes once (`LastingContext.java`). Where that is not
/// as it is known, each compilation begins anew.
const INSIDE: [&str; 3] = ["api", "code", "util"];

/// The first release in which that was tried.
const FIRST_OPENED: u32 = 17;

/// Those of a run.
#[derive(Clone, Default)]
pub(super) struct ResidentCompilers(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    all: Vec<Weak<Shared>>,
    /// A compiler that has only served facts so far. It is kept for the next worker.
    waiting: Option<Arc<Shared>>,
}

struct Shared {
    jvm: Mutex<Jvm>,
    /// Whether a worker has its classes in it.
    has_classes: AtomicBool,
}

/// A warm compiler. It ends with its last user, or with the run.
pub(super) struct ResidentCompiler(Arc<Shared>);

impl ResidentCompiler {
    /// Returns a compiler that compiles for no other worker.
    ///
    /// # Errors
    /// [`crate::model::Problem::ProgramMissing`] if the JDK's programs cannot be started, or
    /// [`crate::model::Problem::Internal`] if its compiler refuses the program.
    pub(super) fn for_classes(tools: &Toolchain) -> Result<Self> {
        let mut known = locked(&tools.compilers.0);
        let one = match known.find(|one| !one.has_classes.load(Ordering::Relaxed)) {
            Some(one) => one,
            None => known.start(tools)?,
        };
        one.0.has_classes.store(true, Ordering::Relaxed);
        known.waiting = None;
        Ok(one)
    }

    /// Returns a compiler that serves facts; it may also compile for a worker.
    ///
    /// # Errors
    /// As [`Self::for_classes`].
    pub(super) fn for_facts(tools: &Toolchain) -> Result<Self> {
        let mut known = locked(&tools.compilers.0);
        if let Some(one) = known.find(|_| true) {
            return Ok(one);
        }
        let one = known.start(tools)?;
        known.waiting = Some(Arc::clone(&one.0));
        Ok(one)
    }

    /// The folder of its program's classes; they are compiled unless they are there.
    ///
    /// # Errors
    /// As [`Self::for_classes`].
    pub(super) fn compiled(tools: &Toolchain) -> Result<PathBuf> {
        Program { sources: &SOURCES, class_path: &tools.jdk.tools(), tools }.kept("compiler")
    }

    /// Sends a request and waits for its result, after earlier requests.
    ///
    /// # Errors
    /// [`crate::model::Problem::Interrupted`] after an interrupt.
    pub(super) fn ask(&self, request: Vec<u8>, limit: Option<Duration>) -> Result<Reply> {
        locked(&self.0.jvm).ask(request, limit)
    }

    /// Ends it for all that hold it, and says what it printed.
    pub(super) fn end(&self) -> String {
        locked(&self.0.jvm).end()
    }

    /// Whether it gives no answers any more.
    pub(super) fn is_over(&self) -> bool {
        locked(&self.0.jvm).is_over()
    }
}

impl Known {
    /// One that goes on, if any is fit.
    fn find(&mut self, is_fit: impl Fn(&Shared) -> bool) -> Option<ResidentCompiler> {
        self.all.retain(|one| one.strong_count() > 0);
        // One that is busy goes on.
        let goes_on = |one: &Shared| one.jvm.try_lock().map_or(true, |jvm| !jvm.is_over());
        let mut known = self.all.iter().filter_map(Weak::upgrade);
        known.find(|one| goes_on(one) && is_fit(one)).map(ResidentCompiler)
    }

    fn start(&mut self, tools: &Toolchain) -> Result<ResidentCompiler> {
        let class_path = [vec![ResidentCompiler::compiled(tools)?], tools.jdk.tools()].concat();
        let mut options = tools.compiler_flags();
        if tools.jdk.version >= FIRST_OPENED {
            options.extend(INSIDE.map(opening));
        }
        options.extend(["-Xmx2g", "-cp", &joined(&class_path)].map(Into::into));
        let main = "gitmend.runtime.CompilerServer";
        let jvm = Mutex::new(JvmStart { tools, cwd: &tools.kept, options, main }.start()?);
        let one = Arc::new(Shared { jvm, has_classes: AtomicBool::new(false) });
        self.all.push(Arc::downgrade(&one));
        Ok(ResidentCompiler(one))
    }
}

fn opening(inside: &str) -> OsString {
    format!("--add-exports=jdk.compiler/com.sun.tools.javac.{inside}=ALL-UNNAMED").into()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::Bench;

    fn is_same(one: &ResidentCompiler, other: &ResidentCompiler) -> bool {
        Arc::ptr_eq(&one.0, &other.0)
    }

    #[test]
    fn one_compiler_tells_facts_and_compiles_for_one_worker() {
        let bench = Bench::new(&[]);
        let tools = bench.tools();
        let teller = ResidentCompiler::for_facts(&tools).unwrap();
        let first = Arc::downgrade(&teller.0);
        drop(teller);
        let worker = ResidentCompiler::for_classes(&tools).unwrap();
        assert!(first.upgrade().is_some_and(|first| Arc::ptr_eq(&first, &worker.0)));
        let other = ResidentCompiler::for_classes(&tools).unwrap();
        assert!(!is_same(&worker, &other));
        assert!(is_same(&worker, &ResidentCompiler::for_facts(&tools).unwrap()));
        // Compilers that ended are not offered again, and unused ones are gone.
        worker.end();
        assert!(is_same(&other, &ResidentCompiler::for_facts(&tools).unwrap()));
        drop(worker);
        assert!(first.upgrade().is_none());
    }
}
