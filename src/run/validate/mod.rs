//! Validation of a pool of patches.

mod behaviour_check;
mod command;
mod fix_writer;
mod patch_pool;
mod result;
mod schedule_check;
mod trials;

pub use command::{ValidateRequest, validate};
