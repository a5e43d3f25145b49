//! Results of schedule exploration: interleavings and statistics.

pub(crate) mod interleaving;
pub(crate) mod result;
