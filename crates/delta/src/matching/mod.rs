//! Matching of the nodes of two versions of a Java file.

pub(crate) mod align;
mod bag;
pub(crate) mod items;
mod moves;
pub(crate) mod plan;
pub(crate) mod portions;
mod sequence;
mod shells;
pub(crate) mod sides;
pub(crate) mod signature;
pub(crate) mod travel;
