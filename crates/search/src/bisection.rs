//! Bisection of a directed acyclic graph of commits, as in `git bisect`.

#[cfg(test)]
mod tests;

use anyhow::anyhow;
use mend_model::{Problem, Result};
use std::collections::BTreeSet;

/// Known state of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitState {
    /// The test passes.
    Good,
    /// The test fails.
    Bad,
    /// The commit cannot be tested.
    Skip,
}

/// A commit of the searched range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitNode {
    /// Indexes of the parents inside the range. Parents outside are known good and not listed.
    pub parents: Vec<usize>,
}

/// Result of a bisection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BisectResult {
    /// First commit that is known bad.
    pub first_bad: usize,
    /// All commits that may be the culprit, oldest first: `first_bad`, and the skipped commits before it that no test
    /// distinguishes from it.
    pub suspects: Vec<usize>,
    /// Good commits of the range that are parents of a suspect, oldest first.
    pub good_boundary: Vec<usize>,
    /// Number of tested commits.
    pub tested_commits: usize,
}

/// Finds the culprit commit.
///
/// `nodes` are ordered ancestors first, and the last one is known bad. If `known_states` has several marks for one
/// commit, the last one counts.
///
/// On linear history without skipped commits, it tests at most [`estimate_remaining_tests`] commits. If the skipped
/// commits are one run that does not hide the culprit, the number is a multiple of that. No commit is tested twice, so
/// the number of candidates less one is always a bound. It is reached if every commit is skipped.
///
/// # Errors
/// [`Problem::Usage`] if `known_states` marks the last commit as good; [`Problem::Internal`] if the graph is empty or
/// not in topological order, or a mark is outside of it; errors of `test_commit`.
pub fn bisect(
    nodes: &[CommitNode],
    known_states: &[(usize, CommitState)],
    test_commit: &mut dyn FnMut(usize) -> Result<CommitState>,
) -> Result<BisectResult> {
    let mut bisection = Bisection::new(nodes, known_states)?;
    while let Some(commit) = bisection.next_commit() {
        bisection.record(commit, test_commit(commit)?);
    }
    Ok(bisection.result())
}

/// Estimates the number of tests for `candidates` commits. It is the worst case of linear history without skips.
pub fn estimate_remaining_tests(candidates: usize) -> u32 {
    candidates.next_power_of_two().trailing_zeros()
}

/// Estimates the number of tests for `candidates` commits if `jobs` run at the same time. It is the worst case of linear
/// history without skips.
pub fn estimate_parallel_tests(candidates: usize, jobs: usize) -> usize {
    let parts = jobs + 1;
    let powers = std::iter::successors(Some(1_usize), |power| power.checked_mul(parts));
    powers.take_while(|power| *power < candidates).count() * jobs
}

/// Bisection in progress, for callers that show progress between tests or run several at the same time.
#[derive(Clone, Debug)]
pub struct Bisection<'a> {
    nodes: &'a [CommitNode],
    marks: Vec<Option<CommitState>>,
    /// The earliest known bad commit.
    bad: usize,
    /// Ancestors of `bad`, including itself, that are not ancestors of a good commit, oldest first.
    candidates: Vec<usize>,
    tested_commits: usize,
}

impl<'a> Bisection<'a> {
    /// Starts a bisection with known marks; the arguments and errors are those of [`bisect`].
    ///
    /// # Errors
    /// See [`bisect`].
    pub fn new(nodes: &'a [CommitNode], known_states: &[(usize, CommitState)]) -> Result<Self> {
        let last = find_last_commit(nodes)?;
        let mut marks = vec![None; nodes.len()];
        for (commit, mark) in known_states {
            let slot = marks
                .get_mut(*commit)
                .ok_or_else(|| anyhow!("mark on commit {commit} outside the range"))?;
            *slot = Some(*mark);
        }
        if marks[last] == Some(CommitState::Good) {
            return Err(conflicting_mark_error());
        }
        marks[last] = Some(CommitState::Bad);
        let mut bisection =
            Self { nodes, marks, bad: last, candidates: Vec::new(), tested_commits: 0 };
        bisection.narrow_to_smallest_bad();
        Ok(bisection)
    }

