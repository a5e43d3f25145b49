//! The default samplers of schedules.

use mend_engine::SchedulerKind;

/// The samplers that are used if none are selected.
pub const DEFAULT_SCHEDULERS: [SchedulerKind; 4] = [
    SchedulerKind::PartialOrder,
    SchedulerKind::RandomWalk,
    SchedulerKind::Priorities,
    SchedulerKind::Dpor,
];
