//! Comparison of fixes on generated tests: rejects those that leave faults or change correct
//! results, and ranks those that behave the same as a better one last.

use super::plausible::Plausible;
use crate::run::fix::fault_localization::Ward;
use crate::run::fix::instrumented_tree::Watched;
use crate::run::judge::Judge;
use mend_engine::Execution;
use mend_java::Edit;
use mend_model::CommitId;
use mend_model::{Event, Outcome, RepoPath, Result, TreeId, counted};
use mend_repair::canonical;
use mend_repair::{
    Agreement, Assured, Behaviour, Calls, Candidate, GeneratedTests, Wrapped, agreements,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of rounds that remove generated tests which do not compile or hang.
const ROUNDS: usize = 6;

/// Runs generated tests on versions.
pub(super) struct Comparison<'a> {
    ward: &'a Ward<'a>,
    judge: &'a Judge,
    /// What passes, with bad's tests, if it is known.
    good: Option<TreeId>,
    generated: GeneratedTests,
    /// What routines promise.
    assured: Assured,
    /// Of which routines the calls are written down.
    calls: Calls,
    /// Where the tests write.
    output: PathBuf,
    /// How often they ran.
    runs: AtomicUsize,
}

impl<'a> Comparison<'a> {
    /// `generated`, which ask whether routines keep what they promise and what calls lead to, write to `output`.
    pub(super) fn new(
        ward: &'a Ward<'a>,
        judge: &'a Judge,
        (generated, assured, calls): (GeneratedTests, Assured, Calls),
        output: PathBuf,
    ) -> Result<Self> {
        let good = ward.good()?;
        let runs = AtomicUsize::default();
        Ok(Self { ward, judge, good, generated, assured, calls, output, runs })
    }

    /// Repairs in the order in which they are to be shown, with what generated tests say of each.
    pub(super) fn ranked(&mut self, plausible: Vec<Plausible>) -> Result<Vec<Plausible>> {
        if plausible.is_empty() {
            return Ok(plausible);
        }
        self.calls.retain_changed(plausible.iter().flat_map(Plausible::edits));
        self.tell("running generated tests without a fix".to_owned(), None)?;
        let Some(bad) = self.usual()? else {
            let what = "behaviour of the fixes beyond the existing tests: no tests could be generated from these";
            self.ward.session.ledger.note(what.to_owned())?;
            return Ok(plausible);
        };
        let what = format!(
            "comparing {} in {}",
            counted(plausible.len(), "candidate"),
            counted(self.generated.count(), "generated test")
        );
        self.ward.session.ledger.tell(Event::Stage(what))?;
        let good = self.good.clone();
        let good =
            good.map(|tree| self.behaviour(&tree, None, &Seeing::Tests)).transpose()?.flatten();
        let mut behaviours = Vec::new();
        for (at, one) in plausible.iter().enumerate() {
            self.ward.session.context.interrupt.check()?;
            self.tell(one.why(), Some(plausible.len() - at - 1))?;
            behaviours.push(self.with_repair(one)?);
        }
        let is_rival = |one: usize, other: usize| {
            let (one, other) = (&plausible[one].candidate, &plausible[other].candidate);
            other.path == one.path && other.method == one.method && other.evasion.is_none()
        };
        let weighed = agreements(&self.generated, &bad, good.as_ref(), &behaviours, is_rival);
        let said = |agreement: &Option<Agreement>| {
            agreement.and_then(|agreement| self.assured.said(agreement.breaks?))
        };
        let told = plausible.into_iter().zip(&weighed).map(|(one, agreement)| {
            let one = Plausible { agreement: *agreement, breaks: said(agreement), ..one };
            let text = self.text(&one)?;
            Ok((one, text))
        });
        Ok(in_order(told.collect::<Result<_>>()?))
    }

