//! Search for a commit after a culprit that passes: then the culprit was repaired, and a later commit broke the test.

use crate::run::bisect::commit_bisection::CommitBisection;
use crate::run::bisect::line_change::LineChange;
use crate::run::bisect::revert_check::BreakingChange;
use crate::run::judge::parallel::run_parallel;
use mend_git::Commit;
use mend_model::{CommitId, FileChange, ProgressEvent, RepoPath, Result, Verdict};
use mend_search::bisection::estimate_remaining_tests;
use mend_search::sample_positions;
use std::collections::{BTreeSet, HashMap};

/// Maximum number of files of a culprit up to which later changes of them are examined.
const MAX_CULPRIT_FILES: usize = 100;

/// Maximum number of later changes of these files that are examined, the newest ones.
const MAX_LATER_CHANGES: usize = 50;

/// Maximum number of tests of commits that change the culprit's code.
const MAX_CHANGE_TESTS: usize = 8;

/// The commits from a culprit to bad.
struct LaterCommits<'a> {
    history: &'a CommitBisection<'a>,
    culprit: &'a BreakingChange,
    /// Descendants of the culprit, ancestors first; bad is the last one.
    commits: Vec<Commit>,
    positions: HashMap<CommitId, usize>,
}

impl CommitBisection<'_> {
    /// Returns a commit between a culprit and bad that passes, close to bad; `None` if none was found.
    ///
    /// Commits where a part of the culprit's change is missing are tested. `is_thorough` adds other commits that change
    /// the culprit's files, and a sample of the rest.
    pub(crate) fn find_later_passing_commit(
        &self,
        culprit: &BreakingChange,
        bad: &Commit,
        is_thorough: bool,
    ) -> Result<Option<Commit>> {
        let later = LaterCommits::new(self, culprit, bad)?;
        let mut candidates = later.without_change(is_thorough)?;
        if is_thorough {
            let max_samples = 2 * estimate_remaining_tests(later.commits.len()) as usize + 2;
            candidates.extend(sample_positions(later.commits.len().saturating_sub(1), max_samples));
        }
        later.first_passing(&candidates)
    }
}

impl<'a> LaterCommits<'a> {
    fn new(
        history: &'a CommitBisection<'a>,
        culprit: &'a BreakingChange,
        bad: &Commit,
    ) -> Result<Self> {
        let first_parent = history.request.first_parent_only;
        let start = std::slice::from_ref(&culprit.commit.id);
        let mut commits = Vec::new();
        let mut positions = HashMap::new();
        for commit in history.repository.commits_between(start, &bad.id, first_parent)? {
            let is_descendant =
                |id: &CommitId| *id == culprit.commit.id || positions.contains_key(id);
            if commit.parents.iter().take(history.max_parents()).any(is_descendant) {
                positions.insert(commit.id.clone(), commits.len());
                commits.push(commit);
            }
        }
        Ok(Self { history, culprit, commits, positions })
    }

    /// Returns positions of commits where a part of the culprit's change is missing, close to where it was lost or came
    /// back. `includes_all` adds the other commits that change the culprit's files.
    fn without_change(&self, includes_all: bool) -> Result<Vec<usize>> {
        let changing = self.positions_changing_culprit()?;
        let parents_of = |position: &usize| {
            self.commits[*position].parents.iter().filter_map(|id| self.positions.get(id).copied())
        };
        let examined: BTreeSet<usize> =
            changing.iter().copied().chain(changing.iter().flat_map(parents_of)).collect();
        let line_changes = self.line_changes()?;
        let examine = |position: usize| Ok((position, self.has_change(position, &line_changes)?));
        let has_change: HashMap<usize, bool> =
            examined.into_iter().map(examine).collect::<Result<_>>()?;
        let (mut boundary, mut others) = (Vec::new(), Vec::new());
        for position in changing {
            let is_changed = has_change[&position];
            if !is_changed {
                others.push(position);
            }
            for parent in &self.commits[position].parents {
                match self.positions.get(parent) {
                    Some(parent) if is_changed && !has_change[parent] => boundary.push(*parent),
                    Some(parent) if !is_changed && has_change[parent] => boundary.push(position),
                    None if !is_changed && *parent == self.culprit.commit.id => {
                        boundary.push(position);
                    }
                    _ => {}
                }
            }
        }
        if includes_all {
            boundary.extend(others);
        }
        boundary.truncate(MAX_CHANGE_TESTS);
        Ok(boundary)
    }

