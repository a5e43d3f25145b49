//! Configuration of the exploration that diagnoses concurrency bugs.

use crate::run::fix::request::FixRequest;
use crate::run::threads::default_schedulers::DEFAULT_SCHEDULERS;
use mend_engine::ExploreConfig;

/// Maximum number of schedules of the diagnosis.
pub(super) const MAX_DIAGNOSIS_SCHEDULES: u32 = 300;

/// Returns the configuration with the schedulers and the expected output.
pub(super) fn create_diagnosis_config(request: &FixRequest) -> ExploreConfig {
    ExploreConfig {
        schedules: MAX_DIAGNOSIS_SCHEDULES,
        schedulers: DEFAULT_SCHEDULERS.to_vec(),
        targets: Vec::new(),
        seed: request.subject.seed,
        replay: None,
        expected_output: request.expected_output.clone(),
        is_fail_fast: false,
    }
}
