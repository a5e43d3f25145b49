//! Concurrency repair: diagnoses bugs with schedules, tries candidates and verifies fixes.

mod diagnosis_config;
mod fix_verifier;
mod independent_candidates;
mod passing_candidate;
mod patch_trials;
pub(crate) mod repair;
mod schedule_failure;
mod source_files;
mod trials;