    /// Returns the number of commits that may be the culprit, the known bad one included.
    pub fn candidate_count(&self) -> usize {
        self.candidates.len()
    }

    /// Returns the next commit to test, which has no mark; `None` if no further test helps.
    pub fn next_commit(&self) -> Option<usize> {
        let total = self.candidates.len();
        let mut weighted_candidates = self.candidate_weights();
        weighted_candidates.retain(|(commit, _)| *commit != self.bad);
        weighted_candidates.sort_by_key(|(commit, weight)| (*weight, *commit));
        let halving_score = |(commit, weight): &&(usize, usize)| {
            (*weight.min(&(total - weight)), std::cmp::Reverse(*commit))
        };
        let (best, _) = *weighted_candidates.iter().max_by_key(halving_score)?;
        if self.marks[best].is_none() {
            return Some(best);
        }
        let weighted_candidates: Vec<usize> =
            weighted_candidates.into_iter().map(|(commit, _)| commit).collect();
        self.choose_away_from_skipped(&weighted_candidates)
    }

    /// Returns up to `count` commits to test at the same time, oldest first; none if no further test helps. On linear
    /// history they divide the candidates into parts of equal size. After skipped commits it is the next one only.
    pub fn next_commits(&self, count: usize) -> Vec<usize> {
        let is_skipped = |commit: &usize| self.marks[*commit] == Some(CommitState::Skip);
        if count < 2 || self.candidates.iter().any(is_skipped) {
            return self.next_commit().into_iter().collect();
        }
        let total = self.candidates.len();
        let mut weighted_candidates = self.candidate_weights();
        weighted_candidates.retain(|(commit, _)| *commit != self.bad);
        let closest_to = |weight: usize| {
            let distance = |(commit, other): &&(usize, usize)| (other.abs_diff(weight), *commit);
            weighted_candidates.iter().min_by_key(distance).map(|(commit, _)| *commit)
        };
        let parts = count + 1;
        let weights = (1..parts).map(|part| (total * part).div_ceil(parts));
        let commits: BTreeSet<usize> = weights.filter_map(closest_to).collect();
        commits.into_iter().collect()
    }

    /// Chooses a commit if the best one is skipped. Untestable commits tend to be one run, so the middle of the commits
    /// outside of all of them is most likely testable. As there may be several runs, every other skip chooses the
    /// middle of the longest stretch. `candidates_by_weight` is sorted by weight, which is the order of a linear
    /// history.
    fn choose_away_from_skipped(&self, candidates_by_weight: &[usize]) -> Option<usize> {
        let unskipped_runs: Vec<&[usize]> = candidates_by_weight
            .split(|commit| self.marks[*commit] == Some(CommitState::Skip))
            .collect();
        let skips = unskipped_runs.len() - 1;
        let outer = [*unskipped_runs.first()?, *unskipped_runs.last()?];
        let is_outer_open = outer.iter().any(|stretch| !stretch.is_empty());
        let choice = if skips % 2 == 1 && is_outer_open { &outer[..] } else { &unskipped_runs };
        let longest = choice.iter().rev().max_by_key(|stretch| stretch.len())?;
        longest.get(longest.len() / 2).copied()
    }

    /// Records the state of a commit from [`Bisection::next_commit`] or [`Bisection::next_commits`].
    pub fn record(&mut self, commit: usize, mark: CommitState) {
        self.tested_commits += 1;
        self.marks[commit] = Some(mark);
        if mark == CommitState::Skip {
            return;
        }
        if mark == CommitState::Bad && self.candidates.contains(&commit) {
            self.bad = commit;
        }
        self.candidates = self.candidates_up_to(self.bad, &self.good_ancestors());
        // A descendant of the known bad commit was good.
        if self.candidates.is_empty() {
            self.narrow_to_smallest_bad();
        }
    }

    /// Returns the result so far.
    pub fn result(&self) -> BisectResult {
        let mut is_suspect = vec![false; self.nodes.len()];
        for commit in &self.candidates {
            is_suspect[*commit] = true;
        }
        let mut good_boundary: Vec<usize> = self
            .candidates
            .iter()
            .flat_map(|commit| &self.nodes[*commit].parents)
            .copied()
            .filter(|parent| !is_suspect[*parent])
            .collect();
        good_boundary.sort_unstable();
        good_boundary.dedup();
        BisectResult {
            first_bad: self.bad,
            suspects: self.candidates.clone(),
            good_boundary,
            tested_commits: self.tested_commits,
        }
    }

