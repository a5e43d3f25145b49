//! Running tests under many schedules of their threads, one thread at a time.
//!
//! The JVM that does it (`runtime/explore`) loads the project's classes with hooks put into their code, and decides
//! at each hook which thread goes on.

mod config;
mod exploration_result;
mod explore_worker;
mod explore_workers;
mod schedule_runner;
mod scheduler;

pub use crate::explore::config::{ExploreConfig, ScheduleListener};
pub use crate::explore::exploration_result::ExplorationResult;
pub use crate::explore::schedule_runner::ScheduleRunner;
pub use crate::explore::scheduler::SchedulerKind;
