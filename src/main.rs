//! Entry point of the `git-mend` program.

use git_mend::cli;
use mend_process::watchdog;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|argument| argument == watchdog::SUBCOMMAND) {
        return watchdog::main();
    }
    #[cfg(feature = "remote")]
    if arguments.get(1).is_some_and(|argument| argument == mend_remote::WORKER_SUBCOMMAND) {
        return mend_remote::worker_main();
    }
    ExitCode::from(cli::main(&arguments) as u8)
}
