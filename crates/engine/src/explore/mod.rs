//! Exploration: runs tests under many schedules, one thread at a time.
//!
//! The JVM of the worker (Java package `schedule`) loads the project's classes with hooks in their code. At each hook,
//! its scheduler decides which thread continues.

mod config;
mod exploration_result;
mod explore_worker;
mod explore_workers;
mod failure_goal;
mod schedule_engine;
mod schedule_runner;
mod scheduler_kind;

pub use crate::explore::config::{ExploreConfig, ScheduleListener};
pub use crate::explore::exploration_result::ExplorationResult;
pub use crate::explore::failure_goal::FailureGoal;
pub use crate::explore::schedule_engine::ScheduleEngine;
pub use crate::explore::schedule_runner::ScheduleRunner;
pub use crate::explore::scheduler_kind::SchedulerKind;
