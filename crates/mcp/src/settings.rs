//! Settings of the server.

use mend_model::{Interrupt, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time within which a call must return: common clients give up after 60 seconds.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(45);

/// Time for which a call waits for its run. The rest of [`CALL_LIMIT`] is for starting the run and reading its result on
/// a busy machine.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(40);

/// Maximum number of runs at once. Each run uses half of the cores.
pub(crate) const MAX_RUNS: usize = 4;

const _: () = assert!(MAX_WAIT.as_secs() < CALL_LIMIT.as_secs());

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct McpSettings {
    /// Path of this program, which runs the commands.
    pub program: PathBuf,
    /// Project of calls that name none.
    pub project: PathBuf,
    /// Maximum size of an answer, in tokens.
    pub answer_tokens: usize,
    /// True if `find_culprit` may run any command that the client names.
    pub allows_commands: bool,
    /// Cancellation flag: the server stops when it is set.
    pub interrupt: Interrupt,
    /// Returns the folder with the runs of a project.
    pub runs_folder: fn(&Path) -> Result<PathBuf>,
    /// Creates a folder for a new run in the folder with the runs.
    pub create_run_folder: fn(&Path) -> Result<PathBuf>,
}
