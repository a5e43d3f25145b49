//! `values.json`: the values on which repairs rest.

use crate::repair::TermValues;
use serde::{Deserialize, Serialize};

/// What tests found before the statement that a repair changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenValues {
    /// The repair's file in the run folder.
    pub patch: String,
    /// The file of the statement.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// How many failing tests came by.
    pub failing: usize,
    /// How many passing ones.
    pub passing: usize,
    /// What was looked at, what decides first.
    pub terms: Vec<TermValues>,
}
