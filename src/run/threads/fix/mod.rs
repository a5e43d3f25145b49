//! Concurrency repair: diagnoses bugs with schedules, tries candidates and verifies fixes.

mod diagnosis_config;
mod fix_verifier;
pub(crate) mod repair;
mod source_files;
mod thread_usage;
mod trials;