    /// Returns positions of commits that change the culprit's files, the newest first.
    fn positions_changing_culprit(&self) -> Result<Vec<usize>> {
        let BreakingChange { commit, before, after } = self.culprit;
        let changes = self.history.store.diff_trees(before, after)?;
        let sides = changes.iter().flat_map(|change| [&change.old, &change.new]);
        let paths: BTreeSet<RepoPath> = sides.flatten().map(|(path, _)| path.clone()).collect();
        let (Some(bad), true) = (self.commits.last(), paths.len() <= MAX_CULPRIT_FILES) else {
            return Ok(Vec::new());
        };
        let paths: Vec<RepoPath> = paths.into_iter().collect();
        let first_parent = self.history.request.first_parent_only;
        let ids =
            self.history.repository.commits_changing(&commit.id, &bad.id, &paths, first_parent)?;
        let newest_first = (0..self.commits.len()).rev();
        Ok(newest_first
            .filter(|position| ids.contains(&self.commits[*position].id))
            .take(MAX_LATER_CHANGES)
            .collect())
    }

    /// Returns true if a commit has the culprit's change: making the change once more has no effect. If that conflicts,
    /// the lines decide.
    fn has_change(&self, position: usize, line_changes: &[(RepoPath, LineChange)]) -> Result<bool> {
        let (BreakingChange { before, after, .. }, store) = (self.culprit, self.history.store);
        let tree = self.history.overlaid_tree(&self.commits[position])?;
        if let Some(merged) = store.merge(before, &tree, after)? {
            return Ok(merged == tree);
        }
        for (path, change) in line_changes {
            let current = store.read_file(&tree, path)?;
            if !change.is_in(current.as_ref().map_or(&[], |file| &file.content[..])) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the lines that the culprit changes, by file.
    fn line_changes(&self) -> Result<Vec<(RepoPath, LineChange)>> {
        let changes = self.history.store.diff_trees(&self.culprit.before, &self.culprit.after)?;
        let line_change = |change: &FileChange| {
            let [old, new] = [&change.old, &change.new]
                .map(|side| side.as_ref().map_or(&[][..], |(_, file)| &file.content[..]));
            Some((change.path()?.clone(), LineChange::between(old, new)))
        };
        Ok(changes.iter().filter_map(line_change).collect())
    }

    /// Returns the first of these commits that passes. Bad and commits with a mark of the user are not tested.
    fn first_passing(&self, candidates: &[usize]) -> Result<Option<Commit>> {
        let marked = self.history.known_states(&self.commits)?;
        let mut excluded: BTreeSet<usize> = marked.into_iter().map(|(at, _)| at).collect();
        excluded.extend(self.commits.len().checked_sub(1));
        let mut untested = candidates.to_vec();
        untested.retain(|position| excluded.insert(*position));
        if !untested.is_empty() {
            self.announce()?;
        }
        let jobs = self.history.request.subject.jobs;
        for group in untested.chunks(jobs.max(1)) {
            let judge = |at: usize| self.judge(group[at]);
            for (position, verdict) in group.iter().zip(run_parallel(jobs, group.len(), judge)) {
                if verdict? == Verdict::Pass {
                    return Ok(Some(self.commits[*position].clone()));
                }
            }
        }
        Ok(None)
    }

    fn judge(&self, position: usize) -> Result<Verdict> {
        self.history.oracle.run_log.commit_tested()?;
        self.history.judge_commit(&self.commits[position], None, None)
    }

    fn announce(&self) -> Result<()> {
        let culprit = self.culprit.commit.id.short();
        let stage = format!("searching for a commit after {culprit} that passes");
        self.history.oracle.run_log.emit(ProgressEvent::Stage(stage))
    }
}
