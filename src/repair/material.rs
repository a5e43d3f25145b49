//! The sources that candidates are made of.

use super::code::Code;
use crate::model::RepoPath;

/// The files that repairs are made of.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// Those that are to be repaired.
    pub main: &'a [(RepoPath, Code<'a>)],
    /// The same of a version that passes, if one is known.
    pub good: &'a [(RepoPath, Code<'a>)],
}
