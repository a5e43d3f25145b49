//! The versions between the old and the new one.

use mend_model::FileChange;

/// A version on the way from the old to the new one.
#[derive(Clone, Debug)]
pub struct IntermediateVersion {
    /// The parents, the most important first; at least one.
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
    /// A version before all steps, by how it differs from the old one.
    Outside(Vec<FileChange>),
}
