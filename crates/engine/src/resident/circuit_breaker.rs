//! Circuit breaker for warm JVMs: skips them for a while after consecutive doubtful runs.

/// Number of consecutive runs that needed a fresh JVM after which warm JVMs are skipped for a
/// while.
const FAILURES_TO_OPEN: usize = 3;

/// Number of runs that then go straight to fresh JVMs; doubles each time the next warm run fails
/// too.
const INITIAL_COOL_DOWN_RUNS: usize = 10;

/// Circuit breaker for the warm JVM: counts consecutive runs that needed a fresh JVM.
#[derive(Debug, Default)]
pub(super) struct CircuitBreaker {
    consecutive_failures: usize,
    /// Remaining runs that must use fresh JVMs.
    remaining_runs: usize,
    /// Length of the last cool-down, in runs.
    cool_down: usize,
}

impl CircuitBreaker {
    /// Returns true if the next run must use a fresh JVM, and counts that run.
    pub(super) fn is_open(&mut self) -> bool {
        let is_resting = self.remaining_runs > 0;
        self.remaining_runs -= usize::from(is_resting);
        is_resting
    }

    /// Counts a doubtful run. Returns true if a cool-down begins that does not just extend the last one.
    pub(super) fn record_failure(&mut self) -> bool {
        self.consecutive_failures += 1;
        if self.consecutive_failures < FAILURES_TO_OPEN {
            return false;
        }
        let is_first = self.cool_down == 0;
        self.cool_down = (self.cool_down * 2).max(INITIAL_COOL_DOWN_RUNS);
        self.remaining_runs = self.cool_down;
        is_first
    }

    /// Closes the circuit after a clean run.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaker_opens_after_consecutive_failures_and_backs_off() {
        let mut circuit_breaker = CircuitBreaker::default();
        assert_eq!(
            [circuit_breaker.record_failure(), circuit_breaker.record_failure()],
            [false, false]
        );
        circuit_breaker.reset();
        assert_eq!(
            [
                circuit_breaker.record_failure(),
                circuit_breaker.record_failure(),
                circuit_breaker.record_failure()
            ],
            [false, false, true]
        );
        let count_cool_down = |circuit_breaker: &mut CircuitBreaker| {
            std::iter::from_fn(|| circuit_breaker.is_open().then_some(())).count()
        };
        assert_eq!(count_cool_down(&mut circuit_breaker), INITIAL_COOL_DOWN_RUNS);
        assert!(!circuit_breaker.record_failure());
        assert_eq!(count_cool_down(&mut circuit_breaker), 2 * INITIAL_COOL_DOWN_RUNS);
        circuit_breaker.reset();
        assert!(!circuit_breaker.record_failure());
        assert!(!circuit_breaker.is_open());
    }
}
