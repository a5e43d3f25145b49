//! Project models from the build tool itself.

mod download_monitor;
mod failed_generators;
mod generated_files;
mod generator_inputs;
mod gradle_program;
mod gradle_query;
mod gradle_report;
mod incomplete_models;
mod library_repository;
mod library_repository_kind;
mod maven_program;
mod maven_query;
mod maven_report;
mod model_cache;
mod stored_model;
mod tool_failure;
mod tool_kind;
mod tool_model;
mod tool_report;
mod wrapper;

pub(crate) use failed_generators::FailedGenerators;
pub(crate) use generator_inputs::hash_inputs;
pub(crate) use incomplete_models::IncompleteModels;
pub use library_repository::LibraryRepository;
pub use library_repository_kind::RepositoryKind;
pub(crate) use tool_failure::ToolFailure;
pub(crate) use tool_kind::ToolKind;
pub(crate) use tool_model::{nearest_model, read_with_tool};
