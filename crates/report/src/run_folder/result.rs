//! Types of `result.json`, the result of a run for programs.

use crate::threads::result::ScheduleReport;
use mend_model::{Phase, Problem, Result};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// Name of the schema of [`RunResult`].
pub(crate) const SCHEMA: &str = "git-mend/result/2";

/// Goal of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunGoal {
    /// Minimal change that makes good fail.
    Culprit,
    /// Minimal patch that makes bad pass.
    Fix,
    /// Culprit and fix.
    Both,
}

impl RunGoal {
    /// Returns true if the goal includes the culprit.
    pub fn wants_culprit(self) -> bool {
        matches!(self, Self::Culprit | Self::Both)
    }

    /// Returns true if the goal includes the fix.
    pub fn wants_fix(self) -> bool {
        matches!(self, Self::Fix | Self::Both)
    }
}

/// Status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The search found a result.
    Found,
    /// The search completed and found nothing.
    None,
    /// The test is flaky.
    Flaky,
    /// The run was interrupted. The result contains the findings so far.
    Interrupted,
    /// An error ended the run.
    Error,
}

/// Good or bad version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionInfo {
    /// Commit id, or path of a folder.
    pub revision: String,
    /// Tree id, in hexadecimal.
    pub tree: String,
}

/// Result of reverting the culprit commit on top of bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevertResult {
    /// True if the revert has no conflicts.
    pub applies: bool,
    /// True if the test passes with it.
    pub passes: bool,
}

/// Size of the change that was split into components.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaSize {
    /// Number of files that differ.
    pub files: usize,
    /// Number of Java files among them.
    pub java_files: usize,
    /// Number of hunks.
    pub hunks: usize,
    /// Number of components: sets of hunks that can only be applied together.
    pub components: usize,
    /// Number of tokens deleted plus inserted.
    pub tokens: u64,
}

/// Culprit or fix of a bisection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchResult {
    /// Number of tokens deleted plus inserted by a minimal script.
    pub tokens: usize,
    /// Number of hunks.
    pub hunks: usize,
    /// Number of components.
    pub components: usize,
    /// Changed files.
    pub files: Vec<String>,
    /// Path of the patch in the run folder.
    pub patch: String,
    /// True if it is 1-minimal: no single component can be omitted.
    pub minimal: bool,
    /// Commits that introduced the culprit, oldest first; empty if not determined.
    pub commits: Vec<String>,
    /// Numbers of the components in `delta.json`; empty if the patch was found in another change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub component_ids: Vec<usize>,
}

/// Kind of an upgrade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpgradeKind {
    /// Library.
    #[default]
    Library,
    /// Library on the path of annotation processors.
    Processor,
    /// Plugin of Maven that generates sources or resources, or of Gradle.
    Plugin,
    /// Version of Java for which the sources are compiled.
    Java,
}

/// Upgrade that breaks the tests, alone or with others of the same culprit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpgradeResult {
    /// `group:artifact`, the name of a file that is in no repository, or `Java`.
    pub artifact: String,
    /// Kind of the upgrade.
    #[serde(default)]
    pub kind: UpgradeKind,
    /// Version of good; `None` if good lacks the library.
    pub from: Option<String>,
    /// Version of bad; `None` if bad lacks the library.
    pub to: Option<String>,
    /// Last version that passes with the other libraries of bad, or of good if those of bad need the new version.
    pub last_good: Option<String>,
    /// First version that fails.
    pub first_bad: Option<String>,
    /// True if the first version that fails does so with another message than bad.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_message: bool,
    /// True if a build file names it.
    pub direct: bool,
    /// Libraries of bad that depend on it.
    pub used_by: Vec<String>,
    /// Libraries whose upgrades it needs to work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Number of the culprit, from 1. Upgrades with the same number break the tests only together.
    pub culprit: usize,
    /// Result of searching the library's own history, if its sources were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library_history: Option<LibraryHistoryResult>,
}

/// Result of searching the history of a library between the last version that passes and the first that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryHistoryResult {
    /// Checkout of the library.
    pub source: String,
    /// Tag of the last version that passes.
    pub good_tag: String,
    /// Tag of the first version that fails.
    pub bad_tag: String,
    /// Id of the commit that breaks the tests, if it is certain.
    pub culprit_commit: Option<String>,
    /// This commit, for people.
    pub culprit_info: Option<CommitInfo>,
    /// Web page of this commit, if the remote `origin` is on GitHub or GitLab.
    pub link: Option<String>,
    /// Commits that may be the culprit, if the commits between them could not be tested.
    pub suspects: Vec<String>,
    /// Commits that could not be built or tested.
    pub skipped: Vec<String>,
    /// Minimal change of the library that breaks the tests. Its patch is in `run_folder`.
    pub culprit: Option<PatchResult>,
    /// Run folder of this search, below that of the run.
    pub run_folder: String,
}

