//! Signs of overfitting: avoided checks, removed failures, empty blocks, constant results and skipped effects.

pub(crate) mod classifier;
pub(crate) mod constant_result;
pub(crate) mod empty_blocks;
pub(crate) mod patch_edits;
pub(crate) mod skipped_effects;
