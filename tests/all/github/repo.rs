//! Access of a test to a repository of the fake: creates objects and reads what the program wrote.

use super::super::support::git;
use super::FakeGithub;
use super::actor::Actor;
use super::objects::{CheckRun, Comment, Dispatch, FakePullState, Pull, Review, WorkflowRun};
use super::repository::{Repository, branch_tip};
use super::state::State;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Repository of the fake. Objects that a test reads with these methods count as read.
pub(crate) struct FakeRepo<'a> {
    github: &'a FakeGithub,
    name: String,
}

pub(super) fn create_repo<'a>(github: &'a FakeGithub, name: &str, from: &Path) -> FakeRepo<'a> {
    let root = github.state().root.clone();
    let dir = root.join(format!("{name}.git"));
    let (from, to) = (from.to_str().unwrap(), dir.to_str().unwrap());
    git(&root, &["clone", "-q", "--bare", from, to]);
    let settings = [
        ("http.receivepack", "true"),
        ("receive.hideRefs", "refs/pull"),
        ("uploadpack.allowAnySHA1InWant", "true"),
        ("uploadpack.allowFilter", "true"),
        ("gc.auto", "0"),
    ];
    let mut config = git2::Config::open(&dir.join("config")).unwrap();
    for (key, value) in settings {
        config.set_str(key, value).unwrap();
    }
    github.state().repos.insert(name.to_owned(), Repository::new(name, dir));
    find_repo(github, name)
}

pub(super) fn find_repo<'a>(github: &'a FakeGithub, name: &str) -> FakeRepo<'a> {
    assert!(github.state().repos.contains_key(name), "there is no {name}");
    FakeRepo { github, name: name.to_owned() }
}

