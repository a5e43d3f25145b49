//! Types of `trials.jsonl`, which has one line per trial.

use mend_model::Phase;
use serde::{Deserialize, Serialize};

/// Line of `trials.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialLine {
    /// Tree id of the variant, in hexadecimal.
    pub variant: String,
    /// Description of the variant.
    pub what: String,
    /// `pass`, `fail`, `unresolved` or `flaky`.
    pub verdict: String,
    /// Phase in which the variant became unresolved.
    pub phase: Option<Phase>,
    /// Execution mode, from identical classes to a clean build.
    #[serde(rename = "rung")]
    pub execution_mode: String,
    /// Duration; 0 if cached.
    pub milliseconds: u64,
    /// True if the result was cached.
    pub cached: bool,
    /// Number of test runs.
    pub runs: usize,
    /// Tested commit, if the variant is a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<TestedCommit>,
    /// Progress of the search, if a search tried the variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchProgress>,
}

/// Commit of a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestedCommit {
    /// Commit id.
    pub id: String,
    /// Name and email address.
    pub author: String,
    /// Date of the commit.
    pub date: String,
    /// First line of the commit message.
    pub summary: String,
    /// Position among the searched commits, ancestors first, and the number of these commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[usize; 2]>,
}

/// Progress of a search when it tries a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchProgress {
    /// Goal of the search.
    pub goal: SearchGoal,
    /// Number of components in the variant: applied for a culprit, reverted for a fix.
    pub tried: usize,
    /// Number of components that are still suspected.
    pub suspected: usize,
    /// Number of tokens in these components.
    pub tokens: u64,
}

/// Goal of a search within a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchGoal {
    /// Minimal change that breaks good.
    Culprit,
    /// Minimal fix of bad.
    Fix,
}
