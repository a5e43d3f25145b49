//! Tests many candidates after one compilation, in a mutant schema. This only rejects candidates: one that passes there
//! is tested alone, like all others.

use crate::run::judge::Judgement;
use crate::run::judge::parallel::run_parallel;
use crate::run::judge::repetition::Repetition;
use crate::run::patch::attributed_version::CodeFiles;
use crate::run::patch::repair_context::RepairContext;
use mend_engine::{CrossCheck, Execution, ExecutionMode, SchemaRequest, SchemaRun};
use mend_java::facts::CompileError;
use mend_model::{FileState, Outcome, Phase, ProgressEvent, Result, TreeEdit, TreeId, Verdict};
use mend_repair::{LocatedCandidate, MutantSchema};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of candidates in the first schema of a worker.
const FIRST_SIZE: usize = 16;

/// Limits of the number of candidates in a schema. Each test loads the whole class, so a large one saves little.
const SIZE_LIMITS: (usize, usize) = (8, 60);

/// Time of a schema to aim at: candidates that pass are confirmed only after it, and may be lost at the end of the budget.
const AIMED_TIME: Duration = Duration::from_secs(3);

/// Number of candidates below which a schema costs more than it saves.
const MIN_CANDIDATES: usize = 3;

/// Maximum number of compilations of a schema. Each removes the candidates in which the one before found errors.
const MAX_COMPILATIONS: usize = 5;

/// Tests candidates in mutant schemata, as long as cross-checks agree.
pub(super) struct SchemaTrials<'a> {
    repair_context: RepairContext<'a>,
    main: &'a CodeFiles<'a>,
    state: Mutex<SchemaState>,
}

struct SchemaState {
    cross_check: CrossCheck,
    /// True if warm workers can test schemata.
    is_supported: bool,
    /// Number of candidates in the next schema of each worker.
    size: usize,
}

impl SchemaState {
    /// Returns true if schemata are still used.
    fn is_enabled(&self) -> bool {
        self.is_supported && self.cross_check.is_trusted()
    }

    /// Returns true for the first rejections and a random sample of the others.
    fn is_check_due(&mut self) -> bool {
        if self.cross_check.is_initial_run() {
            self.cross_check.count_initial_run();
            return true;
        }
        self.cross_check.is_check_due()
    }

    /// Returns true if both verdicts on a candidate are equal. A timeout equals every rejection, because code may catch
    /// the exception that ends a loop. Otherwise no further schema is used.
    fn agrees(&mut self, in_schema: Verdict, alone: Verdict) -> bool {
        let timeout = Verdict::Unresolved(Phase::TimedOut);
        let is_like_timeout = alone != Verdict::Pass && [in_schema, alone].contains(&timeout);
        let is_equal = in_schema == alone || is_like_timeout;
        if !is_equal {
            self.cross_check.record_disagreement();
        }
        is_equal
    }
}

/// Executions of rejected candidates, by their index among all candidates.
pub(super) type Rejections = BTreeMap<usize, Execution>;

impl<'a> SchemaTrials<'a> {
    /// Creates the trials. The seed of the run determines which of them are cross-checked.
    pub(super) fn new(repair_context: RepairContext<'a>, main: &'a CodeFiles<'a>) -> Self {
        let state = SchemaState {
            cross_check: CrossCheck::new(repair_context.session.subject.seed),
            is_supported: matches!(repair_context.oracle.repetition, Repetition::Times(1)),
            size: FIRST_SIZE,
        };
        Self { repair_context, main, state: Mutex::new(state) }
    }

    /// Returns the number of candidates to reject at once.
    pub(super) fn window_size(&self) -> usize {
        let jobs = self.repair_context.session.subject.jobs;
        if self.is_enabled() { self.lock_state().size * jobs } else { usize::MAX }
    }

