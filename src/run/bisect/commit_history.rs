//! Finds the culprit commit in a range of commits.

use crate::run::judge::SymptomOracle;
use crate::run::session::request::BisectRequest;
use crate::run::session::run_log::TrialSubject;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::TestOverlay;
use mend_git::{Commit, ObjectStore, Repository};
use mend_model::CommitId;
use mend_model::{Problem, ProgressEvent, Result, TreeId, Verdict};
use mend_search::bisection::{BisectResult, Bisection, CommitNode, CommitState, steps_left};
use std::collections::HashMap;
use std::path::Path;

/// Range of commits after the bisection.
pub(crate) struct NarrowedRange {
    /// The last known version that passes.
    pub(crate) base: ResolvedVersion,
    /// The first one that fails.
    pub(crate) target: ResolvedVersion,
    /// Commits that may be the culprit, oldest first; one if it is certain.
    pub(crate) suspects: Vec<Commit>,
    /// Verdicts of the commits that could not be judged.
    pub(crate) skipped: HashMap<CommitId, Verdict>,
}

/// Commit history of good and bad.
pub(crate) struct CommitHistory<'a> {
    pub(crate) request: &'a BisectRequest,
    pub(crate) repository: &'a Repository,
    pub(crate) store: &'a ObjectStore,
    pub(crate) overlay: &'a TestOverlay,
    pub(crate) judge: &'a SymptomOracle<'a>,
}

impl CommitHistory<'_> {
    /// Narrows the range down. `None` if the two commits have no history in common.
    ///
    /// # Errors
    /// [`Problem::MergeBaseFails`]; [`Problem::UnknownRevision`] in `--skip` or `--log`.
    pub(crate) fn narrow(&self, good: &Commit, bad: &Commit) -> Result<Option<NarrowedRange>> {
        let goods = self.good_commits(good, bad)?;
        if goods.is_empty() {
            return Ok(None);
        }
        let commits = self.repository.range(&goods, &bad.id, self.request.first_parent)?;
        let nodes = self.nodes(&commits);
        let known = self.known_states(&commits)?;
        let mut skipped = HashMap::new();
        let located = self.bisect(&commits, &nodes, &known, &mut skipped)?;
        let (base, target, suspects) = self.narrowed(&commits, &located, &goods)?;
        Ok(Some(NarrowedRange { base, target, suspects, skipped }))
    }

    /// Returns good, or the merge bases of good and bad.
    fn good_commits(&self, good: &Commit, bad: &Commit) -> Result<Vec<CommitId>> {
        if self.repository.is_ancestor(&good.id, &bad.id)? {
            return Ok(vec![good.id.clone()]);
        }
        let bases = self.repository.merge_bases(&good.id, &bad.id)?;
        for base in &bases {
            let commit = self.repository.commit(base)?;
            match self.verdict(&commit, None, None)? {
                Verdict::Pass => {}
                Verdict::Fail => {
                    return Err(Problem::MergeBaseFails { merge_base: base.short().to_owned() });
                }
                Verdict::Unresolved(_) | Verdict::Flaky => self.judge.ledger.note(format!(
                    "{}, the merge base of good and bad: it could not be tested and counts as good",
                    base.short()
                ))?,
            }
        }
        Ok(bases)
    }

    fn nodes(&self, commits: &[Commit]) -> Vec<CommitNode> {
        let place: HashMap<&CommitId, usize> =
            commits.iter().enumerate().map(|(at, commit)| (&commit.id, at)).collect();
        let many = self.parents_that_count();
        let parents = |commit: &Commit| {
            commit.parents.iter().take(many).filter_map(|id| place.get(id).copied()).collect()
        };
        commits.iter().map(|commit| CommitNode { parents: parents(commit) }).collect()
    }

    /// Returns the maximum number of parents to follow per commit.
    pub(crate) fn parents_that_count(&self) -> usize {
        if self.request.first_parent { 1 } else { usize::MAX }
    }

    /// Returns the marks from `--skip` and `--log`.
    fn known_states(&self, commits: &[Commit]) -> Result<Vec<(usize, CommitState)>> {
        let mut told: Vec<(String, CommitState)> =
            self.request.skip.iter().map(|spec| (spec.clone(), CommitState::Skip)).collect();
        if let Some(path) = &self.request.log {
            told.extend(marks_of_log(&read_log(&self.request.subject.dir.join(path))?));
        }
        let mut known = Vec::new();
        for (spec, mark) in told {
            let id = self.repository.resolve(&spec)?.id;
            known.extend(commits.iter().position(|commit| commit.id == id).map(|at| (at, mark)));
        }
        Ok(known)
    }

    fn bisect(
        &self,
        commits: &[Commit],
        nodes: &[CommitNode],
        known: &[(usize, CommitState)],
        skipped: &mut HashMap<CommitId, Verdict>,
    ) -> Result<BisectResult> {
        let mut bisection = Bisection::new(nodes, known)?;
        while let Some(at) = bisection.next_question() {
            let left = steps_left(bisection.candidates()).max(1);
            let mark = match self.verdict(
                &commits[at],
                Some([at + 1, commits.len()]),
                Some(left as usize),
            )? {
                Verdict::Pass => CommitState::Good,
                Verdict::Fail => CommitState::Bad,
                verdict @ (Verdict::Unresolved(_) | Verdict::Flaky) => {
                    skipped.insert(commits[at].id.clone(), verdict);
                    CommitState::Skip
                }
            };
            self.judge.ledger.commit_tested()?;
            bisection.record(at, mark);
        }
        Ok(bisection.located())
    }

    fn verdict(
        &self,
        commit: &Commit,
        place: Option<[usize; 2]>,
        left: Option<usize>,
    ) -> Result<Verdict> {
        let tree = self.tree(commit)?;
        self.judge.verdict(&tree, Some(&commit.id), TrialSubject::of_commit(commit, place), left)
    }

    /// The last version that passes, the first one that fails, and the commits that may have broken it.
    fn narrowed(
        &self,
        commits: &[Commit],
        located: &BisectResult,
        goods: &[CommitId],
    ) -> Result<(ResolvedVersion, ResolvedVersion, Vec<Commit>)> {
        let first_bad = &commits[located.first_bad];
        let suspects: Vec<Commit> =
            located.suspects.iter().map(|at| commits[*at].clone()).collect();
        let is_suspect = |id: &CommitId| suspects.iter().any(|suspect| suspect.id == *id);
        // Of several lines of history, the one whose last passing commit comes latest leaves the
        // smallest diff.
        let base = if let [.., last] = located.good_boundary[..] {
            commits[last].clone()
        } else {
            let parent = suspects.iter().flat_map(|one| &one.parents).find(|id| !is_suspect(id));
            let base = parent.or(goods.first()).map(|id| self.repository.commit(id)).transpose()?;
            base.unwrap_or_else(|| first_bad.clone())
        };
        Ok((self.version(base)?, self.version(first_bad.clone())?, suspects))
    }

    /// A commit's files with bad's test code.
    pub(crate) fn tree(&self, commit: &Commit) -> Result<TreeId> {
        self.overlay.lay_over(&commit.tree, self.store)
    }

    fn version(&self, commit: Commit) -> Result<ResolvedVersion> {
        let label = commit.id.short().to_owned();
        let tree = self.tree(&commit)?;
        Ok(ResolvedVersion { tree, ..ResolvedVersion::of_commit(&label, commit) })
    }
}

