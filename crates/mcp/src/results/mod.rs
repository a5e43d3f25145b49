//! Results of the tools, read from run folders.

pub(crate) mod change;
pub(crate) mod culprit;
pub(crate) mod found_patch;
pub(crate) mod minimised;
pub(crate) mod patches;
pub(crate) mod schedules;
mod status;
pub(crate) mod tests;

pub(crate) use status::{ListedRun, RunList, StatusResult};
