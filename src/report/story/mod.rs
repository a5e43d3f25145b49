//! Texts on GitHub about the result of a run: pull requests, comments, summaries and annotations. All text that users
//! read on GitHub is in these files.
//!
//! All text from the repository or the run (test names, messages, file names, code) is untrusted until `markdown.rs`
//! has formatted it.

mod annotations;
mod answers;
mod buttons;
mod checked;
mod claimed;
mod closing;
mod drawn;
mod found;
mod headline;
mod left_out;
mod markdown;
mod on_server;
mod premerge;
mod prose;
mod repairs;
mod replacement;
mod sarif;
mod sections;
mod stages;
mod suggestion;
mod threads;
mod titles;
mod whereabouts;
mod withheld;

pub use annotations::{MOST_REMARKS, Remark, remarks, workflow_command};
pub use answers::{KnownCheck, known_of, refusal};
pub use buttons::{Button, button_text};
pub use claimed::{more_classes, more_tests, out_of_budget, passes_again};
pub use closing::{Closing, closing_comment, closing_line};
pub use left_out::{LeftOut, Telling};
pub use on_server::{BareEnd, bare_end, nowhere_to_search, search_elsewhere};
pub use premerge::{let_through_summary, let_through_title};
pub use prose::{Words, comment, pull_body, summary, told_there};
pub use replacement::Replacement;
pub use sarif::sarif;
pub use stages::{Stage, stage_summary, stage_title};
pub use suggestion::{suggestion, suggestion_intro};
pub use titles::{check_title, commit_message, pull_title, title};
pub use whereabouts::Whereabouts;
pub use withheld::{Forbidden, Refusal, Withheld};

use super::again;
use super::human::Scene;
use super::page::{Sketch, sketches};
use super::read_run::ReadRun;
use super::result::{Cost, RunResult, Status};
use super::shown::{Material, Repair, ThreadsView, repairs, threads as threads_of};
use crate::model::Exit;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Subject of a story without a known test.
const THE_BUILD: &str = "the build";

/// Subject of a story whose symptom is the exit code of a command.
const THE_COMMAND: &str = "the command";

/// Outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A culprit, a fix, or both.
    Found,
    /// The search completed and found no culprit.
    Nothing,
    /// The failure is flaky: there is no culprit.
    Noise,
    /// The search did not complete.
    Stopped,
    /// The search has no result for this change.
    Hindered(Hindrance),
}

/// Reason why a search has no result for a change. The author of the change caused none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hindrance {
    /// The search request was invalid.
    Usage,
    /// Baseline check failed: the good version does not pass, or the bad version does not fail.
    Baseline,
    /// The environment of the search is incomplete.
    Environment,
    /// git-mend failed with an internal error.
    Internal,
}

impl Hindrance {
    /// Converts an exit code of the search. Returns `None` if the search has a result.
    pub fn of(exit: Exit) -> Option<Self> {
        match exit {
            Exit::Usage => Some(Self::Usage),
            Exit::Premise => Some(Self::Baseline),
            Exit::Environment => Some(Self::Environment),
            Exit::Internal => Some(Self::Internal),
            Exit::Found | Exit::NotFound | Exit::Flaky | Exit::Interrupted => None,
        }
    }

    /// Converts the exit code of a process as [`Self::of`] does. An unknown code counts as an incomplete environment.
    pub fn of_code(code: i32) -> Option<Self> {
        let known = [
            Exit::Found,
            Exit::NotFound,
            Exit::Usage,
            Exit::Premise,
            Exit::Environment,
            Exit::Flaky,
            Exit::Internal,
            Exit::Interrupted,
        ];
        let is_it = |exit: &Exit| i32::from(*exit as u8) == code;
        known.into_iter().find(is_it).map_or(Some(Self::Environment), Self::of)
    }
}

/// Culprit commit, with details from GitHub if they were requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The commit id.
    pub commit: String,
    /// The address of its page.
    pub url: Option<String>,
    /// The author's name.
    pub author: Option<String>,
    /// The author date, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The first line of its message.
    pub summary: Option<String>,
    /// The pull request that contains it.
    pub pull: Option<u64>,
}

impl Blame {
    /// Creates a culprit commit without details.
    fn of(commit: String) -> Self {
        Self { commit, url: None, author: None, date: None, summary: None, pull: None }
    }

