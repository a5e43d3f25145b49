//! Tests the patches of a generator beside our own candidates, and tells it the verdicts.

use super::command::PreparedGenerator;
use super::failure_report::ReportedFailure;
use super::fault::GeneratorFault;
use super::protocol::{CandidateVerdict, ProposedPatch, VerdictKind};
use super::session::{GeneratorSession, NumberedPatch, SessionStep};
use crate::run::fix::plausible::FixOrigin;
use crate::run::fix::trials::{
    CandidateTrials, KnownVerdict, PatchTrial, PatchTrialResult, TrialOutcome,
};
use crate::run::patch::patch_applier::{PatchApplier, PatchVariant, TEST_EDITS_NOTE};
use crate::run::patch::patch_source::PatchSource;
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::run_log::TrialCost;
use mend_delta::line_edits;
use mend_model::{
    FileChange, Outcome, Phase, Problem, RepoPath, Result, TreeId, Verdict, format_count,
};
use mend_process::Supervisor;
use mend_repair::{ExternalPatch, LocatedCandidate, PatchLocator, PatchedFile};
use mend_report::{
    FixResult, GENERATOR_TECHNIQUE, GeneratorResult, PoolPatchResult, sanitise_line,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use tempfile::TempDir;

/// Verdict in the result on a patch whose change was tried before.
const DUPLICATE_VERDICT: &str = "duplicate";

/// Verdict in the result on a patch for which no time was left.
const UNTESTED_VERDICT: &str = "untested";

/// Maximum size of a patch, in bytes.
const MAX_PATCH_BYTES: usize = 1 << 20;

/// Maximum number of characters of a generator's reason.
const MAX_REASON_CHARS: usize = 200;

/// Maximum number of characters of compiler messages and failures that a generator gets back.
const MAX_OUTPUT_CHARS: usize = 4000;

/// Generator with the means to test its patches.
pub(in crate::run::fix) struct GeneratorTrials<'a> {
    repair_context: RepairContext<'a>,
    patch_applier: PatchApplier<'a>,
    patch_locator: PatchLocator,
    /// Score of its patches. It saw the failure, so they count as much as our most promising candidate.
    score: f64,
    /// New folder for its patches, which a sandboxed generator cannot write.
    patch_folder: TempDir,
    command_line: String,
    session: Mutex<GeneratorSession>,
    results: Mutex<Vec<PoolPatchResult>>,
}

/// Parts of a repair that the patches of a generator need.
pub(in crate::run::fix) struct GeneratorSetup<'a> {
    pub(in crate::run::fix) repair_context: RepairContext<'a>,
    pub(in crate::run::fix) patch_applier: PatchApplier<'a>,
    pub(in crate::run::fix) patch_locator: PatchLocator,
    /// Highest score of our own candidates, if there are any.
    pub(in crate::run::fix) best_score: Option<f64>,
}

/// Patch that can be tested.
struct UsablePatch {
    tree: TreeId,
    candidate: LocatedCandidate,
    edits_tests: bool,
}

/// Patch that cannot be tested.
struct RejectedPatch {
    reason: String,
    edits_tests: bool,
}

impl<'a> GeneratorTrials<'a> {
    /// Starts a generator and sends it the failure.
    pub(in crate::run::fix) fn start(
        generator: &PreparedGenerator<'_>,
        failure: &ReportedFailure<'_>,
        setup: GeneratorSetup<'a>,
        trials: &CandidateTrials<'_>,
    ) -> Result<Self> {
        let GeneratorSetup { repair_context, patch_applier, patch_locator, best_score } = setup;
        let context = repair_context.session.context;
        let work_folder = repair_context.session.run_log.folder.work_dir();
        let scratch_folder = work_folder.join("generator");
        std::fs::create_dir_all(&scratch_folder)
            .map_err(|error| Problem::io(error, &scratch_folder))?;
        let patch_folder = tempfile::Builder::new()
            .prefix("generator-patches-")
            .tempdir_in(&work_folder)
            .map_err(|error| Problem::io(error, &work_folder))?;
        let supervisor = Supervisor::start(context.interrupt.clone(), &context.program)?;
        let session = GeneratorSession::start(
            generator,
            failure.report()?,
            trials.budget_use,
            &scratch_folder,
            &supervisor,
        )?;
        Ok(Self {
            repair_context,
            patch_applier,
            patch_locator,
            score: best_score.unwrap_or(1.0),
            patch_folder,
            command_line: generator.request.command_line(),
            session: Mutex::new(session),
            results: Mutex::default(),
        })
    }

