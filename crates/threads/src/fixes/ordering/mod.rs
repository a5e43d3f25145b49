//! Fix operators that order the steps of threads: join, latch, wait and notify.

pub(crate) mod alternation;
pub(crate) mod early_join;
pub(crate) mod joins;
pub(crate) mod latches;
pub(crate) mod publication;
pub(crate) mod reorder;
pub(crate) mod wait_notify;
