//! Arguments of the tools. Their comments are the descriptions in the schemas.

use crate::argument_check::InvalidArguments;
use crate::patch_input::{InputFile, PATCH_FOLDER, PatchInput, to_patch_files, to_patch_text};
use crate::results::change::DELTA_FILE;
use crate::results::schedules::AUDITED_PATCH;
use crate::run_request::{CallTarget, RunRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Arguments of a tool that starts a run.
pub(crate) trait RunArguments {
    /// Returns the request to start the run.
    fn to_request(&self) -> Result<RunRequest, InvalidArguments>;

    /// Returns the project and the run of the call.
    fn target(&self) -> CallTarget;
}

fn head() -> String {
    "HEAD".to_owned()
}

fn auto() -> String {
    "auto".to_owned()
}

fn minimises_by_default() -> bool {
    true
}

/// Arguments of most tools.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct SharedArguments {
    /// Folder of the project [default: the folder in which the server was started]
    #[serde(default)]
    project: Option<PathBuf>,
    /// Seconds to wait for the result, at most 40; then the answer is `running` [default: 40]
    #[serde(default)]
    #[schemars(range(max = 40))]
    wait_seconds: Option<u64>,
}

impl SharedArguments {
    fn to_target(&self, resume: Option<&String>) -> CallTarget {
        CallTarget {
            project: self.project.clone(),
            resume: resume.cloned(),
            wait_seconds: self.wait_seconds,
        }
    }
}

/// Arguments of `run_test`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RunTestArguments {
    /// Tests: `pkg.Class`, `pkg.Class#method`, or a glob such as `pkg.*Test`
    tests: Vec<String>,
    /// Revision to test, or a folder: `.` is the work tree with uncommitted changes
    #[serde(default = "head")]
    version: String,
    /// Number of runs; more than one shows whether a test is flaky [default: 1]
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    repeat: Option<u16>,
    /// Time limit of the tests, such as `30s` or `5m`
    #[serde(default)]
    timeout: Option<String>,
    #[serde(flatten)]
    shared: SharedArguments,
}

impl RunArguments for RunTestArguments {
    fn to_request(&self) -> Result<RunRequest, InvalidArguments> {
        let request = RunRequest::new("test").option("--bad", &self.version);
        let request = request.optional("--repeat", self.repeat);
        request.optional("--timeout", self.timeout.as_ref()).tests(&self.tests)
    }

    fn target(&self) -> CallTarget {
        self.shared.to_target(None)
    }
}

/// Goal of a bisection.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Goal {
    /// The minimal change that breaks the test.
    Culprit,
    /// A minimal fix.
    Fix,
    /// Both.
    #[default]
    Both,
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Culprit => "culprit",
            Self::Fix => "fix",
            Self::Both => "both",
        })
    }
}

/// Arguments of `find_culprit`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FindCulpritArguments {
    /// Tests that fail: `pkg.Class`, `pkg.Class#method`, or a glob such as `pkg.*Test`
    #[serde(default)]
    tests: Vec<String>,
    /// Words of a command that tests a version, instead of `tests`, if the server allows it; exit codes as for
    /// `git bisect run`
    #[serde(default)]
    command: Vec<String>,
    /// Revision where the tests pass; `auto` walks back from `bad` until they pass
    #[serde(default = "auto")]
    good: String,
    /// Revision where the tests fail, or a folder: `.` is the work tree with uncommitted changes
    #[serde(default = "head")]
    bad: String,
    /// Goal of the search
    #[serde(default)]
    goal: Goal,
    /// Count only failures whose text matches this regular expression [default: failures like the one of `bad`]
    #[serde(default)]
    symptom: Option<String>,
    /// Number of runs of each version, or `auto` for a flaky test [default: 1]
    #[serde(default)]
    repeat: Option<String>,
    /// Time limit of the tests of one version, such as `30s` or `5m`
    #[serde(default)]
    timeout: Option<String>,
    /// Unfinished run to continue; only `wait_seconds` is used besides
    #[serde(default)]
    resume: Option<String>,
    #[serde(flatten)]
    shared: SharedArguments,
}

