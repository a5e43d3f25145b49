//! Progress events of a run. Only the console prints them.

use super::Verdict;

/// Progress event.
#[derive(Clone, Debug)]
pub enum ProgressEvent {
    /// A stage of the work begins.
    Stage(String),
    /// Note for the user.
    Note(String),
    /// A trial begins.
    TrialStarted {
        /// Short description.
        what: String,
        /// Estimated number of remaining trials, if known.
        left: Option<usize>,
        /// Explanation if it takes long.
        if_slow: Option<String>,
    },
    /// A batch of trials is running whose single results are not reported.
    BatchProgress {
        /// Short description.
        what: String,
        /// Number of remaining parts, if known.
        left: Option<usize>,
        /// Explanation if it takes long.
        if_slow: Option<String>,
    },
    /// A trial ended.
    TrialFinished {
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
pub trait ProgressListener: Send + Sync {
    /// Handles one event; called from several threads.
    fn event(&self, event: ProgressEvent);
}

/// Listener that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl ProgressListener for NoProgress {
    fn event(&self, _: ProgressEvent) {}
}
