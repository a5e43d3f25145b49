//! Sources of both versions in which refactorings are detected.

pub(crate) mod file_outline;
pub(crate) mod name_resolution;
pub(crate) mod token_pairing;
pub(crate) mod token_range;
pub(crate) mod type_hierarchy;
pub(crate) mod versioned_sources;