    /// Rejects candidates of a window that do not compile or fail the tests.
    pub(super) fn reject(
        &self,
        candidates: &[LocatedCandidate],
        window: Range<usize>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Rejections> {
        if !self.is_enabled() {
            return Ok(Rejections::new());
        }
        self.repair_context.session.run_log.emit(ProgressEvent::BatchProgress {
            description: "testing candidates that are compiled together".to_owned(),
            remaining: None,
            slow_hint: None,
        })?;
        let (jobs, started) = (self.repair_context.session.subject.jobs, Instant::now());
        let shares = run_parallel(jobs, jobs, |job| {
            let share = window.clone().skip(job).step_by(jobs);
            self.reject_share(share.map(|at| (at, &candidates[at])).collect(), is_over)
        });
        self.lock_state().size = next_size(started.elapsed(), window.len() / jobs);
        shares.into_iter().try_fold(Rejections::new(), |mut all, share| {
            all.append(&mut share?);
            Ok(all)
        })
    }

    /// Returns true if the rejection of a candidate is to be compared with a test of the candidate alone.
    pub(super) fn is_check_due(&self) -> bool {
        self.lock_state().is_check_due()
    }

    /// Compares the outcome of a rejected candidate with the judgement on the candidate alone. Uses no schemata any more
    /// if they differ.
    pub(super) fn compare(&self, rejected: &Outcome, alone: &Judgement) -> Result<()> {
        let verdict = self.repair_context.oracle.judge_outcome(rejected)?;
        if self.lock_state().agrees(verdict, alone.verdict) {
            return Ok(());
        }
        let note = "candidates that were compiled together: one has another result alone, so the others were tested \
                    alone from then on";
        self.repair_context.session.run_log.note_unchecked(note.to_owned())
    }

    fn is_enabled(&self) -> bool {
        self.lock_state().is_enabled()
    }

    fn lock_state(&self) -> MutexGuard<'_, SchemaState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rejects candidates, given with their indices, in one schema.
    fn reject_share(
        &self,
        mut candidates: Vec<(usize, &LocatedCandidate)>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Rejections> {
        let mut rejections = Rejections::new();
        for _ in 0..MAX_COMPILATIONS {
            let schema = MutantSchema::from_candidates(self.main, candidates.iter().copied());
            let numbers = schema.candidates();
            if numbers.len() < MIN_CANDIDATES {
                break;
            }
            match self.test_schema(&schema, &numbers, is_over)? {
                SchemaRun::Tested(executions) => {
                    for (at, execution) in executions {
                        let verdict =
                            self.repair_context.oracle.judge_outcome(&execution.outcome)?;
                        if verdict != Verdict::Pass {
                            rejections.insert(at, execution);
                        }
                    }
                    break;
                }
                SchemaRun::NotBuilt(errors) => {
                    // An error elsewhere may be the fault of the schema.
                    let Some(rejected) = schema.rejected(&errors).filter(|one| !one.is_empty())
                    else {
                        return Ok(Rejections::new());
                    };
                    candidates.retain(|(at, _)| !rejected.contains_key(at));
                    rejections.extend(
                        rejected.into_iter().map(|(at, error)| (at, uncompilable_execution(error))),
                    );
                }
                SchemaRun::Unsupported => {
                    self.lock_state().is_supported = false;
                    return Ok(Rejections::new());
                }
            }
        }
        Ok(rejections)
    }

    fn test_schema(
        &self,
        schema: &MutantSchema,
        candidates: &[usize],
        is_over: &dyn Fn() -> bool,
    ) -> Result<SchemaRun> {
        let RepairContext { oracle, bad, .. } = self.repair_context;
        let tree = self.write_tree(schema)?;
        let request = SchemaRequest {
            limits: &oracle.limits,
            property: MutantSchema::PROPERTY,
            timeout_exception: MutantSchema::TIMEOUT_EXCEPTION,
            candidates,
            is_over,
        };
        oracle.executor.test_schema(&tree, bad.commit_id(), &request)
    }

    fn write_tree(&self, schema: &MutantSchema) -> Result<TreeId> {
        let RepairContext { store, bad, .. } = self.repair_context;
        let mut changes = BTreeMap::new();
        for (path, text) in &schema.files {
            let content = text.clone().into_bytes().into();
            let state = store.read_file(&bad.overlaid_tree, path)?;
            let state = state.map(|state| FileState { mode: state.mode, content });
            changes.insert(path.clone(), state);
        }
        store.write_tree(&TreeEdit { base: bad.overlaid_tree.clone(), changes })
    }
}

/// Returns the number of candidates in the next schema, if one with `count` candidates took the elapsed time.
fn next_size(elapsed: Duration, count: usize) -> usize {
    let each = elapsed.as_micros() / (count.max(1) as u128);
    let size = usize::try_from(AIMED_TIME.as_micros() / each.max(1)).unwrap_or(usize::MAX);
    size.clamp(SIZE_LIMITS.0, SIZE_LIMITS.1)
}

/// Returns the execution of a candidate that does not compile.
fn uncompilable_execution(error: &CompileError) -> Execution {
    let text = format!("{}: error: {}\n", error.path, error.message);
    Execution {
        compile_errors: vec![error.clone()],
        mode: ExecutionMode::Schema,
        ..Execution::from_outcome(Outcome::not_built(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_verdict_ends_the_use_of_schemata() {
        let cross_check = CrossCheck::new(1);
        let mut state = SchemaState { cross_check, is_supported: true, size: FIRST_SIZE };
        assert!(state.is_check_due() && state.is_check_due());
        let later_checks = (0..200).filter(|_| state.is_check_due()).count();
        assert!((1..20).contains(&later_checks), "{later_checks}");
        assert!(state.agrees(Verdict::Fail, Verdict::Fail) && state.is_enabled());
        assert!(state.agrees(Verdict::Fail, Verdict::Unresolved(Phase::TimedOut)));
        assert!(!state.agrees(Verdict::Fail, Verdict::Pass) && !state.is_enabled());
    }

    #[test]
    fn slow_tests_have_small_schemata() {
        let seconds = Duration::from_secs;
        assert_eq!(next_size(seconds(1), 20), 60);
        assert_eq!(next_size(seconds(2), 20), 30);
        assert_eq!(next_size(seconds(90), 60), 8);
        assert_eq!(next_size(Duration::ZERO, 0), 60);
    }
}
