//! Candidates: their type, generation and ranking.

pub(crate) mod candidate;
pub(crate) mod generate;
pub(crate) mod input;
pub(crate) mod multi_location;
pub(crate) mod normalisation;
