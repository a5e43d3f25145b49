//! A facts server that the tests of a process share.

use super::PlainLauncher;
use crate::{AttributionServer, Environment, Jdk, SourceSet, Toolchain};
use mend_model::RepoPath;
use std::any::Any;
use std::panic::catch_unwind;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

static SERVER: LazyLock<Mutex<AttributionServer>> = LazyLock::new(|| Mutex::new(own_server()));

/// The server of this process. A JVM takes longer to start than most tests take that ask it.
pub fn server() -> MutexGuard<'static, AttributionServer> {
    SERVER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a server that a test may break.
pub fn own_server() -> AttributionServer {
    let jdk = Jdk::find(&Environment::of_this_process(), &PlainLauncher).unwrap();
    let work = std::env::temp_dir().join("git-mend-facts-tests");
    AttributionServer::start(&Toolchain::new(jdk, Arc::new(PlainLauncher), &work)).unwrap()
}

/// Makes one test of functions that each assert a fact, so that they share a server.
#[macro_export]
macro_rules! facts {
    ($test:ident: $($fact:ident,)+) => {
        #[test]
        fn $test() {
            $crate::test_support::try_all(&[$((stringify!($fact), $fact),)+]);
        }
    };
}

/// Tries all facts, and names those that do not hold.
pub fn try_all(facts: &[(&str, fn())]) {
    let mut failures = Vec::new();
    for (fact, holds) in facts {
        if let Err(why) = catch_unwind(holds) {
            failures.push(format!("{fact}: {}\n", message(&*why)));
        }
    }
    let (count, all) = (failures.len(), facts.len());
    assert!(count == 0, "{count} of {all} do not hold\n{}", failures.concat());
}

fn message(why: &(dyn Any + Send)) -> &str {
    let text = why.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| why.downcast_ref::<&str>().copied()).unwrap_or_default()
}

pub fn sources(files: &[(&str, &str)]) -> SourceSet {
    let files =
        files.iter().map(|(path, text)| (RepoPath::from(*path), text.as_bytes().into())).collect();
    SourceSet { files, ..SourceSet::default() }
}
