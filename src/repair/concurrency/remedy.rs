//! A candidate fix of a concurrency bug.

use crate::model::RepoPath;
use crate::repair::edit::Edit;
use std::collections::BTreeMap;

/// What kind of change a remedy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// More is done while a lock is held.
    Synchronized,
    /// Another lock is held.
    Lock,
    /// A field is volatile.
    Volatile,
    /// A value is read once, or written once when it is done.
    Local,
    /// A variable or a step of two calls becomes atomic.
    Atomic,
    /// An object that is not for many threads is replaced.
    Container,
    /// Somebody waits for the end of what was started.
    Join,
    /// A statement moves before another one.
    Move,
    /// How threads wait for and wake each other.
    Signal,
    /// Locks are taken in one order.
    LockOrder,
    /// A pool with room for those that wait in it.
    Pool,
    /// Nothing is done with what another thread took away.
    Guard,
    /// Somebody waits until another thread has come so far.
    Latch,
}

impl Way {
    /// Its name in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Synchronized => "synchronized",
            Self::Lock => "lock",
            Self::Volatile => "volatile",
            Self::Local => "local",
            Self::Atomic => "atomic",
            Self::Container => "container",
            Self::Join => "join",
            Self::Move => "move",
            Self::Signal => "signal",
            Self::LockOrder => "lock-order",
            Self::Pool => "pool",
            Self::Guard => "guard",
            Self::Latch => "latch",
        }
    }
}

/// A change that might mend a fault of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// By file, in the order in which they are made.
    pub edits: BTreeMap<RepoPath, Vec<Edit>>,
    /// What kind of change it is.
    pub way: Way,
    /// One line that says what it does, and why.
    pub why: String,
    /// How promising it is; higher is better.
    pub weight: f64,
}
