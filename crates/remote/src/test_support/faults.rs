//! Faults of the fake server, in the order in which they happen.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

/// Fault of the fake server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FakeFault {
    /// The next request to the store of blobs is answered with `UNAVAILABLE`.
    StorageUnavailable,
    /// The next execution is answered with `UNAVAILABLE`.
    ExecutionUnavailable,
    /// All blobs are removed before the next execution.
    Eviction,
    /// The program of the next action is removed, and the server goes on saying that it has it.
    OutdatedIndex,
    /// The next action ends with an error that repeats this header.
    RepeatedHeader(String),
    /// The connection breaks after the next execution has begun.
    BrokenStream,
    /// The worker of the next action disappears.
    LostWorker,
    /// The workers of all actions with several trials disappear. Later faults do not happen.
    LostBatches,
    /// The blob of the next result has another content of the same size.
    ForgedResult,
    /// The worker of the next action ends with this code, without a result.
    FailedWorker(i32),
    /// The result of the next action is cut off.
    IncompleteResult,
    /// The next action reaches the time limit of the server.
    ActionTimeout,
    /// The next action is this slow.
    SlowWorker(Duration),
    /// The next request is refused for lack of access.
    Unauthenticated,
    /// The server dies before the next execution.
    Death,
}

/// Faults that are still to happen.
#[derive(Debug, Default)]
pub struct Faults(Mutex<VecDeque<FakeFault>>);

impl Faults {
    /// Adds a fault.
    pub fn add(&self, fault: FakeFault) {
        self.0.lock().unwrap().push_back(fault);
    }

    /// Returns true if no fault is still to happen.
    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap().is_empty()
    }

    /// Returns true if this is the next fault.
    pub(super) fn is_next(&self, fault: &FakeFault) -> bool {
        self.0.lock().unwrap().front() == Some(fault)
    }

    /// Takes the next fault if it is one of these.
    pub(super) fn take(&self, is_wanted: impl Fn(&FakeFault) -> bool) -> Option<FakeFault> {
        let mut faults = self.0.lock().unwrap();
        if faults.front().is_some_and(is_wanted) { faults.pop_front() } else { None }
    }
}
