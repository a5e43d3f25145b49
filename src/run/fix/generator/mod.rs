//! Patches of an external generator, which a command of the user starts: `git mend fix --generator CMD`.

mod answer;
pub(super) mod command;
pub(super) mod failure_report;
mod fault;
mod patch_checker;
mod patch_results;
mod process;
pub(super) mod protocol;
mod session;
mod source_excerpts;
pub(super) mod trials;
