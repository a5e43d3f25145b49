//! What a compiler refuses, and where.

use crate::model::RepoPath;
use std::fmt;

/// One error of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file; empty if it is none of the sources.
    pub path: RepoPath,
    /// From 1.
    pub line: usize,
    /// The byte of the file that the compiler points at.
    pub byte: usize,
    /// In the compiler's words.
    pub message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}
