//! Evidence about a concurrency bug: its accesses, atomic regions, locks and calls.

pub(crate) mod bug_context;
pub(crate) mod calls;
pub(crate) mod field_effects;
pub(crate) mod locks;
pub(crate) mod policy;
pub(crate) mod regions;
