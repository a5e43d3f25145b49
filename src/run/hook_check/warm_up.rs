//! Prepares what a later run needs.

use crate::run::session::home_of;
use crate::run::session::request::Context;
use mend_engine::{Environment, Jdk, SupervisedLauncher, Toolchain};
use mend_git::Repository;
use mend_model::{Problem, Result};
use mend_process::Supervisor;
use std::path::Path;
use std::sync::Arc;

/// Compiles our own Java programs, unless that was done.
///
/// # Errors
/// No JDK, no repository, and errors of writing.
pub fn warm_runtime(dir: &Path, context: &Context) -> Result<()> {
    let repository = Repository::open(dir)?;
    let home = home_of(Some(&repository), dir);
    std::fs::create_dir_all(&home).map_err(|error| Problem::io(error, &home))?;
    let supervisor = Supervisor::start(context.interrupt.clone(), &context.program)?;
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: home.clone() });
    let jdk = Jdk::find(&Environment::from_process(), &*launcher)?;
    mend_engine::compile_java_programs(&Toolchain::new(jdk, launcher, &home))
}
