//! Result of `validate_patches`.

use crate::patch_input::{patch_name, patch_path};
use mend_model::Phase;
use mend_report::{PoolPatchResult, SavedRun};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Maximum size of a patch that is read, in bytes.
const MAX_PATCH_BYTES: u64 = 2 << 20;

/// Verdicts on patches
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PatchesResult {
    /// Number of plausible patches: they fix all failing tests and break no passing one
    plausible: usize,
    /// The patches that were judged so far
    patches: Vec<PatchVerdict>,
    /// Findings in words
    messages: Vec<String>,
    /// Gaps of the verdicts, and how to close them
    notes: Vec<String>,
}

/// Verdict on a patch
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PatchVerdictKind {
    /// It fixes all failing tests and breaks no passing one
    Plausible,
    /// A test fails with it, or a thread schedule shows a fault
    Fails,
    /// It does not compile, or the tests do not compile with it
    DoesNotCompile,
    /// A test hangs with it
    Hangs,
    /// It does not apply, changes nothing, or changes only tests
    Rejected,
    /// The runs with it disagree
    Flaky,
    /// A required test did not run
    NotTestable,
}

/// Support of a verdict
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Support {
    /// A clean checkout with the patch was built from scratch and tested in a fresh JVM
    Verified,
    /// The patch was built and tested
    Tested,
    /// Nothing was tested
    NotTested,
}

/// A patch with its verdict. Null means that it was not checked
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PatchVerdict {
    /// Name
    name: String,
    /// Verdict
    verdict: PatchVerdictKind,
    /// Reason, one line
    reason: String,
    /// True if it compiles, with the tests
    builds: Option<bool>,
    /// Failing tests that pass with it
    fixes: Option<Vec<String>>,
    /// Tests that fail only with it
    breaks: Option<Vec<String>>,
    /// True if it edits test code. A warning: these edits were ignored, and the tests of the version were used
    edits_tests: bool,
    /// True if a test hangs with it
    hangs: Option<bool>,
    /// True if a thread schedule shows a new fault: a failure, a deadlock, a data race. Null if no schedules ran, or if
    /// they cannot judge the patch
    racy: Option<bool>,
    /// Fault that a schedule shows
    schedule_fault: Option<String>,
    /// Number of thread schedules
    schedules: Option<usize>,
    /// True if no part of it can be omitted
    minimal: Option<bool>,
    /// Changed lines of the patch that the minimised patch does not have
    superfluous: Vec<String>,
    /// File with the minimised patch, or with the whole one if it is minimal or was not minimised
    patch_file: Option<PathBuf>,
    /// Number of tokens deleted plus inserted
    tokens: Option<usize>,
    /// Number of generated tests with the same result as without the patch. Null if none ran
    generated_same: Option<usize>,
    /// Number of generated tests with a different result: behaviour that no test of the project checks
    generated_different: Option<usize>,
    /// Signs that the patch only evades the failure. Null if it was not checked
    overfitting_signs: Option<Vec<String>>,
    /// Confidence that the authors of the code would accept it: `high`, `medium` or `low`. Null unless it is plausible
    confidence: Option<String>,
    /// Support of the verdict
    support: Support,
}

impl PatchesResult {
    pub(crate) fn read(run: &SavedRun) -> Self {
        let result = run.result();
        let patches: Vec<_> =
            result.patches.iter().map(|patch| PatchVerdict::read(run, patch)).collect();
        let plausible =
            patches.iter().filter(|one| one.verdict == PatchVerdictKind::Plausible).count();
        let is_unchecked =
            plausible > 0 && patches.iter().all(|one: &PatchVerdict| one.schedules.is_none());
        let schedules = "no thread schedules were run: if threads take part, check the patch with explore_schedules \
                         and its argument `patch`";
        let is_uncompared =
            plausible > 0 && patches.iter().all(|one: &PatchVerdict| one.generated_same.is_none());
        let behaviour =
            "no tests were generated to compare the behaviour with and without the patch";
        let notes = [is_unchecked.then_some(schedules), is_uncompared.then_some(behaviour)];
        let notes = notes.into_iter().flatten();
        Self {
            plausible,
            patches,
            messages: result.messages.clone(),
            notes: notes.map(str::to_owned).collect(),
        }
    }
}

