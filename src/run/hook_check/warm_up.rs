//! Prepares later runs: compiles git-mend's Java programs in advance.

use crate::run::session::home_of;
use crate::run::session::request::Context;
use mend_engine::{Environment, Jdk, SupervisedLauncher, Toolchain};
use mend_git::Repository;
use mend_model::{Problem, Result};
use mend_process::Supervisor;
use std::path::Path;
use std::sync::Arc;

/// Compiles git-mend's Java programs, unless they are already compiled.
///
/// # Errors
/// A missing JDK or repository, and I/O errors.
pub fn warm_runtime(dir: &Path, context: &Context) -> Result<()> {
    let repository = Repository::open(dir)?;
    let home = home_of(Some(&repository), dir);
    std::fs::create_dir_all(&home).map_err(|error| Problem::io(error, &home))?;
    let supervisor = Supervisor::start(context.interrupt.clone(), &context.program)?;
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: home.clone() });
    let jdk = Jdk::find(&Environment::from_process(), &*launcher)?;
    mend_engine::compile_java_programs(&Toolchain::new(jdk, launcher, &home)).map(drop)
}
