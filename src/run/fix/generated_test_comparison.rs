//! Comparison of fixes on generated tests: rejects those that leave faults or change correct
//! results, and ranks those that behave the same as a better one last.

use super::plausible::PlausibleFix;
use crate::run::fix::fault_localisation::{BehaviourRecorders, RepairTarget};
use crate::run::fix::instrumented_tree::InstrumentedTree;
use crate::run::judge::SymptomOracle;
use mend_engine::Execution;
use mend_java::Edit;
use mend_model::CommitId;
use mend_model::{Outcome, ProgressEvent, RepoPath, Result, TreeId, counted};
use mend_repair::canonical;
use mend_repair::{Candidate, DifferentialResult, InstrumentedFiles, TestBehaviour, agreements};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of rounds that remove generated tests which do not compile or hang.
const ROUNDS: usize = 6;

/// Runs generated tests on versions.
pub(super) struct GeneratedTestComparison<'a> {
    ward: &'a RepairTarget<'a>,
    judge: &'a SymptomOracle<'a>,
    recorders: BehaviourRecorders,
    /// Number of test runs.
    runs: AtomicUsize,
}

impl<'a> GeneratedTestComparison<'a> {
    pub(super) fn new(
        ward: &'a RepairTarget<'a>,
        judge: &'a SymptomOracle<'a>,
        recorders: BehaviourRecorders,
    ) -> Self {
        Self { ward, judge, recorders, runs: AtomicUsize::default() }
    }

    /// Ranks fixes by the results of generated tests.
    pub(super) fn ranked(&mut self, plausible: Vec<PlausibleFix>) -> Result<Vec<PlausibleFix>> {
        if plausible.is_empty() {
            return Ok(plausible);
        }
        self.recorders.calls.retain_changed(plausible.iter().flat_map(PlausibleFix::edits));
        self.emit_progress("running generated tests without a fix".to_owned(), None)?;
        let Some(bad) = self.usual()? else {
            let what = "behaviour of the fixes beyond the existing tests: no tests could be generated from these";
            self.ward.session.ledger.note(what.to_owned())?;
            return Ok(plausible);
        };
        let what = format!(
            "comparing {} in {}",
            counted(plausible.len(), "candidate"),
            counted(self.recorders.generated.count(), "generated test")
        );
        self.ward.session.ledger.emit(ProgressEvent::Stage(what))?;
        let good = self.ward.good;
        let good = good
            .map(|tree| self.behaviour(tree, None, &InstrumentationLevel::TestsOnly))
            .transpose()?
            .flatten();
        let mut behaviours = Vec::new();
        for (at, one) in plausible.iter().enumerate() {
            self.ward.session.context.interrupt.check()?;
            self.emit_progress(one.description(), Some(plausible.len() - at - 1))?;
            behaviours.push(self.with_repair(one)?);
        }
        let is_rival = |one: usize, other: usize| {
            let (one, other) = (&plausible[one].candidate, &plausible[other].candidate);
            other.path == one.path && other.method == one.method && other.evasion.is_none()
        };
        let weighed =
            agreements(&self.recorders.generated, &bad, good.as_ref(), &behaviours, is_rival);
        let said = |agreement: &Option<DifferentialResult>| {
            agreement.and_then(|agreement| self.recorders.assured.describe(agreement.breaks?))
        };
        let told = plausible.into_iter().zip(&weighed).map(|(one, agreement)| {
            let one = PlausibleFix { agreement: *agreement, breaks: said(agreement), ..one };
            let text = self.text(&one)?;
            Ok((one, text))
        });
        Ok(in_order(told.collect::<Result<_>>()?))
    }

    /// Returns the normalised text of the files that a fix changes.
    fn text(&self, one: &PlausibleFix) -> Result<String> {
        let paths: BTreeSet<&RepoPath> = one.edits().into_iter().map(|(path, _)| path).collect();
        let whole = paths.into_iter().map(|path| {
            let state = self.ward.store.file(&one.tree, path)?;
            let text = state.map_or_else(String::new, |state| {
                canonical(&String::from_utf8_lossy(&state.content))
            });
            Ok(format!("{path}\n{text}\n"))
        });
        whole.collect()
    }

