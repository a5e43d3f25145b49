//! Numbers of the grammar for kinds of nodes and for fields.

/// The grammar's number of a field; 0 for a child without one.
pub type FieldId = u16;

/// The grammar's number of a kind of node.
pub type NodeKindId = u16;