    /// Tests the patches that the generator has offered by now, if no other thread does.
    pub(in crate::run::fix) fn advance(&self, trials: &CandidateTrials<'_>) -> Result<()> {
        let mut session = match self.session.try_lock() {
            Ok(session) => session,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        let step = end_at_problem(session.poll())?;
        self.perform_step(&mut session, step, trials).map(drop)
    }

    /// Continues until the generator offers no more patches or a limit is reached.
    pub(in crate::run::fix) fn finish(&self, trials: &CandidateTrials<'_>) -> Result<()> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let step = end_at_problem(session.wait())?;
            if !self.perform_step(&mut session, step, trials)? {
                return Ok(());
            }
        }
    }

    /// Returns the result of the exchange. `fixes` are the verified ones, of all techniques.
    pub(in crate::run::fix) fn result(&self, fixes: &[FixResult]) -> GeneratorResult {
        let mut patches = self.lock_results().clone();
        for patch in &mut patches {
            let is_own = |fix: &&FixResult| {
                fix.technique == GENERATOR_TECHNIQUE && fix.operator == patch.name
            };
            patch.patch = fixes.iter().find(is_own).and_then(|fix| fix.patch.clone());
        }
        GeneratorResult { command: self.command_line.clone(), patches }
    }

    /// Changes the results of plausible patches that the verification rejected, for a reason by name.
    pub(in crate::run::fix) fn record_rejections(&self, rejections: &BTreeMap<String, String>) {
        for patch in self.lock_results().iter_mut() {
            if let Some(reason) = rejections.get(&patch.name) {
                Verdict::Fail.name().clone_into(&mut patch.verdict);
                patch.reason = format!("rejected by the verification: {reason}");
            }
        }
    }

    /// Describes the patches in one sentence.
    pub(in crate::run::fix) fn describe(&self) -> String {
        let results = self.lock_results();
        let count = |is_counted: &dyn Fn(&PoolPatchResult) -> bool, words: &str| match results
            .iter()
            .filter(|one| is_counted(one))
            .count()
        {
            0 => String::new(),
            count => format!(", {count} {words}"),
        };
        let plausible = results.iter().filter(|one| one.verdict == "pass").count();
        let rejected = count(&|one| one.phase == Some(Phase::Rejected), "rejected");
        let duplicates = count(&|one| one.verdict == DUPLICATE_VERDICT, "tried before");
        let untested = count(&|one| one.verdict == UNTESTED_VERDICT, "untested");
        let offered = format_count(results.len(), "candidate");
        format!(
            "{offered} from the generator: {plausible} plausible{rejected}{duplicates}{untested}"
        )
    }

    fn lock_results(&self) -> MutexGuard<'_, Vec<PoolPatchResult>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs a step of the exchange. Returns true if it goes on.
    fn perform_step(
        &self,
        session: &mut GeneratorSession,
        step: SessionStep,
        trials: &CandidateTrials<'_>,
    ) -> Result<bool> {
        let end = match step {
            SessionStep::Waiting => return Ok(true),
            SessionStep::Over | SessionStep::Ended(None) => return Ok(false),
            SessionStep::Ended(Some(reason)) => Some(reason),
            SessionStep::Patches(patches) => self.try_patches(session, patches, trials)?,
        };
        let Some(reason) = end else { return Ok(true) };
        let run_log = &self.repair_context.session.run_log;
        run_log.note_unchecked(format!("further patches of the generator: {reason}"))?;
        Ok(false)
    }

