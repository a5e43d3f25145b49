//! A source file of the version with the bug.

use mend_java::Code;
use mend_model::RepoPath;

/// A file of the version to be fixed.
#[derive(Clone)]
pub struct SourceFile<'a> {
    /// Path of the file.
    pub path: RepoPath,
    /// Code of the file with compiler facts.
    pub code: Code<'a>,
    /// True for test code, which is edited only if the fault is in it.
    pub is_test: bool,
}
