//! Trial that waits for a worker, and its result.

use crate::batch::{EngineRequest, TrialMode, TrialResponse};
use crate::digest::BlobDigest;
use crate::merkle::Folder;
use mend_engine::Limits;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// Engine of trials, ready to be uploaded. Trials with the same engine can share a batch.
#[derive(Debug)]
pub(crate) struct PreparedEngine {
    /// The request as JSON.
    pub(crate) json: Vec<u8>,
    /// Digest of the JSON.
    pub(crate) digest: BlobDigest,
    /// Files outside the trees, each below its absolute path.
    pub(crate) outside: Arc<Folder>,
    /// Compiled Java programs.
    pub(crate) runtime: Runtime,
    /// Environment variables of the workers.
    pub(crate) variables: Vec<(String, String)>,
    /// True if it uses no warm JVMs.
    pub(crate) is_for_fresh_processes: bool,
}

/// Compiled Java programs of the client.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    /// Folder that contains them.
    pub(crate) place: PathBuf,
    /// The programs.
    pub(crate) folder: Arc<Folder>,
}

impl PreparedEngine {
    /// Creates an engine from its request.
    pub(crate) fn new(
        request: &EngineRequest,
        outside: Arc<Folder>,
        runtime: Runtime,
        variables: Vec<(String, String)>,
        is_for_fresh_processes: bool,
    ) -> serde_json::Result<Self> {
        let json = serde_json::to_vec(request)?;
        let digest = BlobDigest::of_bytes(&json);
        Ok(Self { json, digest, outside, runtime, variables, is_for_fresh_processes })
    }
}

/// Trial that waits for a worker.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) engine: Arc<PreparedEngine>,
    pub(crate) limits: Limits,
    pub(crate) mode: TrialMode,
    /// True if the run is a sample of a test that may hang: no second worker gets it.
    pub(crate) is_sample: bool,
    /// Files of the variant.
    pub(crate) folder: Arc<Folder>,
    /// Place of the files, which do not change until the trial ends.
    pub(crate) place: PathBuf,
    /// Receiver of the result.
    pub(crate) reply: Sender<TrialResult>,
}

/// Result of a trial, or the reason why it has to run on the client.
pub(crate) type TrialResult = Result<FinishedTrial, Failure>;

/// Result of a trial.
#[derive(Clone, Debug)]
pub(crate) struct FinishedTrial {
    pub(crate) response: TrialResponse,
    /// Full version of the worker's JDK; `None` if it needed none.
    pub(crate) jdk: Option<String>,
}

/// Reason why a trial has to run on the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The server or its workers cannot be used any more.
    Unusable(String),
    /// No worker could finish this trial.
    Unfinished(String),
}

impl Trial {
    /// Returns true if both can be in one batch.
    pub(crate) fn is_compatible(&self, other: &Self) -> bool {
        self.engine.digest == other.engine.digest
            && self.engine.variables == other.engine.variables
            && self.limits == other.limits
            && self.is_sample == other.is_sample
    }
}
