//! `result.json`: what scripts read.

use super::schedules::Schedules;
use crate::model::{Phase, Problem, Result};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// The name of the schema that [`RunResult`] follows.
pub(super) const SCHEMA: &str = "git-mend/result/1";

/// What was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// The minimal change that makes good fail.
    Culprit,
    /// The minimal patch that makes bad pass.
    Fix,
    /// Both.
    Both,
}

impl Goal {
    /// Whether the culprit is wanted.
    pub fn wants_culprit(self) -> bool {
        matches!(self, Self::Culprit | Self::Both)
    }

    /// Whether the fix is wanted.
    pub fn wants_fix(self) -> bool {
        matches!(self, Self::Fix | Self::Both)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Found what was looked for.
    Found,
    /// There is none.
    None,
    /// The test does not repeat.
    Flaky,
    /// Stopped before the end; what was found so far stands.
    Interrupted,
    /// It could not go on.
    Error,
}

/// One of the two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// A commit id, or a folder.
    pub revision: String,
    /// The tree, in hexadecimal.
    pub tree: String,
}

/// How large the change is that was taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaSize {
    /// Files that differ.
    pub files: usize,
    /// Java files among them.
    pub java_files: usize,
    /// Changes that can be switched on and off.
    pub hunks: usize,
    /// Sets of hunks that only come together.
    pub components: usize,
    /// Tokens deleted plus inserted.
    pub tokens: u64,
}

/// A patch that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchResult {
    /// Tokens deleted plus inserted by a minimal script.
    pub tokens: usize,
    /// How many hunks it is made of.
    pub hunks: usize,
    /// How many components.
    pub components: usize,
    /// The files that it changes.
    pub files: Vec<String>,
    /// The file in the run folder.
    pub patch: String,
    /// Whether no component can be left out.
    pub minimal: bool,
    /// The commits that brought it, oldest first, where that was looked into.
    pub commits: Vec<String>,
    /// The numbers of its components in `delta.json`; nothing where it was found in another change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<usize>,
}

/// A repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixResult {
    /// Its place among the repairs, from 1.
    pub rank: usize,
    /// What found it.
    pub technique: String,
    /// How that found it; the name of a patch of a pool.
    pub strategy: String,
    /// The file in the run folder; changed classes have none.
    pub patch: Option<String>,
    /// Tokens deleted plus inserted by a minimal script; unknown of changed classes.
    pub tokens: Option<usize>,
    /// Lines deleted plus inserted; unknown of changed classes.
    pub lines: Option<usize>,
    /// The files that it changes.
    pub files: Vec<String>,
    /// The first line that it changes, `path:line`; of a file of which no line changes the path alone.
    pub location: Option<String>,
    /// Why it is one.
    pub why: String,
    /// What was tested.
    pub validated: Validated,
}

/// What speaks for a repair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validated {
    /// Tests that failed before and pass with it.
    pub failing_pass: usize,
    /// Tests that failed before and still do.
    #[serde(default)]
    pub still_failing: Vec<String>,
    /// Tests that passed before and still do.
    pub passing_kept: usize,
    /// Tests that were not asked for, may come upon what it changes, and pass with it.
    #[serde(default)]
    pub others: usize,
    /// Generated tests in which it does what the version did before, or good does.
    pub generated: Option<usize>,
    /// Generated tests in which it does something else, be that seen by the test or not.
    #[serde(default)]
    pub generated_changed: usize,
    /// Schedules in which nothing went wrong, under the seeds that showed the fault and others.
    pub schedules: Option<usize>,
    /// What these schedules say, in words.
    pub bound: Option<String>,
    /// Whether all orders of steps that can make a difference are among them.
    #[serde(default)]
    pub proved: bool,
    /// What else schedules were asked, and found nothing against, in words.
    #[serde(default)]
    pub asked: Vec<String>,
}

/// What became of one patch of a pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PooledPatch {
    /// The file or folder in the pool.
    pub name: String,
    /// `pass` if it is plausible, else `fail`, `unresolved` or `flaky`.
    pub verdict: String,
    /// Where a patch without a verdict got stuck.
    pub phase: Option<Phase>,
    /// The file in the run folder, if it is plausible.
    pub patch: Option<String>,
    /// One line that says why.
    pub reason: String,
    /// Tokens deleted plus inserted by a minimal script, where that is known.
    pub tokens: Option<usize>,
    /// Time in compilers and tests.
    pub seconds: f64,
}

/// How what is emitted was confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmed {
    /// The way that was taken, `fresh`: applied to a clean checkout and tested in a new process.
    pub rung: String,
    /// Whether everything was built from scratch.
    pub fresh_build: bool,
}

