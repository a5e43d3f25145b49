//! Source files from which candidates are generated.

use mend_java::Code;
use mend_model::RepoPath;

/// Source files from which candidates are generated.
#[derive(Clone, Copy)]
pub struct RepairInput<'a> {
    /// Files to be repaired.
    pub main: &'a [(RepoPath, Code<'a>)],
    /// Files of a passing version, if one is known.
    pub passing_version: &'a [(RepoPath, Code<'a>)],
}
