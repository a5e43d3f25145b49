//! The oracle of a search, its answers, and the questions.

use super::subset::Subset;
use mend_model::{Interrupt, Problem, Result, Verdict};

/// Who judges sets of units.
pub trait Oracle {
    /// Judges each of `sets`, units that are switched on while all others are off, in their order; they
    /// may be judged in parallel.
    ///
    /// # Errors
    /// When it cannot go on. [`Problem::Interrupted`] ends the search like the [`Interrupt`] itself.
    fn judge(&self, sets: &[Subset]) -> Result<Vec<Answer>>;

    /// How many sets it makes sense to ask about at once.
    fn parallelism(&self) -> usize {
        1
    }
}

/// What an oracle says of one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The judgement.
    pub verdict: Verdict,
    /// With an unresolved verdict, what the set lacked. The search heeds it from then on and asks about a
    /// completed set instead; what contradicts another verdict it ignores.
    pub lessons: Vec<Lesson>,
}

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Self {
        Self { verdict, lessons: Vec::new() }
    }
}

/// A newly learnt constraint: a variant with all of some units needs one of some others, the
/// preferred one first. A dependency of one unit on another has the same form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lesson {
    /// With all of these switched on ...
    pub all: Vec<usize>,
    /// ... one of these must be as well.
    pub any: Vec<usize>,
}

impl Lesson {
    /// Whether `set` has what it takes.
    pub fn is_kept_by(&self, set: &Subset) -> bool {
        !self.all.iter().all(|unit| set[*unit]) || self.any.iter().any(|unit| set[*unit])
    }

    /// Whether it says something, and of existing units.
    pub(super) fn is_sound(&self, len: usize) -> bool {
        let mut units = self.all.iter().chain(&self.any);
        !self.all.is_empty() && !self.any.is_empty() && units.all(|unit| *unit < len)
    }
}

/// Where a search has got to, after each verdict that it used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The weight of what is still suspected, in tokens.
    pub kept_weight: u64,
    /// How many units are still suspected.
    pub kept_units: usize,
    /// About how many sets are still to be judged; none after the last one.
    pub left: usize,
    /// How many sets were judged so far.
    pub tests: usize,
    /// The verdict.
    pub verdict: Verdict,
}

/// What ends a search before its end.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The wish to stop.
    pub interrupt: Interrupt,
    /// How many sets may be judged.
    pub max_tests: Option<usize>,
}

/// Why a search cannot go on.
#[derive(Debug)]
pub(super) enum Halt {
    Interrupted,
    Exhausted,
    Broken(Problem),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Interrupted => Self::Interrupted,
            other => Self::Broken(other),
        }
    }
}
