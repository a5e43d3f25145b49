//! Fix operators of concurrency repair.

use mend_java::Candidate;

/// Fix operator: the kind of edit of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConcurrencyOperator {
    /// Runs more code while a lock is held.
    Synchronized,
    /// Replaces a lock by another one.
    OtherLock,
    /// Makes a field volatile.
    Volatile,
    /// Reads a value once, or writes it once when it is final.
    LocalCopy,
    /// Makes a variable, or a sequence of two calls, atomic.
    Atomic,
    /// Replaces an object that is not thread-safe.
    Container,
    /// Waits for the end of a started thread, task or future.
    Join,
    /// Moves a statement before another one.
    Move,
    /// Changes the waiting and notification of threads.
    Signal,
    /// Acquires locks in a consistent order.
    LockOrder,
    /// Enlarges a pool whose tasks wait for each other.
    Pool,
    /// Skips the use of a value that another thread removed.
    SkipMissing,
    /// Waits until another thread has reached a point.
    Latch,
    /// Patch of an external generator.
    External,
}

/// Candidate for a concurrency bug.
pub type ConcurrencyCandidate = Candidate<ConcurrencyOperator>;

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
            Self::External => "external",
        }
    }
}
