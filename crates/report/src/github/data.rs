//! Data of all texts on GitHub: the result of a run.

pub(crate) mod culprit_commit;
pub(crate) mod fix;
pub(crate) mod no_pull_reason;
pub(crate) mod outcome;
pub(crate) mod progress_summary;
pub(crate) mod replacement;
pub(crate) mod skipped_output;

use crate::github::data::culprit_commit::CulpritCommit;
use crate::github::data::fix::{FixSummary, SizedPatch, found_fixes, reverting_fix};
use crate::github::data::outcome::SearchOutcome;
use crate::github::path_mask::PathMask;
use crate::page::{TextDiagram, text_diagrams};
use crate::reproduce;
use crate::revert_text::describe_revert;
use crate::run_folder::result::{
    Cost, PatchResult, REGRESSION_TECHNIQUE, RevertResult, RunResult, RunStatus, UpgradeResult,
};
use crate::run_folder::saved_run::SavedRun;
use crate::terminal::OutputContext;
use crate::view::{RunArtifacts, ThreadsView, threads_view};
use std::path::Path;

/// Subject of a report without a known test.
const BUILD_SUBJECT: &str = "the build";

/// Subject of a report whose symptom is the exit code of a command.
const COMMAND_SUBJECT: &str = "the command";

/// Subject of a report whose symptom concerns no single test.
const TESTS_SUBJECT: &str = "the tests";

/// Subjects that are no names of tests.
const GENERAL_SUBJECTS: [&str; 3] = [BUILD_SUBJECT, COMMAND_SUBJECT, TESTS_SUBJECT];

/// Result of a run, as published on GitHub.
#[derive(Clone, Debug)]
pub struct GitHubReport {
    /// Outcome of the search.
    pub outcome: SearchOutcome,
    /// Message of the run.
    pub message: Option<String>,
    /// Next step if the search has no result.
    pub remedy: Option<String>,
    /// Symptom: the failure to reproduce.
    pub symptom: Option<String>,
    /// Failed tests, as the search job reported them.
    pub tests: Vec<String>,
    /// Culprit commit.
    pub culprit_commit: Option<CulpritCommit>,
    /// True if reverting the culprit commit, or a part of it, makes the test pass on the failing version. Otherwise the
    /// commit is only a suspect, and the texts name no author.
    pub is_culprit_confirmed: bool,
    /// Result of reverting the culprit commit on the failing version.
    pub revert: Option<RevertResult>,
    /// Suspect commits, if the search could not isolate the culprit commit.
    pub suspects: Vec<String>,
    /// Minimal culprit.
    pub culprit: Option<SizedPatch>,
    /// Number of changed tokens that the search started with.
    pub delta_tokens: Option<u64>,
    /// Dependency updates that break the tests.
    pub upgrades: Vec<UpgradeResult>,
    /// Best fix.
    pub fix: Option<FixSummary>,
    /// Alternative fixes, best first.
    pub(super) alternative_fixes: Vec<FixSummary>,
    /// Results of thread schedules.
    pub(super) threads: Option<ThreadsView>,
    /// True if the fix was verified on a clean checkout with a full build.
    pub is_verified: bool,
    /// Commit id of the failing version.
    pub bad: Option<String>,
    /// Number of tested commits.
    pub commits_tested: usize,
    /// Diagrams of the search.
    pub diagrams: Vec<TextDiagram>,
    /// Cost of the search.
    pub cost: Cost,
    /// Items that were not checked.
    pub not_checked: Vec<String>,
    /// Command that repeats the search.
    pub reproduce: Option<String>,
    /// Hides the folder of the run in public texts.
    pub(super) path_mask: PathMask,
}

