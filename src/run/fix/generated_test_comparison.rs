//! Compares plausible fixes on generated tests (differential testing): ranks fixes that leave faults or change correct
//! results lower, and fixes that behave like a better one last.

use super::plausible::PlausibleFix;
use crate::run::fix::fault_localisation::{BehaviourRecorders, RepairTarget};
use crate::run::fix::instrumented_tree::InstrumentedTree;
use crate::run::judge::SymptomOracle;
use mend_engine::Execution;
use mend_java::{Code, Edit};
use mend_model::CommitId;
use mend_model::{Outcome, ProgressEvent, RepoPath, Result, TreeId, format_count};
use mend_repair::normalise_code;
use mend_repair::{
    CallRecording, DifferentialResult, InstrumentedFiles, LocatedCandidate, TestBehaviour,
    weigh_repairs,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of rounds that remove generated tests which do not compile or hang.
const MAX_FILTER_ROUNDS: usize = 6;

/// Runner of generated tests on versions, and comparison of their outputs.
pub(super) struct GeneratedTestComparison<'a> {
    target: &'a RepairTarget<'a>,
    oracle: &'a SymptomOracle<'a>,
    recorders: BehaviourRecorders,
    /// Recording of calls of the methods that the compared fixes change.
    call_recording: CallRecording,
    /// Sources of bad without its tests.
    main: &'a [(RepoPath, Code<'a>)],
    /// Number of test runs.
    run_count: AtomicUsize,
}

