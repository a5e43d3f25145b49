//! Project models from the build tool itself.

mod download_monitor;
mod failed_goals;
mod generated_files;
mod generator_inputs;
mod maven_program;
mod maven_query;
mod maven_report;
mod model_cache;
mod tool_failure;
mod tool_model;

pub(crate) use failed_goals::FailedGoals;
pub(crate) use generator_inputs::hash_inputs;
pub(crate) use tool_failure::ToolFailure;
pub(crate) use tool_model::{nearest_model, read_with_tool};