/// What a run cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Test executions on variants and commits that built, baselines included.
    pub tests: usize,
    /// Judgements whose outcome was known from before.
    pub cached: usize,
    /// Compilations asked for.
    pub builds: usize,
    /// Compilations without error.
    pub builds_ok: usize,
    /// Variants refused before any compilation.
    pub rejected: usize,
    /// Wall time.
    pub seconds: f64,
    /// Time in compilers, added up over jobs.
    pub seconds_build: f64,
    /// Time in tests, added up over jobs.
    pub seconds_test: f64,
    /// Java machines started for tests.
    pub jvms: usize,
}

/// Where a run took place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentInfo {
    /// The JDK, if one was needed.
    pub jdk: Option<String>,
    /// Operating system and processor.
    pub os: String,
    /// How many variants were judged at once.
    pub jobs: usize,
    /// The seed of everything random.
    pub seed: u64,
}

/// The commit that broke the test, as people know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guilty {
    /// Its id, shortened.
    pub short_id: String,
    /// Name and address.
    pub author: String,
    /// The day.
    pub date: String,
    /// The first line of its message.
    pub summary: String,
}

/// Everything that a run found, in the fixed schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// The schema's name.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// The command.
    pub command: String,
    /// What was looked for.
    pub goal: Goal,
    /// How it ended.
    pub status: Status,
    /// One line for people.
    pub message: Option<String>,
    /// Which failure counted, in one line, where a version was seen to fail.
    #[serde(default)]
    pub symptom: Option<String>,
    /// What the message is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// The version that passes.
    pub good: Option<Version>,
    /// The version that fails.
    pub bad: Option<Version>,
    /// The first commit that fails.
    pub culprit_commit: Option<String>,
    /// The same, as people know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guilty: Option<Guilty>,
    /// The commits that may be it, where some could not be tested.
    pub suspects: Vec<String>,
    /// How many commits were judged.
    pub commits_tested: usize,
    /// The change that was taken apart.
    pub delta: Option<DeltaSize>,
    /// The minimal change that breaks good.
    pub culprit: Option<PatchResult>,
    /// The minimal patch that mends bad.
    pub fix: Option<PatchResult>,
    /// Further changes, each of which breaks good alone.
    pub others: Vec<PatchResult>,
    /// Repairs, best first.
    pub fixes: Vec<FixResult>,
    /// The patches of a pool, in its order.
    pub patches: Vec<PooledPatch>,
    /// What many schedules of the tests' threads came to.
    pub schedules: Option<Schedules>,
    /// How what is emitted was confirmed.
    pub confirmed: Option<Confirmed>,
    /// What nobody checked.
    pub not_checked: Vec<String>,
    /// The command that does it all again.
    pub reproduce: Option<String>,
    /// The command to type next, where that is not to apply a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What it cost.
    pub cost: Cost,
    /// Where it took place.
    pub environment: EnvironmentInfo,
}

impl RunResult {
    /// The result of a run that has found nothing yet; should it be killed, that is what it was:
    /// interrupted.
    pub fn new(command: &str, goal: Goal, environment: EnvironmentInfo) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            goal,
            status: Status::Interrupted,
            message: None,
            symptom: None,
            said: Vec::new(),
            good: None,
            bad: None,
            culprit_commit: None,
            guilty: None,
            suspects: Vec::new(),
            commits_tested: 0,
            delta: None,
            culprit: None,
            fix: None,
            others: Vec::new(),
            fixes: Vec::new(),
            patches: Vec::new(),
            schedules: None,
            confirmed: None,
            not_checked: Vec::new(),
            reproduce: None,
            next: None,
            cost: Cost::default(),
            environment,
        }
    }

    /// Writes a run folder for a search that did not come to have one, with nothing in it but why. One that is there
    /// already is another search's.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub fn unsearched(folder: &Path, environment: EnvironmentInfo, why: String) -> Result<()> {
        let new = Self::new("bisect", Goal::Both, environment);
        let result = Self { status: Status::Error, message: Some(why), ..new };
        let text = serde_json::to_vec_pretty(&result).map_err(anyhow::Error::new)?;
        std::fs::create_dir_all(folder)
            .and_then(|()| File::create_new(folder.join("result.json"))?.write_all(&text))
            .map_err(|error| Problem::io(error, folder))
    }

    /// Names something that was not checked, once.
    pub fn leave_unchecked(&mut self, what: &str) {
        if self.not_checked.iter().all(|known| known != what) {
            self.not_checked.push(what.to_owned());
        }
    }

    /// Adds to the message what it does not say yet.
    pub fn say(&mut self, words: String) {
        if !self.said.contains(&words) {
            self.said.push(words);
            self.message = Some(self.said.join("; "));
        }
    }
}
