//! Project model of a Java project, from its build tool or from its build files.

mod batches;
mod build_files;
mod build_folder;
mod build_kind;
mod build_overrides;
mod build_tool;
mod declared_report_folder;
pub(crate) mod dependencies;
pub(crate) mod gradle;
mod language_level;
pub(crate) mod library_versions;
pub(crate) mod maven;
mod model_source;
mod module;
mod needed_modules;
mod options;
mod parsed_build;
mod path_patterns;
mod placeholders;
mod plain_folders;
mod processor_path;
mod project_model;
mod project_model_file;
mod relevant_arguments;
mod report_folders;
mod resource_folder;
mod selected_sources;
mod suitable_jdk;
mod system_modules;
mod test_jvm;
mod unique;

pub use crate::project::dependencies::local_repositories::{Coordinates, LocalRepositories};
pub use crate::project::dependencies::resolution::Substitution;
pub use crate::project::maven::inherited_properties::inherited_properties;
pub use crate::project::maven::settings::MavenSettings;
pub use crate::project::project_model_file::ProjectModelFile;
pub use crate::project::resource_folder::{FilterValues, ResourceFolder};
pub use batches::Batch;
pub use build_files::is_build_file;
pub use build_kind::BuildKind;
pub use build_overrides::{
    BUILD_OVERRIDES_FILE, BuildOverrides, LevelOverride, ModuleSources, PathOverrides,
};
pub use build_tool::{LibraryRepository, RepositoryKind};
pub use model_source::ModelSource;
pub use module::Module;
pub use options::ProjectOptions;
pub use path_patterns::PathPatterns;
pub use project_model::Project;
pub use report_folders::find_report_folders;
pub use selected_sources::find_selected_sources;
pub use test_jvm::TestJvm;

pub(super) use batches::parse_jar_name;
pub(super) use build_files::hash_build_files;
pub(super) use build_tool::hash_inputs as hash_generator_inputs;
pub(crate) use build_tool::{FailedGenerators, IncompleteModels};
pub(super) use module::find_java_files;
