//! Command `git mend test`, for `git mend mcp`: runs the tests of one version.

use crate::cli::arguments::{Shared, TestArguments};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::cli::settings::Settings;
use crate::cli::subject_request::command_line;
use crate::run::{self, Context};
use mend_model::{Exit, Result};
use std::ffi::OsString;
use std::sync::Arc;

pub(crate) fn run(
    options: &TestArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let dir = shared.working_dir()?;
    let settings = Settings::read(&dir)?;
    let subject = &options.subject;
    let oracle = subject.parse_selectors("add `--test pkg.Class#method`")?;
    let version = subject.bad.clone().unwrap_or_else(|| "HEAD".to_owned());
    let request = subject.to_request(&settings, &dir, version, oracle, command_line(arguments))?;
    print_run_result(&run::run_tests(&request, context)?, shared, console, arguments)
}
