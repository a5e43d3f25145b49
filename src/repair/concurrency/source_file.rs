//! A source file of the version with the bug.

use crate::model::RepoPath;
use crate::repair::code::Code;

/// A file of the version that is to be mended.
#[derive(Clone)]
pub struct SourceFile<'a> {
    /// Where it is.
    pub path: RepoPath,
    /// What the compiler knows of it.
    pub code: Code<'a>,
    /// Whether it is test code, which is changed only where the fault is in it.
    pub is_test: bool,
}
