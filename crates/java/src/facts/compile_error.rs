//! Compile errors and their positions.

use mend_model::RepoPath;
use std::fmt;

/// One error of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The file; empty if it is none of the sources.
    pub path: RepoPath,
    /// From 1.
    pub line: usize,
    /// The byte of the file that the compiler points at.
    pub byte: usize,
    /// The compiler's name for this kind of error, such as `compiler.err.unreachable.stmt`.
    pub code: String,
    /// In the compiler's words.
    pub message: String,
}

/// Errors that only the order of statements in a routine can cause.
const FLOW_ERROR_CODES: [&str; 5] =
    ["unreachable", "missing.ret", "might.not", "might.already", "complete.normally"];

impl CompileError {
    /// Returns true if the error concerns only control flow: code outside the routine cannot cause it.
    pub fn is_flow_error(&self) -> bool {
        FLOW_ERROR_CODES.iter().any(|part| self.code.contains(part))
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}