impl RunArguments for FindCulpritArguments {
    fn to_request(&self) -> Result<RunRequest, InvalidArguments> {
        let mut request = RunRequest::new("bisect")
            .option("--good", &self.good)
            .option("--bad", &self.bad)
            .option("--goal", self.goal)
            .optional("--symptom", self.symptom.as_ref())
            .optional("--repeat", self.repeat.as_ref())
            .optional("--timeout", self.timeout.as_ref());
        match (self.tests.is_empty(), self.command.is_empty()) {
            (false, true) => request.tests(&self.tests),
            (true, false) => {
                request.last_words.clone_from(&self.command);
                Ok(RunRequest { runs_command: true, ..request })
            }
            (true, true) => Err(InvalidArguments::new(
                "no test given",
                "give `tests` such as [\"pkg.Class#method\"], or a `command`",
            )),
            (false, false) => Err(InvalidArguments::new(
                "both `tests` and `command` are given",
                "give only one of them",
            )),
        }
    }

    fn target(&self) -> CallTarget {
        self.shared.to_target(self.resume.as_ref())
    }
}

/// Arguments of `explain_change`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ExplainChangeArguments {
    /// Old revision or folder
    old: String,
    /// New revision, or a folder: `.` is the work tree with uncommitted changes
    #[serde(default = "head")]
    new: String,
    #[serde(flatten)]
    shared: SharedArguments,
}

impl RunArguments for ExplainChangeArguments {
    fn to_request(&self) -> Result<RunRequest, InvalidArguments> {
        Ok(RunRequest {
            last_words: vec![self.old.clone(), self.new.clone()],
            stdout_file: Some(DELTA_FILE),
            ..RunRequest::new("delta").option("--format", "json")
        })
    }

    fn target(&self) -> CallTarget {
        self.shared.to_target(None)
    }
}

/// Arguments of `validate_patches`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ValidatePatchesArguments {
    /// Tests that a patch must fix, and those that it must not break: `pkg.Class`, `pkg.Class#method`, or a glob such as
    /// `pkg.*Test`
    #[serde(default)]
    tests: Vec<String>,
    /// The patches
    #[serde(default)]
    patches: Vec<PatchInput>,
    /// Revision that the patches apply to, or a folder: `.` is the work tree with uncommitted changes
    #[serde(default = "head")]
    version: String,
    /// Minimise each plausible patch, to find superfluous parts
    #[serde(default = "minimises_by_default")]
    minimise: bool,
    /// Number of runs for each patch; more than one detects flaky results [default: 1]
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    repeat: Option<u16>,
    /// Time limit of the tests with one patch, such as `30s` or `5m`
    #[serde(default)]
    timeout: Option<String>,
    /// Unfinished run to continue; only `wait_seconds` is used besides
    #[serde(default)]
    resume: Option<String>,
    #[serde(flatten)]
    shared: SharedArguments,
}

impl RunArguments for ValidatePatchesArguments {
    fn to_request(&self) -> Result<RunRequest, InvalidArguments> {
        let request =
            validation_request(&self.tests, &self.version, to_patch_files(&self.patches)?)?;
        Ok(request
            .flag("--minimise", self.minimise)
            .optional("--repeat", self.repeat)
            .optional("--timeout", self.timeout.as_ref()))
    }

    fn target(&self) -> CallTarget {
        self.shared.to_target(self.resume.as_ref())
    }
}

/// Returns the request to validate patches. All tests run with each patch, so that the answer names all that it breaks.
fn validation_request(
    tests: &[String],
    version: &str,
    files: Vec<InputFile>,
) -> Result<RunRequest, InvalidArguments> {
    let request = RunRequest::new("validate").option("--bad", version).flag("--no-fail-fast", true);
    let request = request.tests(tests)?;
    Ok(RunRequest { path_options: vec![("--pool", PATCH_FOLDER)], files, ..request })
}