impl FakeRepo<'_> {
    fn with_repository<T>(&self, action: impl FnOnce(&mut Repository) -> T) -> T {
        action(self.github.state().repos.get_mut(&self.name).unwrap())
    }

    /// Returns the path of the bare repository.
    pub(crate) fn path(&self) -> PathBuf {
        self.with_repository(|repo| repo.dir.clone())
    }

    /// Returns the clone address.
    pub(crate) fn clone_url(&self) -> String {
        format!("{}/{}.git", self.github.web_url, self.name)
    }

    /// Sets the types of the rules for every branch.
    pub(crate) fn set_branch_rules(&self, rules: &[&str]) {
        let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
        self.with_repository(|repo| repo.branch_rules = rules);
    }

    /// Adds a classic protection rule that forbids the creation of matching branches.
    pub(crate) fn forbid_branches(&self, pattern: &str) {
        self.with_repository(|repo| repo.protected_patterns.push(pattern.to_owned()));
    }

    pub(crate) fn make_private(&self) {
        self.with_repository(|repo| repo.is_private = true);
    }

    pub(crate) fn forbid_pulls_by_actions(&self) {
        self.with_repository(|repo| repo.allows_pulls_by_actions = false);
    }

    /// Returns the head commit of a branch.
    pub(crate) fn branch(&self, name: &str) -> Option<String> {
        self.with_repository(|repo| branch_tip(&repo.git(), name).map(|id| id.to_string()))
    }

    /// Opens a pull request as an actor.
    pub(crate) fn open_pull(&self, author: &Actor, title: &str, head: &str, base: &str) -> u64 {
        self.open_pull_from(self, author, title, head, base)
    }

    /// Opens a pull request like [`Self::open_pull`], from a branch of a fork.
    pub(crate) fn open_pull_from(
        &self,
        fork: &FakeRepo<'_>,
        author: &Actor,
        title: &str,
        head: &str,
        base: &str,
    ) -> u64 {
        let created_at = self.github.state().next_time().to_string();
        let (head_at, base_at) = (fork.branch(head).unwrap(), self.branch(base).unwrap());
        self.with_repository(|repo| {
            let number = repo.next_pull_number();
            let pull = Pull {
                number,
                author: author.login(),
                title: title.to_owned(),
                body: String::new(),
                state: FakePullState::Open,
                is_draft: false,
                labels: BTreeSet::new(),
                head_repo: fork.name.clone(),
                head_branch: head.to_owned(),
                head: head_at,
                base_branch: base.to_owned(),
                base: base_at,
                merge_commit: None,
                created_at,
            };
            repo.pulls.add_read(number, pull);
            number
        })
    }

    /// Changes the state of a pull request. The commits do not change.
    pub(crate) fn set_state(&self, pull: u64, state: FakePullState) {
        self.with_repository(|repo| repo.pulls.get_mut(pull).unwrap().state = state);
    }

    /// Merges a pull request as a user. `commit` is the last resulting commit.
    pub(crate) fn set_merged(&self, pull: u64, commit: &str) {
        self.with_repository(|repo| {
            let pull = repo.pulls.get_mut(pull).unwrap();
            pull.state = FakePullState::Merged;
            pull.merge_commit = Some(commit.to_owned());
        });
    }

    /// Adds a comment of an actor.
    pub(crate) fn add_comment(&self, author: &Actor, pull: u64, body: &str) -> u64 {
        let (id, created_at) = self.next_id_and_time();
        let comment = Comment {
            id,
            pull,
            author: author.login(),
            body: body.to_owned(),
            reactions: BTreeSet::new(),
            updated_at: created_at.clone(),
            created_at,
        };
        self.with_repository(|repo| repo.comments.add_read(id, comment));
        id
    }

    /// Adds a failed check run of a test reporter, with an annotation on a line of the failing test.
    pub(crate) fn add_failed_check(&self, head: &str, path: &str) {
        let annotation = json!({ "path": path, "start_line": 1, "end_line": 1,
            "annotation_level": "failure", "message": "it fails" });
        self.add_check_run(head, ("test report", "failure"), ("", ""), vec![annotation]);
    }

    /// Adds a check run of another App with this conclusion.
    pub(crate) fn add_check(&self, head: &str, name: &str, conclusion: &str) {
        self.add_check_run(head, (name, conclusion), ("", ""), Vec::new());
    }

    /// Adds a check run with a result, as a workflow creates it.
    pub(crate) fn add_result_check(&self, head: &str, title: &str, summary: &str) {
        self.add_check_run(head, ("git-mend", "neutral"), (title, summary), Vec::new());
    }

    fn add_check_run(
        &self,
        head: &str,
        (name, conclusion): (&str, &str),
        (title, summary): (&str, &str),
        annotations: Vec<Value>,
    ) {
        let (id, created_at) = self.next_id_and_time();
        let run = CheckRun {
            id,
            name: name.to_owned(),
            head: head.to_owned(),
            status: "completed".to_owned(),
            statuses: vec!["completed".to_owned()],
            started_at: None,
            conclusion: Some(conclusion.to_owned()),
            external_id: None,
            details_url: None,
            title: title.to_owned(),
            summary: summary.to_owned(),
            annotations,
            actions: None,
            app: (1, "another".to_owned()),
            created_at,
        };
        self.with_repository(|repo| repo.check_runs.add_read(id, run));
    }

    /// Removes all signatures of GitHub.
    pub(crate) fn clear_signatures(&self) {
        self.with_repository(|repo| repo.signed_commits.clear());
    }

    /// Adds a workflow run.
    pub(crate) fn add_workflow_run(&self, run: WorkflowRun) -> u64 {
        let (id, _) = self.next_id_and_time();
        self.with_repository(|repo| repo.workflow_runs.insert(id, run));
        id
    }

    /// Completes a workflow run.
    pub(crate) fn end_workflow_run(&self, id: u64, conclusion: &str) {
        self.with_repository(|repo| {
            let run = repo.workflow_runs.get_mut(&id).unwrap();
            "completed".clone_into(&mut run.status);
            run.conclusion = Some(conclusion.to_owned());
        });
    }

    fn next_id_and_time(&self) -> (u64, String) {
        let state: &mut State = &mut self.github.state();
        (state.next_number(), state.next_time().to_string())
    }

    /// Reads the comments under a pull request, oldest first.
    pub(crate) fn comments(&self, pull: u64) -> Vec<Comment> {
        self.with_repository(|repo| repo.comments.read(|comment| comment.pull == pull))
    }

    /// Reads all pull requests, oldest first.
    pub(crate) fn pulls(&self) -> Vec<Pull> {
        self.with_repository(|repo| repo.pulls.read(|_| true))
    }

    /// Reads a pull request.
    pub(crate) fn pull(&self, number: u64) -> Pull {
        self.with_repository(|repo| repo.pulls.read(|pull| pull.number == number)).pop().unwrap()
    }

    /// Reads the check runs of a commit, oldest first.
    pub(crate) fn check_runs(&self, commit: &str) -> Vec<CheckRun> {
        self.with_repository(|repo| repo.check_runs.read(|run| run.head == commit))
    }

    /// Reads the reviews of a pull request, oldest first.
    pub(crate) fn reviews(&self, pull: u64) -> Vec<Review> {
        self.with_repository(|repo| repo.reviews.read(|review| review.pull == pull))
    }

    /// Reads the `repository_dispatch` events, oldest first.
    pub(crate) fn dispatches(&self) -> Vec<Dispatch> {
        self.with_repository(|repo| repo.dispatches.read(|_| true))
    }
}
