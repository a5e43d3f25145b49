//! Default schedulers of an exploration.

use mend_engine::SchedulerKind;

/// Schedulers that are used if the user selects none.
pub const DEFAULT_SCHEDULERS: [SchedulerKind; 4] = [
    SchedulerKind::PartialOrder,
    SchedulerKind::RandomWalk,
    SchedulerKind::Priorities,
    SchedulerKind::Dpor,
];