/// Arguments of `minimise_patch`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct MinimisePatchArguments {
    /// Tests that the patch fixes, and those that it must not break: `pkg.Class`, `pkg.Class#method`, or a glob such as
    /// `pkg.*Test`
    #[serde(default)]
    tests: Vec<String>,
    /// Unified diff, as `git diff` prints it
    #[serde(default)]
    patch: String,
    /// Revision that the patch applies to, or a folder: `.` is the work tree with uncommitted changes
    #[serde(default = "head")]
    version: String,
    /// Time limit of the tests of one variant, such as `30s` or `5m`
    #[serde(default)]
    timeout: Option<String>,
    /// Unfinished run to continue; only `wait_seconds` is used besides
    #[serde(default)]
    resume: Option<String>,
    #[serde(flatten)]
    shared: SharedArguments,
}

impl RunArguments for MinimisePatchArguments {
    fn to_request(&self) -> Result<RunRequest, InvalidArguments> {
        let patch = PatchInput { name: None, diff: self.patch.clone() };
        let request = validation_request(&self.tests, &self.version, to_patch_files(&[patch])?)?;
        Ok(request.flag("--minimise", true).optional("--timeout", self.timeout.as_ref()))
    }

    fn target(&self) -> CallTarget {
        self.shared.to_target(self.resume.as_ref())
    }
}

/// Arguments of `explore_schedules`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ExploreSchedulesArguments {
    /// Tests that use threads: `pkg.Class`, `pkg.Class#method`, or a glob such as `pkg.*Test`
    #[serde(default)]
    tests: Vec<String>,
    /// Revision to test, or a folder: `.` is the work tree with uncommitted changes
    #[serde(default = "head")]
    version: String,
    /// Maximum number of schedules [default: 1000]
    #[serde(default)]
    #[schemars(range(min = 1, max = 999_999))]
    schedules: Option<u32>,
    /// Random seed; the same seed gives the same schedules [default: 0]
    #[serde(default)]
    seed: Option<u64>,
    /// Unified diff to check: find a schedule that fails with it, or say how certain it is that none does
    #[serde(default)]
    patch: Option<String>,
    /// Schedule file of an earlier run to replay instead
    #[serde(default)]
    replay: Option<PathBuf>,
    /// Time limit of the tests under one schedule, such as `30s` or `5m`
    #[serde(default)]
    timeout: Option<String>,
    /// Unfinished run to continue; only `wait_seconds` is used besides
    #[serde(default)]
    resume: Option<String>,
    #[serde(flatten)]
    shared: SharedArguments,
}

impl RunArguments for ExploreSchedulesArguments {
    fn to_request(&self) -> Result<RunRequest, InvalidArguments> {
        if self.patch.is_some() && self.replay.is_some() {
            return Err(InvalidArguments::new(
                "both `patch` and `replay` are given",
                "give only one of them",
            ));
        }
        let request = RunRequest::new("explore")
            .option("--bad", &self.version)
            .optional("--schedules", self.schedules)
            .optional("--seed", self.seed)
            .optional("--replay", self.replay.as_ref().map(|path| path.display()))
            .optional("--timeout", self.timeout.as_ref())
            .tests(&self.tests)?;
        let Some(patch) = &self.patch else { return Ok(request) };
        let file = InputFile { path: AUDITED_PATCH.to_owned(), content: to_patch_text(patch)? };
        Ok(RunRequest {
            path_options: vec![("--audit", AUDITED_PATCH)],
            files: vec![file],
            ..request
        })
    }

    fn target(&self) -> CallTarget {
        self.shared.to_target(self.resume.as_ref())
    }
}

/// Arguments of `status`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct StatusArguments {
    /// Run folder from an earlier answer, or its name [default: list the newest runs]
    #[serde(default)]
    pub(crate) run: Option<String>,
    /// Folder of the project [default: the folder in which the server was started]
    #[serde(default)]
    pub(crate) project: Option<PathBuf>,
    /// Seconds to wait for the end of the run, at most 40 [default: 0]
    #[serde(default)]
    #[schemars(range(max = 40))]
    pub(crate) wait_seconds: Option<u64>,
}

/// Arguments of `cancel`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CancelArguments {
    /// Run folder from an earlier answer, or its name
    pub(crate) run: String,
    /// Folder of the project [default: the folder in which the server was started]
    #[serde(default)]
    pub(crate) project: Option<PathBuf>,
}
