//! Tests the patches of a generator beside our own candidates, and tells it the verdicts.

use super::command::PreparedGenerator;
use super::fault::GeneratorFault;
use super::patch_checker::{PatchChecker, RejectedPatch, UsablePatch};
use super::patch_results::{
    DUPLICATE_VERDICT, PARTIAL_VERDICT, UNTESTED_VERDICT, patch_name, to_answer, to_result,
    to_untested,
};
use super::protocol::{CandidateVerdict, FailureReport, VerdictKind};
use super::session::{GeneratorSession, NumberedPatch, SessionStep};
use crate::run::fix::budget::BudgetUse;
use crate::run::fix::result::Fixes;
use crate::run::patch::patch_applier::{PatchApplier, TEST_EDITS_NOTE};
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::run_log::TrialCost;
use mend_model::{Phase, Problem, Result, TreeId, Verdict, format_count};
use mend_process::Supervisor;
use mend_repair::{LocatedPatch, PatchLocator};
use mend_report::{
    FixResult, GENERATOR_TECHNIQUE, GeneratorResult, PoolPatchResult, sanitise_line,
};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Reason in the result of a plausible patch that is the same as the revert.
const REVERT_REASON: &str = "it is the same patch as the minimal revert";

/// Maximum number of characters of the reason for the end of the exchange.
const MAX_REASON_CHARS: usize = 300;

/// Generator with the means to test its patches.
pub(in crate::run) struct GeneratorTrials<'a> {
    repair_context: RepairContext<'a>,
    patch_checker: PatchChecker<'a>,
    command_line: String,
    session: Mutex<GeneratorSession>,
    results: Mutex<Vec<PoolPatchResult>>,
}

/// Tester of patches: contract repair, or schedules.
pub(in crate::run) trait PatchTester {
    /// Returns true if no time is left for further patches.
    fn is_time_over(&self) -> bool;

    /// Tests the patch with a number. Returns the answer to the generator, and the result.
    fn test_patch(
        &self,
        number: usize,
        patch: UsablePatch,
    ) -> Result<(CandidateVerdict, PoolPatchResult)>;
}

/// Parts of a repair that the patches of a generator need.
pub(in crate::run) struct GeneratorSetup<'a> {
    pub(in crate::run) repair_context: RepairContext<'a>,
    pub(in crate::run) patch_applier: PatchApplier<'a>,
    pub(in crate::run) patch_locator: PatchLocator<'a>,
    /// Highest score of our own candidates, if there are any.
    pub(in crate::run) best_score: Option<f64>,
}

impl<'a> GeneratorTrials<'a> {
    /// Starts a generator and sends it the failure. Our own candidates need none, so a problem is only noted.
    pub(in crate::run) fn start(
        generator: &PreparedGenerator<'_>,
        report: FailureReport,
        setup: GeneratorSetup<'a>,
        budget_use: BudgetUse,
    ) -> Result<Option<Self>> {
        let run_log = &setup.repair_context.session.run_log;
        match Self::try_start(generator, report, setup, budget_use) {
            Err(problem) if !matches!(problem, Problem::Interrupted) => {
                run_log.note_unchecked(format!("patches of the generator: {problem}"))?;
                Ok(None)
            }
            started => started.map(Some),
        }
    }

    fn try_start(
        generator: &PreparedGenerator<'_>,
        report: FailureReport,
        setup: GeneratorSetup<'a>,
        budget_use: BudgetUse,
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
        let session =
            GeneratorSession::start(generator, report, budget_use, &scratch_folder, &supervisor)?;
        Ok(Self {
            repair_context,
            patch_checker: PatchChecker {
                repair_context,
                patch_applier,
                patch_locator,
                score: best_score.unwrap_or(1.0),
                patch_folder,
            },
            command_line: generator.request.command_line(),
            session: Mutex::new(session),
            results: Mutex::default(),
        })
    }

