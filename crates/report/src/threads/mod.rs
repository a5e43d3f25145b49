//! Results of schedule exploration: types for `result.json`, and formatting of schedules.

pub(crate) mod interleaving;
pub(crate) mod result;
