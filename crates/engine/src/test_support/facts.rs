//! A facts server that the tests of a process share.

use super::PlainLauncher;
use crate::{AttributionServer, Environment, Jdk, SourceSet, Toolchain};
use mend_model::RepoPath;
use std::any::Any;
use std::panic::catch_unwind;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

static SHARED_SERVER: LazyLock<Mutex<AttributionServer>> =
    LazyLock::new(|| Mutex::new(start_server()));

/// Returns the server that all tests of this process share, because starting a JVM takes longer than most tests.
pub fn shared_server() -> MutexGuard<'static, AttributionServer> {
    SHARED_SERVER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a server that a test may break.
pub fn start_server() -> AttributionServer {
    let jdk = Jdk::find(&Environment::from_process(), &PlainLauncher).unwrap();
    let work_dir = std::env::temp_dir().join("git-mend-facts-tests");
    AttributionServer::start(&Toolchain::new(jdk, Arc::new(PlainLauncher), &work_dir)).unwrap()
}

/// Makes one test of functions that each assert a fact, so that they share a server.
#[macro_export]
macro_rules! facts {
    ($test:ident: $($fact:ident,)+) => {
        #[test]
        fn $test() {
            $crate::test_support::assert_all(&[$((stringify!($fact), $fact),)+]);
        }
    };
}

/// Tries all facts, and names those that do not hold.
pub fn assert_all(checks: &[(&str, fn())]) {
    let mut failures = Vec::new();
    for (fact, check) in checks {
        if let Err(panic) = catch_unwind(check) {
            failures.push(format!("{fact}: {}\n", panic_message(&*panic)));
        }
    }
    let (count, all) = (failures.len(), checks.len());
    assert!(count == 0, "{count} of {all} do not hold\n{}", failures.concat());
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default()
}

pub fn source_set(files: &[(&str, &str)]) -> SourceSet {
    let files =
        files.iter().map(|(path, text)| (RepoPath::from(*path), text.as_bytes().into())).collect();
    SourceSet { files, ..SourceSet::default() }
}
