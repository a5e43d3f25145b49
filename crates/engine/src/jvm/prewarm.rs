//! Getting our own Java programs ready before anybody waits for them.

use crate::{Toolchain, resident};
use mend_model::Result;

/// Compiles those programs that every run needs, whatever the tests are, unless they are there.
///
/// # Errors
/// [`mend_model::Problem::ProgramMissing`] if the JDK's programs cannot be started, or
/// [`mend_model::Problem::Internal`] if its compiler refuses a program.
pub fn compile_java_programs(tools: &Toolchain) -> Result<()> {
    resident::compile_worker_programs(tools)
}
