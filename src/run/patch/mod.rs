//! Patches of a run: regression check, minimisation and verification.

pub(crate) mod affected_tests;
pub(crate) mod fix_confirmation;
pub(crate) mod patch_applier;
pub(crate) mod patch_minimiser;
pub(crate) mod patch_source;
pub(crate) mod repair_context;
pub(crate) mod verification;
