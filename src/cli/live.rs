//! The line that moves while a run works: what is asked, what is left, and why it takes long where it does.

use super::estimate::Estimate;
use crate::model::cut;
use std::time::{Duration, Instant};

/// What the line is made of.
#[derive(Debug)]
pub(super) struct Live {
    estimate: Estimate,
    asked: Option<Asked>,
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
    pub(super) fn new() -> Self {
        Self { estimate: Estimate::default(), asked: None }
    }

    /// Something is about to be tried.
    pub(super) fn trying(
        &mut self,
        what: String,
        left: Option<usize>,
        if_slow: Option<String>,
        since: Instant,
    ) {
        self.asked = Some(Asked { what, left, if_slow, since });
    }

    /// Something was tried.
    pub(super) fn tried(&mut self, seconds: f64) {
        self.estimate.learn(seconds);
    }

    /// The line as it stands now, of at most so many characters.
    pub(super) fn line(&self, now: Instant, width: usize) -> String {
        let Some(Asked { what, left, if_slow, since }) = &self.asked else { return String::new() };
        let slow = if_slow.as_ref().filter(|_| self.estimate.is_slow(now.duration_since(*since)));
        let slow = slow.map_or(String::new(), |why| format!("; slow: {why}"));
        let line = format!("{what}{}{slow}", self.rest(*left));
        cut(&line, width)
    }

    fn rest(&self, left: Option<usize>) -> String {
        let Some(left) = left else { return String::new() };
        match self.estimate.of(left).filter(|_| left > 0) {
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

    fn asked(left: Option<usize>) -> (Live, Instant) {
        let (mut live, now) = (Live::new(), Instant::now());
        let why = Some("the first build compiles everything".to_owned());
        live.trying("good (v1.4)".to_owned(), left, why, now);
        (live, now)
    }

    #[test]
    fn what_is_asked_and_what_is_left_stand_in_one_line() {
        let (mut live, now) = asked(Some(5));
        assert_eq!(live.line(now, 80), "good (v1.4) (about 5 more)");
        live.tried(8.0);
        assert_eq!(live.line(now, 80), "good (v1.4) (about 5 more, 40 s)");
        assert_eq!(Live::new().line(now, 80), "");
    }

    #[test]
    fn a_slow_step_says_why() {
        let (live, now) = asked(None);
        assert_eq!(live.line(now + Duration::from_secs(3), 80), "good (v1.4)");
        let later = live.line(now + Duration::from_secs(12), 80);
        assert_eq!(later, "good (v1.4); slow: the first build compiles everything");
    }

    #[test]
    fn the_line_fits_the_screen() {
        let (live, now) = asked(Some(5));
        assert_eq!(live.line(now, 12), "good (v1.4)…");
    }

    #[test]
    fn guesses_are_round() {
        let told = [0, 7, 43, 100, 4000, 7300].map(|seconds| roughly(Duration::from_secs(seconds)));
        assert_eq!(told, ["1 s", "7 s", "45 s", "2 min", "67 min", "2 h 1 min"]);
    }
}
