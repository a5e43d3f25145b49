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
        description: String,
        /// Estimated number of remaining trials, if known.
        remaining: Option<usize>,
        /// Explanation if it takes long.
        slow_hint: Option<String>,
    },
    /// A batch of trials is running whose single results are not reported.
    BatchProgress {
        /// Short description.
        description: String,
        /// Number of remaining parts, if known.
        remaining: Option<usize>,
        /// Explanation if it takes long.
        slow_hint: Option<String>,
    },
    /// A trial ended.
    TrialFinished {
        /// Short description.
        description: String,
        /// Its verdict.
        verdict: Verdict,
        /// True if the result was cached.
        is_cached: bool,
        /// Its duration, in seconds.
        seconds: f64,
    },
}

impl ProgressEvent {
    /// Returns the text of the event, such as the description of a trial.
    pub fn text_mut(&mut self) -> &mut String {
        match self {
            Self::Stage(text) | Self::Note(text) => text,
            Self::TrialStarted { description, .. }
            | Self::BatchProgress { description, .. }
            | Self::TrialFinished { description, .. } => description,
        }
    }
}

/// Listener of progress events.
pub trait ProgressListener: Send + Sync {
    /// Handles one event; called from several threads.
    fn handle(&self, event: ProgressEvent);
}

/// Listener that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl ProgressListener for NoProgress {
    fn handle(&self, _: ProgressEvent) {}
}
