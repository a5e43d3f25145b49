//! What a run tells while it works; nothing below the console prints.

use super::Verdict;

/// One thing worth telling.
#[derive(Clone, Debug)]
pub enum Event {
    /// A part of the work begins.
    Stage(String),
    /// Something the user should know, said once.
    Note(String),
    /// Something is about to be tried.
    Trying {
        /// In a few words.
        what: String,
        /// About how many more trials this part needs, if that can be said.
        left: Option<usize>,
        /// What there is to say if it takes long.
        if_slow: Option<String>,
    },
    /// Something is going on of which nobody tells when each part of it ends.
    Counting {
        /// In a few words.
        what: String,
        /// How many parts are left, if that can be said.
        left: Option<usize>,
        /// What there is to say if it takes long.
        if_slow: Option<String>,
    },
    /// Something was tried.
    Tried {
        /// In a few words.
        what: String,
        /// What came out.
        verdict: Verdict,
        /// Whether the outcome was known from before.
        cached: bool,
        /// How long it took, in seconds.
        seconds: f64,
    },
}

/// Whoever listens to a run.
pub trait Progress: Send + Sync {
    /// Takes one event; called from several threads.
    fn event(&self, event: Event);
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn event(&self, _: Event) {}
}
