//! Circuit breaker for warm JVMs.

/// Number of consecutive runs that needed a fresh JVM after which warm JVMs are skipped for a
/// while.
const PATIENCE: usize = 3;

/// Number of runs that then go straight to fresh JVMs; doubles each time the next warm run fails
/// too.
const FIRST_REST: usize = 10;

/// Circuit breaker for the warm JVM: counts consecutive runs that needed a fresh JVM.
#[derive(Debug, Default)]
pub(super) struct CircuitBreaker {
    in_a_row: usize,
    /// Runs that are still to be in fresh JVMs.
    left: usize,
    /// Length of the last cool-down, in runs.
    rest: usize,
}

impl CircuitBreaker {
    /// Returns true if the next run must use a fresh JVM, and counts that run.
    pub(super) fn is_resting(&mut self) -> bool {
        let is_resting = self.left > 0;
        self.left -= usize::from(is_resting);
        is_resting
    }

    /// Counts a dubious run; whether a rest begins that is not just a longer one.
    pub(super) fn count(&mut self) -> bool {
        self.in_a_row += 1;
        if self.in_a_row < PATIENCE {
            return false;
        }
        let is_first = self.rest == 0;
        self.rest = (self.rest * 2).max(FIRST_REST);
        self.left = self.rest;
        is_first
    }

    /// Closes the circuit after a clean run.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_comes_after_doubts_in_a_row_and_grows_with_them() {
        let mut doubts = CircuitBreaker::default();
        assert_eq!([doubts.count(), doubts.count()], [false, false]);
        doubts.clear();
        assert_eq!([doubts.count(), doubts.count(), doubts.count()], [false, false, true]);
        let rest = |doubts: &mut CircuitBreaker| {
            std::iter::from_fn(|| doubts.is_resting().then_some(())).count()
        };
        assert_eq!(rest(&mut doubts), FIRST_REST);
        assert!(!doubts.count());
        assert_eq!(rest(&mut doubts), 2 * FIRST_REST);
        doubts.clear();
        assert!(!doubts.count());
        assert!(!doubts.is_resting());
    }
}
