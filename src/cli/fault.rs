//! Our own faults: what happened is written to a file that can be sent to us.

use crate::model::Problem;
use anyhow::anyhow;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// What the last panic said.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Keeps panics from scribbling over the terminal; they end as problems.
pub(super) fn install() {
    std::panic::set_hook(Box::new(|info| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(info.to_string());
    }));
}

/// The problem that a panic is.
pub(super) fn of_panic() -> Problem {
    let said = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
    Problem::Internal(anyhow!("{}", said.unwrap_or_else(|| "a thread ended early".to_owned())))
}

/// Writes the file, and says where it is.
pub(super) fn write(problem: &Problem, arguments: &[OsString]) -> String {
    let mut text = format!("git-mend {}\n{problem:?}\n", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let _ = writeln!(text, "{arguments:?}");
    let file = tempfile::Builder::new().prefix("git-mend-fault-").suffix(".txt").tempfile();
    let kept = file.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.keep().map(|(_, path)| path).map_err(|error| error.error)
    });
    kept.map_or(text, |path| format!("report: {}\n", path.display()))
}
