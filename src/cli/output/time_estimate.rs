//! Estimates the remaining time from the durations of recent trials.

use std::time::Duration;

/// Weight of the newest trial in the moving average.
const NEWEST_WEIGHT: f64 = 0.3;

/// Minimum duration of a slow step.
const MIN_SLOW_TIME: Duration = Duration::from_secs(10);

/// Factor over the usual duration from which a step is slow.
const SLOW_FACTOR: f64 = 3.0;

/// Exponential moving average of the duration of a trial, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimeEstimate {
    average_seconds: Option<f64>,
}

impl TimeEstimate {
    /// Adds the duration of a trial that was not cached, in seconds.
    pub(crate) fn add_duration(&mut self, seconds: f64) {
        let average = self
            .average_seconds
            .map_or(seconds, |average| average + NEWEST_WEIGHT * (seconds - average));
        self.average_seconds = Some(average);
    }

    /// Estimates the duration of `remaining` more trials.
    pub(crate) fn remaining_time(self, remaining: usize) -> Option<Duration> {
        let remaining = f64::from(u32::try_from(remaining).ok()?);
        self.average_seconds.and_then(|usual| Duration::try_from_secs_f64(usual * remaining).ok())
    }

    /// Returns true if a trial takes unusually long.
    pub(crate) fn is_slow(self, elapsed: Duration) -> bool {
        elapsed >= MIN_SLOW_TIME
            && self.average_seconds.is_none_or(|usual| elapsed.as_secs_f64() > SLOW_FACTOR * usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_estimate_without_measurements() {
        assert_eq!(TimeEstimate::default().remaining_time(3), None);
    }

    #[test]
    fn slow_step_is_long_and_above_average() {
        let mut estimate = TimeEstimate::default();
        estimate.add_duration(8.0);
        assert!(!estimate.is_slow(Duration::from_secs(20)));
        assert!(estimate.is_slow(Duration::from_secs(25)));
        estimate.add_duration(0.1);
        assert!(!estimate.is_slow(Duration::from_secs(2)));
    }

    proptest! {
        /// The trials have about equal durations, and the number of remaining trials is known.
        #[test]
        fn the_estimate_converges_to_what_the_rest_takes(
            first in 0.0..600.0_f64,
            times in prop::collection::vec(0.9..1.1_f64, 24..60),
        ) {
            let mut estimate = TimeEstimate::default();
            estimate.add_duration(first);
            for (tried, seconds) in times.iter().enumerate() {
                estimate.add_duration(*seconds);
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