    /// Returns the outputs of the version with a fix.
    fn with_repair(&self, one: &PlausibleFix) -> Result<Option<TestBehaviour>> {
        let head = self.ward.bad.commit_id();
        let edits = one.edits();
        // It may be what it would be asked, or what sees it, that cannot be built with it.
        for seeing in [
            InstrumentationLevel::PostconditionsAndCalls(&edits),
            InstrumentationLevel::Postconditions(&edits),
            InstrumentationLevel::TestsOnly,
        ] {
            if self.is_needless(&seeing) {
                continue;
            }
            let behaviour = self.behaviour(&one.tree, head, &seeing)?;
            if behaviour.is_some() {
                return Ok(behaviour);
            }
        }
        Ok(None)
    }

    /// Returns true if a lower level of instrumentation observes as much.
    fn is_needless(&self, seeing: &InstrumentationLevel<'_>) -> bool {
        match seeing {
            InstrumentationLevel::PostconditionsAndCalls(_) => self.recorders.calls.is_empty(),
            InstrumentationLevel::Postconditions(_) => self.recorders.assured.is_empty(),
            InstrumentationLevel::TestsOnly => false,
        }
    }

    /// Returns the outputs of a tree, if enough tests finished to distinguish it from other trees.
    pub(super) fn telling(&self, tree: &TreeId) -> Result<Option<TestBehaviour>> {
        let behaviour =
            self.behaviour(tree, self.ward.bad.commit_id(), &InstrumentationLevel::TestsOnly)?;
        let tells =
            |one: &TestBehaviour| one.unfinished().is_none() && one.tests() >= ENOUGH_TO_TELL;
        Ok(behaviour.filter(tells))
    }

    /// Emits the next step and the number of remaining candidates.
    fn emit_progress(&self, what: String, left: Option<usize>) -> Result<()> {
        let if_slow = Some("slow because generated tests are compiled".to_owned());
        self.ward.session.ledger.emit(ProgressEvent::BatchProgress { what, left, if_slow })
    }

    /// Returns the outputs of bad, after removing tests that do not compile, hang, or are not deterministic.
    fn usual(&mut self) -> Result<Option<TestBehaviour>> {
        let (tree, head) = (self.ward.bad.tree.clone(), self.ward.bad.commit_id().cloned());
        for _ in 0..ROUNDS {
            let (execution, first) = self.executed(
                &tree,
                head.as_ref(),
                &InstrumentationLevel::PostconditionsAndCalls(&[]),
            )?;
            if let Outcome::NotBuilt { diagnostics } = &execution.outcome {
                let said = format!("generated tests do not compile: {diagnostics}");
                self.ward.session.ledger.folder.append_log(&said)?;
                let files =
                    self.wrapped(&InstrumentationLevel::PostconditionsAndCalls(&[])).files(&[]);
                let is_less = self.recorders.generated.without_refused(&execution.refusals);
                if !self.recorders.calls.without_refused(&execution.refusals, &files) && !is_less {
                    return Ok(None);
                }
                continue;
            }
            if let Some(number) = first.unfinished().filter(|_| !execution.outcome.is_pass()) {
                self.recorders.generated.remove(&[number].into());
                continue;
            }
            let second = self.behaviour(
                &tree,
                head.as_ref(),
                &InstrumentationLevel::PostconditionsAndCalls(&[]),
            )?;
            let Some(second) = second else { return Ok(None) };
            self.recorders.generated.remove(&first.differing(&second));
            let is_any = self.recorders.generated.count() > 0 && first != TestBehaviour::default();
            return Ok(is_any.then(|| first.with_again(&second)));
        }
        Ok(None)
    }

    /// Returns the outputs of a tree; `None` if it does not compile with the tests.
    fn behaviour(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        seeing: &InstrumentationLevel<'_>,
    ) -> Result<Option<TestBehaviour>> {
        let (mut execution, mut behaviour) = self.executed(tree, head, seeing)?;
        // On a busy machine a test may time out by chance, and missing tests would make equal
        // versions differ.
        if behaviour.unfinished().is_some() && !execution.outcome.is_pass() {
            (execution, behaviour) = self.executed(tree, head, seeing)?;
        }
        let is_built = !matches!(execution.outcome, Outcome::NotBuilt { .. });
        Ok(is_built.then_some(behaviour))
    }

    /// Returns the instrumented files of bad.
    fn wrapped(&self, seeing: &InstrumentationLevel<'_>) -> InstrumentedFiles {
        match seeing {
            InstrumentationLevel::TestsOnly => InstrumentedFiles::default(),
            InstrumentationLevel::Postconditions(_) => self.recorders.assured.wrapped(),
            InstrumentationLevel::PostconditionsAndCalls(_) => {
                self.recorders.assured.wrapped().merge(self.recorders.calls.wrapped())
            }
        }
    }

