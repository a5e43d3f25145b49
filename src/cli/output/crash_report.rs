//! Crash reports: writes the details of an internal error to a file that users can attach to an issue.

use super::console::Console;
use anyhow::anyhow;
use mend_model::Problem;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// Message of the last panic.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Installs the panic hook, which records the message instead of printing it.
pub(crate) fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(info.to_string());
    }));
}

/// Returns the internal error for the last panic.
pub(crate) fn last_panic_problem() -> Problem {
    let panic_message = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    Problem::Internal(anyhow!(
        "{}",
        panic_message.unwrap_or_else(|| "a thread panicked".to_owned())
    ))
}

/// Writes the report file and returns the line that names it, or the report if it cannot be written.
fn write_report_file(problem: &Problem, arguments: &[OsString]) -> String {
    let mut text = format!("git-mend {}\n{problem:?}\n", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let _ = writeln!(text, "{arguments:?}");
    let file = tempfile::Builder::new().prefix("git-mend-crash-").suffix(".txt").tempfile();
    let report_path = file.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.keep().map(|(_, path)| path).map_err(|error| error.error)
    });
    report_path.map_or(text, |path| format!("crash report: {}\n", path.display()))
}

/// For an internal error, writes a crash report and prints its path.
pub(crate) fn report_internal_error(problem: &Problem, arguments: &[OsString], console: &Console) {
    if matches!(problem, Problem::Internal(_)) {
        console.print_error(&write_report_file(problem, arguments));
    }
}
