//! Compile errors and their positions.

use mend_model::RepoPath;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One error of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileError {
    /// The file; empty if the error is not in a source file.
    pub path: RepoPath,
    /// Line, from 1.
    pub line: usize,
    /// Byte offset in the file.
    pub byte: usize,
    /// Error key of the compiler, such as `compiler.err.unreachable.stmt`.
    pub code: String,
    /// Message of the compiler.
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
