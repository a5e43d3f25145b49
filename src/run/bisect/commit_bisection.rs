//! Finds the culprit commit in a range of commits, by bisection of the commit graph.

use crate::run::judge::SymptomOracle;
use crate::run::judge::parallel::run_parallel;
use crate::run::session::request::BisectRequest;
use crate::run::session::run_log::TrialSubject;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::TestOverlay;
use mend_git::{Commit, ObjectStore, Repository};
use mend_model::CommitId;
use mend_model::{Problem, ProgressEvent, Result, TreeId, Verdict};
use mend_search::bisection::{
    BisectResult, Bisection, CommitNode, CommitState, estimate_parallel_tests,
};
use std::collections::HashMap;
use std::path::Path;

/// Range of commits after the bisection.
pub(crate) struct NarrowedRange {
    /// Last passing version.
    pub(crate) base: ResolvedVersion,
    /// First failing version.
    pub(crate) target: ResolvedVersion,
    /// Suspect commits, oldest first. A single one is the culprit.
    pub(crate) suspects: Vec<Commit>,
    /// Verdicts of the commits that could not be judged.
    pub(crate) skipped: HashMap<CommitId, Verdict>,
}

/// Commits between good and bad.
pub(crate) struct SearchedCommits {
    /// Good, or the merge bases of good and bad.
    goods: Vec<CommitId>,
    /// Commits, ancestors first.
    pub(crate) commits: Vec<Commit>,
    pub(crate) nodes: Vec<CommitNode>,
    /// States of commits that the user named, by position.
    pub(crate) known_states: Vec<(usize, CommitState)>,
}

/// Bisection of the commits between good and bad.
pub(crate) struct CommitBisection<'a> {
    pub(crate) request: &'a BisectRequest,
    pub(crate) repository: &'a Repository,
    pub(crate) store: &'a ObjectStore,
    pub(crate) overlay: &'a TestOverlay,
    pub(crate) oracle: &'a SymptomOracle<'a>,
}

