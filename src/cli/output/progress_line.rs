//! Formats the progress line: the current step, the remaining steps, and the reason for a slow step.

use crate::cli::output::time_estimate::TimeEstimate;
use mend_model::truncate;
use std::time::{Duration, Instant};

/// Minimum number of characters for the description of the current step.
const MIN_STEP_WIDTH: usize = 10;

/// Minimum duration of a countdown for an estimate of the remaining time.
const MIN_MEASURED_TIME: Duration = Duration::from_secs(1);

/// State of the progress line.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    /// Estimates for trials and for work that is counted in batches, such as schedules.
    trial_estimate: TimeEstimate,
    count_estimate: TimeEstimate,
    current_step: Option<CurrentStep>,
    /// End of the last trial, or start of the stage. Trials may run in parallel, so the time between ends is measured.
    last_trial_end: Instant,
    /// Start of the current countdown, with the remaining number at that time.
    countdown_start: Option<(Instant, usize)>,
}

/// Current step.
#[derive(Debug)]
struct CurrentStep {
    description: String,
    remaining: Option<usize>,
    slow_reason: Option<String>,
    started: Instant,
    is_counted: bool,
}

impl ProgressLine {
    /// Creates an empty line.
    pub(crate) fn new(now: Instant) -> Self {
        let (trials, counts) = (TimeEstimate::default(), TimeEstimate::default());
        Self {
            trial_estimate: trials,
            count_estimate: counts,
            current_step: None,
            last_trial_end: now,
            countdown_start: None,
        }
    }

    /// Starts a stage, without a current step.
    pub(crate) fn start_stage(&mut self, now: Instant) {
        self.current_step = None;
        self.last_trial_end = now;
        self.countdown_start = None;
    }

    /// Starts a trial.
    pub(crate) fn start_trial(
        &mut self,
        description: String,
        remaining: Option<usize>,
        slow_reason: Option<String>,
        now: Instant,
    ) {
        self.current_step = Some(CurrentStep {
            description,
            remaining,
            slow_reason,
            started: now,
            is_counted: false,
        });
    }

    /// Shows work that is counted in batches.
    pub(crate) fn show_count(
        &mut self,
        description: String,
        remaining: Option<usize>,
        slow_reason: Option<String>,
        now: Instant,
    ) {
        self.update_count_estimate(remaining, now);
        self.current_step = Some(CurrentStep {
            description,
            remaining,
            slow_reason,
            started: now,
            is_counted: true,
        });
    }

    /// Updates the estimate from the decrease of `remaining`. An increase starts a new countdown, because the work
    /// changed.
    fn update_count_estimate(&mut self, remaining: Option<usize>, now: Instant) {
        let Some(remaining) = remaining else { return };
        let Some((started, earlier_remaining)) =
            self.countdown_start.filter(|(_, earlier_remaining)| remaining <= *earlier_remaining)
        else {
            self.count_estimate = TimeEstimate::default();
            self.countdown_start = Some((now, remaining));
            return;
        };
        let (elapsed, finished) =
            (now.duration_since(started), earlier_remaining.saturating_sub(remaining));
        if let Some(finished) = u32::try_from(finished).ok().filter(|finished| *finished > 0)
            && elapsed >= MIN_MEASURED_TIME
        {
            self.count_estimate.add_duration(elapsed.as_secs_f64() / f64::from(finished));
            self.countdown_start = Some((now, remaining));
        }
    }

    /// Ends a trial. A cached trial does not change the estimate.
    pub(crate) fn finish_trial(&mut self, description: &str, is_cached: bool, now: Instant) {
        if let Some(current_step) = self
            .current_step
            .as_mut()
            .filter(|current_step| current_step.description == description)
        {
            current_step.slow_reason = None;
        }
        if !is_cached {
            self.trial_estimate.add_duration(now.duration_since(self.last_trial_end).as_secs_f64());
        }
        self.last_trial_end = now;
    }

    /// Formats the line with at most `width` characters. If it is too long, the description of the step is truncated
    /// first.
    pub(crate) fn format(&self, now: Instant, width: usize) -> String {
        let Some(CurrentStep {
            description,
            remaining,
            slow_reason: if_slow,
            started: since,
            is_counted,
        }) = &self.current_step
        else {
            return String::new();
        };
        let estimate = if *is_counted { self.count_estimate } else { self.trial_estimate };
        let slow = if_slow.as_ref().filter(|_| estimate.is_slow(now.duration_since(*since)));
        let remaining_text = [
            format_remaining(*remaining, estimate),
            slow.map_or(String::new(), |why| format!("; {why}")),
        ]
        .concat();
        let step_width = width.saturating_sub(remaining_text.chars().count()).max(MIN_STEP_WIDTH);
        truncate(&[truncate(description, step_width), remaining_text].concat(), width)
    }
}

fn format_remaining(remaining: Option<usize>, estimate: TimeEstimate) -> String {
    let Some(remaining) = remaining.filter(|remaining| *remaining > 0) else {
        return String::new();
    };
    match estimate.remaining_time(remaining) {
        Some(time) => format!(" (about {remaining} more, {})", format_rough_duration(time)),
        None => format!(" (about {remaining} more)"),
    }
}

