//! Patches of an external generator, which a command of the user starts: `git mend fix --generator CMD`.

mod answer;
pub(in crate::run) mod command;
pub(in crate::run) mod failure_report;
mod fault;
pub(in crate::run) mod patch_checker;
pub(in crate::run) mod patch_results;
mod process;
pub(in crate::run) mod protocol;
mod session;
pub(in crate::run) mod source_excerpts;
pub(in crate::run) mod trials;
