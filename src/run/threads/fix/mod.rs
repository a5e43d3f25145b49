//! Concurrency repair: schedules show the bug, and schedules verify each candidate.

mod diagnosis_config;
mod fix_verifier;
pub(crate) mod repair;
mod source_files;
mod thread_usage;
mod trials;