impl GitHubReport {
    /// Creates the report of a run from its run folder alone.
    pub fn from_run(run: &SavedRun) -> Self {
        let result = run.result();
        let load_patch = |file: &str, tokens| SizedPatch {
            file: file.to_owned(),
            text: run.patch_text(file),
            tokens,
        };
        let culprit = result.culprit.as_ref().map(|one| load_patch(&one.patch, Some(one.tokens)));
        let artifacts = RunArtifacts::read_or_result_only(run);
        let mut fixes = found_fixes(&artifacts, &load_patch).into_iter();
        let fix = fixes.next().or_else(|| reverting_fix(result, &load_patch));
        let reproduce = reproduce::other_clone_command(result);
        // Readers on GitHub have at most the run folder, so commands refer to files in it.
        let context = OutputContext {
            folder: Path::new(""),
            is_default_location: false,
            project_folder: None,
            can_read_folder: true,
        };
        let threads = threads_view(&artifacts, &context, reproduce.as_deref());
        Self {
            outcome: search_outcome(result, culprit.is_some() || fix.is_some()),
            message: result.message.clone(),
            remedy: None,
            symptom: result.symptom.clone(),
            tests: Vec::new(),
            culprit_commit: result.culprit_commit.clone().map(CulpritCommit::without_details),
            is_culprit_confirmed: is_culprit_confirmed(result),
            revert: result.revert,
            suspects: result.suspects.clone(),
            culprit,
            upgrades: result.upgrades.clone(),
            delta_tokens: result.delta.as_ref().map(|delta| delta.tokens),
            fix,
            alternative_fixes: fixes.collect(),
            threads,
            is_verified: result.confirmed.as_ref().is_some_and(|one| one.fresh_build),
            bad: result.bad.as_ref().map(|bad| bad.revision.clone()),
            commits_tested: result.commits_tested,
            diagrams: text_diagrams(&artifacts),
            cost: result.cost.clone(),
            not_checked: result.not_checked.clone(),
            reproduce,
            path_mask: PathMask::for_run(run.path()),
        }
    }

    /// Describes the revert check of the culprit commit.
    pub(crate) fn revert_text(&self) -> Option<String> {
        self.revert.map(|revert| describe_revert(revert, "the failing version"))
    }

    /// Marks the failure as flaky. Discards any culprit or fix of the run, because the failure did not repeat.
    pub fn mark_as_flaky(&mut self, reason: String) {
        (self.outcome, self.message) = (SearchOutcome::Flaky, Some(reason));
        (self.culprit_commit, self.culprit, self.fix) = (None, None, None);
        self.revert = None;
        self.suspects.clear();
        self.upgrades.clear();
        self.alternative_fixes.clear();
    }

    /// Returns the other updates that break the tests only together with one.
    pub(super) fn partners(&self, upgrade: &UpgradeResult) -> Vec<&UpgradeResult> {
        let is_partner = |other: &&UpgradeResult| {
            other.culprit == upgrade.culprit && other.artifact != upgrade.artifact
        };
        self.upgrades.iter().filter(is_partner).collect()
    }

    /// Returns the fix if it was verified on a clean checkout.
    pub(super) fn verified_fix(&self) -> Option<&FixSummary> {
        self.fix.as_ref().filter(|_| self.is_verified)
    }

    /// Returns the failing test, or else the subject of the symptom or of the run's message.
    pub fn subject(&self) -> &str {
        let test = self.tests.first().map(String::as_str);
        // The message of a search without a result does not name a test.
        let has_failed = matches!(self.outcome, SearchOutcome::Failed(_));
        let message = || self.message.as_deref().filter(|_| !has_failed);
        let symptom_or_message = || self.symptom.as_deref().or_else(message);
        test.or_else(|| symptom_or_message().and_then(symptom_subject)).unwrap_or(BUILD_SUBJECT)
    }

    /// Returns true if the subject is grammatically plural.
    pub(super) fn has_plural_subject(&self) -> bool {
        self.subject() == TESTS_SUBJECT
    }

    /// Returns true if several tests failed.
    pub(super) fn is_plural(&self) -> bool {
        self.tests.len() > 1 || self.has_plural_subject()
    }
}

/// Returns true for a subject that is no name of a test.
pub(super) fn is_general_subject(subject: &str) -> bool {
    GENERAL_SUBJECTS.contains(&subject)
}