    /// Tests the patches of an answer within the budget, and sends the verdicts. Returns the reason if the exchange ended.
    fn try_patches(
        &self,
        session: &mut GeneratorSession,
        patches: Vec<NumberedPatch>,
        trials: &CandidateTrials<'_>,
    ) -> Result<Option<String>> {
        let mut verdicts = Vec::new();
        let mut patches = patches.into_iter();
        while let Some(patch) = patches.next() {
            if trials.budget_use.is_time_over() {
                let untested = std::iter::once(patch).chain(patches);
                self.lock_results().extend(untested.map(|one| to_untested(one.number)));
                return Ok(Some(session.end(&GeneratorFault::BudgetUsedUp)));
            }
            verdicts.push(self.try_patch(patch, trials)?);
        }
        session.send_verdicts(verdicts)
    }

    fn try_patch(
        &self,
        NumberedPatch { number, patch }: NumberedPatch,
        trials: &CandidateTrials<'_>,
    ) -> Result<CandidateVerdict> {
        self.repair_context.session.context.interrupt.check()?;
        let name = patch_name(number);
        let (verdict, result) = match self.apply(&name, &patch)? {
            Err(rejected) => self.reject(&name, rejected)?,
            Ok(usable) => self.test(&name, number, usable, trials)?,
        };
        self.lock_results().push(result);
        Ok(verdict)
    }

    /// Applies a patch to bad. An unusable patch is no error.
    fn apply(
        &self,
        name: &str,
        proposed: &ProposedPatch,
    ) -> Result<std::result::Result<UsablePatch, RejectedPatch>> {
        let reject = |reason: String| Ok(Err(RejectedPatch { reason, edits_tests: false }));
        let size = proposed.patch.len();
        if size > MAX_PATCH_BYTES {
            return reject(format!(
                "it has {size} bytes, and at most {MAX_PATCH_BYTES} are tested"
            ));
        }
        let file = self.patch_folder.path().join(format!("{name}.patch"));
        // git needs the end of the last line, which generators often leave out.
        let end = if proposed.patch.ends_with('\n') { "" } else { "\n" };
        File::create_new(&file)
            .and_then(|mut created| write!(created, "{}{end}", proposed.patch))
            .map_err(|error| Problem::io(error, &file))?;
        match self.patch_applier.apply(&PatchSource::Diff(file))? {
            PatchVariant::Rejected(reason) => reject(reason),
            PatchVariant::OnlyTests => {
                let reason = "it changes only tests, and fix never changes tests".to_owned();
                Ok(Err(RejectedPatch { reason, edits_tests: true }))
            }
            PatchVariant::Classes(_) => reject("it changes no sources".to_owned()),
            PatchVariant::Sources { tree, touches_tests } => {
                self.locate(name, tree, touches_tests, proposed.reason.as_deref())
            }
        }
    }

    /// Locates the changes of a patch, which may not be binary.
    fn locate(
        &self,
        name: &str,
        tree: TreeId,
        edits_tests: bool,
        reason: Option<&str>,
    ) -> Result<std::result::Result<UsablePatch, RejectedPatch>> {
        let RepairContext { store, bad, .. } = self.repair_context;
        let changes = store.diff_trees(&bad.overlaid_tree, &tree)?;
        if let Some(path) =
            changes.iter().find(|change| is_binary(change)).and_then(FileChange::path)
        {
            let reason = format!("it changes the binary file {path}");
            return Ok(Err(RejectedPatch { reason, edits_tests }));
        }
        let (description, score) = (describe(name, reason), self.score);
        let files = changes.iter().filter_map(to_patched_file).collect();
        let patch = ExternalPatch { files, description, score };
        let Some(candidate) = self.patch_locator.locate(patch) else {
            let reason = "it changes nothing".to_owned();
            return Ok(Err(RejectedPatch { reason, edits_tests }));
        };
        Ok(Ok(UsablePatch { tree, candidate, edits_tests }))
    }

