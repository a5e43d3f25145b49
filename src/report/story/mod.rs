//! What a run found, told on GitHub: the text of pull requests, comments, summaries and annotations. All prose that
//! people meet there stands in these files.
//!
//! Whatever comes from the repository or the run (names of tests, messages, file names, code) is hostile until it is
//! written by `markdown.rs`.

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

/// What fails where no test is known.
const THE_BUILD: &str = "the build";

/// What came of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A culprit, a patch, or both.
    Found,
    /// Searched to the end, and there is none.
    Nothing,
    /// The failure does not repeat: nobody is to blame.
    Noise,
    /// The search stopped before its end.
    Stopped,
    /// The search could not say anything of the change.
    Hindered(Hindrance),
}

/// Why a search could not say anything of a change. None of these is anybody's fault who changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hindrance {
    /// What was asked makes no sense there.
    Question,
    /// The good version does not pass there, or the bad one does not fail.
    Premise,
    /// Something is missing where it ran.
    Environment,
    /// Our own fault.
    Fault,
}

impl Hindrance {
    /// What the end of a search means for whoever waits for its answer; nothing where it has one.
    pub fn of(exit: Exit) -> Option<Self> {
        match exit {
            Exit::Usage => Some(Self::Question),
            Exit::Premise => Some(Self::Premise),
            Exit::Environment => Some(Self::Environment),
            Exit::Internal => Some(Self::Fault),
            Exit::Found | Exit::NotFound | Exit::Flaky | Exit::Interrupted => None,
        }
    }

    /// As [`Self::of`], by the code of a program that ran elsewhere. One that we do not have is the system's.
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

/// The commit that broke it, with what GitHub knows of it where GitHub was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Its id.
    pub commit: String,
    /// Its page.
    pub url: Option<String>,
    /// The author's name.
    pub author: Option<String>,
    /// The day.
    pub date: Option<String>,
    /// The first line of its message.
    pub summary: Option<String>,
    /// The pull request that brought it.
    pub pull: Option<u64>,
}

impl Blame {
    /// A commit of which nothing else is known.
    fn of(commit: String) -> Self {
        Self { commit, url: None, author: None, date: None, summary: None, pull: None }
    }

    /// The first ten digits.
    pub fn short(&self) -> &str {
        self.commit.get(..10).unwrap_or(&self.commit)
    }
}

/// A patch and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The file in the run folder.
    pub file: String,
    /// As a unified diff.
    pub text: String,
    /// Tokens deleted plus inserted, where that is known.
    pub tokens: Option<usize>,
}

/// A patch that mends it, and what speaks for it.
#[derive(Clone, Debug)]
pub struct Mending {
    /// The patch.
    pub part: Part,
    /// What there is to say of it where it is a repair; undoing needs no other reason than the culprit.
    pub(super) repair: Option<Repair>,
}

impl Mending {
    /// Why it is one, where a repair was found.
    pub fn why(&self) -> Option<&str> {
        self.repair.as_ref().map(|repair| repair.why.as_str())
    }
}

/// What there is to tell of a run.
#[derive(Clone, Debug)]
pub struct Story {
    /// What came of it.
    pub outcome: Outcome,
    /// The run's own line.
    pub message: Option<String>,
    /// What to do where the search could not say anything.
    pub remedy: Option<String>,
    /// Which failure counted.
    pub symptom: Option<String>,
    /// The tests that failed, as the job that ran them reported.
    pub tests: Vec<String>,
    /// The commit that broke it.
    pub blame: Option<Blame>,
    /// The commits of which one is it, where that could not be told.
    pub suspects: Vec<String>,
    /// The part of the change that breaks it.
    pub culprit: Option<Part>,
    /// How many tokens were taken apart.
    pub delta_tokens: Option<u64>,
    /// The best patch.
    pub mending: Option<Mending>,
    /// Further repairs, the better ones first.
    pub(super) others: Vec<Mending>,
    /// What schedules of threads showed.
    pub(super) threads: Option<ThreadsView>,
    /// Whether it was applied to a clean checkout, built from scratch and tested.
    pub is_proved: bool,
    /// The version that fails.
    pub bad: Option<String>,
    /// How many commits were judged.
    pub commits_tested: usize,
    /// Pictures of the search.
    pub sketches: Vec<Sketch>,
    /// What it cost.
    pub cost: Cost,
    /// What nobody checked.
    pub not_checked: Vec<String>,
    /// The command that does it all again.
    pub reproduce: Option<String>,
}

impl Story {
    /// The story of a run, as far as the run itself knows it.
    pub fn of(run: &ReadRun) -> Self {
        let result = run.result();
        let part =
            |file: &str, tokens| Part { file: file.to_owned(), text: run.patch_text(file), tokens };
        let culprit = result.culprit.as_ref().map(|one| part(&one.patch, Some(one.tokens)));
        let material = Material::as_far_as_it_is_there(run);
        let mut repairs = mendings(&material, &part).into_iter();
        let mending = repairs.next().or_else(|| undoing(result, &part));
        let reproduce = again::elsewhere(result);
        // Who reads a text has the run folder, if anything of the run: commands are for in there.
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

    /// Makes the failure nobody's: it did not repeat, so whatever the run found neither broke it nor mends it.
    pub fn blame_nobody(&mut self, why: String) {
        (self.outcome, self.message) = (Outcome::Noise, Some(why));
        (self.blame, self.culprit, self.mending) = (None, None, None);
        self.suspects.clear();
        self.others.clear();
    }

    /// What failed, in the fewest words: a test, or what the run says.
    pub fn subject(&self) -> &str {
        let test = self.tests.first().map(String::as_str);
        // What a search says that could not be made is not about a test.
        let is_hindered = matches!(self.outcome, Outcome::Hindered(_));
        let message = || self.message.as_deref().filter(|_| !is_hindered);
        let told = || self.symptom.as_deref().or_else(message);
        // A symptom begins with its test.
        let first = |text: &'_ str| text.split_whitespace().next().map(str::len);
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

/// The repairs that have a patch, the best first.
fn mendings(material: &Material<'_>, part: &dyn Fn(&str, Option<usize>) -> Part) -> Vec<Mending> {
    let mending = |repair: Repair| {
        let part = part(repair.patch.as_deref()?, repair.tokens);
        Some(Mending { part, repair: Some(repair) })
    };
    repairs(material).into_iter().filter_map(mending).collect()
}

/// What undoes the culprit.
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

    /// The story of a bisection that found everything.
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
            not_checked: vec!["tests other than those that were asked for".to_owned()],
            reproduce: Some(
                "git mend bisect --good v1.0 --bad main --test bakery.TillTest".to_owned(),
            ),
        }
    }
}
