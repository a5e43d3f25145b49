//! Project model of a Java project, read from its build files without running a build tool.

mod batches;
mod build_files;
mod build_kind;
mod dependency;
mod found;
mod gradle;
mod gradle_script;
mod javac_arguments;
mod libraries;
mod local_repositories;
mod maven;
mod maven_processors;
mod maven_resources;
mod maven_settings;
mod module;
mod options;
mod placeholders;
mod plain;
mod pom;
mod pom_model;
mod profiles;
mod project_model;
mod recorded;
mod resources;
mod unique;
mod version;

pub use batches::Batch;
pub use build_kind::Build;
pub use local_repositories::LocalRepositories;
pub use maven_settings::MavenSettings;
pub use module::Module;
pub use options::ProjectOptions;
pub use project_model::Project;
pub use recorded::Recorded;
pub use resources::{Resources, Values};

pub(super) use build_files::{build_files_hash, is_build_file};
pub(super) use module::java_files;