/// Returns the subject of a symptom: its test, whose name may contain blanks, or what failed instead. The text of
/// another message starts with its subject.
fn symptom_subject(text: &str) -> Option<&str> {
    let is_class = |name: &str| {
        let end = name.find(|c: char| c == ':' || c.is_whitespace()).unwrap_or(name.len());
        let (class, rest) = name.split_at(end);
        class.contains('.')
            && (rest.is_empty() || rest.starts_with(':') || rest.starts_with(" (and "))
    };
    let mut verbs = text.match_indices(" throws ");
    let throws = verbs.clone().find(|(at, verb)| is_class(&text[at + verb.len()..]));
    let test = throws.or_else(|| verbs.next()).map(|(at, _)| &text[..at]);
    let test = test.or_else(|| text.strip_suffix(" times out"));
    let general = || [COMMAND_SUBJECT, TESTS_SUBJECT].into_iter().find(|one| text.starts_with(one));
    test.or_else(general).or_else(|| text.split_whitespace().next())
}

/// Returns true if the culprit commit is the cause on the failing version too: its revert or a verified fix that reverts
/// a part of it makes the test pass there.
fn is_culprit_confirmed(result: &RunResult) -> bool {
    let is_revert_passing = result.revert.is_some_and(|revert| revert.passes);
    let is_part_of = |patch: &&PatchResult| {
        result.culprit_commit.as_ref().is_some_and(|culprit| patch.commits.contains(culprit))
    };
    let reverts_culprit = result.fix.as_ref().is_some_and(|fix| is_part_of(&fix))
        || result.culprit.as_ref().is_some_and(|culprit| is_part_of(&culprit))
            && result.fixes.iter().any(|fix| fix.technique == REGRESSION_TECHNIQUE);
    is_revert_passing || result.confirmed.is_some() && reverts_culprit
}

fn search_outcome(result: &RunResult, has_answer: bool) -> SearchOutcome {
    match result.status {
        RunStatus::Found => SearchOutcome::Found,
        _ if has_answer => SearchOutcome::Found,
        RunStatus::None => SearchOutcome::NotFound,
        RunStatus::Flaky => SearchOutcome::Flaky,
        RunStatus::Interrupted | RunStatus::Error => SearchOutcome::Incomplete,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_culprit_confirmed, symptom_subject};
    use crate::run_folder::result::{PatchResult, REGRESSION_TECHNIQUE, RunResult, Verification};
    use crate::testing::{bisection_result, fix_result};

    #[test]
    fn verified_revert_of_a_part_confirms_the_culprit() {
        let part = |text: &str| PatchResult {
            commits: vec!["87914ddf3a77".to_owned()],
            ..bisection_result(text).culprit.unwrap()
        };
        let found = bisection_result("x");
        assert!(!is_culprit_confirmed(&found));
        let confirmed =
            Some(Verification { execution_mode: "fresh".to_owned(), fresh_build: true });
        let verified = RunResult { confirmed, ..found };
        assert!(!is_culprit_confirmed(&verified));
        let with_fix = RunResult { fix: Some(part("x")), ..verified.clone() };
        assert!(is_culprit_confirmed(&with_fix));
        let mut fixes = fix_result("x").fixes;
        let with_fixes = |fixes: &[_]| RunResult {
            culprit: Some(part("x")),
            fix: None,
            fixes: fixes.to_vec(),
            ..verified.clone()
        };
        assert!(!is_culprit_confirmed(&with_fixes(&fixes)));
        fixes[1].technique = REGRESSION_TECHNIQUE.to_owned();
        assert!(is_culprit_confirmed(&with_fixes(&fixes)));
    }

    #[test]
    fn subject_of_a_symptom_is_its_whole_test_name() {
        for (text, subject) in [
            ("a.B#c throws java.lang.E: x throws y.Z: w", "a.B#c"),
            ("a.B#adds \"1\" and 2 throws java.lang.E", "a.B#adds \"1\" and 2"),
            ("a.B#throws nothing throws java.lang.E (and 2 more)", "a.B#throws nothing"),
            ("a.B#waits a while times out", "a.B#waits a while"),
            ("the tests time out", "the tests"),
            ("the command exits with a code from 1 to 127", "the command"),
            ("a.B#c is broken", "a.B#c"),
        ] {
            assert_eq!(symptom_subject(text), Some(subject));
        }
    }
}
