//! Matching of the nodes of two versions of a Java file.

pub(in crate::delta) mod align;
mod bag;
pub(in crate::delta) mod items;
mod moves;
pub(in crate::delta) mod plan;
pub(in crate::delta) mod portions;
mod sequence;
mod shells;
pub(in crate::delta) mod sides;
pub(in crate::delta) mod signature;
pub(in crate::delta) mod travel;
