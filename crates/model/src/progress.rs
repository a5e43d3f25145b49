//! Progress events of a run. Only the console prints them.

use super::Verdict;

/// Progress event.
#[derive(Clone, Debug)]
pub enum Event {
    /// A stage of the work begins.
    Stage(String),
    /// Note for the user.
    Note(String),
    /// A trial begins.
    Trying {
        /// Short description.
        what: String,
        /// Estimated number of remaining trials, if known.
        left: Option<usize>,
        /// Explanation if it takes long.
        if_slow: Option<String>,
    },
    /// A batch of trials is running whose single results are not reported.
    Counting {
        /// Short description.
        what: String,
        /// Number of remaining parts, if known.
        left: Option<usize>,
        /// Explanation if it takes long.
        if_slow: Option<String>,
    },
    /// A trial ended.
    Tried {
        /// Short description.
        what: String,
        /// Its verdict.
        verdict: Verdict,
        /// True if the result was cached.
        cached: bool,
        /// Its duration, in seconds.
        seconds: f64,
    },
}

/// Listener of progress events.
pub trait Progress: Send + Sync {
    /// Handles one event; called from several threads.
    fn event(&self, event: Event);
}

/// Listener that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn event(&self, _: Event) {}
}
