//! Cache of outcomes, and the keys of its entries.

pub(crate) mod class_file;
pub(crate) mod digest;
pub(crate) mod fingerprint;
pub(crate) mod outcome_cache;