    /// Returns the first ten digits of the commit id.
    pub fn short(&self) -> &str {
        self.commit.get(..10).unwrap_or(&self.commit)
    }
}

/// Patch and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The file in the run folder.
    pub file: String,
    /// The unified diff.
    pub text: String,
    /// Number of deleted and inserted tokens, if known.
    pub tokens: Option<usize>,
}

/// Fix, with its evidence.
#[derive(Clone, Debug)]
pub struct Mending {
    /// The patch.
    pub part: Part,
    /// Rationale and evidence of a fix found by `git mend fix`. A fix that reverts the culprit has none.
    pub(super) repair: Option<Repair>,
}

impl Mending {
    /// Returns the rationale of the fix, if `git mend fix` found it.
    pub fn why(&self) -> Option<&str> {
        self.repair.as_ref().map(|repair| repair.why.as_str())
    }
}

/// Result of a run, as published on GitHub.
#[derive(Clone, Debug)]
pub struct Story {
    /// The outcome of the search.
    pub outcome: Outcome,
    /// The message of the run.
    pub message: Option<String>,
    /// The next step if the search has no result.
    pub remedy: Option<String>,
    /// The symptom: the failure that counts.
    pub symptom: Option<String>,
    /// The tests that failed, as the job that ran them reported.
    pub tests: Vec<String>,
    /// The culprit commit.
    pub blame: Option<Blame>,
    /// The suspects, if the search could not isolate the culprit commit.
    pub suspects: Vec<String>,
    /// The minimal culprit.
    pub culprit: Option<Part>,
    /// Number of changed tokens that the search started with.
    pub delta_tokens: Option<u64>,
    /// The best fix.
    pub mending: Option<Mending>,
    /// Alternative fixes, best first.
    pub(super) others: Vec<Mending>,
    /// Results of thread schedules.
    pub(super) threads: Option<ThreadsView>,
    /// True if the fix was verified on a clean checkout with a full build.
    pub is_proved: bool,
    /// The failing version.
    pub bad: Option<String>,
    /// Number of tested commits.
    pub commits_tested: usize,
    /// Diagrams of the search.
    pub sketches: Vec<Sketch>,
    /// Cost of the search.
    pub cost: Cost,
    /// Items that were not checked.
    pub not_checked: Vec<String>,
    /// The command that repeats the search.
    pub reproduce: Option<String>,
}

impl Story {
    /// Creates the story of a run from its run folder alone.
    pub fn of(run: &ReadRun) -> Self {
        let result = run.result();
        let part =
            |file: &str, tokens| Part { file: file.to_owned(), text: run.patch_text(file), tokens };
        let culprit = result.culprit.as_ref().map(|one| part(&one.patch, Some(one.tokens)));
        let material = Material::as_far_as_it_is_there(run);
        let mut repairs = mendings(&material, &part).into_iter();
        let mending = repairs.next().or_else(|| undoing(result, &part));
        let reproduce = again::elsewhere(result);
        // Readers on GitHub have at most the run folder, so commands refer to files in it.
        let scene =
            Scene { folder: Path::new(""), is_found: false, elsewhere: None, is_kept: true };
        let threads = threads_of(&material, &scene, reproduce.as_deref());
        Self {
            outcome: outcome(result, culprit.is_some() || mending.is_some()),
            message: result.message.clone(),
            remedy: None,
            symptom: result.symptom.clone(),
            tests: Vec::new(),
            blame: result.culprit_commit.clone().map(Blame::of),
            suspects: result.suspects.clone(),
            culprit,
            delta_tokens: result.delta.as_ref().map(|delta| delta.tokens),
            mending,
            others: repairs.collect(),
            threads,
            is_proved: result.confirmed.as_ref().is_some_and(|one| one.fresh_build),
            bad: result.bad.as_ref().map(|bad| bad.revision.clone()),
            commits_tested: result.commits_tested,
            sketches: sketches(&material),
            cost: result.cost.clone(),
            not_checked: result.not_checked.clone(),
            reproduce,
        }
    }

    /// Marks the failure as flaky: it did not repeat, so any culprit or fix of the run is discarded.
    pub fn blame_nobody(&mut self, why: String) {
        (self.outcome, self.message) = (Outcome::Noise, Some(why));
        (self.blame, self.culprit, self.mending) = (None, None, None);
        self.suspects.clear();
        self.others.clear();
    }