    /// The files that a repair changes, in one form of several that mean the same.
    fn text(&self, one: &Plausible) -> Result<String> {
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

    /// What the version does with a repair.
    fn with_repair(&self, one: &Plausible) -> Result<Option<Behaviour>> {
        let head = self.ward.bad.commit_id();
        let edits = one.edits();
        // It may be what it would be asked, or what sees it, that cannot be built with it.
        for seeing in [Seeing::All(&edits), Seeing::Promises(&edits), Seeing::Tests] {
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

    /// Whether less sees as much.
    fn is_needless(&self, seeing: &Seeing<'_>) -> bool {
        match seeing {
            Seeing::All(_) => self.calls.is_empty(),
            Seeing::Promises(_) => self.assured.is_empty(),
            Seeing::Tests => false,
        }
    }

    /// Returns the behaviour of a tree, if enough tests finished to distinguish it from other
    /// trees.
    pub(super) fn telling(&self, tree: &TreeId) -> Result<Option<Behaviour>> {
        let behaviour = self.behaviour(tree, self.ward.bad.commit_id(), &Seeing::Tests)?;
        let tells = |one: &Behaviour| one.unfinished().is_none() && one.tests() >= ENOUGH_TO_TELL;
        Ok(behaviour.filter(tells))
    }

    /// Reports the next step, and how many candidates come after it.
    fn tell(&self, what: String, left: Option<usize>) -> Result<()> {
        let if_slow = Some("slow because generated tests are compiled".to_owned());
        self.ward.session.ledger.tell(Event::Counting { what, left, if_slow })
    }

    /// What bad does, once all tests are left out that cannot be built, do not end, or end differently each time.
    fn usual(&mut self) -> Result<Option<Behaviour>> {
        let (tree, head) = (self.ward.bad.tree.clone(), self.ward.bad.commit_id().cloned());
        for _ in 0..ROUNDS {
            let (execution, first) = self.executed(&tree, head.as_ref(), &Seeing::All(&[]))?;
            if let Outcome::NotBuilt { diagnostics } = &execution.outcome {
                let said = format!("generated tests do not compile: {diagnostics}");
                self.ward.session.ledger.folder.append_log(&said)?;
                let files = self.wrapped(&Seeing::All(&[])).files(&[]);
                let is_less = self.generated.without_refused(&execution.refusals);
                if !self.calls.without_refused(&execution.refusals, &files) && !is_less {
                    return Ok(None);
                }
                continue;
            }
            if let Some(number) = first.unfinished().filter(|_| !execution.outcome.is_pass()) {
                self.generated.without(&[number].into());
                continue;
            }
            let second = self.behaviour(&tree, head.as_ref(), &Seeing::All(&[]))?;
            let Some(second) = second else { return Ok(None) };
            self.generated.without(&first.differing(&second));
            let is_any = self.generated.count() > 0 && first != Behaviour::default();
            return Ok(is_any.then(|| first.with_again(&second)));
        }
        Ok(None)
    }

    /// What a version does; nothing if it cannot be built with the tests.
    fn behaviour(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        seeing: &Seeing<'_>,
    ) -> Result<Option<Behaviour>> {
        let (mut execution, mut behaviour) = self.executed(tree, head, seeing)?;
        // On a busy machine a test may time out by chance, and missing tests would make equal
        // versions differ.
        if behaviour.unfinished().is_some() && !execution.outcome.is_pass() {
            (execution, behaviour) = self.executed(tree, head, seeing)?;
        }
        let is_built = !matches!(execution.outcome, Outcome::NotBuilt { .. });
        Ok(is_built.then_some(behaviour))
    }

    /// The files of bad in which something sees what it does.
    fn wrapped(&self, seeing: &Seeing<'_>) -> Wrapped {
        match seeing {
            Seeing::Tests => Wrapped::default(),
            Seeing::Promises(_) => self.assured.wrapped(),
            Seeing::All(_) => self.assured.wrapped().with(self.calls.wrapped()),
        }
    }

    /// Runs the tests. Each run writes to a file of its own: the engine does not run again what is the same.
    fn executed(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        seeing: &Seeing<'_>,
    ) -> Result<(Execution, Behaviour)> {
        let number = self.runs.fetch_add(1, Ordering::SeqCst);
        let output = self.output.with_extension(number.to_string());
        let Judge { bench, limits, .. } = self.judge;
        let mut files = self.generated.files(&output);
        files.extend(self.wrapped(seeing).files(seeing.edits()));
        let recording = self.generated.recording(&output);
        files.extend(self.assured.recorder("Trace", &recording));
        files.extend(self.calls.recorder(&recording));
        let watched = Watched { files, output: &output };
        let (execution, text) =
            watched.run(self.ward.store, tree, |tree| bench.run(tree, head, limits))?;
        Ok((execution, Behaviour::read(&text)))
    }
}

/// What is changed in files of bad.
type Edits<'a> = [(&'a RepoPath, &'a [Edit])];

/// What sees what a version does besides the tests, if edits make it of bad.
enum Seeing<'a> {
    /// Nothing.
    Tests,
    /// Routines are asked whether they keep what they promise.
    Promises(&'a Edits<'a>),
    /// And what calls lead to is written down.
    All(&'a Edits<'a>),
}

impl<'a> Seeing<'a> {
    fn edits(&self) -> &'a Edits<'a> {
        match self {
            Self::Tests => &[],
            Self::Promises(edits) | Self::All(edits) => edits,
        }
    }
}

/// Number of generated tests with equal results above which two fixes count as equivalent.
const ENOUGH_TO_TELL: usize = 100;

/// Orders fixes by worth, weighted by the agreement of generated tests. Of several that behave the
/// same in one method, all but the best come last: a few tests do not prove that they are
/// equivalent. Fixes with the same normalised code (the text beside each) appear once.
fn in_order(mut all: Vec<(Plausible, String)>) -> Vec<Plausible> {
    all.sort_by(|(one, _), (other, _)| one.rank(other));
    let mut texts = HashSet::new();
    all.retain(|(one, text)| {
        texts.insert((one.agreement.map(|agreement| agreement.kind), text.clone()))
    });
    let (mut known, mut statements, mut moved) = (HashSet::new(), HashSet::new(), HashSet::new());
    let (mut first, mut again, mut same) = (Vec::new(), Vec::new(), Vec::new());
    for (one, _) in all {
        let Some(Agreement { kind, compared, .. }) = one.agreement else {
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

/// Orders fixes by the number of tests that they leave failing (`left`). Among equals, the best fix
/// for each set of failing tests comes first, then the second best for each.
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
