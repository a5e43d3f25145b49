//! Merged text of both versions, from which any subset of hunks is rendered.

pub(crate) mod variant_template;
pub(crate) mod versioned_range;