    fn narrow_to_smallest_bad(&mut self) {
        let is_known_good = self.good_ancestors();
        let smallest = (0..self.nodes.len())
            .filter(|commit| {
                self.marks[*commit] == Some(CommitState::Bad) && !is_known_good[*commit]
            })
            .map(|commit| (self.candidates_up_to(commit, &is_known_good), commit))
            .min_by_key(|(candidates, commit)| (candidates.len(), *commit));
        if let Some((candidates, commit)) = smallest {
            self.candidates = candidates;
            self.bad = commit;
        }
    }

    /// Returns the good commits and their ancestors.
    fn good_ancestors(&self) -> Vec<bool> {
        let good = self.marks.iter().map(|mark| *mark == Some(CommitState::Good)).collect();
        self.add_ancestors(good)
    }

    fn candidates_up_to(&self, bad: usize, is_known_good: &[bool]) -> Vec<usize> {
        let mut only_bad = vec![false; self.nodes.len()];
        only_bad[bad] = true;
        let ancestors = self.add_ancestors(only_bad);
        (0..self.nodes.len())
            .filter(|commit| ancestors[*commit] && !is_known_good[*commit])
            .collect()
    }

    fn add_ancestors(&self, mut set: Vec<bool>) -> Vec<bool> {
        for commit in (0..set.len()).rev() {
            if set[commit] {
                for parent in &self.nodes[commit].parents {
                    set[*parent] = true;
                }
            }
        }
        set
    }

    /// Returns each candidate with the number of its ancestors among the candidates, including itself. Ancestors are
    /// counted individually only for merges.
    fn candidate_weights(&self) -> Vec<(usize, usize)> {
        let mut weights = vec![0; self.nodes.len()];
        let mut is_candidate = vec![false; self.nodes.len()];
        let mut counter = AncestorCounter {
            nodes: self.nodes,
            last_counted_for: vec![usize::MAX; weights.len()],
        };
        let weigh = |commit: &usize| {
            let commit = *commit;
            is_candidate[commit] = true;
            let mut parents =
                self.nodes[commit].parents.iter().filter(|parent| is_candidate[**parent]);
            weights[commit] = match (parents.next(), parents.next()) {
                (None, _) => 1,
                (Some(parent), None) => weights[*parent] + 1,
                (Some(_), Some(_)) => counter.count_ancestors_or_self(commit, &is_candidate),
            };
            (commit, weights[commit])
        };
        self.candidates.iter().map(weigh).collect()
    }
}

/// Counter of ancestors that reuses one array of stamps for all counts.
struct AncestorCounter<'a> {
    nodes: &'a [CommitNode],
    last_counted_for: Vec<usize>,
}

impl AncestorCounter<'_> {
    fn count_ancestors_or_self(&mut self, commit: usize, within: &[bool]) -> usize {
        self.last_counted_for[commit] = commit;
        let mut worklist = vec![commit];
        let mut count = 0;
        while let Some(next) = worklist.pop() {
            count += 1;
            for parent in &self.nodes[next].parents {
                if within[*parent] && self.last_counted_for[*parent] != commit {
                    self.last_counted_for[*parent] = commit;
                    worklist.push(*parent);
                }
            }
        }
        count
    }
}

fn find_last_commit(nodes: &[CommitNode]) -> Result<usize> {
    let is_ordered = nodes
        .iter()
        .enumerate()
        .all(|(commit, node)| node.parents.iter().all(|parent| *parent < commit));
    if !is_ordered {
        return Err(anyhow!("history is not ordered ancestors first").into());
    }
    Ok(nodes.len().checked_sub(1).ok_or_else(|| anyhow!("no history to search"))?)
}

fn conflicting_mark_error() -> Problem {
    Problem::Usage {
        message: "the bad commit is also marked good".into(),
        remedy: "remove one of the two marks from the bisect log".into(),
    }
}
