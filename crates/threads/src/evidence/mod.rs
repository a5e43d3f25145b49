//! Evidence for a concurrency bug: regions, locks and calls around its accesses.

pub(crate) mod bug_context;
pub(crate) mod calls;
pub(crate) mod locks;
pub(crate) mod regions;
