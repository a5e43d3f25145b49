//! Candidates: their type, generation and ranking.

pub(crate) mod candidate;
pub(crate) mod edit_priors;
pub(crate) mod external_patch;
pub(crate) mod generate;
pub(crate) mod multi_location;
pub(crate) mod mutant_schema;
pub(crate) mod normalisation;
pub(crate) mod repair_input;
pub(crate) mod trial_order;
