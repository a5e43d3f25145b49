//! Oracle interface: the sets that a search tests, and the answers.

use super::subset::Subset;
use mend_model::{Interrupt, Problem, Result, Verdict};

/// Oracle that returns verdicts on sets of units.
pub trait Oracle {
    /// Returns the verdict on each of `sets`, in their order. The units of a set are enabled, all others are disabled.
    /// Sets may be tested in parallel.
    ///
    /// # Errors
    /// Any problem that ends the search. [`Problem::Interrupted`] has the same effect as the [`Interrupt`] itself.
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>>;

    /// Returns the number of sets that can be tested in parallel.
    fn parallelism(&self) -> usize {
        1
    }
}

/// Answer of the oracle for one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleAnswer {
    /// Verdict on the set.
    pub verdict: Verdict,
    /// Dependencies that the set violated, for an unresolved verdict. The search respects them from then on, and
    /// ignores those that contradict another verdict.
    pub learned_implications: Vec<LearnedImplication>,
}

impl From<Verdict> for OracleAnswer {
    fn from(verdict: Verdict) -> Self {
        Self { verdict, learned_implications: Vec::new() }
    }
}

/// A learned constraint: a variant with all of some units needs one of some others, the preferred one first. A
/// dependency of one unit on another is a special case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LearnedImplication {
    /// If all of these units are enabled,
    pub premises: Vec<usize>,
    /// one of these must be enabled as well.
    pub alternatives: Vec<usize>,
}

impl LearnedImplication {
    /// Returns true if `set` satisfies the implication.
    pub fn is_satisfied_by(&self, set: &Subset) -> bool {
        !self.premises.iter().all(|unit| set[*unit])
            || self.alternatives.iter().any(|unit| set[*unit])
    }

    /// Returns true if both sides are not empty and contain only existing units.
    pub(super) fn is_valid(&self, len: usize) -> bool {
        let mut units = self.premises.iter().chain(&self.alternatives);
        !self.premises.is_empty() && !self.alternatives.is_empty() && units.all(|unit| *unit < len)
    }
}

/// Progress of a minimisation after each verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinimiserProgress {
    /// Weight of the suspected units, in tokens.
    pub suspected_weight: u64,
    /// Number of units that are still suspected.
    pub suspected_units: usize,
    /// Estimated number of remaining tests; 0 after the last one.
    pub remaining_tests: usize,
    /// Number of sets tested so far.
    pub tests: usize,
    /// The verdict.
    pub verdict: Verdict,
}

/// Limits of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchLimits {
    /// Cancellation flag.
    pub interrupt: Interrupt,
    /// Maximum number of sets to test.
    pub max_tests: Option<usize>,
}

/// Reason why a search ends early.
#[derive(Debug)]
pub(super) enum StopReason {
    Interrupted,
    TestLimitReached,
    Failed(Problem),
}

impl From<Problem> for StopReason {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Interrupted => Self::Interrupted,
            other => Self::Failed(other),
        }
    }
}
