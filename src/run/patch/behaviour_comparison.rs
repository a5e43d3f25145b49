//! Compares the behaviour of plausible patches in generated tests (differential testing).

use super::fault_localisation::BehaviourRecorders;
use super::instrumented_tree::InstrumentedTree;
use super::repair_target::RepairTarget;
use crate::run::judge::SymptomOracle;
use mend_engine::Execution;
use mend_java::facts::NodeIndex;
use mend_java::{Code, Edit};
use mend_model::CommitId;
use mend_model::{Outcome, ProgressEvent, RepoPath, Result, TreeId, format_count};
use mend_repair::{
    CallRecording, DifferentialResult, InstrumentedFiles, TestBehaviour, weigh_repairs,
};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of rounds that remove generated tests which do not compile or hang.
const MAX_FILTER_ROUNDS: usize = 6;

/// Number of these rounds that remove a single test that hangs. After that, only the tests that finished are kept,
/// because all together may take too long.
const MAX_HANGING_TESTS: usize = 2;

/// Minimum number of compared tests with equal results for which two fixes of one method count as equivalent.
pub(crate) const MIN_DISTINGUISHING_TESTS: usize = 100;

/// Runner of generated tests on versions, and comparison of their outputs.
pub(crate) struct BehaviourComparison<'a> {
    target: &'a RepairTarget<'a>,
    oracle: &'a SymptomOracle<'a>,
    recorders: BehaviourRecorders,
    /// Recording of calls of the methods that the compared patches change.
    call_recording: CallRecording,
    /// Sources of bad without its tests.
    main: &'a [(RepoPath, Code<'a>)],
    /// Number of test runs.
    run_count: AtomicUsize,
}

/// Patch to compare.
pub(crate) struct ComparedPatch<'a> {
    /// Tree of bad with the patch.
    pub(crate) tree: &'a TreeId,
    pub(crate) description: String,
    /// Its edits by file.
    pub(crate) edits: Vec<(&'a RepoPath, &'a [Edit])>,
    /// File and method that it changes first.
    pub(crate) method: (&'a RepoPath, Option<NodeIndex>),
    /// True if it has signs of overfitting.
    pub(crate) is_overfitting: bool,
}

/// Behaviour of a patch in generated tests.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatchBehaviour {
    /// Comparison with good, or with bad where it was correct; `None` if the patch does not compile with the tests.
    pub(crate) agreement: Option<DifferentialResult>,
    /// Contract that the patch violates and that bad satisfied.
    pub(crate) violated_contract: Option<String>,
}

