//! Exploration of thread schedules: `git mend explore`.

mod audit;
pub(super) mod command;
mod exploration;
