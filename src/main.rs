//! The `git-mend` program.

use git_mend::trial::watchdog;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == watchdog::ARGUMENT) {
        return watchdog::main();
    }
    ExitCode::SUCCESS
}
