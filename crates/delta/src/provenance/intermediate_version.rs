//! Versions between the old and the new one.

use mend_model::FileChange;

/// A version between the old and the new one.
#[derive(Clone, Debug)]
pub struct IntermediateVersion {
    /// Parents, the first parent of a merge first; at least one.
    pub parents: Vec<ParentVersion>,
}

/// A parent of a version, and the difference from it.
#[derive(Clone, Debug)]
pub struct ParentVersion {
    /// The earlier version.
    pub ancestor: Ancestor,
    /// The difference from the parent.
    pub changes: Vec<FileChange>,
}

/// An earlier version.
#[derive(Clone, Debug)]
pub enum Ancestor {
    /// An earlier step, by its number.
    Intermediate(usize),
    /// A version before all steps, as its difference from the old version.
    Outside(Vec<FileChange>),
}