    fn reject(
        &self,
        name: &str,
        RejectedPatch { reason, edits_tests }: RejectedPatch,
    ) -> Result<(CandidateVerdict, PoolPatchResult)> {
        let verdict = Verdict::Unresolved(Phase::Rejected);
        let run_log = &self.repair_context.session.run_log;
        run_log.count_rejected()?;
        let description = format!("{name} of the generator: {reason}");
        run_log.record_trial(
            &TreeId(String::new()),
            description.as_str().into(),
            verdict,
            TrialCost::default(),
        )?;
        let result = to_result(name, verdict, reason.clone(), edits_tests);
        let answer = to_answer(name, VerdictKind::Rejected, reason, edits_tests);
        Ok((answer, result))
    }

    /// Tests a patch like our own candidates.
    fn test(
        &self,
        name: &str,
        number: usize,
        UsablePatch { tree, candidate, edits_tests }: UsablePatch,
        trials: &CandidateTrials<'_>,
    ) -> Result<(CandidateVerdict, PoolPatchResult)> {
        if edits_tests {
            self.repair_context.session.run_log.note_unchecked(TEST_EDITS_NOTE.to_owned())?;
        }
        let origin = FixOrigin::Generator { candidate: name.to_owned(), edits_tests };
        let trial = PatchTrial { number, tree, candidate, origin };
        let TrialOutcome { judgement, still_failing } = match trials.try_patch(trial)? {
            PatchTrialResult::Tested(outcome) => outcome,
            PatchTrialResult::Known(verdict) => {
                return Ok(to_duplicate(name, verdict, edits_tests));
            }
        };
        let outcome = judgement.outcome.as_ref();
        let reason = match judgement.verdict {
            Verdict::Flaky => "its runs disagree".to_owned(),
            _ => outcome.map_or(String::new(), |one| self.repair_context.expectations.explain(one)),
        };
        let output = outcome.filter(|_| judgement.verdict != Verdict::Pass).map(Outcome::text);
        let answer = CandidateVerdict {
            output: output.map(|text| text.chars().take(MAX_OUTPUT_CHARS).collect()),
            still_failing: still_failing.iter().cloned().collect(),
            ..to_answer(
                name,
                verdict_kind(judgement.verdict, still_failing.is_empty()),
                reason.clone(),
                edits_tests,
            )
        };
        let result = PoolPatchResult {
            seconds: judgement.seconds,
            ..to_result(name, judgement.verdict, reason, edits_tests)
        };
        Ok((answer, result))
    }
}

/// Returns a changed file with the edits of its text. New, deleted and undecodable files have no edits.
fn to_patched_file(change: &FileChange) -> Option<PatchedFile> {
    let text = |side: &Option<(RepoPath, mend_model::FileState)>| {
        side.as_ref().and_then(|(_, state)| String::from_utf8(state.content.to_vec()).ok())
    };
    let path = change.path()?.clone();
    let (old_text, edits) = match (text(&change.old), text(&change.new)) {
        (Some(old), Some(new)) => {
            let edits = line_edits(&old, &new);
            (old, edits)
        }
        _ => (String::new(), Vec::new()),
    };
    Some(PatchedFile { path, old_text, edits })
}

fn is_binary(change: &FileChange) -> bool {
    change.old.iter().chain(&change.new).any(|(_, state)| state.content.contains(&0))
}

/// Describes a patch by the generator's reason, on one line, or by its name.
fn describe(name: &str, reason: Option<&str>) -> String {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    reason.map_or_else(
        || format!("{name} (from the generator)"),
        |reason| {
            let words = reason.split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = sanitise_line(&words).chars().take(MAX_REASON_CHARS).collect();
            format!("{short} (from the generator)")
        },
    )
}