/// Fix found by `fix`, or plausible patch of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixResult {
    /// Rank, from 1.
    pub rank: usize,
    /// Technique that found it.
    pub technique: String,
    /// Fix operator that generated it, or the name of a patch in a pool.
    pub operator: String,
    /// Path of the patch in the run folder, or `None` for changed classes.
    pub patch: Option<String>,
    /// Number of tokens deleted plus inserted by a minimal script; unknown for changed classes.
    pub tokens: Option<usize>,
    /// Number of lines deleted plus inserted; unknown for changed classes.
    pub lines: Option<usize>,
    /// Changed files.
    pub files: Vec<String>,
    /// First changed line as `path:line`, or the path alone if no line changes.
    pub location: Option<String>,
    /// Explanation.
    pub why: String,
    /// Confidence in it; unknown until its evidence is complete.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// Reason for the confidence.
    #[serde(default)]
    pub confidence_reason: Option<String>,
    /// Evidence from tests.
    pub validated: FixEvidence,
}

impl FixResult {
    /// Returns true unless the confidence is low.
    pub fn is_recommended(&self) -> bool {
        self.confidence != Some(Confidence::Low)
    }
}

/// Confidence that the authors of the code would accept a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Not recommended.
    Low,
    /// A person must decide.
    Medium,
    /// Recommended.
    High,
}

impl Confidence {
    /// Returns the name in results and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Evidence for a fix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixEvidence {
    /// Number of tests that failed before and pass with it.
    pub failing_pass: usize,
    /// Tests that failed before and still fail.
    #[serde(default)]
    pub still_failing: Vec<String>,
    /// Number of tests that passed before and still pass.
    pub passing_kept: usize,
    /// Number of affected tests that were not selected and pass with it.
    #[serde(default)]
    pub affected_tests: usize,
    /// Number of generated tests with the same result as before, or as on good.
    pub generated: Option<usize>,
    /// Number of generated tests with a different result.
    #[serde(default)]
    pub generated_different: usize,
    /// Number of these generated tests that call a method which the fix changes; unknown if calls were not recorded.
    #[serde(default)]
    pub generated_reaching: Option<usize>,
    /// Signs that it only evades the failure, as predicates of a sentence.
    #[serde(default)]
    pub overfitting_signs: Vec<String>,
    /// True if the checks for such signs do not apply to all of its changes.
    #[serde(default)]
    pub unclassified: bool,
    /// Number of schedules without a failure, under the seeds that showed the bug and others.
    pub schedules: Option<usize>,
    /// Guarantee that follows from these schedules, in words.
    pub bound: Option<String>,
    /// True if these are all schedules that can differ in their result.
    #[serde(default)]
    pub exhaustive: bool,
    /// Further concurrency checks that the fix passed, in words.
    #[serde(default)]
    pub checks: Vec<String>,
}

/// Plausible fix that was not verified, because the run was interrupted or failed before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnverifiedFix {
    /// Technique that found it.
    pub technique: String,
    /// Fix operator that generated it.
    pub operator: String,
    /// Path of the patch in the run folder.
    pub patch: String,
    /// Number of tokens deleted plus inserted by a minimal script.
    pub tokens: usize,
    /// Changed files.
    pub files: Vec<String>,
    /// First changed line as `path:line`, or the path alone if no line changes.
    pub location: Option<String>,
    /// Explanation.
    pub why: String,
    /// Number of tests that failed before and passed with it in a warm JVM.
    pub failing_pass: usize,
    /// Tests that failed before and still failed.
    pub still_failing: Vec<String>,
    /// Checks that it did not get.
    pub not_checked: Vec<String>,
}

