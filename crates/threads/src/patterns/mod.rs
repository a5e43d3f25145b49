//! Bug patterns of schedules: their ranking and description.

pub mod description;
pub mod ranking;
