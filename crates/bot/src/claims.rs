//! Claims of the search job that are not in the run: failing tests of the build, and notes about them. The search job
//! ran untrusted code, so the publishing job repeats the claims but never relies on them.

use mend_model::{Problem, Result, Selector};
use mend_report::SavedRun;
use mend_report::github::{
    FailureReason, GitHubReport, SearchOutcome, passes_again_reason, skipped_tests_note,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE_NAME: &str = "ci.json";
const SCHEMA: &str = "git-mend/ci/1";

/// Maximum size of the file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Maximum number of tests listed.
const MAX_TESTS: usize = 200;

/// Maximum number of unchecked items in a text.
const MAX_NOT_CHECKED: usize = 20;

/// Claims of the search job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchClaims {
    schema: String,
    /// Failed tests.
    pub tests: Vec<String>,
    /// The reason why the failure is flaky, if it did not repeat.
    pub flaky: Option<String>,
    /// Items that were not searched, with the reason.
    pub not_checked: Vec<String>,
    /// The reason why the search has no result, if it has none.
    #[serde(default)]
    pub error: Option<FailureReason>,
    /// The next step for the user.
    #[serde(default)]
    pub help: Option<String>,
}

impl SearchClaims {
    /// Creates the claims about failing tests; leaves out invalid names.
    pub fn new(tests: &[String]) -> Self {
        let tests: Vec<&String> = tests.iter().filter(|test| is_selector(test)).collect();
        let skipped_count = tests.len().saturating_sub(MAX_TESTS);
        let not_checked = (skipped_count > 0).then(|| skipped_tests_note(skipped_count));
        Self {
            schema: SCHEMA.to_owned(),
            tests: tests.into_iter().take(MAX_TESTS).cloned().collect(),
            flaky: None,
            not_checked: not_checked.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds the problem that ended the search. `has_failed_before` is true if the build reported these tests as failed
    /// on the same commit: only then is a test that passes now flaky.
    pub fn add_problem(&mut self, problem: &Problem, has_failed_before: bool) {
        let has_passed = matches!(problem, Problem::BadDoesNotFail { has_passed: true, .. });
        if has_passed && has_failed_before {
            self.flaky = Some(passes_again_reason());
        }
        self.error = FailureReason::from_exit(problem.exit());
        self.help = self.error.map(|_| problem.remedy());
    }

    /// Adds the claims to a report.
    pub(super) fn apply_to(&self, report: &mut GitHubReport) {
        report.tests.clone_from(&self.tests);
        report.not_checked.extend(self.not_checked.iter().cloned());
        report.not_checked.truncate(MAX_NOT_CHECKED);
        match (&self.flaky, self.error) {
            (Some(flaky), _) => report.mark_as_flaky(flaky.clone()),
            // Earlier results stay valid.
            (None, Some(hindrance)) if report.outcome == SearchOutcome::Incomplete => {
                report.outcome = SearchOutcome::Failed(hindrance);
                report.remedy.clone_from(&self.help);
            }
            (None, _) => {}
        }
    }

    /// Writes the claims into a run folder.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE_NAME);
        let text = serde_json::to_vec_pretty(self).map_err(anyhow::Error::new)?;
        std::fs::write(&path, text).map_err(|error| Problem::io(error, &path))
    }

    /// Reads the claims of a run; returns empty ones if no workflow made the run.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the file is invalid.
    pub fn from_run(run: &SavedRun) -> Result<Self> {
        let Some(text) = run.read_file(FILE_NAME, MAX_FILE_BYTES)? else {
            return Ok(Self::new(&[]));
        };
        let claims: Option<Self> = serde_json::from_slice(&text).ok();
        claims
            .filter(|claims| claims.schema == SCHEMA && claims.tests.len() <= MAX_TESTS)
            .filter(|claims| claims.tests.iter().all(|test| is_selector(test)))
            .ok_or_else(|| Problem::Usage {
                message: format!("cannot parse {FILE_NAME} in {}", run.path().display()),
                remedy: "run `git mend ci search` and `git mend ci publish` with the same version of git-mend".to_owned(),
            })
    }
}

fn is_selector(text: &str) -> bool {
    text.parse::<Selector>().is_ok()
}
