//! Fix operators that add, move, widen or reorder locks.

pub(crate) mod checked_objects;
pub(crate) mod deadlocks;
pub(crate) mod move_into_section;
pub(crate) mod repeated_checks;
pub(crate) mod synchronized;
pub(crate) mod unlock_in_finally;
pub(crate) mod wait_without_lock;
pub(crate) mod wrong_locks;
