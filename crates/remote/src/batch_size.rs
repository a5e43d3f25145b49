//! Size of batches, learnt from the duration of trials.

use std::time::Duration;

/// Number of trials of a batch while no duration is known.
const FIRST_SIZE: usize = 4;

/// Maximum number of trials of a batch.
const MAX_SIZE: usize = 200;

/// Weight of the newest batch in the mean duration.
const NEWEST_WEIGHT: f64 = 0.3;

/// Mean duration of a trial, and the number of trials that an action of the wanted duration has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BatchSize {
    mean_seconds: Option<f64>,
}

impl BatchSize {
    /// Records the durations of the trials of a batch.
    pub(crate) fn record(&mut self, durations: &[Duration]) {
        let count = u32::try_from(durations.len()).unwrap_or(u32::MAX);
        if count == 0 {
            return;
        }
        let newest = (durations.iter().sum::<Duration>() / count).as_secs_f64();
        self.mean_seconds = Some(match self.mean_seconds {
            None => newest,
            Some(mean) => mean + NEWEST_WEIGHT * (newest - mean),
        });
    }

    /// Returns the number of trials of the next batch. `waiting` trials are spread over `free` workers, as long as
    /// their actions take no longer than `action`.
    pub(crate) fn next_batch_size(&self, waiting: usize, free: usize, action: Duration) -> usize {
        let share = waiting.div_ceil(free.max(1));
        share.clamp(1, self.max_trials(action))
    }

    /// Returns the number of trials of an action that takes `action`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is positive, and clamped"
    )]
    fn max_trials(&self, action: Duration) -> usize {
        match self.mean_seconds {
            None => FIRST_SIZE,
            Some(mean) => ((action.as_secs_f64() / mean.max(0.001)) as usize).clamp(1, MAX_SIZE),
        }
    }

    /// Returns the expected duration of a batch; `None` before the first one ended.
    pub(crate) fn expected_duration(&self, trials: usize) -> Option<Duration> {
        let trials = f64::from(u32::try_from(trials).unwrap_or(u32::MAX));
        self.mean_seconds.map(|mean| Duration::from_secs_f64((mean * trials).min(1e6)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTION: Duration = Duration::from_secs(10);

    #[test]
    fn batches_fill_an_action_and_share_the_work() {
        let mut size = BatchSize::default();
        assert_eq!(size.next_batch_size(100, 1, ACTION), FIRST_SIZE);
        size.record(&[Duration::from_secs(1)]);
        assert_eq!(size.next_batch_size(100, 1, ACTION), 10);
        assert_eq!(size.next_batch_size(100, 25, ACTION), 4);
        assert_eq!(size.next_batch_size(3, 16, ACTION), 1);
        assert_eq!(size.expected_duration(5), Some(Duration::from_secs(5)));
    }

    #[test]
    fn slow_trials_have_actions_of_their_own() {
        let mut size = BatchSize::default();
        size.record(&[Duration::from_secs(11), Duration::from_secs(31)]);
        assert_eq!(size.next_batch_size(100, 1, ACTION), 1);
    }
}