    /// Executes the tests. Each run writes to its own file, because the engine caches runs with the same files.
    fn executed(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        seeing: &InstrumentationLevel<'_>,
    ) -> Result<(Execution, TestBehaviour)> {
        let number = self.runs.fetch_add(1, Ordering::SeqCst);
        let output = self.recorders.output.with_extension(number.to_string());
        let SymptomOracle { bench, limits, .. } = self.judge;
        let mut files = self.recorders.generated.files(&output);
        files.extend(self.wrapped(seeing).files(seeing.edits()));
        let recording = self.recorders.generated.recording(&output);
        files.extend(self.recorders.assured.recorder("Trace", &recording));
        files.extend(self.recorders.calls.recorder(&recording));
        let watched = InstrumentedTree { files, output: &output };
        let (execution, text) =
            watched.run(self.ward.store, tree, |tree| bench.run(tree, head, limits))?;
        Ok((execution, TestBehaviour::read(&text)))
    }
}

/// Edits in files of bad.
type FileEdits<'a> = [(&'a RepoPath, &'a [Edit])];

/// Level of instrumentation, with the edits that the version consists of.
enum InstrumentationLevel<'a> {
    /// Generated tests only.
    TestsOnly,
    /// Also check postconditions.
    Postconditions(&'a FileEdits<'a>),
    /// Also record calls.
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

/// Number of generated tests with equal results above which two fixes count as equivalent.
const ENOUGH_TO_TELL: usize = 100;

/// Orders fixes by worth, weighted by the agreement of generated tests. Of several fixes of one method with the same
/// behaviour, all but the best come last, because a few tests do not prove equivalence. Fixes with the same normalised
/// code appear once.
fn in_order(mut all: Vec<(PlausibleFix, String)>) -> Vec<PlausibleFix> {
    all.sort_by(|(one, _), (other, _)| one.rank(other));
    let mut texts = HashSet::new();
    all.retain(|(one, text)| {
        texts.insert((one.agreement.map(|agreement| agreement.kind), text.clone()))
    });
    let (mut known, mut statements, mut moved) = (HashSet::new(), HashSet::new(), HashSet::new());
    let (mut first, mut again, mut same) = (Vec::new(), Vec::new(), Vec::new());
    for (one, _) in all {
        let Some(DifferentialResult { kind, compared, .. }) = one.agreement else {
            first.push(one);
            continue;
        };
        let Candidate { path, method, line, .. } = &one.candidate;
        let is_new = known.insert((kind, path.clone(), *method));
        // The same that is only done a little sooner or later is no other repair.
        let is_moved = !moved.insert((kind, path.clone(), *method, one.candidate.why.clone()));
        let is_elsewhere = statements.insert((kind, path.clone(), *line)) && !is_moved;
        if is_new {
            first.push(one);
        } else if is_elsewhere || compared < ENOUGH_TO_TELL && !is_moved {
            again.push(one);
        } else {
            same.push(one);
        }
    }
    first.append(&mut again);
    first.append(&mut same);
    each_part_in_turn(first, |one| &one.left)
}

/// Orders fixes by the number of tests that they leave failing. Among equals, the best fix for each set of failing
/// tests comes first, then the second best for each.
fn each_part_in_turn<T>(all: Vec<T>, left: impl Fn(&T) -> &BTreeSet<String>) -> Vec<T> {
    let mut turns: HashMap<BTreeSet<String>, usize> = HashMap::new();
    let turn = |one: &T| {
        let turn = turns.entry(left(one).clone()).or_insert(0);
        *turn += 1;
        *turn
    };
    let places: Vec<usize> = all.iter().map(turn).collect();
    let mut placed: Vec<(usize, T)> = places.into_iter().zip(all).collect();
    placed.sort_by_key(|(turn, one)| (left(one).len(), *turn));
    placed.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::each_part_in_turn;
    use std::collections::BTreeSet;

    #[test]
    fn of_what_mends_parts_each_part_has_its_turn() {
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
        let order = each_part_in_turn(all, |(_, left)| left).into_iter().map(|(name, _)| name);
        assert_eq!(order.collect::<Vec<_>>(), ["five", "six", "two", "four", "three", "one"]);
    }
}
