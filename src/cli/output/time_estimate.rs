//! Estimate of the remaining time from the duration of recent trials.

use std::time::Duration;

/// Weight of the newest trial in the moving average.
const NEWEST: f64 = 0.3;

/// Shortest step that counts as slow.
const LONG: Duration = Duration::from_secs(10);

/// A step is slow if it takes this many times the usual time.
const SLOW: f64 = 3.0;

/// Moving average of the duration of a trial, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimeEstimate {
    usual: Option<f64>,
}

impl TimeEstimate {
    /// Adds the duration of a trial, in seconds. Cached trials are not added.
    pub(crate) fn learn(&mut self, seconds: f64) {
        let usual = self.usual.map_or(seconds, |usual| usual + NEWEST * (seconds - usual));
        self.usual = Some(usual);
    }

    /// Estimates the time for `left` more trials.
    pub(crate) fn remaining_time(self, left: usize) -> Option<Duration> {
        let left = f64::from(u32::try_from(left).ok()?);
        self.usual.and_then(|usual| Duration::try_from_secs_f64(usual * left).ok())
    }

    /// Returns true if a trial takes unusually long.
    pub(crate) fn is_slow(self, taken: Duration) -> bool {
        taken >= LONG && self.usual.is_none_or(|usual| taken.as_secs_f64() > SLOW * usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_estimated_before_anything_was_tried() {
        assert_eq!(TimeEstimate::default().remaining_time(3), None);
    }

    #[test]
    fn a_step_is_slow_where_it_takes_much_longer_than_the_others_and_long() {
        let mut estimate = TimeEstimate::default();
        estimate.learn(8.0);
        assert!(!estimate.is_slow(Duration::from_secs(20)));
        assert!(estimate.is_slow(Duration::from_secs(25)));
        estimate.learn(0.1);
        assert!(!estimate.is_slow(Duration::from_secs(2)));
    }

    proptest! {
        /// The trials take about equally long, and the number of remaining trials is known.
        #[test]
        fn the_estimate_converges_to_what_the_rest_takes(
            first in 0.0..600.0_f64,
            times in prop::collection::vec(0.9..1.1_f64, 24..60),
        ) {
            let mut estimate = TimeEstimate::default();
            estimate.learn(first);
            for (tried, seconds) in times.iter().enumerate() {
                estimate.learn(*seconds);
                let rest: f64 = times[tried + 1..].iter().sum();
                let guess = estimate.remaining_time(times.len() - tried - 1).unwrap().as_secs_f64();
                // The weight of the first trial decreases with each later one.
                let doubt = (first - 1.0).abs() * 0.7_f64.powi(i32::try_from(tried).unwrap() + 1);
                let left: f64 = times[tried..].iter().map(|_| 1.0).sum();
                let most = (0.3 + doubt) * left;
                prop_assert!((guess - rest).abs() <= most, "{guess} for {rest} after {tried}");
            }
        }
    }
}
