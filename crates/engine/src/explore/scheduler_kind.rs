//! Scheduling algorithms.

use serde::{Deserialize, Serialize};

/// Algorithm that chooses schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SchedulerKind {
    /// Partial order sampling (POS).
    PartialOrder,
    /// Random walk: each enabled thread has the same probability at each step.
    RandomWalk,
    /// Probabilistic concurrency testing (PCT): priorities that change at a few steps.
    Priorities,
    /// Active testing: suspends threads at the location of a fault until other threads reach it.
    Directed,
    /// Dynamic partial order reduction (DPOR): runs all orders of dependent steps, if there are few.
    Dpor,
}

impl SchedulerKind {
    /// Returns its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::PartialOrder => "pos",
            Self::RandomWalk => "random",
            Self::Priorities => "pct",
            Self::Directed => "directed",
            Self::Dpor => "dpor",
        }
    }
}