/// Result for one patch of a pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoolPatchResult {
    /// File or folder in the pool.
    pub name: String,
    /// `pass` if it is plausible, else `fail`, `unresolved` or `flaky`.
    pub verdict: String,
    /// Phase in which the patch became unresolved.
    pub phase: Option<Phase>,
    /// Path of the patch in the run folder, if the patch is plausible.
    pub patch: Option<String>,
    /// Reason for the verdict, one line.
    pub reason: String,
    /// True if the patch changes test code. The tests of bad were used instead.
    #[serde(default)]
    pub edits_tests: bool,
    /// Tests that failed before and pass with the patch; unknown unless all tests ran.
    #[serde(default)]
    pub fixed_tests: Option<Vec<String>>,
    /// Tests that fail only with the patch; unknown unless all tests ran.
    #[serde(default)]
    pub broken_tests: Option<Vec<String>>,
    /// True if no part of the patch can be omitted; unknown unless it was minimised.
    #[serde(default)]
    pub minimal: Option<bool>,
    /// Number of thread schedules that ran with the patch; unknown if none ran or if they show nothing.
    #[serde(default)]
    pub schedules: Option<usize>,
    /// Fault that one of these schedules shows, and that the code does not have without the patch. It rejects the patch.
    #[serde(default)]
    pub schedule_fault: Option<String>,
    /// Number of generated tests with the same result as without the patch; unknown if none ran.
    #[serde(default)]
    pub generated: Option<usize>,
    /// Number of generated tests with a different result.
    #[serde(default)]
    pub generated_different: usize,
    /// Signs that the patch only evades the failure, as predicates of a sentence; unknown if it was not checked.
    #[serde(default)]
    pub overfitting_signs: Option<Vec<String>>,
    /// Confidence in a plausible patch.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// Number of tokens deleted plus inserted by a minimal script, if known.
    pub tokens: Option<usize>,
    /// Time in compilers and tests, in seconds.
    pub seconds: f64,
}

/// Technique of fixes that revert a part of the change.
pub const REGRESSION_TECHNIQUE: &str = "regression";

/// Technique of fixes of an external generator.
pub const GENERATOR_TECHNIQUE: &str = "generator";

/// Patches of an external generator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorResult {
    /// Command line of the generator.
    pub command: String,
    /// Results of its patches, in their order. The verdict `duplicate` means that the same change was tried before,
    /// `untested` that no time was left.
    pub patches: Vec<PoolPatchResult>,
}

/// Result of running the tests of one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRunReport {
    /// `pass`, `fail`, `flaky` if the runs disagree, or `unresolved`.
    pub verdict: String,
    /// Phase in which the version became unresolved.
    pub phase: Option<Phase>,
    /// Number of runs.
    pub runs: usize,
    /// Number of runs in which a test failed.
    pub failing_runs: usize,
    /// Number of tests that passed in every run.
    pub passed: usize,
    /// Number of skipped tests.
    pub skipped: usize,
    /// Tests that failed in a run.
    pub failures: Vec<TestFailure>,
    /// Output of the compiler, or of a test runner that did not finish.
    pub output: Option<String>,
}

/// Failed test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFailure {
    /// Name of the test: `pkg.Class#method`.
    pub test: String,
    /// Class of the exception.
    pub exception: String,
    /// Message of the exception.
    pub message: Option<String>,
    /// Stack trace, innermost frame first.
    pub frames: Vec<String>,
    /// End of what the test printed.
    pub printed: String,
}

/// Verification of the emitted patches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Execution mode, which is `fresh`: applied to a clean checkout and tested in a new process.
    #[serde(rename = "rung")]
    pub execution_mode: String,
    /// True if all classes were compiled from scratch.
    pub fresh_build: bool,
}

/// Cost of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Number of test runs on variants and commits that built, baselines included.
    pub tests: usize,
    /// Number of cached test runs.
    pub cached: usize,
    /// Number of compilations.
    pub builds: usize,
    /// Number of compilations without error.
    pub builds_ok: usize,
    /// Number of variants rejected before compilation.
    pub rejected: usize,
    /// Wall time, in seconds.
    pub seconds: f64,
    /// Time in compilers, summed over jobs, in seconds.
    pub seconds_build: f64,
    /// Time in tests, summed over jobs, in seconds.
    pub seconds_test: f64,
    /// Number of JVMs started for tests.
    pub jvms: usize,
}

/// Environment of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentInfo {
    /// JDK, if one was needed.
    pub jdk: Option<String>,
    /// Operating system and processor.
    pub os: String,
    /// Number of parallel jobs.
    pub jobs: usize,
    /// Random seed.
    pub seed: u64,
}

/// Culprit commit, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitInfo {
    /// Abbreviated id.
    pub short_id: String,
    /// Name and email address.
    pub author: String,
    /// Date of the commit.
    pub date: String,
    /// First line of the commit message.
    pub summary: String,
}

