//! First steps on GitHub: workflow files for a repository, the creation of the App, and checks of the repository.

mod app_creation;
mod app_manifest;
mod branch_pattern;
mod branch_rules;
mod github_checks;
mod setup_pull;
mod workflow_files;

pub use app_creation::AppCreation;
pub use app_manifest::AppManifest;
pub use github_checks::check_repository;
pub use setup_pull::{SetupPullError, open_setup_pull};
pub use workflow_files::{ActionReference, WorkflowFile, WorkflowPlan, find_build_command};