    /// Returns the failing test, or else the first word of the symptom or of the run's message.
    pub fn subject(&self) -> &str {
        let test = self.tests.first().map(String::as_str);
        // The message of a search without a result does not name a test.
        let is_hindered = matches!(self.outcome, Outcome::Hindered(_));
        let message = || self.message.as_deref().filter(|_| !is_hindered);
        let told = || self.symptom.as_deref().or_else(message);
        // A symptom starts with its test, or with the command if there is no test.
        let first = |text: &'_ str| {
            let command = text.starts_with(THE_COMMAND).then_some(THE_COMMAND);
            command.or_else(|| text.split_whitespace().next()).map(str::len)
        };
        test.or_else(|| told().and_then(|text| first(text).map(|end| &text[..end])))
            .unwrap_or(THE_BUILD)
    }
}

fn outcome(result: &RunResult, has_answer: bool) -> Outcome {
    match result.status {
        Status::Found => Outcome::Found,
        _ if has_answer => Outcome::Found,
        Status::None => Outcome::Nothing,
        Status::Flaky => Outcome::Noise,
        Status::Interrupted | Status::Error => Outcome::Stopped,
    }
}

/// Returns the fixes that have a patch, best first.
fn mendings(material: &Material<'_>, part: &dyn Fn(&str, Option<usize>) -> Part) -> Vec<Mending> {
    let mending = |repair: Repair| {
        let part = part(repair.patch.as_deref()?, repair.tokens);
        Some(Mending { part, repair: Some(repair) })
    };
    repairs(material).into_iter().filter_map(mending).collect()
}

/// Returns the fix that reverts the culprit.
fn undoing(result: &RunResult, part: &dyn Fn(&str, Option<usize>) -> Part) -> Option<Mending> {
    let fix = result.fix.as_ref()?;
    Some(Mending { part: part(&fix.patch, Some(fix.tokens)), repair: None })
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    pub(super) const PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n\
        --- a/src/Till.java\n+++ b/src/Till.java\n@@ -41,1 +41,1 @@ class Till {\n\
        -        return count > dozen;\n+        return count >= dozen;\n";

    /// Returns the story of a bisection that found a culprit and a fix.
    pub(super) fn story() -> Story {
        let part = |file: &str, text: &str| Part {
            file: file.to_owned(),
            text: text.to_owned(),
            tokens: Some(2),
        };
        Story {
            outcome: Outcome::Found,
            message: None,
            remedy: None,
            symptom: Some(
                "bakery.TillTest#dozen throws java.lang.AssertionError: 13 rolls".to_owned(),
            ),
            tests: vec!["bakery.TillTest#dozen".to_owned(), "bakery.TillTest#sum".to_owned()],
            blame: Some(Blame {
                commit: "87914ddf3a77114a684c7a39c308b617791ebdc1".to_owned(),
                url: Some("https://github.com/bakery/till/commit/87914ddf3a".to_owned()),
                author: Some("Bruno Teig".to_owned()),
                date: Some("2025-04-22".to_owned()),
                summary: Some("Tidy up the till".to_owned()),
                pull: Some(12),
            }),
            suspects: Vec::new(),
            culprit: Some(part(
                "culprit.patch",
                "diff --git a/src/Till.java b/src/Till.java\n\
                --- a/src/Till.java\n+++ b/src/Till.java\n@@ -41,1 +41,1 @@ class Till {\n\
                -        return count >= dozen;\n+        return count > dozen;\n",
            )),
            delta_tokens: Some(261),
            mending: Some(Mending { part: part("fix.patch", PATCH), repair: None }),
            others: Vec::new(),
            threads: None,
            is_proved: true,
            bad: Some("ab11f313e44a88f95ab573b0a8716df391156d86".to_owned()),
            commits_tested: 6,
            sketches: vec![Sketch {
                source: "xychart-beta\n    line [18, 9, 1]".to_owned(),
                told: "The search in 3 tests.".to_owned(),
                text: "test 1   18 components".to_owned(),
            }],
            cost: Cost { tests: 21, seconds: 23.65, ..Cost::default() },
            not_checked: vec!["tests not selected with --test".to_owned()],
            reproduce: Some(
                "git mend bisect --good v1.0 --bad main --test bakery.TillTest".to_owned(),
            ),
        }
    }
}
