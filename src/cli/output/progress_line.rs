//! Progress line: the current step, the remaining steps, and the reason if a step is slow.

use crate::cli::output::time_estimate::TimeEstimate;
use mend_model::cut;
use std::time::{Duration, Instant};

/// Minimum number of characters shown of the current step.
const LEAST_WHAT: usize = 10;

/// Shortest measurement of a countdown that is used for the estimate.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// State of the progress line.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    /// Estimates for trials and for counted work such as schedules.
    trials: TimeEstimate,
    counts: TimeEstimate,
    asked: Option<CurrentStep>,
    /// End of the last trial, or start of the stage. Trials may run in parallel, so the time between ends is measured.
    last: Instant,
    /// Start of the current countdown, and its remaining number then.
    counted: Option<(Instant, usize)>,
}

/// Current step.
#[derive(Debug)]
struct CurrentStep {
    what: String,
    left: Option<usize>,
    if_slow: Option<String>,
    since: Instant,
    is_counted: bool,
}

impl ProgressLine {
    /// Creates an empty line.
    pub(crate) fn new(now: Instant) -> Self {
        let (trials, counts) = (TimeEstimate::default(), TimeEstimate::default());
        Self { trials, counts, asked: None, last: now, counted: None }
    }

    /// Starts a stage, without a current step.
    pub(crate) fn stage(&mut self, now: Instant) {
        self.asked = None;
        self.last = now;
        self.counted = None;
    }

    /// Starts a trial.
    pub(crate) fn trying(
        &mut self,
        what: String,
        left: Option<usize>,
        if_slow: Option<String>,
        now: Instant,
    ) {
        self.asked = Some(CurrentStep { what, left, if_slow, since: now, is_counted: false });
    }

    /// Shows work that is counted in batches.
    pub(crate) fn counting(
        &mut self,
        what: String,
        left: Option<usize>,
        if_slow: Option<String>,
        now: Instant,
    ) {
        self.count(left, now);
        self.asked = Some(CurrentStep { what, left, if_slow, since: now, is_counted: true });
    }

    /// Updates the estimate from the decrease of `left`. An increase starts a new countdown, because the work changed.
    fn count(&mut self, left: Option<usize>, now: Instant) {
        let Some(left) = left else { return };
        let Some((since, before)) = self.counted.filter(|(_, before)| left <= *before) else {
            self.counts = TimeEstimate::default();
            self.counted = Some((now, left));
            return;
        };
        let (taken, ended) = (now.duration_since(since), before.saturating_sub(left));
        if let Some(ended) = u32::try_from(ended).ok().filter(|ended| *ended > 0)
            && taken >= LEAST_TIME
        {
            self.counts.learn(taken.as_secs_f64() / f64::from(ended));
            self.counted = Some((now, left));
        }
    }

    /// Ends a trial; a cached one does not change the estimate.
    pub(crate) fn tried(&mut self, what: &str, is_known: bool, now: Instant) {
        if let Some(asked) = self.asked.as_mut().filter(|asked| asked.what == what) {
            asked.if_slow = None;
        }
        if !is_known {
            self.trials.learn(now.duration_since(self.last).as_secs_f64());
        }
        self.last = now;
    }

    /// Formats the line with at most `width` characters; the description of the step is cut first.
    pub(crate) fn line(&self, now: Instant, width: usize) -> String {
        let Some(CurrentStep { what, left, if_slow, since, is_counted }) = &self.asked else {
            return String::new();
        };
        let estimate = if *is_counted { self.counts } else { self.trials };
        let slow = if_slow.as_ref().filter(|_| estimate.is_slow(now.duration_since(*since)));
        let rest =
            [rest(*left, estimate), slow.map_or(String::new(), |why| format!("; {why}"))].concat();
        let room = width.saturating_sub(rest.chars().count()).max(LEAST_WHAT);
        cut(&[cut(what, room), rest].concat(), width)
    }
}

fn rest(left: Option<usize>, estimate: TimeEstimate) -> String {
    let Some(left) = left.filter(|left| *left > 0) else { return String::new() };
    match estimate.remaining_time(left) {
        Some(time) => format!(" (about {left} more, {})", roughly(time)),
        None => format!(" (about {left} more)"),
    }
}

