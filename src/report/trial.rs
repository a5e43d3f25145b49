//! `trials.jsonl`: what was tried, one line a trial.

use crate::model::Phase;
use serde::{Deserialize, Serialize};

/// One line of `trials.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialLine {
    /// The tree that was judged, in hexadecimal.
    pub variant: String,
    /// What that is, in words.
    pub what: String,
    /// `pass`, `fail`, `unresolved` or `flaky`.
    pub verdict: String,
    /// Where a variant without a verdict got stuck.
    pub phase: Option<Phase>,
    /// How much was done afresh.
    pub rung: String,
    /// What it took; nothing where it was known.
    pub milliseconds: u64,
    /// Whether the outcome was known from before.
    pub cached: bool,
    /// How many executions it was.
    pub runs: usize,
    /// The commit that was judged, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<TriedCommit>,
    /// Where the search in a change had got to, if it was one that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Standing>,
}

/// A commit, as trials name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedCommit {
    /// Its id.
    pub id: String,
    /// Name and address.
    pub author: String,
    /// The day.
    pub date: String,
    /// The first line of its message.
    pub summary: String,
    /// Its number among the commits that were searched, ancestors first, and how many these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<[usize; 2]>,
}

/// Where a search in a change has got to when it asks about a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// What is looked for.
    pub goal: Sought,
    /// How many components the part has: switched on for a culprit, off for a fix.
    pub tried: usize,
    /// How many are still suspected.
    pub suspected: usize,
    /// How many tokens these have.
    pub tokens: u64,
}

/// What a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sought {
    /// The minimal change that breaks good.
    Culprit,
    /// The minimal patch that mends bad.
    Fix,
}
