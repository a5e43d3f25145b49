//! Fix operators for concurrency bugs, and the layout of their edits.

pub(crate) mod check_then_act;
pub(crate) mod data;
pub(crate) mod layout;
pub(crate) mod locking;
pub(crate) mod ordering;
