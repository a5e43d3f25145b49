//! Ids of types and texts in the table of a version.

/// Index of a text in the table of a version; 0 stands for none.
pub type TextId = usize;

/// A type with and without type arguments; both are 0 if it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeId {
    /// Type with its type arguments.
    pub parameterised: TextId,
    /// Erased type.
    pub erased: TextId,
}
