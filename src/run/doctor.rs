//! Runs `git mend doctor`: checks this machine and the project in a folder, without changing them.

use super::session::home_of;
use crate::run::session::request::Context;
use mend_engine::{DoctorContext, Environment, ProjectOptions, SupervisedLauncher, run_checks};
use mend_git::Repository;
use mend_model::DoctorFinding;
use mend_model::Result;
use mend_process::Supervisor;
use std::path::Path;
use std::sync::Arc;

/// Checks the requirements of a run in a folder. Writes the project model to `record`.
///
/// # Errors
/// An interrupt, a project model that cannot be recorded, or an internal error.
pub fn doctor(
    dir: &Path,
    options: &ProjectOptions,
    record: Option<&Path>,
    context: &Context,
) -> Result<Vec<DoctorFinding>> {
    let repository = Repository::open(dir).ok();
    let root = repository.as_ref().and_then(Repository::work_tree).unwrap_or(dir);
    let supervisor = Supervisor::start(context.interrupt.clone(), &context.program)?;
    let launcher = SupervisedLauncher { supervisor, ceiling: root.to_owned() };
    run_checks(&DoctorContext {
        root,
        options,
        model_file: record,
        home: &home_of(repository.as_ref(), dir),
        environment: &Environment::from_process(),
        launcher: Arc::new(launcher),
        progress: Arc::clone(&context.progress),
    })
}
