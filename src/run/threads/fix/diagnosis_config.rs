//! Exploration that diagnoses the concurrency bugs to fix.

use crate::run::fix::request::FixRequest;
use crate::run::threads::default_schedulers::SAMPLERS;
use mend_engine::ExploreConfig;

/// Maximum number of schedules.
pub(super) const SCHEDULES: u32 = 300;

/// Returns the order of the exploration: its schedules, and the output they must print.
pub(super) fn explore_order(request: &FixRequest) -> ExploreConfig {
    ExploreConfig {
        schedules: SCHEDULES,
        samplers: SAMPLERS.to_vec(),
        targets: Vec::new(),
        seed: request.subject.seed,
        replay: None,
        expected: request.expected.clone(),
        is_trial: false,
    }
}