    /// Tests the patches that the generator has offered by now, if no other thread does.
    pub(in crate::run) fn advance(&self, tester: &dyn PatchTester) -> Result<()> {
        let mut session = match self.session.try_lock() {
            Ok(session) => session,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        let step = end_at_problem(session.poll())?;
        self.perform_step(&mut session, step, tester).map(drop)
    }

    /// Continues until the generator offers no more patches or a limit is reached.
    pub(in crate::run) fn finish(&self, tester: &dyn PatchTester) -> Result<()> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let step = end_at_problem(session.wait())?;
            if !self.perform_step(&mut session, step, tester)? {
                return Ok(());
            }
        }
    }

    /// Returns the result of the exchange. `fixes` are the verified ones, of all techniques.
    pub(in crate::run) fn result(&self, fixes: &[FixResult]) -> GeneratorResult {
        let mut patches = self.lock_results().clone();
        for patch in &mut patches {
            let is_own = |fix: &&FixResult| {
                fix.technique == GENERATOR_TECHNIQUE && fix.operator == patch.name
            };
            patch.patch = fixes.iter().find(is_own).and_then(|fix| fix.patch.clone());
        }
        GeneratorResult { command: self.command_line.clone(), patches }
    }

    /// Adds the verdicts on the patches to a result.
    pub(in crate::run) fn add_verdicts(&self, fixes: Fixes) -> Fixes {
        self.record_rejections(&fixes);
        Fixes { generator: Some(self.result(&fixes.ranked)), ..fixes }
    }

    /// Changes the results of plausible patches that the verification rejected, and explains those that are the same as
    /// the revert.
    fn record_rejections(&self, fixes: &Fixes) {
        for patch in self.lock_results().iter_mut() {
            if let Some(reason) = fixes.rejected_patches.get(&patch.name) {
                Verdict::Fail.name().clone_into(&mut patch.verdict);
                patch.reason = format!("rejected by the verification: {reason}");
            } else if fixes.reverting_patches.contains(&patch.name) {
                REVERT_REASON.clone_into(&mut patch.reason);
            }
        }
    }

    /// Classifies a part of a patch, as a tree. Returns `None` if it changes nothing.
    pub(in crate::run) fn locate_tree(
        &self,
        tree: &TreeId,
        description: String,
    ) -> Result<Option<LocatedPatch>> {
        self.patch_checker.locate_tree(tree, description)
    }

    /// Describes the patches in one sentence.
    pub(in crate::run) fn describe(&self) -> String {
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
        let partial = count(&|one| one.verdict == PARTIAL_VERDICT, "partial");
        let rejected = count(&|one| one.phase == Some(Phase::Rejected), "rejected");
        let duplicates = count(&|one| one.verdict == DUPLICATE_VERDICT, "tried before");
        let untested = count(&|one| one.verdict == UNTESTED_VERDICT, "untested");
        let offered = format_count(results.len(), "candidate");
        format!(
            "{offered} from the generator: {plausible} plausible{partial}{rejected}{duplicates}{untested}"
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
        tester: &dyn PatchTester,
    ) -> Result<bool> {
        let end = match step {
            SessionStep::Waiting => return Ok(true),
            SessionStep::Over | SessionStep::Ended(None) => return Ok(false),
            SessionStep::Ended(Some(reason)) => Some(reason),
            SessionStep::Patches(patches) => self.try_patches(session, patches, tester)?,
        };
        let Some(reason) = end else { return Ok(true) };
        // The reason may contain what the generator wrote.
        let run_log = &self.repair_context.session.run_log;
        let reason = sanitise_line(&run_log.redact(&reason));
        let reason: String = reason.chars().take(MAX_REASON_CHARS).collect();
        run_log.note_unchecked(format!("further patches of the generator: {reason}"))?;
        Ok(false)
    }

    /// Tests the patches of an answer within the budget, and sends the verdicts. Returns the reason if the exchange ended.
    fn try_patches(
        &self,
        session: &mut GeneratorSession,
        patches: Vec<NumberedPatch>,
        tester: &dyn PatchTester,
    ) -> Result<Option<String>> {
        let mut verdicts = Vec::new();
        let mut patches = patches.into_iter();
        while let Some(patch) = patches.next() {
            if tester.is_time_over() {
                let untested = std::iter::once(patch).chain(patches);
                self.lock_results().extend(untested.map(|one| to_untested(one.number)));
                return Ok(Some(session.end(&GeneratorFault::BudgetUsedUp)));
            }
            verdicts.push(self.try_patch(patch, tester)?);
        }
        session.send_verdicts(verdicts)
    }

    fn try_patch(
        &self,
        NumberedPatch { number, patch }: NumberedPatch,
        tester: &dyn PatchTester,
    ) -> Result<CandidateVerdict> {
        self.repair_context.session.context.interrupt.check()?;
        let name = patch_name(number);
        let (verdict, result) = match self.patch_checker.apply(&name, &patch)? {
            Err(rejected) => self.reject(&name, rejected)?,
            Ok(usable) => {
                if usable.edits_tests {
                    let run_log = &self.repair_context.session.run_log;
                    run_log.note_unchecked(TEST_EDITS_NOTE.to_owned())?;
                }
                tester.test_patch(number, usable)?
            }
        };
        self.lock_results().push(result);
        Ok(verdict)
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
}

/// Converts a problem of the exchange to its end. Only an interrupt ends the run.
fn end_at_problem(step: Result<SessionStep>) -> Result<SessionStep> {
    step.or_else(|problem| match problem {
        Problem::Interrupted => Err(problem),
        problem => Ok(SessionStep::Ended(Some(problem.to_string()))),
    })
}
