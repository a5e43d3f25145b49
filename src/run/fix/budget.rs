//! Budget of a search for fixes, and its consumption.

use std::time::{Duration, Instant};

/// Budget of a search for fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Time limit.
    pub time_limit: Duration,
    /// Maximum number of candidates, the most promising first, or `None` for no limit.
    pub max_candidates: Option<usize>,
}

/// Minimum part of the time limit of a whole run that is reserved for verification.
const RESERVED_PART: u32 = 4;

/// Minimum time that is reserved for verification, if it is at most half of the time limit.
const MIN_RESERVE: Duration = Duration::from_secs(60);

/// Minimum time that verification may add to the time limit of a search.
const MIN_ADDED_TIME: Duration = Duration::from_secs(60);

/// Budget with its start time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BudgetUse {
    budget: Budget,
    started: Instant,
    /// Part of the time limit that is left for the verification of what is found.
    reserve: Duration,
}

impl Budget {
    pub(crate) fn start(self) -> BudgetUse {
        BudgetUse { budget: self, started: Instant::now(), reserve: Duration::ZERO }
    }

    /// Starts the budget of a whole run, which began before. Reserves time for verification, because the run is
    /// interrupted at the time limit.
    pub(crate) fn start_with_reserve(self, started: Instant) -> BudgetUse {
        let least = MIN_RESERVE.min(self.time_limit / 2);
        let reserve = (self.time_limit / RESERVED_PART).max(least);
        BudgetUse { budget: self, started, reserve }
    }

    /// Returns how many of `candidates` the budget allows.
    pub(crate) fn allowed_candidates(&self, candidates: usize) -> usize {
        self.max_candidates.map_or(candidates, |most| candidates.min(most))
    }
}

impl BudgetUse {
    /// Returns true if the time limit is exceeded.
    pub(crate) fn is_time_over(&self) -> bool {
        self.started.elapsed() > self.search_time()
    }

    /// Returns the rest of the time limit.
    pub(crate) fn remaining_time(&self) -> Duration {
        self.search_time().saturating_sub(self.started.elapsed())
    }

    /// Returns the time that is left for comparing and verifying what was found. Verification may add a part to the time
    /// limit of a search, but not to that of a whole run.
    pub(crate) fn remaining_verification_time(&self) -> Duration {
        let time_limit = self.budget.time_limit;
        let added = (time_limit / RESERVED_PART).max(MIN_ADDED_TIME);
        let added = if self.reserve.is_zero() { added } else { Duration::ZERO };
        time_limit.saturating_add(added).saturating_sub(self.started.elapsed())
    }

    /// Returns the time limit without the reserve.
    fn search_time(&self) -> Duration {
        self.budget.time_limit.saturating_sub(self.reserve)
    }

    /// Returns true if the budget is exhausted after `tried` candidates.
    pub(crate) fn is_exhausted(&self, tried: usize) -> bool {
        self.budget.max_candidates.is_some_and(|most| tried >= most) || self.is_time_over()
    }

    /// Returns the option and value for five times the exhausted budget.
    pub(crate) fn larger_budget_option(&self) -> [String; 2] {
        match self.budget.max_candidates.filter(|_| !self.is_time_over()) {
            Some(most) => ["--candidates".to_owned(), most.saturating_mul(5).to_string()],
            None => {
                ["--budget".to_owned(), format!("{}s", self.budget.time_limit.as_secs().max(1) * 5)]
            }
        }
    }

    /// Estimates how many waiting candidates can be tried within the time limit, from the average duration so far.
    pub(crate) fn estimate_remaining(&self, tried: usize, waiting: usize) -> usize {
        affordable_candidates(self.started.elapsed(), self.search_time(), tried)
            .map_or(waiting, |more| more.min(waiting))
    }
}

/// Estimates how many more candidates the remaining time allows, if `tried_count` candidates took the elapsed time.
/// Returns `None` if no candidate was tried yet.
fn affordable_candidates(
    elapsed: Duration,
    time_limit: Duration,
    tried_count: usize,
) -> Option<usize> {
    let tried_count = u32::try_from(tried_count).ok().filter(|tried_count| *tried_count > 0)?;
    let each = (elapsed / tried_count).as_nanos().max(1);
    usize::try_from(time_limit.saturating_sub(elapsed).as_nanos() / each).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn remaining_candidates_fit_the_time_limit() {
        assert_eq!(affordable_candidates(MINUTE / 4, MINUTE, 0), None);
        assert_eq!(affordable_candidates(MINUTE / 4, MINUTE, 10), Some(30));
        assert_eq!(affordable_candidates(2 * MINUTE, MINUTE, 10), Some(0));
        let budget_use = Budget { time_limit: MINUTE, max_candidates: None }.start();
        assert_eq!(budget_use.estimate_remaining(0, 7), 7);
        assert_eq!(budget_use.estimate_remaining(1, 7), 7);
    }

    #[test]
    fn budget_of_a_whole_run_reserves_time_for_verification() {
        let reserve = |minutes: u32| {
            let budget = Budget { time_limit: minutes * MINUTE, max_candidates: None };
            budget.start_with_reserve(Instant::now()).reserve
        };
        assert_eq!([20, 2, 1].map(reserve), [5 * MINUTE, MINUTE, MINUTE / 2]);
        let budget = Budget { time_limit: 8 * MINUTE, max_candidates: None };
        let at = |minutes: u32| {
            let started = Instant::now().checked_sub(minutes * MINUTE).unwrap();
            budget.start_with_reserve(started)
        };
        assert_eq!([5, 7].map(|minutes| at(minutes).is_time_over()), [false, true]);
        assert!(at(5).remaining_time() <= MINUTE);
    }

    #[test]
    fn verification_adds_a_bounded_time_to_a_search_and_none_to_a_whole_run() {
        let rest = |minutes: u32, elapsed: u32| {
            let started = Instant::now().checked_sub(elapsed * MINUTE).unwrap();
            let budget = Budget { time_limit: minutes * MINUTE, max_candidates: None };
            let search = BudgetUse { started, ..budget.start() };
            let whole_run = budget.start_with_reserve(started);
            let rounding = Duration::from_millis(500);
            [search, whole_run].map(|one| (one.remaining_verification_time() + rounding).as_secs())
        };
        assert_eq!(rest(1, 0), [120, 60]);
        assert_eq!(rest(8, 6), [240, 120]);
        assert_eq!(rest(8, 11), [0, 0]);
    }

    #[test]
    fn candidate_limit_exhausts_the_budget() {
        let budget = Budget { time_limit: MINUTE, max_candidates: Some(3) };
        assert_eq!([2, 3, 4].map(|tried| budget.start().is_exhausted(tried)), [false, true, true]);
        assert_eq!([2, 3, 4].map(|candidates| budget.allowed_candidates(candidates)), [2, 3, 3]);
        assert!(!Budget { max_candidates: None, ..budget }.start().is_exhausted(1000));
    }

    #[test]
    fn larger_budget_raises_the_exhausted_limit() {
        let budget = Budget { time_limit: MINUTE, max_candidates: Some(3) };
        assert_eq!(budget.start().larger_budget_option(), ["--candidates", "15"]);
        assert_eq!(
            Budget { max_candidates: None, ..budget }.start().larger_budget_option(),
            ["--budget", "300s"]
        );
        let started = Instant::now().checked_sub(2 * MINUTE).unwrap();
        let late = BudgetUse { started, ..budget.start() };
        assert_eq!(late.larger_budget_option(), ["--budget", "300s"]);
    }
}
