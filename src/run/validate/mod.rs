//! Validation of a pool of patches.

mod behaviour_check;
mod command;
mod fix_writer;
mod patch_pool;
mod pool_baseline;
mod result;
mod schedule_check;
mod shard;
mod trials;

pub use command::{ValidateRequest, validate};
pub use shard::{plan_validation, validate_shard};
