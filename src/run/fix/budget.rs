//! Budget of a search for fixes, and the remaining part of it.

use std::time::{Duration, Instant};

/// Budget of a search for fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The time limit.
    pub time: Duration,
    /// Maximum number of candidates, the most promising first; `None` for no limit.
    pub candidates: Option<usize>,
}

/// A budget that is being used up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BudgetUse {
    budget: Budget,
    begun: Instant,
}

impl Budget {
    pub(crate) fn begin(self) -> BudgetUse {
        BudgetUse { budget: self, begun: Instant::now() }
    }

    /// Returns how many of `candidates` may be tried.
    pub(crate) fn most(&self, candidates: usize) -> usize {
        self.candidates.map_or(candidates, |most| candidates.min(most))
    }
}

impl BudgetUse {
    /// Returns true if the time limit is exceeded.
    pub(crate) fn is_late(&self) -> bool {
        self.begun.elapsed() > self.budget.time
    }

    /// Returns true if no more candidates may be tried after `tried` of them.
    pub(crate) fn is_over(&self, tried: usize) -> bool {
        self.budget.candidates.is_some_and(|most| tried >= most) || self.is_late()
    }

    /// Returns the option with five times the exhausted budget.
    pub(crate) fn more(&self) -> [String; 2] {
        match self.budget.candidates.filter(|_| !self.is_late()) {
            Some(most) => ["--candidates".to_owned(), most.saturating_mul(5).to_string()],
            None => ["--budget".to_owned(), format!("{}s", self.budget.time.as_secs().max(1) * 5)],
        }
    }

    /// Estimates how many waiting candidates will be tried within the time limit, from the average time so far.
    pub(crate) fn estimate_remaining(&self, tried: usize, waiting: usize) -> usize {
        in_time(self.begun.elapsed(), self.budget.time, tried)
            .map_or(waiting, |more| more.min(waiting))
    }
}

/// Returns how many more candidates there is time for, if `tried` took the time that is over;
/// `None` if none was tried yet.
fn in_time(over: Duration, whole: Duration, tried: usize) -> Option<usize> {
    let tried = u32::try_from(tried).ok().filter(|tried| *tried > 0)?;
    let each = (over / tried).as_nanos().max(1);
    usize::try_from(whole.saturating_sub(over).as_nanos() / each).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn what_there_is_no_time_for_is_not_left() {
        assert_eq!(in_time(MINUTE / 4, MINUTE, 0), None);
        assert_eq!(in_time(MINUTE / 4, MINUTE, 10), Some(30));
        assert_eq!(in_time(2 * MINUTE, MINUTE, 10), Some(0));
        let spending = Budget { time: MINUTE, candidates: None }.begin();
        assert_eq!(spending.estimate_remaining(0, 7), 7);
        assert_eq!(spending.estimate_remaining(1, 7), 7);
    }

    #[test]
    fn a_number_of_candidates_ends_it_whatever_the_time() {
        let budget = Budget { time: MINUTE, candidates: Some(3) };
        assert_eq!([2, 3, 4].map(|tried| budget.begin().is_over(tried)), [false, true, true]);
        assert_eq!([2, 3, 4].map(|candidates| budget.most(candidates)), [2, 3, 3]);
        assert!(!Budget { candidates: None, ..budget }.begin().is_over(1000));
    }

    #[test]
    fn more_is_asked_of_what_ended_it() {
        let budget = Budget { time: MINUTE, candidates: Some(3) };
        assert_eq!(budget.begin().more(), ["--candidates", "15"]);
        assert_eq!(Budget { candidates: None, ..budget }.begin().more(), ["--budget", "300s"]);
        let late = BudgetUse { begun: Instant::now().checked_sub(2 * MINUTE).unwrap(), budget };
        assert_eq!(late.more(), ["--budget", "300s"]);
    }
}
