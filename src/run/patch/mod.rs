//! Patches of a run: fault localisation, comparison of behaviour, regression check, minimisation and verification.

pub(crate) mod affected_tests;
pub(crate) mod apply_edits;
pub(crate) mod attributed_version;
pub(crate) mod behaviour_comparison;
pub(crate) mod confidence;
pub(crate) mod fault_localisation;
pub(crate) mod fix_confirmation;
mod instrumented_tree;
pub(crate) mod patch_applier;
pub(crate) mod patch_minimiser;
pub(crate) mod patch_source;
pub(crate) mod patched_file;
pub(crate) mod probe_run;
pub(crate) mod repair_context;
pub(crate) mod repair_target;
pub(crate) mod verification;
