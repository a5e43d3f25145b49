//! Batch of trials: the request that a worker reads and the response that it writes, as JSON files.

use mend_engine::{Execution, ExploreConfig, Limits, PortableEngine};
use mend_java::facts::CompileError;
use mend_model::Outcome;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Hidden first argument that makes the program judge a batch.
pub const WORKER_SUBCOMMAND: &str = "__remote-worker";

/// Version of the format. Client and worker are the same program, so it only differs after a fault.
pub(crate) const SCHEMA_ID: &str = "git-mend/remote/1";

/// File of the program in the input root.
pub(crate) const PROGRAM_FILE: &str = "git-mend";

/// File of the [`EngineRequest`] in the input root.
pub(crate) const ENGINE_FILE: &str = "engine.json";

/// File of the [`BatchRequest`] in the input root.
pub(crate) const REQUEST_FILE: &str = "request.json";

/// File of the [`BatchResponse`], the only output of an action.
pub(crate) const RESPONSE_FILE: &str = "response.json";

/// Folder of the files outside the trees, each below its absolute path on the client.
pub(crate) const OUTSIDE_FOLDER: &str = "outside";

/// Folder of the compiled Java programs.
pub(crate) const RUNTIME_FOLDER: &str = "runtime";

/// Folder of the first variant, complete.
pub(crate) const BASE_FOLDER: &str = "base";

/// Folder of the changed files of the other variants, each below its number.
pub(crate) const CHANGES_FOLDER: &str = "changes";

/// Exit code of a worker that cannot test anything, such as one without JDK.
pub(crate) const UNUSABLE_EXIT_CODE: u8 = 3;

/// Engine of all trials of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EngineRequest {
    /// Builds and tests Java projects.
    Java(Box<JavaEngineRequest>),
    /// Runs a command of the user.
    Command {
        /// Program and arguments.
        words: Vec<String>,
    },
}

/// Engine for Java projects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JavaEngineRequest {
    /// The engine, with paths of the client.
    pub(crate) engine: PortableEngine,
    /// Files and folders outside the trees, which the input root has below [`OUTSIDE_FOLDER`].
    pub(crate) outside_paths: Vec<PathBuf>,
    /// Feature release of the client's JDK.
    pub(crate) jdk_version: u32,
    /// How the tests are run.
    pub(crate) execution: TestExecution,
}

/// How the tests of a Java project are run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TestExecution {
    /// In fresh processes.
    Process,
    /// In warm JVMs.
    Resident {
        /// True if tests are not repeated on identical classes.
        reuses_results: bool,
    },
    /// Under many thread schedules.
    Schedules(ExploreConfig),
}

/// Trials of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BatchRequest {
    /// [`SCHEMA_ID`].
    pub(crate) schema: String,
    /// Time limits of each trial.
    pub(crate) limits: Limits,
    /// The trials; the first one tests the base.
    pub(crate) trials: Vec<TrialRequest>,
}

/// One trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrialRequest {
    /// Paths of files and folders of the base that the variant lacks. The changed files are in the input root.
    pub(crate) removed: Vec<PathBuf>,
    /// Mode of the execution.
    pub(crate) mode: TrialMode,
}

/// Mode of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TrialMode {
    /// Fastest execution.
    Quick,
    /// Fastest execution, with a cross-check.
    Checked,
    /// Clean build.
    Clean,
    /// Clean build whose outcome is compared with this earlier one.
    Confirm(Outcome),
}

/// Results of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BatchResponse {
    /// [`SCHEMA_ID`].
    pub(crate) schema: String,
    /// Full version of the worker's JDK; `None` if it needed none.
    pub(crate) jdk: Option<String>,
    /// The trials, in the order of the request.
    pub(crate) trials: Vec<TrialResponse>,
}

/// Result of one trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrialResponse {
    /// The execution, or the problem of the worker that prevented it.
    pub(crate) result: Result<FullExecution, String>,
    /// Duration.
    pub(crate) millis: u64,
    /// True if no cross-check has contradicted the warm JVMs so far.
    pub(crate) is_trusted: bool,
}

/// An execution with the parts that the cache of outcomes leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FullExecution {
    execution: Execution,
    compile_errors: Vec<CompileError>,
    notes: Vec<String>,
}

impl From<Execution> for FullExecution {
    fn from(execution: Execution) -> Self {
        let (compile_errors, notes) = (execution.compile_errors.clone(), execution.notes.clone());
        Self { execution, compile_errors, notes }
    }
}

impl From<FullExecution> for Execution {
    fn from(full: FullExecution) -> Self {
        Self { compile_errors: full.compile_errors, notes: full.notes, ..full.execution }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compile_errors_and_notes_are_sent() {
        let error = CompileError {
            path: "a/B.java".into(),
            line: 1,
            byte: 2,
            code: "compiler.err.x".to_owned(),
            message: "x".to_owned(),
        };
        let execution = Execution {
            compile_errors: vec![error],
            notes: vec!["note".to_owned()],
            ..Execution::from_outcome(Outcome::not_built("x"))
        };
        let json = serde_json::to_string(&FullExecution::from(execution.clone())).unwrap();
        let received: FullExecution = serde_json::from_str(&json).unwrap();
        assert_eq!(Execution::from(received), execution);
    }
}
