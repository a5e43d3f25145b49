//! Types, by their texts in the table of a version.

/// A string's place in the table of a version; 0 is no string.
pub type TextId = usize;

/// A type: as it is written, and what is left of it at run time. Both are 0 where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeId {
    /// With its type arguments.
    pub parameterised: TextId,
    /// Without them.
    pub erased: TextId,
}
