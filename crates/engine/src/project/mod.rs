//! Project model of a Java project, read from its build files without running a build tool.

mod batches;
mod build_files;
mod build_kind;
pub(crate) mod dependencies;
pub(crate) mod gradle;
pub(crate) mod maven;
mod module;
mod options;
mod parsed_build;
mod placeholders;
mod plain_folders;
mod project_model;
mod project_model_file;
mod relevant_arguments;
mod resource_folder;
mod unique;

pub use crate::project::dependencies::local_repositories::LocalRepositories;
pub use crate::project::maven::settings::MavenSettings;
pub use crate::project::project_model_file::ProjectModelFile;
pub use crate::project::resource_folder::{FilterValues, ResourceFolder};
pub use batches::Batch;
pub use build_kind::BuildKind;
pub use module::Module;
pub use options::ProjectOptions;
pub use project_model::Project;

pub(super) use batches::parse_jar_name;
pub(super) use build_files::{hash_build_files, is_build_file};
pub(super) use module::find_java_files;
