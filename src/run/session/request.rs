//! Requests of runs, common to all commands.

use crate::run::judge::repetition::Repeat;
use mend_delta::JavaGranularity;
use mend_engine::{BuildKind, EngineChoice, ModelSource};
use mend_model::{Interrupt, ProgressListener, Selector};
use mend_report::RunGoal;
use regex::Regex;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Environment of a run, supplied by the caller.
#[derive(Clone)]
pub struct Context {
    /// Progress listener.
    pub progress: Arc<dyn ProgressListener>,
    /// Cancellation token.
    pub interrupt: Interrupt,
    /// Path of this program, which also runs as the watchdog.
    pub program: PathBuf,
}

/// Passing version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoodRevision {
    /// Revision or folder.
    Named(String),
    /// Nearest passing ancestor of bad.
    Auto,
}

/// Oracle that gives the verdict on a variant.
#[derive(Clone, Debug)]
pub enum OracleRequest {
    /// Tests that git-mend builds and runs.
    Tests(Vec<Selector>),
    /// Command whose exit code is the verdict.
    Command(Vec<OsString>),
}

impl OracleRequest {
    /// Returns true if the project may have tests that are not selected. A command selects none.
    pub(crate) fn leaves_tests_out(&self) -> bool {
        matches!(self, Self::Tests(tests) if !tests.iter().any(Selector::is_all_tests))
    }
}

/// Downloads that the user forbids or allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DownloadOptions {
    /// Download nothing.
    pub is_offline: bool,
    /// Download older history into a shallow clone.
    pub fetches_history: bool,
}

/// Server of the Remote Execution API whose workers test variants.
#[derive(Clone, Debug)]
pub struct ExecutorRequest {
    /// Address: `grpc://HOST:PORT` or `grpcs://HOST:PORT`.
    pub address: String,
    /// Name of the instance on the server; often empty.
    pub instance: String,
    /// Properties of the workers that may run trials, by name.
    pub platform: BTreeMap<String, String>,
    /// Environment variables of the workers.
    pub variables: BTreeMap<String, String>,
    /// Headers of every request, as lines `Name: value`.
    pub headers: SecretString,
    /// Maximum number of workers that are used at the same time.
    pub workers: usize,
    /// Program that the workers run, instead of this program.
    pub program: Option<PathBuf>,
    /// Time without an answer after which the server counts as dead.
    pub timeout: Option<Duration>,
    /// Number of trials that run at the same time on this machine if the executor fails.
    pub local_jobs: usize,
}

/// Version and tests, and how to run them. All commands that test variants share this request.
#[derive(Clone, Debug)]
pub struct SubjectRequest {
    /// Folder for relative paths and for finding the repository.
    pub dir: PathBuf,
    /// Use the repository of `dir`, regardless of `GIT_DIR`.
    pub ignores_git_environment: bool,
    /// Downloads that are forbidden or allowed.
    pub downloads: DownloadOptions,
    /// Folder with objects that the repository lacks, which are those of an uncommitted merge.
    pub extra_objects: Option<PathBuf>,
    /// Failing version: a revision or a folder.
    pub bad: String,
    /// Oracle that gives the verdict on a variant.
    pub oracle: OracleRequest,
    /// Number of runs of each version for a verdict.
    pub repeat: Repeat,
    /// Maximum number of thread schedules of each test for a verdict; `None` for the scheduler of the operating system.
    pub schedules: Option<u32>,
    /// Time limit for the tests of one variant.
    pub timeout: Option<Duration>,
    /// Number of commits or variants that are tested in parallel.
    pub jobs: usize,
    /// Seed of all random number generators.
    pub seed: u64,
    /// Engine that builds and tests variants.
    pub engine: EngineChoice,
    /// Server whose workers test variants; `None` for this machine.
    pub executor: Option<ExecutorRequest>,
    /// Build tool that describes the project.
    pub build: BuildKind,
    /// Where the project model comes from.
    pub model: ModelSource,
    /// The build tool must not download anything.
    pub is_build_offline: bool,
    /// Source folders that replace those of the build.
    pub sources: Vec<PathBuf>,
    /// Test folders that are added to every variant.
    pub test_sources: Vec<PathBuf>,
    /// Jars and folders that replace those of the build.
    pub class_path: Vec<PathBuf>,
    /// Options of the compiler.
    pub javac_options: Vec<String>,
    /// Path of a project model file that replaces the build files.
    pub project: Option<PathBuf>,
    /// Granularity of the diff of Java files: syntax tree or lines.
    pub java: JavaGranularity,
    /// True if selected test classes that do not compile are left out.
    pub skips_uncompilable_tests: bool,
    /// True if test code is part of the change.
    pub includes_test_code: bool,
    /// Path of the run folder, instead of the default.
    pub output: Option<PathBuf>,
    /// True if an unfinished run is continued.
    pub is_resumed: bool,
    /// Command line of the request.
    pub command_line: Vec<String>,
}

/// Sources of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibrarySource {
    /// Group id.
    pub group: String,
    /// Artifact id.
    pub artifact: String,
    /// Folder of a checkout, relative to the folder of the request.
    pub dir: PathBuf,
}

/// Request of a search for library upgrades.
#[derive(Clone, Debug)]
pub struct UpgradeRequest {
    /// Versions and tests, as for a bisection.
    pub search: BisectRequest,
    /// Sources of libraries whose history is searched if they are a culprit.
    pub library_sources: Vec<LibrarySource>,
}

/// Request of a bisection.
#[derive(Clone, Debug)]
pub struct BisectRequest {
    /// Version and tests, and how to run them.
    pub subject: SubjectRequest,
    /// Passing version.
    pub good: GoodRevision,
    /// Goal of the search.
    pub goal: RunGoal,
    /// Pattern of the failure to reproduce, instead of the failure of bad.
    pub symptom: Option<Regex>,
    /// True if the whole change is searched without finding the culprit commit first.
    pub skips_history: bool,
    /// True if only first parents are followed.
    pub first_parent_only: bool,
    /// Revisions that cannot be tested.
    pub skipped_revisions: Vec<String>,
    /// Path of a file with the output of `git bisect log`.
    pub log: Option<PathBuf>,
    /// True if further culprits are searched.
    pub finds_all_culprits: bool,
    /// True if only the baseline check runs and the size of the diff is reported.
    pub is_dry_run: bool,
    /// True if bad may fail by not compiling.
    pub counts_compile_errors: bool,
}
