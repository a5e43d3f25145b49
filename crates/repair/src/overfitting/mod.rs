//! Signs of overfitting: empty blocks, constant results and skipped effects.

pub(crate) mod constant_result;
pub(crate) mod empty_blocks;
pub(crate) mod skipped_effects;
