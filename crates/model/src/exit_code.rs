//! Exit codes of the program. [`Problem::exit`](crate::Problem::exit) maps each error to its code.

/// The program's exit codes, as scripts rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command found a result.
    Found = 0,
    /// The search completed and found nothing.
    NotFound = 1,
    /// The command line or its input is wrong.
    Usage = 2,
    /// The baseline check failed: good does not pass, or bad does not fail.
    BadBaseline = 3,
    /// Something is missing on this machine, or the build is broken.
    Environment = 4,
    /// The test is flaky beyond the requested confidence.
    Flaky = 5,
    /// An internal error of git-mend.
    Internal = 70,
    /// The user interrupted the run.
    Interrupted = 130,
}