/// Formats an estimated time.
fn roughly(time: Duration) -> String {
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
        live.trying("good (v1.4)".to_owned(), left, why, now);
        (live, now)
    }

    #[test]
    fn what_is_asked_and_what_is_left_stand_in_one_line() {
        let (mut live, now) = started_trial(Some(5));
        assert_eq!(live.line(now, 80), "good (v1.4) (about 5 more)");
        live.tried("good (v1.4)", false, now + 8 * SECOND);
        assert_eq!(live.line(now, 80), "good (v1.4) (about 5 more, 40 s)");
        assert_eq!(ProgressLine::new(now).line(now, 80), "");
        assert_eq!(started_trial(Some(0)).0.line(now, 80), "good (v1.4)");
    }

    #[test]
    fn trials_beside_each_other_count_by_how_soon_they_follow() {
        let (mut live, now) = started_trial(Some(10));
        for second in 1..=20 {
            live.tried("good (v1.4)", false, now + second * SECOND);
        }
        assert_eq!(live.line(now, 80), "good (v1.4) (about 10 more, 10 s)");
    }

    #[test]
    fn what_is_only_counted_gives_an_estimate_too() {
        let now = Instant::now();
        let mut live = ProgressLine::new(now);
        live.counting("1 schedule run".to_owned(), Some(1000), None, now);
        live.counting("101 schedules run".to_owned(), Some(900), None, now + 10 * SECOND);
        assert_eq!(live.line(now, 80), "101 schedules run (about 900 more, 2 min)");
        live.counting("comparing".to_owned(), Some(3000), None, now + 11 * SECOND);
        assert_eq!(live.line(now, 80), "comparing (about 3000 more)");
    }

    #[test]
    fn trials_and_what_is_counted_beside_them_have_their_own_estimates() {
        let (mut live, now) = started_trial(Some(3));
        live.tried("good (v1.4)", false, now + 20 * SECOND);
        let count = |live: &mut ProgressLine, left: usize, second: u32| {
            live.counting("schedules".to_owned(), Some(left), None, now + second * SECOND);
        };
        count(&mut live, 800, 20);
        assert_eq!(live.line(now + 20 * SECOND, 80), "schedules (about 800 more)");
        live.trying("fix-1.patch".to_owned(), Some(1), None, now + 21 * SECOND);
        live.tried("fix-1.patch", false, now + 40 * SECOND);
        count(&mut live, 400, 40);
        assert_eq!(live.line(now + 40 * SECOND, 80), "schedules (about 400 more, 20 s)");
        live.trying("fix-2.patch".to_owned(), Some(1), None, now + 41 * SECOND);
        assert_eq!(live.line(now + 41 * SECOND, 80), "fix-2.patch (about 1 more, 20 s)");
    }

    #[test]
    fn trials_that_begin_beside_each_other_say_nothing_yet() {
        let (mut live, now) = started_trial(Some(10));
        live.trying("second".to_owned(), Some(9), None, now + SECOND / 100);
        assert_eq!(live.line(now, 80), "second (about 9 more)");
        live.tried("good (v1.4)", false, now + 4 * SECOND);
        assert_eq!(live.line(now, 80), "second (about 9 more, 35 s)");
    }

    #[test]
    fn a_slow_step_says_why() {
        let (live, now) = started_trial(None);
        assert_eq!(live.line(now + 3 * SECOND, 80), "good (v1.4)");
        assert_eq!(live.line(now + 12 * SECOND, 80), "good (v1.4); everything is built once");
    }

    #[test]
    fn a_stage_without_trials_shows_no_earlier_trial() {
        let (mut live, now) = started_trial(Some(5));
        live.stage(now + SECOND);
        assert_eq!(live.line(now + 20 * SECOND, 80), "");
    }

    #[test]
    fn what_is_over_is_not_slow_and_what_runs_beside_it_may_be() {
        let (mut live, now) = started_trial(None);
        live.tried("another", false, now + SECOND);
        assert_eq!(live.line(now + 12 * SECOND, 80), "good (v1.4); everything is built once");
        live.tried("good (v1.4)", false, now + 2 * SECOND);
        assert_eq!(live.line(now + 40 * SECOND, 80), "good (v1.4)");
    }

    #[test]
    fn on_a_narrow_screen_the_remaining_number_is_kept() {
        let (live, now) = started_trial(Some(5));
        assert_eq!(live.line(now, 25), "good (v1.… (about 5 more)");
        assert_eq!(live.line(now, 12), "good (v1.… …");
    }

    #[test]
    fn guesses_are_round() {
        let told = [0, 7, 43, 100, 4000, 7300].map(|seconds| roughly(Duration::from_secs(seconds)));
        assert_eq!(told, ["1 s", "7 s", "45 s", "2 min", "67 min", "2 h 1 min"]);
    }
}
