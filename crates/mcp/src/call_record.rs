//! Record of the call that started a run, in its run folder. It lets another server show, cancel and continue the run.

use crate::tool_name::ToolName;
use mend_model::{Problem, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// File of the record.
const RECORD_FILE: &str = "call.json";

/// File whose existence asks the server that started the run to stop it.
const CANCEL_FILE: &str = "cancel";

/// Record of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallRecord {
    /// Tool that was called.
    pub(crate) tool: ToolName,
    /// Folder of the project.
    pub(crate) project: PathBuf,
}

impl CallRecord {
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(RECORD_FILE);
        let text = serde_json::to_vec(self).map_err(anyhow::Error::new)?;
        fs::write(&path, text).map_err(|error| Problem::io(error, &path))
    }

    /// Reads the record; `None` if no server started the run.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(RECORD_FILE)).ok()?).ok()
    }
}

/// Asks the server that started a run to stop it.
pub(crate) fn request_cancel(folder: &Path) -> Result<()> {
    let path = folder.join(CANCEL_FILE);
    fs::write(&path, "").map_err(|error| Problem::io(error, &path))
}

/// Returns true if another server asked to stop the run.
pub(crate) fn is_cancel_requested(folder: &Path) -> bool {
    folder.join(CANCEL_FILE).exists()
}

/// Withdraws a request to stop the run, because it ended or is started again.
pub(crate) fn clear_cancel(folder: &Path) {
    // Usually there is none.
    drop(fs::remove_file(folder.join(CANCEL_FILE)));
}