/// Returns the name of the patch with a number.
fn patch_name(number: usize) -> String {
    format!("candidate-{number}")
}

/// Converts a problem of the exchange to its end. Only an interrupt ends the run.
fn end_at_problem(step: Result<SessionStep>) -> Result<SessionStep> {
    step.or_else(|problem| match problem {
        Problem::Interrupted => Err(problem),
        problem => Ok(SessionStep::Ended(Some(problem.to_string()))),
    })
}

fn to_untested(number: usize) -> PoolPatchResult {
    PoolPatchResult {
        name: patch_name(number),
        verdict: UNTESTED_VERDICT.to_owned(),
        reason: GeneratorFault::BudgetUsedUp.to_string(),
        ..PoolPatchResult::default()
    }
}

fn to_duplicate(
    name: &str,
    verdict: KnownVerdict,
    edits_tests: bool,
) -> (CandidateVerdict, PoolPatchResult) {
    let reason = match verdict {
        KnownVerdict::BeingTested => "the same change is being tested",
        KnownVerdict::Plausible => "the same change was tried before: it is plausible",
        KnownVerdict::Partial => "the same change was tried before: it fixes some failing tests",
        KnownVerdict::Implausible => "the same change was tried before: it is not plausible",
    }
    .to_owned();
    let result = PoolPatchResult {
        name: name.to_owned(),
        verdict: DUPLICATE_VERDICT.to_owned(),
        reason: reason.clone(),
        edits_tests,
        ..PoolPatchResult::default()
    };
    (to_answer(name, VerdictKind::Duplicate, reason, edits_tests), result)
}

fn to_result(name: &str, verdict: Verdict, reason: String, edits_tests: bool) -> PoolPatchResult {
    PoolPatchResult {
        name: name.to_owned(),
        verdict: verdict.name().to_owned(),
        phase: verdict.phase(),
        reason,
        edits_tests,
        ..PoolPatchResult::default()
    }
}

fn to_answer(
    name: &str,
    verdict: VerdictKind,
    reason: String,
    edits_tests: bool,
) -> CandidateVerdict {
    CandidateVerdict {
        candidate: name.to_owned(),
        verdict,
        reason,
        output: None,
        still_failing: Vec::new(),
        edits_tests,
    }
}

fn verdict_kind(verdict: Verdict, fixes_all: bool) -> VerdictKind {
    match verdict {
        Verdict::Pass if fixes_all => VerdictKind::Plausible,
        Verdict::Pass => VerdictKind::Partial,
        Verdict::Flaky => VerdictKind::Flaky,
        Verdict::Fail | Verdict::Unresolved(Phase::OtherFailure) => VerdictKind::Fails,
        Verdict::Unresolved(Phase::NotCompiled | Phase::TestsNotCompiled) => {
            VerdictKind::DoesNotCompile
        }
        Verdict::Unresolved(Phase::TimedOut) => VerdictKind::Hangs,
        Verdict::Unresolved(Phase::NotTestable) => VerdictKind::NotTestable,
        Verdict::Unresolved(Phase::Rejected) => VerdictKind::Rejected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_of_a_tree_that_is_being_tested_has_no_verdict_yet() {
        let reason = |verdict| to_duplicate("candidate-1", verdict, false).1.reason;
        assert_eq!(reason(KnownVerdict::BeingTested), "the same change is being tested");
        assert!(reason(KnownVerdict::Partial).ends_with("it fixes some failing tests"));
    }

    #[test]
    fn reason_of_a_generator_is_one_safe_line() {
        let describe = |reason| describe("candidate-3", reason);
        assert_eq!(describe(None), "candidate-3 (from the generator)");
        assert_eq!(describe(Some(" \n")), "candidate-3 (from the generator)");
        assert_eq!(
            describe(Some("use\n<= \u{1b}[31m")),
            "use <= \u{fffd}[31m (from the generator)"
        );
        assert!(describe(Some(&"x".repeat(10_000))).len() < 300);
    }
}
