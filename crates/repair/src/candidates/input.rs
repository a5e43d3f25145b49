//! The sources that candidates are made of.

use mend_java::Code;
use mend_model::RepoPath;

/// The files that repairs are made of.
#[derive(Clone, Copy)]
pub struct RepairInput<'a> {
    /// Files to be repaired.
    pub main: &'a [(RepoPath, Code<'a>)],
    /// Files of a passing version, if one is known.
    pub passing_version: &'a [(RepoPath, Code<'a>)],
}
