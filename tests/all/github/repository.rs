//! State of a repository of the fake, with its git repository.

use super::objects::{CheckRun, Comment, Dispatch, FakePullState, Pull, Review, WorkflowRun};
use super::unread_store::UnreadStore;
use git2::Oid;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Repository of the fake.
pub(super) struct Repository {
    pub(super) name: String,
    /// Path of the bare repository.
    pub(super) dir: PathBuf,
    pub(super) is_private: bool,
    /// True if workflows may open pull requests. The default for new repositories of users is false.
    pub(super) allows_pulls_by_actions: bool,
    /// Types of the rules for every branch.
    pub(super) branch_rules: Vec<String>,
    /// Patterns of the classic protection rules, which forbid the creation of matching branches.
    pub(super) protected_patterns: Vec<String>,
    pub(super) pulls: UnreadStore<Pull>,
    pub(super) comments: UnreadStore<Comment>,
    pub(super) check_runs: UnreadStore<CheckRun>,
    pub(super) reviews: UnreadStore<Review>,
    pub(super) dispatches: UnreadStore<Dispatch>,
    pub(super) workflow_runs: BTreeMap<u64, WorkflowRun>,
    /// Commits that GitHub signed.
    pub(super) signed_commits: BTreeSet<Oid>,
}

impl Repository {
    pub(super) fn new(name: &str, dir: PathBuf) -> Self {
        Self {
            name: name.to_owned(),
            dir,
            is_private: false,
            allows_pulls_by_actions: true,
            branch_rules: Vec::new(),
            protected_patterns: Vec::new(),
            pulls: UnreadStore::default(),
            comments: UnreadStore::default(),
            check_runs: UnreadStore::default(),
            reviews: UnreadStore::default(),
            dispatches: UnreadStore::default(),
            workflow_runs: BTreeMap::new(),
            signed_commits: BTreeSet::new(),
        }
    }

    pub(super) fn owner(&self) -> &str {
        self.name.split_once('/').unwrap().0
    }

    pub(super) fn git(&self) -> git2::Repository {
        git2::Repository::open_bare(&self.dir).unwrap()
    }

    pub(super) fn default_branch(&self) -> String {
        let git = self.git();
        let head = git.find_reference("HEAD").unwrap();
        head.symbolic_target().unwrap().unwrap().trim_start_matches("refs/heads/").to_owned()
    }

    /// Returns the number of the next pull request.
    pub(super) fn next_pull_number(&self) -> u64 {
        self.pulls.values().map(|pull| pull.number).max().unwrap_or(0) + 1
    }

    pub(super) fn take_unread(&mut self) -> Vec<String> {
        let mut all = self.pulls.take_unread();
        all.extend(self.comments.take_unread());
        all.extend(self.check_runs.take_unread());
        all.extend(self.reviews.take_unread());
        all.extend(self.dispatches.take_unread());
        all.into_iter().map(|one| format!("{}: {one}", self.name)).collect()
    }

    /// Updates the heads of open pull requests, because any push may have changed their branches.
    pub(super) fn update_pulls(&mut self, dirs: &BTreeMap<String, PathBuf>) {
        let numbers: Vec<u64> = self.pulls.values().map(|pull| pull.number).collect();
        for number in numbers {
            let pull = self.pulls.get(number).unwrap().clone();
            if pull.state == FakePullState::Open {
                self.update_pull(&pull, &dirs[&pull.head_repo]);
            }
        }
    }

    fn update_pull(&mut self, pull: &Pull, from: &Path) {
        let git = self.git();
        let source = git2::Repository::open_bare(from).unwrap();
        let (head, base) =
            (branch_tip(&source, &pull.head_branch), branch_tip(&git, &pull.base_branch));
        if let Some(head) = head {
            fetch_commit(&git, from, head, &format!("refs/pull/{}/head", pull.number));
        }
        let stored_pull = self.pulls.get_mut(pull.number).unwrap();
        match head {
            Some(head) => stored_pull.head = head.to_string(),
            None => stored_pull.state = FakePullState::Closed,
        }
        if let Some(base) = base {
            stored_pull.base = base.to_string();
        }
    }
}

/// Returns the head commit of a branch.
pub(super) fn branch_tip(git: &git2::Repository, branch: &str) -> Option<Oid> {
    git.refname_to_id(&format!("refs/heads/{branch}")).ok()
}

/// Fetches a commit of another repository, and creates a reference to it.
fn fetch_commit(git: &git2::Repository, from: &Path, commit: Oid, name: &str) {
    if git.refname_to_id(name) == Ok(commit) {
        return;
    }
    if git.find_commit(commit).is_err() {
        let spec = format!("{commit}:{name}");
        let from = from.to_str().unwrap();
        super::super::support::git(git.path(), &["fetch", "-q", from, &spec]);
    }
    git.reference(name, commit, true, "").unwrap();
}
