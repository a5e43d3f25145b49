//! The request for an exploration.

use super::Sampler;
use mend_model::schedules::Schedule;
use std::sync::Arc;

/// What is to be explored.
#[derive(Clone, Debug)]
pub struct ExploreOrder {
    /// Maximum number of schedules.
    pub schedules: u32,
    /// What samples them.
    pub samplers: Vec<Sampler>,
    /// What directed schedules are about: variables, and calls, as sites name them.
    pub targets: Vec<String>,
    /// The seed of all of them.
    pub seed: u64,
    /// One schedule to be run instead.
    pub replay: Option<Schedule>,
    /// What a schedule prints that passes; any other output is a failure.
    pub expected: Option<Arc<str>>,
    /// Whether the first fault is all that is asked for.
    pub is_trial: bool,
}

/// Listener that receives the number of schedules run, and of those that failed.
pub type Listener<'a> = dyn FnMut(usize, usize) + 'a;
