//! Parameters of an exploration.

use super::SchedulerKind;
use mend_model::schedules::Schedule;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of an exploration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploreConfig {
    /// Maximum number of schedules.
    pub schedules: u32,
    /// Schedulers to use.
    pub schedulers: Vec<SchedulerKind>,
    /// Targets of the directed scheduler: variables and calls, named as in code locations.
    pub targets: Vec<String>,
    /// Seed of all schedulers.
    pub seed: u64,
    /// A single schedule to run instead.
    pub replay: Option<Schedule>,
    /// Output of a passing schedule; any other output is a failure.
    pub expected_output: Option<Arc<str>>,
    /// True if the exploration may stop at the first failure.
    pub is_fail_fast: bool,
}

/// Listener that receives the number of schedules run, and of those that failed.
pub type ScheduleListener<'a> = dyn FnMut(usize, usize) + 'a;
