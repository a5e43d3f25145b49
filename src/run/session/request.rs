//! What a run is asked to do.

use crate::run::judge::repetition::Repeat;
use mend_delta::JavaMode;
use mend_engine::{Build, EngineChoice};
use mend_model::{Interrupt, Progress, Selector};
use mend_report::Goal;
use regex::Regex;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What must be supplied from outside.
#[derive(Clone)]
pub struct Context {
    /// The progress listener.
    pub progress: Arc<dyn Progress>,
    /// The wish to stop.
    pub interrupt: Interrupt,
    /// This program, to be started again as the watchdog.
    pub program: PathBuf,
}

/// Which version passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoodRevision {
    /// A revision or a folder.
    Named(String),
    /// The nearest one that passes, looked for backwards from bad.
    Auto,
}

/// How a variant is judged.
#[derive(Clone, Debug)]
pub enum OracleRequest {
    /// By tests that the program builds and runs itself.
    Tests(Vec<Selector>),
    /// By a command's exit code.
    Command(Vec<OsString>),
}

/// What is judged, and how: what every command asks that tries variants.
#[derive(Clone, Debug)]
pub struct SubjectRequest {
    /// The folder that paths and the repository are looked for in.
    pub dir: PathBuf,
    /// A folder with objects that the repository does not have: those of a merge that is not committed yet.
    pub objects: Option<PathBuf>,
    /// The version that fails: a revision or a folder.
    pub bad: String,
    /// How a variant is judged.
    pub oracle: OracleRequest,
    /// How often each version is run for a verdict.
    pub repeat: Repeat,
    /// A fixed time limit for the tests of one variant.
    pub timeout: Option<Duration>,
    /// How many variants are judged at once.
    pub jobs: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// How variants are built and run, where the tests are named.
    pub engine: EngineChoice,
    /// Which build is looked at for the project's model.
    pub build: Build,
    /// Source folders, instead of those that the build names.
    pub sources: Vec<PathBuf>,
    /// Folders with tests that are laid over every variant.
    pub test_sources: Vec<PathBuf>,
    /// Jars and folders, instead of those that the build names.
    pub class_path: Vec<PathBuf>,
    /// Options for the compiler.
    pub javac_options: Vec<String>,
    /// A file with the project's model, instead of what the build files say.
    pub project: Option<PathBuf>,
    /// How the diff of Java files is split: by syntax tree or by lines.
    pub java: JavaMode,
    /// Make test code part of the change.
    pub with_test_units: bool,
    /// The run folder, instead of one that is named after the time.
    pub output: Option<PathBuf>,
    /// Go on in the folder of an unfinished run.
    pub resume: bool,
    /// The command line that asks for this.
    pub command_line: Vec<String>,
}

/// A bisection to be done.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is judged, and how.
    pub subject: SubjectRequest,
    /// The version that passes.
    pub good: GoodRevision,
    /// What to look for.
    pub goal: Goal,
    /// The failure that counts, instead of the one that bad shows.
    pub symptom: Option<Regex>,
    /// Search the whole range instead of one commit.
    pub no_history: bool,
    /// Walk along first parents only.
    pub first_parent: bool,
    /// Revisions that cannot be tested.
    pub skip: Vec<String>,
    /// A `git bisect log` with what is known already.
    pub log: Option<PathBuf>,
    /// Look for further culprits.
    pub all: bool,
    /// Say what would be done, and stop.
    pub dry_run: bool,
}