/// Complete result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Name of the schema.
    pub schema: String,
    /// Version of git-mend.
    pub version: String,
    /// Command line.
    pub command: String,
    /// Goal of the search.
    pub goal: RunGoal,
    /// Status of the run.
    pub status: RunStatus,
    /// Summary for people, one line.
    pub message: Option<String>,
    /// Symptom: the failure to reproduce, on one line.
    #[serde(default)]
    pub symptom: Option<String>,
    /// Parts of the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Passing version.
    pub good: Option<VersionInfo>,
    /// Failing version.
    pub bad: Option<VersionInfo>,
    /// Id of the first bad commit.
    pub culprit_commit: Option<String>,
    /// First bad commit, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit_info: Option<CommitInfo>,
    /// Suspects: commits that may be the culprit, if the commits between them could not be tested.
    pub suspects: Vec<String>,
    /// Number of tested commits.
    pub commits_tested: usize,
    /// Result of reverting the culprit commit on top of bad.
    #[serde(default)]
    pub revert: Option<RevertResult>,
    /// Size of the change that was split into components.
    pub delta: Option<DeltaSize>,
    /// Minimal culprit: the minimal change that breaks good.
    pub culprit: Option<PatchResult>,
    /// Minimal fix of bad.
    pub fix: Option<PatchResult>,
    /// Verified repair that is smaller than the fix, which reverts the culprit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<PatchResult>,
    /// Further culprits, each of which breaks good alone.
    pub others: Vec<PatchResult>,
    /// Fixes, best first.
    pub fixes: Vec<FixResult>,
    /// Plausible fixes that were not verified, best first. Only runs whose verification was not completed have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unverified_fixes: Vec<UnverifiedFix>,
    /// Results for the patches of a pool, in its order.
    pub patches: Vec<PoolPatchResult>,
    /// Patches of an external generator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<GeneratorResult>,
    /// Library upgrades that break the tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upgrades: Vec<UpgradeResult>,
    /// Result of running the tests of one version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_run: Option<TestRunReport>,
    /// Result of schedule exploration.
    pub schedules: Option<ScheduleReport>,
    /// Verification of the emitted patches.
    pub confirmed: Option<Verification>,
    /// Gaps: items that were not checked.
    pub not_checked: Vec<String>,
    /// Command that repeats the run.
    pub reproduce: Option<String>,
    /// Next command for the user, if it is not the command that applies a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_command: Option<String>,
    /// Cost of the run.
    pub cost: Cost,
    /// Environment of the run.
    pub environment: EnvironmentInfo,
}

impl RunResult {
    /// Creates an empty result. Its status is interrupted, so that a killed run has the right status.
    pub fn new(command: &str, goal: RunGoal, environment: EnvironmentInfo) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            goal,
            status: RunStatus::Interrupted,
            message: None,
            symptom: None,
            messages: Vec::new(),
            good: None,
            bad: None,
            culprit_commit: None,
            culprit_info: None,
            suspects: Vec::new(),
            commits_tested: 0,
            revert: None,
            delta: None,
            culprit: None,
            fix: None,
            repair: None,
            others: Vec::new(),
            fixes: Vec::new(),
            unverified_fixes: Vec::new(),
            patches: Vec::new(),
            generator: None,
            upgrades: Vec::new(),
            test_run: None,
            schedules: None,
            confirmed: None,
            not_checked: Vec::new(),
            reproduce: None,
            next_command: None,
            cost: Cost::default(),
            environment,
        }
    }

    /// Writes a run folder that contains only the reason for a failed search. Does not overwrite the result of another
    /// search.
    ///
    /// # Errors
    /// Input and output errors, also if `result.json` exists.
    pub fn write_failed_search(
        folder: &Path,
        environment: EnvironmentInfo,
        why: String,
    ) -> Result<()> {
        let new = Self::new("bisect", RunGoal::Both, environment);
        let result = Self { status: RunStatus::Error, message: Some(why), ..new };
        let text = serde_json::to_vec_pretty(&result).map_err(anyhow::Error::new)?;
        std::fs::create_dir_all(folder)
            .and_then(|()| File::create_new(folder.join("result.json"))?.write_all(&text))
            .map_err(|error| Problem::io(error, folder))
    }

    /// Adds a gap to the list of what was not checked, without repetition.
    pub fn add_unchecked(&mut self, item: &str) {
        if self.not_checked.iter().all(|known| known != item) {
            self.not_checked.push(item.to_owned());
        }
    }
}