impl CommitBisection<'_> {
    /// Narrows the range by bisection. Returns `None` if the two commits have no common history.
    ///
    /// # Errors
    /// [`Problem::MergeBaseFails`]; [`Problem::UnknownRevision`] in `--skip` or `--log`.
    pub(crate) fn narrow_range(
        &self,
        good: &Commit,
        bad: &Commit,
    ) -> Result<Option<NarrowedRange>> {
        let Some(searched) = self.searched_commits(good, bad)? else { return Ok(None) };
        let mut skipped = HashMap::new();
        let located = self.bisect(&searched, &mut skipped)?;
        let SearchedCommits { goods, commits, .. } = &searched;
        let (base, target, suspects) = self.find_boundary(commits, &located, goods)?;
        Ok(Some(NarrowedRange { base, target, suspects, skipped }))
    }

    /// Returns the commits to bisect, or `None` if the two commits have no common history.
    ///
    /// # Errors
    /// Those of [`CommitBisection::narrow_range`].
    pub(super) fn searched_commits(
        &self,
        good: &Commit,
        bad: &Commit,
    ) -> Result<Option<SearchedCommits>> {
        let goods = self.good_commits(good, bad)?;
        if goods.is_empty() {
            return Ok(None);
        }
        let commits =
            self.repository.commits_between(&goods, &bad.id, self.request.first_parent_only)?;
        let nodes = self.to_commit_nodes(&commits);
        let known_states = self.known_states(&commits)?;
        Ok(Some(SearchedCommits { goods, commits, nodes, known_states }))
    }

    /// Returns good, or the merge bases of good and bad.
    fn good_commits(&self, good: &Commit, bad: &Commit) -> Result<Vec<CommitId>> {
        if self.repository.is_ancestor(&good.id, &bad.id)? {
            return Ok(vec![good.id.clone()]);
        }
        let bases = self.repository.merge_bases(&good.id, &bad.id)?;
        for base in &bases {
            let commit = self.repository.commit(base)?;
            match self.judge_commit(&commit, None, None)? {
                Verdict::Pass => {}
                Verdict::Fail => {
                    return Err(Problem::MergeBaseFails { merge_base: base.short().to_owned() });
                }
                Verdict::Unresolved(_) | Verdict::Flaky => self.oracle.run_log.note_unchecked(format!(
                    "{}, the merge base of good and bad: it could not be tested and counts as good",
                    base.short()
                ))?,
            }
        }
        Ok(bases)
    }

    fn to_commit_nodes(&self, commits: &[Commit]) -> Vec<CommitNode> {
        let index_of: HashMap<&CommitId, usize> =
            commits.iter().enumerate().map(|(at, commit)| (&commit.id, at)).collect();
        let max_parents = self.max_parents();
        let parents = |commit: &Commit| {
            commit
                .parents
                .iter()
                .take(max_parents)
                .filter_map(|id| index_of.get(id).copied())
                .collect()
        };
        commits.iter().map(|commit| CommitNode { parents: parents(commit) }).collect()
    }

    /// Returns the maximum number of parents to follow per commit.
    pub(crate) fn max_parents(&self) -> usize {
        if self.request.first_parent_only { 1 } else { usize::MAX }
    }

    /// Returns the states of commits according to `--skip` and `--log`.
    pub(super) fn known_states(&self, commits: &[Commit]) -> Result<Vec<(usize, CommitState)>> {
        let mut marked_specs: Vec<(String, CommitState)> = self
            .request
            .skipped_revisions
            .iter()
            .map(|spec| (spec.clone(), CommitState::Skip))
            .collect();
        if let Some(path) = &self.request.log {
            marked_specs.extend(parse_bisect_log(&read_log(&self.request.subject.dir.join(path))?));
        }
        let mut states = Vec::new();
        for (spec, mark) in marked_specs {
            let id = self.repository.resolve(&spec)?.id;
            states.extend(commits.iter().position(|commit| commit.id == id).map(|at| (at, mark)));
        }
        Ok(states)
    }

    fn bisect(
        &self,
        SearchedCommits { commits, nodes, known_states, .. }: &SearchedCommits,
        skipped: &mut HashMap<CommitId, Verdict>,
    ) -> Result<BisectResult> {
        let mut bisection = Bisection::new(nodes, known_states)?;
        let jobs = self.request.subject.jobs;
        loop {
            let positions = bisection.next_commits(jobs);
            if positions.is_empty() {
                return Ok(bisection.result());
            }
            let remaining = estimate_parallel_tests(bisection.candidate_count(), positions.len());
            let judge = |at: usize| {
                let position = positions[at];
                let number = Some([position + 1, commits.len()]);
                let remaining = remaining.saturating_sub(at).max(1);
                self.judge_commit(&commits[position], number, Some(remaining))
            };
            let verdicts = run_parallel(jobs, positions.len(), judge);
            for (position, verdict) in positions.into_iter().zip(verdicts) {
                let state = match verdict? {
                    Verdict::Pass => CommitState::Good,
                    Verdict::Fail => CommitState::Bad,
                    verdict @ (Verdict::Unresolved(_) | Verdict::Flaky) => {
                        skipped.insert(commits[position].id.clone(), verdict);
                        CommitState::Skip
                    }
                };
                self.oracle.run_log.commit_tested()?;
                bisection.record(position, state);
            }
        }
    }

    pub(super) fn judge_commit(
        &self,
        commit: &Commit,
        position: Option<[usize; 2]>,
        remaining: Option<usize>,
    ) -> Result<Verdict> {
        let tree = self.overlaid_tree(commit)?;
        self.oracle.verdict(
            &tree,
            Some(&commit.id),
            TrialSubject::from_commit(commit, position),
            remaining,
        )
    }

    /// Returns the last passing version, the first failing one, and the suspect commits.
    fn find_boundary(
        &self,
        commits: &[Commit],
        located: &BisectResult,
        goods: &[CommitId],
    ) -> Result<(ResolvedVersion, ResolvedVersion, Vec<Commit>)> {
        let first_bad = &commits[located.first_bad];
        let suspects: Vec<Commit> =
            located.suspects.iter().map(|at| commits[*at].clone()).collect();
        let is_suspect = |id: &CommitId| suspects.iter().any(|suspect| suspect.id == *id);
        // Of several lines of history, the one with the latest passing commit has the smallest diff.
        let base = if let [.., last] = located.good_boundary[..] {
            commits[last].clone()
        } else {
            let parent = suspects.iter().flat_map(|one| &one.parents).find(|id| !is_suspect(id));
            let base = parent.or(goods.first()).map(|id| self.repository.commit(id)).transpose()?;
            base.unwrap_or_else(|| first_bad.clone())
        };
        Ok((self.to_version(base)?, self.to_version(first_bad.clone())?, suspects))
    }

    /// Returns the tree of a commit with the test code of bad.
    pub(crate) fn overlaid_tree(&self, commit: &Commit) -> Result<TreeId> {
        self.overlay.apply_to(&commit.tree, self.store)
    }

    fn to_version(&self, commit: Commit) -> Result<ResolvedVersion> {
        let label = commit.id.short().to_owned();
        let tree = self.overlaid_tree(&commit)?;
        Ok(ResolvedVersion { overlaid_tree: tree, ..ResolvedVersion::from_commit(&label, commit) })
    }
}

