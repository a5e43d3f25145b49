//! A candidate fix of a concurrency bug.

use mend_java::Edit;
use mend_model::RepoPath;
use std::collections::BTreeMap;

/// Fix operator: the kind of edit of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConcurrencyOperator {
    /// More code runs while a lock is held.
    Synchronized,
    /// Another lock is held.
    OtherLock,
    /// A field is volatile.
    Volatile,
    /// A value is read once, or written once when it is final.
    LocalCopy,
    /// A variable or a step of two calls becomes atomic.
    Atomic,
    /// An object that is not for many threads is replaced.
    Container,
    /// Waits for the end of a started thread, task or future.
    Join,
    /// A statement moves before another one.
    Move,
    /// Wait and notification between threads.
    Signal,
    /// Locks are taken in one order.
    LockOrder,
    /// A pool that is large enough for tasks that wait for each other.
    Pool,
    /// Skips the use of a value that another thread removed.
    SkipMissing,
    /// Waits until another thread has reached a point.
    Latch,
}

impl ConcurrencyOperator {
    /// Returns its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Synchronized => "synchronized",
            Self::OtherLock => "lock",
            Self::Volatile => "volatile",
            Self::LocalCopy => "local",
            Self::Atomic => "atomic",
            Self::Container => "container",
            Self::Join => "join",
            Self::Move => "move",
            Self::Signal => "signal",
            Self::LockOrder => "lock-order",
            Self::Pool => "pool",
            Self::SkipMissing => "guard",
            Self::Latch => "latch",
        }
    }
}

/// A candidate for a concurrency bug.
#[derive(Clone, Debug, PartialEq)]
pub struct ConcurrencyCandidate {
    /// By file, in the order in which they are made.
    pub edits: BTreeMap<RepoPath, Vec<Edit>>,
    /// Fix operator of the candidate.
    pub operator: ConcurrencyOperator,
    /// One-line description of the edit and its reason.
    pub description: String,
    /// Score; higher is better.
    pub weight: f64,
}
