//! Permission to download.

use crate::Git;
use mend_model::Result;
use mend_process::{ProgramOutput, Supervisor};

/// Permission to download from the remotes of the repository.
#[derive(Clone, Debug, Default)]
pub struct DownloadPolicy {
    /// Downloads nothing, also not what a partial clone promises.
    pub is_offline: bool,
    /// Downloads older history into a shallow clone, because the user agreed.
    pub deepens_history: bool,
    /// Supervisor of the downloads; without one, an interrupt does not end them.
    pub supervisor: Option<Supervisor>,
}

impl DownloadPolicy {
    /// Runs a call that may take long.
    pub(super) fn run(&self, call: Git) -> Result<ProgramOutput> {
        match &self.supervisor {
            Some(supervisor) => call.supervised_output(supervisor),
            None => call.output(),
        }
    }
}
