//! Numeric ids of node kinds and fields in the grammar.

/// Id of a field; 0 for a child without one.
pub type FieldId = u16;

/// Id of a node kind.
pub type NodeKindId = u16;