/// Finds a passing first-parent ancestor of `bad`, with exponentially growing steps.
///
/// # Errors
/// [`Problem::NoGoodCommit`].
pub(crate) fn find_passing_ancestor(
    history: &CommitBisection<'_>,
    bad: &Commit,
) -> Result<ResolvedVersion> {
    let mut tested_commits = 0;
    let mut distance = 1;
    loop {
        // One more than needed, so that the oldest one is seen to be the oldest.
        let ancestors = history.repository.first_parents(&bad.id, distance + 2)?;
        let last = ancestors.len().saturating_sub(1);
        if last == 0 {
            break;
        }
        let commit = history.repository.commit(&ancestors[distance.min(last)])?;
        tested_commits += 1;
        if history.judge_commit(&commit, None, None)? == Verdict::Pass {
            return history.to_version(commit);
        }
        if distance >= last {
            break;
        }
        distance = distance.saturating_mul(2);
    }
    history.oracle.run_log.emit(ProgressEvent::Stage("no good commit found".to_owned()))?;
    Err(Problem::NoGoodCommit { bad: bad.id.short().to_owned(), tried: tested_commits })
}

/// Reads the text of a `git bisect log`.
///
/// # Errors
/// [`Problem::Usage`] if the file cannot be read.
pub fn read_log(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| Problem::Usage {
        message: format!("cannot read {}: {}", path.display(), Problem::io_error_reason(&error)),
        remedy: "create it with `git bisect log > FILE`".to_owned(),
    })
}

/// Returns good and bad according to a `git bisect log`.
pub fn endpoints_of_log(text: &str) -> (Option<String>, Option<String>) {
    let marks = parse_bisect_log(text);
    let first =
        |wanted| marks.iter().find(|(_, mark)| *mark == wanted).map(|(spec, _)| spec.clone());
    (first(CommitState::Good), first(CommitState::Bad))
}

/// Returns the commits and their states in a `git bisect log`.
fn parse_bisect_log(text: &str) -> Vec<(String, CommitState)> {
    let parse_mark = |line: &str| {
        let mut words = line.strip_prefix("git bisect ")?.split_whitespace();
        let state = match words.next()? {
            "good" | "old" => CommitState::Good,
            "bad" | "new" => CommitState::Bad,
            "skip" => CommitState::Skip,
            _ => return None,
        };
        Some((words.next()?.trim_matches('\'').to_owned(), state))
    };
    text.lines().filter_map(parse_mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisect_log_is_parsed() {
        let log = "git bisect start\n# status: waiting\n# bad: [b1] worse\ngit bisect bad b1\n\
                   # good: [a1] fine\ngit bisect good a1\ngit bisect skip c1\n";
        let expected =
            [("b1", CommitState::Bad), ("a1", CommitState::Good), ("c1", CommitState::Skip)];
        assert_eq!(parse_bisect_log(log), expected.map(|(spec, mark)| (spec.to_owned(), mark)));
        assert_eq!(endpoints_of_log(log), (Some("a1".to_owned()), Some("b1".to_owned())));
    }
}
