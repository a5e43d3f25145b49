//! The line that moves while a run works: what is asked, what is left, and why it takes long where it does.

use super::estimate::Estimate;
use crate::model::cut;
use std::time::{Duration, Instant};

/// So much of what is asked is always shown, in characters.
const LEAST_WHAT: usize = 10;

/// Counting down for less than this says nothing.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// What the line is made of.
#[derive(Debug)]
pub(super) struct Live {
    estimate: Estimate,
    asked: Option<Asked>,
    /// When a trial ended last, or a part of the work began: several trials may run beside each other, and what counts
    /// is how soon one follows the other.
    last: Instant,
    /// Since when and from how many on what is left was counted down without a word of single trials.
    counting: Option<(Instant, usize)>,
}

/// What is being tried.
#[derive(Debug)]
struct Asked {
    what: String,
    left: Option<usize>,
    if_slow: Option<String>,
    since: Instant,
}

impl Live {
    /// Nothing yet.
    pub(super) fn new(now: Instant) -> Self {
        Self { estimate: Estimate::default(), asked: None, last: now, counting: None }
    }

    /// A part of the work begins, and nothing of it is asked yet.
    pub(super) fn stage(&mut self, now: Instant) {
        self.asked = None;
        self.last = now;
        self.counting = None;
    }

    /// Something is about to be tried. Where nobody tells of single trials, those are counted that are no longer left.
    pub(super) fn trying(
        &mut self,
        what: String,
        left: Option<usize>,
        if_slow: Option<String>,
        now: Instant,
    ) {
        self.count(left, now);
        self.asked = Some(Asked { what, left, if_slow, since: now });
    }

    /// Learns from what is no longer left, once that says something: trials that begin beside each other say nothing.
    fn count(&mut self, left: Option<usize>, now: Instant) {
        let Some(left) = left else { return };
        let (since, before) = *self.counting.get_or_insert((now, left));
        let (taken, ended) = (now.duration_since(since), before.saturating_sub(left));
        if let Some(ended) = u32::try_from(ended).ok().filter(|ended| *ended > 0)
            && taken >= LEAST_TIME
        {
            self.estimate.learn(taken.as_secs_f64() / f64::from(ended));
            self.counting = Some((now, left));
        }
    }

    /// Something was tried, or its outcome was known: whatever takes long from now on is not that.
    pub(super) fn tried(&mut self, what: &str, is_known: bool, now: Instant) {
        if let Some(asked) = self.asked.as_mut().filter(|asked| asked.what == what) {
            asked.if_slow = None;
        }
        if !is_known {
            self.estimate.learn(now.duration_since(self.last).as_secs_f64());
        }
        self.last = now;
        self.counting = None;
    }

    /// The line as it stands now, of at most so many characters: what is asked loses its end first.
    pub(super) fn line(&self, now: Instant, width: usize) -> String {
        let Some(Asked { what, left, if_slow, since }) = &self.asked else { return String::new() };
        let slow = if_slow.as_ref().filter(|_| self.estimate.is_slow(now.duration_since(*since)));
        let rest =
            [self.rest(*left), slow.map_or(String::new(), |why| format!("; {why}"))].concat();
        let room = width.saturating_sub(rest.chars().count()).max(LEAST_WHAT);
        cut(&[cut(what, room), rest].concat(), width)
    }

    fn rest(&self, left: Option<usize>) -> String {
        let Some(left) = left.filter(|left| *left > 0) else { return String::new() };
        match self.estimate.of(left) {
            Some(time) => format!(" (about {left} more, {})", roughly(time)),
            None => format!(" (about {left} more)"),
        }
    }
}

/// A time that is a guess.
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

    fn asked(left: Option<usize>) -> (Live, Instant) {
        let now = Instant::now();
        let mut live = Live::new(now);
        let why = Some("everything is built once".to_owned());
        live.trying("good (v1.4)".to_owned(), left, why, now);
        (live, now)
    }

    #[test]
    fn what_is_asked_and_what_is_left_stand_in_one_line() {
        let (mut live, now) = asked(Some(5));
        assert_eq!(live.line(now, 80), "good (v1.4) (about 5 more)");
        live.tried("good (v1.4)", false, now + 8 * SECOND);
        assert_eq!(live.line(now, 80), "good (v1.4) (about 5 more, 40 s)");
        assert_eq!(Live::new(now).line(now, 80), "");
        assert_eq!(asked(Some(0)).0.line(now, 80), "good (v1.4)");
    }

    #[test]
    fn trials_beside_each_other_count_by_how_soon_they_follow() {
        let (mut live, now) = asked(Some(10));
        for second in 1..=20 {
            live.tried("good (v1.4)", false, now + second * SECOND);
        }
        assert_eq!(live.line(now, 80), "good (v1.4) (about 10 more, 10 s)");
    }

    #[test]
    fn what_is_only_counted_gives_an_estimate_too() {
        let (mut live, now) = asked(Some(1000));
        live.trying("100 schedules run".to_owned(), Some(900), None, now + 10 * SECOND);
        assert_eq!(live.line(now, 80), "100 schedules run (about 900 more, 2 min)");
    }

    #[test]
    fn trials_that_begin_beside_each_other_say_nothing_yet() {
        let (mut live, now) = asked(Some(10));
        live.trying("second".to_owned(), Some(9), None, now + SECOND / 100);
        assert_eq!(live.line(now, 80), "second (about 9 more)");
        live.tried("good (v1.4)", false, now + 4 * SECOND);
        assert_eq!(live.line(now, 80), "second (about 9 more, 35 s)");
    }

    #[test]
    fn a_slow_step_says_why() {
        let (live, now) = asked(None);
        assert_eq!(live.line(now + 3 * SECOND, 80), "good (v1.4)");
        assert_eq!(live.line(now + 12 * SECOND, 80), "good (v1.4); everything is built once");
    }

    #[test]
    fn a_stage_without_trials_shows_none_that_is_over() {
        let (mut live, now) = asked(Some(5));
        live.stage(now + SECOND);
        assert_eq!(live.line(now + 20 * SECOND, 80), "");
    }

    #[test]
    fn what_is_over_is_not_slow_and_what_runs_beside_it_may_be() {
        let (mut live, now) = asked(None);
        live.tried("another", false, now + SECOND);
        assert_eq!(live.line(now + 12 * SECOND, 80), "good (v1.4); everything is built once");
        live.tried("good (v1.4)", false, now + 2 * SECOND);
        assert_eq!(live.line(now + 40 * SECOND, 80), "good (v1.4)");
    }

    #[test]
    fn on_a_narrow_screen_what_is_left_stays() {
        let (live, now) = asked(Some(5));
        assert_eq!(live.line(now, 25), "good (v1.… (about 5 more)");
        assert_eq!(live.line(now, 12), "good (v1.… …");
    }

    #[test]
    fn guesses_are_round() {
        let told = [0, 7, 43, 100, 4000, 7300].map(|seconds| roughly(Duration::from_secs(seconds)));
        assert_eq!(told, ["1 s", "7 s", "45 s", "2 min", "67 min", "2 h 1 min"]);
    }
}
