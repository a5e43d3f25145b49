//! What the job that searched says besides the run itself: which tests the build had reported, and what it thinks of
//! them. It ran code of others, so the job that tells believes none of it and only repeats it.

use crate::model::{Problem, Result, Selector};
use crate::report::ReadRun;
use crate::report::story::{Hindrance, Outcome, Story, more_tests, passes_again};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: &str = "ci.json";
const SCHEMA: &str = "git-mend/ci/1";

/// The largest that is read, in bytes.
const MOST: u64 = 1 << 20;

/// The most tests that are named.
const MOST_TESTS: usize = 200;

/// How much of what was not checked is told.
const MOST_NOT_CHECKED: usize = 20;

/// What the job that searched claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    schema: String,
    /// The tests that failed.
    pub tests: Vec<String>,
    /// Why the failure is nobody's, where it is not: it did not repeat.
    pub noise: Option<String>,
    /// What was not looked at, and why.
    pub not_checked: Vec<String>,
    /// Why nothing can be said, where that is so.
    #[serde(default)]
    pub hindrance: Option<Hindrance>,
    /// What to do about it.
    #[serde(default)]
    pub remedy: Option<String>,
}

impl Claims {
    /// Claims about these tests. What is none is left out.
    pub fn new(tests: &[String]) -> Self {
        let tests: Vec<&String> = tests.iter().filter(|test| is_test(test)).collect();
        let left = tests.len().saturating_sub(MOST_TESTS);
        let not_checked = (left > 0).then(|| more_tests(left));
        Self {
            schema: SCHEMA.to_owned(),
            tests: tests.into_iter().take(MOST_TESTS).cloned().collect(),
            noise: None,
            not_checked: not_checked.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds what kept the search from its answer, if it was kept.
    pub fn add_problem(&mut self, problem: &Problem) {
        if matches!(problem, Problem::BadDoesNotFail { .. }) {
            self.noise = Some(passes_again());
        }
        self.hindrance = Hindrance::of(problem.exit());
        self.remedy = self.hindrance.map(|_| problem.remedy());
    }

    /// Adds them to what there is to tell of the run.
    pub(super) fn shape(&self, story: &mut Story) {
        story.tests.clone_from(&self.tests);
        story.not_checked.extend(self.not_checked.iter().cloned());
        story.not_checked.truncate(MOST_NOT_CHECKED);
        match (&self.noise, self.hindrance) {
            (Some(noise), _) => story.blame_nobody(noise.clone()),
            // What was found before stands.
            (None, Some(hindrance)) if story.outcome == Outcome::Stopped => {
                story.outcome = Outcome::Hindered(hindrance);
                story.remedy.clone_from(&self.remedy);
            }
            (None, _) => {}
        }
    }

    /// Writes them into a run folder.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE);
        let text = serde_json::to_vec_pretty(self).map_err(anyhow::Error::new)?;
        std::fs::write(&path, text).map_err(|error| Problem::io(error, &path))
    }

    /// Reads those of a run; none where it was not made by a workflow.
    ///
    /// # Errors
    /// [`Problem::Usage`] if they are none.
    pub fn of(run: &ReadRun) -> Result<Self> {
        let Some(text) = run.file(FILE, MOST)? else { return Ok(Self::new(&[])) };
        let claims: Option<Self> = serde_json::from_slice(&text).ok();
        claims
            .filter(|claims| claims.schema == SCHEMA && claims.tests.len() <= MOST_TESTS)
            .filter(|claims| claims.tests.iter().all(|test| is_test(test)))
            .ok_or_else(|| Problem::Usage {
                message: format!("{FILE} in {} is not understood", run.folder().display()),
                remedy: "search and tell with the same version of git-mend".to_owned(),
            })
    }
}

fn is_test(text: &str) -> bool {
    text.parse::<Selector>().is_ok()
}