impl<'a> BehaviourComparison<'a> {
    pub(crate) fn new(
        target: &'a RepairTarget<'a>,
        oracle: &'a SymptomOracle<'a>,
        recorders: BehaviourRecorders,
        main: &'a [(RepoPath, Code<'a>)],
    ) -> Self {
        let (call_recording, run_count) = (CallRecording::default(), AtomicUsize::default());
        Self { target, oracle, recorders, call_recording, main, run_count }
    }

    /// Runs the generated tests with each patch. Returns the behaviours in the order of the patches, or `None` if no
    /// tests could be generated. After the time limit, the other patches have no behaviour.
    pub(crate) fn compare(
        &mut self,
        patches: &[ComparedPatch<'_>],
        time_limit: Option<Duration>,
    ) -> Result<Option<Vec<PatchBehaviour>>> {
        let started = Instant::now();
        let edits: Vec<_> = patches.iter().flat_map(|patch| patch.edits.clone()).collect();
        self.call_recording = CallRecording::from_edits(self.main, &edits);
        self.emit_progress("running generated tests without a fix".to_owned(), None)?;
        let Some(baseline) = self.baseline_behaviour()? else {
            let note = "behaviour of the fixes beyond the existing tests: no tests could be generated from these";
            self.target.session.run_log.note_unchecked(note.to_owned())?;
            return Ok(None);
        };
        let note = format!(
            "comparing {} in {}",
            format_count(patches.len(), "candidate"),
            format_count(self.recorders.generated_tests.test_count(), "generated test")
        );
        self.target.session.run_log.emit(ProgressEvent::Stage(note))?;
        let good = self.target.good;
        let good = good
            .map(|tree| self.behaviour(tree, None, &InstrumentationLevel::TestsOnly))
            .transpose()?
            .flatten();
        let mut behaviours = Vec::new();
        for (at, patch) in patches.iter().enumerate() {
            if time_limit.is_some_and(|limit| started.elapsed() > limit) {
                let left = format_count(patches.len() - at, "fix");
                let note =
                    format!("behaviour of {left} beyond the existing tests: no time was left");
                self.target.session.run_log.note_unchecked(note)?;
                break;
            }
            self.target.session.context.interrupt.check()?;
            self.emit_progress(patch.description.clone(), Some(patches.len() - at - 1))?;
            behaviours.push(self.behaviour_of_patch(patch)?);
        }
        let is_rival = |at: usize, other: usize| {
            let (patch, other) = (&patches[at], &patches[other]);
            other.method == patch.method && !other.is_overfitting
        };
        let agreements = weigh_repairs(
            &self.recorders.generated_tests,
            &baseline,
            good.as_ref(),
            &behaviours,
            is_rival,
        );
        let to_behaviour = |agreement: Option<DifferentialResult>| PatchBehaviour {
            agreement,
            violated_contract: agreement.and_then(|agreement| {
                self.recorders.postcondition_checks.describe(agreement.violated_postcondition?)
            }),
        };
        Ok(Some(agreements.into_iter().map(to_behaviour).collect()))
    }

    /// Returns the outputs of the generated tests with a patch.
    fn behaviour_of_patch(&self, patch: &ComparedPatch<'_>) -> Result<Option<TestBehaviour>> {
        let (head, edits) = (self.target.bad.commit_id(), &patch.edits[..]);
        // The generated tests or the instrumentation may not compile with the patch, so lower levels are tried next.
        for level in [
            InstrumentationLevel::PostconditionsAndCalls(edits),
            InstrumentationLevel::Postconditions(edits),
            InstrumentationLevel::TestsOnly,
        ] {
            if self.is_redundant(&level) {
                continue;
            }
            let routines = match level {
                InstrumentationLevel::PostconditionsAndCalls(edits) => {
                    self.call_recording.routines_changed_by(edits)
                }
                _ => BTreeSet::new(),
            };
            if let Some(behaviour) = self.behaviour(patch.tree, head, &level)? {
                return Ok(Some(behaviour.with_changed_routines(routines)));
            }
        }
        Ok(None)
    }

    /// Returns true if a lower level of instrumentation observes as much.
    fn is_redundant(&self, level: &InstrumentationLevel<'_>) -> bool {
        match level {
            InstrumentationLevel::PostconditionsAndCalls(_) => self.call_recording.is_empty(),
            InstrumentationLevel::Postconditions(_) => {
                self.recorders.postcondition_checks.is_empty()
            }
            InstrumentationLevel::TestsOnly => false,
        }
    }

    /// Returns the outputs of a tree, if enough tests finished to distinguish it from other trees.
    pub(crate) fn distinguishing_behaviour(&self, tree: &TreeId) -> Result<Option<TestBehaviour>> {
        let behaviour =
            self.behaviour(tree, self.target.bad.commit_id(), &InstrumentationLevel::TestsOnly)?;
        let is_distinguishing = |one: &TestBehaviour| {
            one.unfinished_test().is_none() && one.test_count() >= MIN_DISTINGUISHING_TESTS
        };
        Ok(behaviour.filter(is_distinguishing))
    }

    /// Reports the next step and the number of remaining candidates.
    fn emit_progress(&self, step: String, remaining: Option<usize>) -> Result<()> {
        let if_slow = Some("slow because generated tests are compiled".to_owned());
        self.target.session.run_log.emit(ProgressEvent::BatchProgress {
            description: step,
            remaining,
            slow_hint: if_slow,
        })
    }

    /// Returns the outputs of bad, after removing tests that do not compile, hang, or are not deterministic.
    fn baseline_behaviour(&mut self) -> Result<Option<TestBehaviour>> {
        let (tree, head) =
            (self.target.bad.overlaid_tree.clone(), self.target.bad.commit_id().cloned());
        for round in 0..MAX_FILTER_ROUNDS {
            let (execution, first) = self.execute(
                &tree,
                head.as_ref(),
                &InstrumentationLevel::PostconditionsAndCalls(&[]),
            )?;
            if let Outcome::NotBuilt { diagnostics, .. } = &execution.outcome {
                let log_line = format!("generated tests do not compile: {diagnostics}");
                self.target.session.run_log.folder.append_log(&log_line)?;
                let files = self
                    .instrumented_files(&InstrumentationLevel::PostconditionsAndCalls(&[]))
                    .files(&[]);
                let has_fewer_tests =
                    self.recorders.generated_tests.remove_rejected(&execution.compile_errors);
                if !self.call_recording.remove_rejected(&execution.compile_errors, &files)
                    && !has_fewer_tests
                {
                    return Ok(None);
                }
                continue;
            }
            if let Some(number) = first.unfinished_test().filter(|_| !execution.outcome.is_pass()) {
                let generated_tests = &mut self.recorders.generated_tests;
                if round < MAX_HANGING_TESTS {
                    generated_tests.remove(&[number].into());
                } else {
                    generated_tests.retain(&first.finished_tests());
                }
                let left = format_count(generated_tests.test_count(), "test");
                let log_line = format!("generated test {number} does not end; {left} left");
                self.target.session.run_log.folder.append_log(&log_line)?;
                continue;
            }
            let second = self.behaviour(
                &tree,
                head.as_ref(),
                &InstrumentationLevel::PostconditionsAndCalls(&[]),
            )?;
            let Some(second) = second else { return Ok(None) };
            self.recorders.generated_tests.remove(&first.differing_tests(&second));
            let is_any = self.recorders.generated_tests.test_count() > 0
                && first != TestBehaviour::default();
            return Ok(is_any.then(|| first.retain_reproducible(&second)));
        }
        Ok(None)
    }

    /// Returns the outputs of a tree, or `None` if it does not compile with the tests.
    fn behaviour(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        level: &InstrumentationLevel<'_>,
    ) -> Result<Option<TestBehaviour>> {
        let (mut execution, mut behaviour) = self.execute(tree, head, level)?;
        // On a busy machine, a test may time out by chance. Missing tests would make equal versions differ.
        if behaviour.unfinished_test().is_some() && !execution.outcome.is_pass() {
            (execution, behaviour) = self.execute(tree, head, level)?;
        }
        let is_built = !matches!(execution.outcome, Outcome::NotBuilt { .. });
        Ok(is_built.then_some(behaviour))
    }

    /// Returns the instrumented files of bad.
    fn instrumented_files(&self, level: &InstrumentationLevel<'_>) -> InstrumentedFiles {
        match level {
            InstrumentationLevel::TestsOnly => InstrumentedFiles::default(),
            InstrumentationLevel::Postconditions(_) => {
                self.recorders.postcondition_checks.instrumented_files()
            }
            InstrumentationLevel::PostconditionsAndCalls(_) => self
                .recorders
                .postcondition_checks
                .instrumented_files()
                .merge(self.call_recording.instrumented_files()),
        }
    }

    /// Executes the tests. Each run writes to its own file, because the engine caches runs with the same files.
    fn execute(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        level: &InstrumentationLevel<'_>,
    ) -> Result<(Execution, TestBehaviour)> {
        let number = self.run_count.fetch_add(1, Ordering::SeqCst);
        let output = self.recorders.output.with_extension(number.to_string());
        let SymptomOracle { executor, limits, .. } = self.oracle;
        let mut files = self.recorders.generated_tests.files_with_recorder(&output);
        files.extend(self.instrumented_files(level).files(level.edits()));
        let recording = self.recorders.generated_tests.recording(&output);
        files.extend(self.recorders.postcondition_checks.recorder_file("Trace", &recording));
        files.extend(self.call_recording.recorder_file(&recording));
        let instrumented_tree = InstrumentedTree { files, output: &output };
        let (execution, text) = instrumented_tree
            .run(self.target.store, tree, |tree| executor.run_instrumented(tree, head, limits))?;
        Ok((execution, TestBehaviour::read(&text)))
    }
}

/// Edits of files of bad.
type FileEdits<'a> = [(&'a RepoPath, &'a [Edit])];

/// Level of instrumentation, with the edits that the version consists of.
enum InstrumentationLevel<'a> {
    /// Generated tests without instrumentation.
    TestsOnly,
    /// Generated tests with checked postconditions.
    Postconditions(&'a FileEdits<'a>),
    /// Generated tests with checked postconditions and recorded calls.
    PostconditionsAndCalls(&'a FileEdits<'a>),
}

impl<'a> InstrumentationLevel<'a> {
    fn edits(&self) -> &'a FileEdits<'a> {
        match self {
            Self::TestsOnly => &[],
            Self::Postconditions(edits) | Self::PostconditionsAndCalls(edits) => edits,
        }
    }
}
