//! The strategies that choose schedules.

/// Algorithm that chooses schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulerKind {
    /// Partial order sampling.
    PartialOrder,
    /// Each thread with the same chance at each step.
    RandomWalk,
    /// Priorities that change at a few steps.
    Priorities,
    /// Threads are held up where they come to what a fault was about, until others have come to the same.
    Directed,
    /// All orders of steps that can make a difference, if there are few: not sampled, one after the other.
    Dpor,
}

impl SchedulerKind {
    /// Its name on the command line and in files.
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