/// Finds the nearest first-parent ancestor of `bad` that passes, with growing steps.
///
/// # Errors
/// [`Problem::NoGoodCommit`].
pub(crate) fn look_back(history: &CommitHistory<'_>, bad: &Commit) -> Result<ResolvedVersion> {
    let line = history.repository.first_parent_walk(&bad.id)?;
    let mut tried = 0;
    let places = std::iter::successors(Some(1_usize), |place| place.checked_mul(2));
    let last = line.len().saturating_sub(1);
    for place in places.take_while(|place| *place < last).chain((last > 0).then_some(last)) {
        let commit = history.repository.commit(&line[place])?;
        tried += 1;
        if history.verdict(&commit, None, None)? == Verdict::Pass {
            return history.version(commit);
        }
    }
    history.judge.ledger.emit(ProgressEvent::Stage("no good commit found".to_owned()))?;
    Err(Problem::NoGoodCommit { bad: bad.id.short().to_owned(), tried })
}

/// The text of a `git bisect log`.
///
/// # Errors
/// [`Problem::Usage`] if it cannot be read.
pub fn read_log(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| Problem::Usage {
        message: format!("cannot read {}: {}", path.display(), Problem::reason(&error)),
        remedy: "create it with `git bisect log > FILE`".to_owned(),
    })
}

/// Good and bad as a `git bisect log` names them.
pub fn ends_of_log(text: &str) -> (Option<String>, Option<String>) {
    let marks = marks_of_log(text);
    let first =
        |wanted| marks.iter().find(|(_, mark)| *mark == wanted).map(|(spec, _)| spec.clone());
    (first(CommitState::Good), first(CommitState::Bad))
}

/// Every commit that a `git bisect log` gives a mark.
fn marks_of_log(text: &str) -> Vec<(String, CommitState)> {
    let mark = |line: &str| {
        let mut words = line.strip_prefix("git bisect ")?.split_whitespace();
        let mark = match words.next()? {
            "good" | "old" => CommitState::Good,
            "bad" | "new" => CommitState::Bad,
            "skip" => CommitState::Skip,
            _ => return None,
        };
        Some((words.next()?.trim_matches('\'').to_owned(), mark))
    };
    text.lines().filter_map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_of_a_bisect_log_are_read() {
        let log = "git bisect start\n# status: waiting\n# bad: [b1] worse\ngit bisect bad b1\n\
                   # good: [a1] fine\ngit bisect good a1\ngit bisect skip c1\n";
        let expected =
            [("b1", CommitState::Bad), ("a1", CommitState::Good), ("c1", CommitState::Skip)];
        assert_eq!(marks_of_log(log), expected.map(|(spec, mark)| (spec.to_owned(), mark)));
        assert_eq!(ends_of_log(log), (Some("a1".to_owned()), Some("b1".to_owned())));
    }
}