/// Formats an estimated duration.
fn format_rough_duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..10 => format!("{} s", seconds.max(1)),
        seconds @ ..90 => format!("{} s", (seconds + 2) / 5 * 5),
        seconds @ ..5400 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn started_trial(left: Option<usize>) -> (ProgressLine, Instant) {
        let now = Instant::now();
        let mut live = ProgressLine::new(now);
        let why = Some("everything is built once".to_owned());
        live.start_trial("good (v1.4)".to_owned(), left, why, now);
        (live, now)
    }

    #[test]
    fn line_shows_step_and_remaining_trials() {
        let (mut live, now) = started_trial(Some(5));
        assert_eq!(live.format(now, 80), "good (v1.4) (about 5 more)");
        live.finish_trial("good (v1.4)", false, now + 8 * SECOND);
        assert_eq!(live.format(now, 80), "good (v1.4) (about 5 more, 40 s)");
        assert_eq!(ProgressLine::new(now).format(now, 80), "");
        assert_eq!(started_trial(Some(0)).0.format(now, 80), "good (v1.4)");
    }

    #[test]
    fn estimate_accounts_for_parallel_trials() {
        let (mut live, now) = started_trial(Some(10));
        for second in 1..=20 {
            live.finish_trial("good (v1.4)", false, now + second * SECOND);
        }
        assert_eq!(live.format(now, 80), "good (v1.4) (about 10 more, 10 s)");
    }

    #[test]
    fn counted_work_is_estimated() {
        let now = Instant::now();
        let mut live = ProgressLine::new(now);
        live.show_count("1 schedule run".to_owned(), Some(1000), None, now);
        live.show_count("101 schedules run".to_owned(), Some(900), None, now + 10 * SECOND);
        assert_eq!(live.format(now, 80), "101 schedules run (about 900 more, 2 min)");
        live.show_count("comparing".to_owned(), Some(3000), None, now + 11 * SECOND);
        assert_eq!(live.format(now, 80), "comparing (about 3000 more)");
    }

    #[test]
    fn trials_and_counts_are_estimated_separately() {
        let (mut live, now) = started_trial(Some(3));
        live.finish_trial("good (v1.4)", false, now + 20 * SECOND);
        let count = |live: &mut ProgressLine, left: usize, second: u32| {
            live.show_count("schedules".to_owned(), Some(left), None, now + second * SECOND);
        };
        count(&mut live, 800, 20);
        assert_eq!(live.format(now + 20 * SECOND, 80), "schedules (about 800 more)");
        live.start_trial("fix-1.patch".to_owned(), Some(1), None, now + 21 * SECOND);
        live.finish_trial("fix-1.patch", false, now + 40 * SECOND);
        count(&mut live, 400, 40);
        assert_eq!(live.format(now + 40 * SECOND, 80), "schedules (about 400 more, 20 s)");
        live.start_trial("fix-2.patch".to_owned(), Some(1), None, now + 41 * SECOND);
        assert_eq!(live.format(now + 41 * SECOND, 80), "fix-2.patch (about 1 more, 20 s)");
    }

    #[test]
    fn no_estimate_before_a_trial_finishes() {
        let (mut live, now) = started_trial(Some(10));
        live.start_trial("second".to_owned(), Some(9), None, now + SECOND / 100);
        assert_eq!(live.format(now, 80), "second (about 9 more)");
        live.finish_trial("good (v1.4)", false, now + 4 * SECOND);
        assert_eq!(live.format(now, 80), "second (about 9 more, 35 s)");
    }

    #[test]
    fn slow_step_shows_reason() {
        let (live, now) = started_trial(None);
        assert_eq!(live.format(now + 3 * SECOND, 80), "good (v1.4)");
        assert_eq!(live.format(now + 12 * SECOND, 80), "good (v1.4); everything is built once");
    }

    #[test]
    fn new_stage_clears_current_step() {
        let (mut live, now) = started_trial(Some(5));
        live.start_stage(now + SECOND);
        assert_eq!(live.format(now + 20 * SECOND, 80), "");
    }

    #[test]
    fn finished_trial_is_not_shown_as_slow() {
        let (mut live, now) = started_trial(None);
        live.finish_trial("another", false, now + SECOND);
        assert_eq!(live.format(now + 12 * SECOND, 80), "good (v1.4); everything is built once");
        live.finish_trial("good (v1.4)", false, now + 2 * SECOND);
        assert_eq!(live.format(now + 40 * SECOND, 80), "good (v1.4)");
    }

    #[test]
    fn narrow_line_keeps_remaining_count() {
        let (live, now) = started_trial(Some(5));
        assert_eq!(live.format(now, 25), "good (v1.… (about 5 more)");
        assert_eq!(live.format(now, 12), "good (v1.… …");
    }

    #[test]
    fn estimated_times_are_rounded() {
        let formatted = [0, 7, 43, 100, 4000, 7300]
            .map(|seconds| format_rough_duration(Duration::from_secs(seconds)));
        assert_eq!(formatted, ["1 s", "7 s", "45 s", "2 min", "67 min", "2 h 1 min"]);
    }
}