impl<'a> GeneratedTestComparison<'a> {
    pub(super) fn new(
        target: &'a RepairTarget<'a>,
        oracle: &'a SymptomOracle<'a>,
        recorders: BehaviourRecorders,
        main: &'a [(RepoPath, Code<'a>)],
    ) -> Self {
        let (call_recording, run_count) = (CallRecording::default(), AtomicUsize::default());
        Self { target, oracle, recorders, call_recording, main, run_count }
    }

    /// Ranks fixes by the results of generated tests.
    pub(super) fn rank(&mut self, plausible: Vec<PlausibleFix>) -> Result<Vec<PlausibleFix>> {
        if plausible.is_empty() {
            return Ok(plausible);
        }
        let edits: Vec<_> = plausible.iter().flat_map(PlausibleFix::edits).collect();
        self.call_recording = CallRecording::from_edits(self.main, &edits);
        self.emit_progress("running generated tests without a fix".to_owned(), None)?;
        let Some(baseline) = self.baseline_behaviour()? else {
            let note = "behaviour of the fixes beyond the existing tests: no tests could be generated from these";
            self.target.session.run_log.note_unchecked(note.to_owned())?;
            return Ok(plausible);
        };
        let note = format!(
            "comparing {} in {}",
            format_count(plausible.len(), "candidate"),
            format_count(self.recorders.generated_tests.test_count(), "generated test")
        );
        self.target.session.run_log.emit(ProgressEvent::Stage(note))?;
        let good = self.target.good;
        let good = good
            .map(|tree| self.behaviour(tree, None, &InstrumentationLevel::TestsOnly))
            .transpose()?
            .flatten();
        let mut behaviours = Vec::new();
        for (at, fix) in plausible.iter().enumerate() {
            self.target.session.context.interrupt.check()?;
            self.emit_progress(fix.description(), Some(plausible.len() - at - 1))?;
            behaviours.push(self.behaviour_of_fix(fix)?);
        }
        let is_rival = |at: usize, other: usize| {
            let (fix, other) = (&plausible[at].candidate, &plausible[other].candidate);
            other.path == fix.path && other.method == fix.method && other.overfitting.is_none()
        };
        let agreements = weigh_repairs(
            &self.recorders.generated_tests,
            &baseline,
            good.as_ref(),
            &behaviours,
            is_rival,
        );
        let describe_violation = |agreement: &Option<DifferentialResult>| {
            agreement.and_then(|agreement| {
                self.recorders.postcondition_checks.describe(agreement.violated_postcondition?)
            })
        };
        let with_texts = plausible.into_iter().zip(&agreements).map(|(fix, agreement)| {
            let fix = PlausibleFix {
                agreement: *agreement,
                violated_contract: describe_violation(agreement),
                ..fix
            };
            let text = self.normalised_text(&fix)?;
            Ok((fix, text))
        });
        Ok(order_fixes(with_texts.collect::<Result<_>>()?))
    }

    /// Returns the normalised text of the files that a fix changes.
    fn normalised_text(&self, fix: &PlausibleFix) -> Result<String> {
        let RepairTarget { store, bad, .. } = self.target;
        let changes = store.diff_trees(&bad.overlaid_tree, &fix.tree)?;
        let texts = changes.iter().filter_map(|change| {
            let text = change.new.as_ref().map_or_else(String::new, |(_, state)| {
                normalise_code(&String::from_utf8_lossy(&state.content))
            });
            Some(format!("{}\n{text}\n", change.path()?))
        });
        Ok(texts.collect())
    }

    /// Returns the outputs of the generated tests with a fix.
    fn behaviour_of_fix(&self, fix: &PlausibleFix) -> Result<Option<TestBehaviour>> {
        let head = self.target.bad.commit_id();
        let edits = fix.edits();
        // The generated tests or the instrumentation may not compile with the fix, so lower levels are tried next.
        for level in [
            InstrumentationLevel::PostconditionsAndCalls(&edits),
            InstrumentationLevel::Postconditions(&edits),
            InstrumentationLevel::TestsOnly,
        ] {
            if self.is_redundant(&level) {
                continue;
            }
            let behaviour = self.behaviour(&fix.tree, head, &level)?;
            if behaviour.is_some() {
                return Ok(behaviour);
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
    pub(super) fn distinguishing_behaviour(&self, tree: &TreeId) -> Result<Option<TestBehaviour>> {
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
        for _ in 0..MAX_FILTER_ROUNDS {
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
                self.recorders.generated_tests.remove(&[number].into());
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
            .run(self.target.store, tree, |tree| executor.run(tree, head, limits))?;
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

/// Minimum number of compared tests with equal results for which two fixes of one method count as equivalent.
const MIN_DISTINGUISHING_TESTS: usize = 100;

/// Sorts fixes by rank, of which their agreement in generated tests is a part. Of several fixes of one method with the
/// same behaviour, all but the best come last. A few tests do not prove equivalence, so fixes of other statements come
/// before equivalent ones. Of fixes with the same normalised code, keeps the best.
fn order_fixes(mut all: Vec<(PlausibleFix, String)>) -> Vec<PlausibleFix> {
    all.sort_by(|(one, _), (other, _)| one.compare_rank(other));
    let mut texts = HashSet::new();
    all.retain(|(one, text)| {
        texts.insert((one.agreement.map(|agreement| agreement.behaviour_class), text.clone()))
    });
    let (mut known_methods, mut statements, mut known_edits) =
        (HashSet::new(), HashSet::new(), HashSet::new());
    let (mut first, mut other_statements, mut equivalent) = (Vec::new(), Vec::new(), Vec::new());
    for (one, _) in all {
        let Some(DifferentialResult { behaviour_class: kind, compared_tests: compared, .. }) =
            one.agreement
        else {
            first.push(one);
            continue;
        };
        let LocatedCandidate { path, method, line, .. } = &one.candidate;
        let is_new = known_methods.insert((kind, path.clone(), *method));
        // The same edit at a neighbouring statement is not a different fix. Patches of a generator are different edits,
        // even with the same description.
        let is_moved = !known_edits.insert((kind, path.clone(), *method, one.edit_name()));
        let is_elsewhere = statements.insert((kind, path.clone(), *line)) && !is_moved;
        if is_new {
            first.push(one);
        } else if is_elsewhere || compared < MIN_DISTINGUISHING_TESTS && !is_moved {
            other_statements.push(one);
        } else {
            equivalent.push(one);
        }
    }
    first.append(&mut other_statements);
    first.append(&mut equivalent);
    interleave_by_failing_tests(first, |one| &one.still_failing)
}

/// Sorts fixes by the number of tests that they leave failing. Among equals, the best fix for each set of failing tests
/// comes first, then the second best for each.
fn interleave_by_failing_tests<T>(
    all: Vec<T>,
    failing_tests: impl Fn(&T) -> &BTreeSet<String>,
) -> Vec<T> {
    let mut turns: HashMap<BTreeSet<String>, usize> = HashMap::new();
    let turn = |one: &T| {
        let turn = turns.entry(failing_tests(one).clone()).or_insert(0);
        *turn += 1;
        *turn
    };
    let turns_of_fixes: Vec<usize> = all.iter().map(turn).collect();
    let mut with_turns: Vec<(usize, T)> = turns_of_fixes.into_iter().zip(all).collect();
    with_turns.sort_by_key(|(turn, one)| (failing_tests(one).len(), *turn));
    with_turns.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::interleave_by_failing_tests;
    use std::collections::BTreeSet;

    #[test]
    fn partial_fixes_are_interleaved_by_failing_tests() {
        let all = [
            ("one", "a b"),
            ("two", "a"),
            ("three", "a"),
            ("four", "b"),
            ("five", ""),
            ("six", ""),
        ];
        let set = |left: &str| left.split_whitespace().map(str::to_owned).collect();
        let all: Vec<(&str, BTreeSet<String>)> =
            all.into_iter().map(|(name, left)| (name, set(left))).collect();
        let order =
            interleave_by_failing_tests(all, |(_, left)| left).into_iter().map(|(name, _)| name);
        assert_eq!(order.collect::<Vec<_>>(), ["five", "six", "two", "four", "three", "one"]);
    }
}
