//! Compiles our Java programs before the first run needs them.

use crate::{Toolchain, resident};
use mend_model::Result;
use std::path::PathBuf;

/// Compiles the programs that every run needs, if they are not cached. Returns the folders of their classes.
///
/// # Errors
/// [`mend_model::Problem::ProgramMissing`] if the JDK's programs cannot be started, or
/// [`mend_model::Problem::Internal`] if its compiler refuses a program.
pub fn compile_java_programs(tools: &Toolchain) -> Result<Vec<PathBuf>> {
    resident::compile_worker_programs(tools)
}
