//! Source file of the version to be fixed.

use mend_java::Code;
use mend_model::RepoPath;

/// Source file of the version to be fixed.
#[derive(Clone)]
pub struct SourceFile<'a> {
    /// Path of the file.
    pub path: RepoPath,
    /// Code of the file with compiler facts.
    pub code: Code<'a>,
    /// True for test code, which is edited only to wait for threads or tasks.
    pub is_test: bool,
}