impl PatchVerdict {
    fn read(run: &SavedRun, patch: &PoolPatchResult) -> Self {
        let verdict = verdict_kind(patch);
        let builds = match verdict {
            PatchVerdictKind::Rejected => None,
            kind => Some(kind != PatchVerdictKind::DoesNotCompile),
        };
        let hangs = builds.filter(|builds| *builds).map(|_| verdict == PatchVerdictKind::Hangs);
        Self {
            name: patch_name(&patch.name).to_owned(),
            verdict,
            reason: patch.reason.clone(),
            builds,
            fixes: patch.fixed_tests.clone(),
            breaks: patch.broken_tests.clone(),
            edits_tests: patch.edits_tests,
            hangs,
            racy: patch.schedules.map(|_| patch.schedule_fault.is_some()),
            schedule_fault: patch.schedule_fault.clone(),
            schedules: patch.schedules,
            minimal: patch.minimal,
            superfluous: superfluous_lines(run, patch),
            patch_file: patch.patch.as_ref().map(|file| run.path().join(file)),
            tokens: patch.tokens,
            generated_same: patch.generated,
            generated_different: patch.generated.map(|_| patch.generated_different),
            overfitting_signs: patch.overfitting_signs.clone(),
            confidence: patch.confidence.map(|confidence| confidence.name().to_owned()),
            support: support(verdict, builds),
        }
    }
}

/// Returns the kind of a verdict.
pub(crate) fn verdict_kind(patch: &PoolPatchResult) -> PatchVerdictKind {
    match (patch.verdict.as_str(), patch.phase) {
        ("pass", _) => PatchVerdictKind::Plausible,
        ("flaky", _) => PatchVerdictKind::Flaky,
        (_, Some(Phase::Rejected)) => PatchVerdictKind::Rejected,
        (_, Some(Phase::NotCompiled | Phase::TestsNotCompiled)) => PatchVerdictKind::DoesNotCompile,
        (_, Some(Phase::TimedOut)) => PatchVerdictKind::Hangs,
        (_, Some(Phase::NotTestable)) => PatchVerdictKind::NotTestable,
        (_, Some(Phase::OtherFailure) | None) => PatchVerdictKind::Fails,
    }
}

fn support(verdict: PatchVerdictKind, builds: Option<bool>) -> Support {
    match (verdict, builds) {
        (PatchVerdictKind::Plausible, _) => Support::Verified,
        (_, Some(true)) => Support::Tested,
        (_, Some(false) | None) => Support::NotTested,
    }
}

/// Returns the changed lines of a patch that its minimised version does not have.
pub(crate) fn superfluous_lines(run: &SavedRun, patch: &PoolPatchResult) -> Vec<String> {
    let (Some(false), Some(minimised)) = (patch.minimal, &patch.patch) else { return Vec::new() };
    let submitted = run.read_file(&patch_path(&patch.name), MAX_PATCH_BYTES).ok().flatten();
    let submitted = String::from_utf8_lossy(&submitted.unwrap_or_default()).into_owned();
    let minimised = run.patch_text(minimised);
    let mut needed: Vec<&str> = changed_lines(&minimised).collect();
    let is_superfluous = |line: &&str| match needed.iter().position(|one| one == line) {
        Some(at) => {
            needed.swap_remove(at);
            false
        }
        None => true,
    };
    changed_lines(&submitted).filter(is_superfluous).map(str::to_owned).collect()
}

/// Returns the deleted and inserted lines of a patch.
fn changed_lines(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter(|line| {
        line.starts_with(['-', '+']) && !line.starts_with("--- ") && !line.starts_with("+++ ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(verdict: &str, phase: Option<Phase>) -> PoolPatchResult {
        PoolPatchResult { verdict: verdict.to_owned(), phase, ..PoolPatchResult::default() }
    }

    #[test]
    fn verdicts_and_phases_become_kinds() {
        for (verdict, phase, kind) in [
            ("pass", None, PatchVerdictKind::Plausible),
            ("fail", None, PatchVerdictKind::Fails),
            ("unresolved", Some(Phase::TimedOut), PatchVerdictKind::Hangs),
            ("unresolved", Some(Phase::Rejected), PatchVerdictKind::Rejected),
            ("unresolved", Some(Phase::TestsNotCompiled), PatchVerdictKind::DoesNotCompile),
            ("flaky", None, PatchVerdictKind::Flaky),
        ] {
            assert_eq!(verdict_kind(&patch(verdict, phase)), kind, "{verdict} {phase:?}");
        }
    }

    #[test]
    fn only_plausible_patches_are_verified() {
        assert_eq!(support(PatchVerdictKind::Plausible, Some(true)), Support::Verified);
        assert_eq!(support(PatchVerdictKind::Fails, Some(true)), Support::Tested);
        assert_eq!(support(PatchVerdictKind::Rejected, None), Support::NotTested);
        assert_eq!(support(PatchVerdictKind::DoesNotCompile, Some(false)), Support::NotTested);
    }
}
