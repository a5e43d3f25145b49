//! Access patterns of schedules: ranking and description.

pub mod description;
pub mod ranking;
