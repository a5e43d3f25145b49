//! Requests for runs.

use crate::run::judge::repetition::Repeat;
use mend_delta::JavaGranularity;
use mend_engine::{BuildKind, EngineChoice};
use mend_model::{Interrupt, ProgressListener, Selector};
use mend_report::RunGoal;
use regex::Regex;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Environment of a run, supplied by the caller.
#[derive(Clone)]
pub struct Context {
    /// The progress listener.
    pub progress: Arc<dyn ProgressListener>,
    /// Cancellation token.
    pub interrupt: Interrupt,
    /// Path of this program, which is started again as the watchdog.
    pub program: PathBuf,
}

/// Version that passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoodRevision {
    /// A revision or a folder.
    Named(String),
    /// Nearest passing ancestor of bad.
    Auto,
}

/// Oracle that gives the verdict on a variant.
#[derive(Clone, Debug)]
pub enum OracleRequest {
    /// Tests that the program builds and runs.
    Tests(Vec<Selector>),
    /// Command whose exit code is the verdict.
    Command(Vec<OsString>),
}

/// Version and tests, and how to run them; shared by every command that tests variants.
#[derive(Clone, Debug)]
pub struct SubjectRequest {
    /// Folder for relative paths and for finding the repository.
    pub dir: PathBuf,
    /// A folder with objects that the repository does not have: those of a merge that is not committed yet.
    pub extra_objects: Option<PathBuf>,
    /// The version that fails: a revision or a folder.
    pub bad: String,
    /// Oracle that gives the verdict on a variant.
    pub oracle: OracleRequest,
    /// Number of runs of each version for a verdict.
    pub repeat: Repeat,
    /// A fixed time limit for the tests of one variant.
    pub timeout: Option<Duration>,
    /// Number of variants that are tested in parallel.
    pub jobs: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// Engine that builds and tests variants.
    pub engine: EngineChoice,
    /// Build tool that describes the project.
    pub build: BuildKind,
    /// Source folders, instead of those that the build names.
    pub sources: Vec<PathBuf>,
    /// Folders with tests that are laid over every variant.
    pub test_sources: Vec<PathBuf>,
    /// Jars and folders, instead of those that the build names.
    pub class_path: Vec<PathBuf>,
    /// Options for the compiler.
    pub javac_options: Vec<String>,
    /// File with the project model, instead of the build files.
    pub project: Option<PathBuf>,
    /// Granularity of the diff of Java files: syntax tree or lines.
    pub java: JavaGranularity,
    /// Make test code part of the change.
    pub includes_test_code: bool,
    /// The run folder, instead of one that is named after the time.
    pub output: Option<PathBuf>,
    /// Go on in the folder of an unfinished run.
    pub is_resumed: bool,
    /// Command line of the request.
    pub command_line: Vec<String>,
}

/// A bisection to be done.
#[derive(Clone, Debug)]
pub struct BisectRequest {
    /// Version and tests, and how to run them.
    pub subject: SubjectRequest,
    /// The version that passes.
    pub good: GoodRevision,
    /// Goal of the search.
    pub goal: RunGoal,
    /// Failure that counts, instead of the failure of bad.
    pub symptom: Option<Regex>,
    /// Search the whole range instead of one commit.
    pub skips_history: bool,
    /// Walk along first parents only.
    pub first_parent_only: bool,
    /// Revisions that cannot be tested.
    pub skipped_revisions: Vec<String>,
    /// File with the output of `git bisect log`.
    pub log: Option<PathBuf>,
    /// Search for further culprits.
    pub finds_all_culprits: bool,
    /// Run only the baseline check and report the size of the diff.
    pub is_dry_run: bool,
}
