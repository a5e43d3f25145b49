//! Access patterns of schedules: ranking and description.

pub mod description;
mod operations;
pub mod ranking;
pub mod roles;
