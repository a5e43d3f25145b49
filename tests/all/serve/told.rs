//! Publishing of a search by the App, interrupted after each of its requests like a killed server. The search is not
//! repeated.

use super::jobs::MOST_REQUESTS;
use crate::github::{
    Access, Actor, BlockedRequestHandle, FakeGithub, FakePullState, FakeRepo, Fault, Hold, Pull,
    wait,
};
use crate::github_client::TILL;
use crate::support::{bisect, commit, git, mend, words_repository};
use mend_bot::{BuildFailure, PublishedRun, Publisher, RepoSettings, SearchClaims, SearchIdentity};
use mend_github::{ApiResult, CheckRunStatus, NewCheckRun, PERMISSIONS, PullNumber, Repo};
use mend_model::CommitId;
use mend_report::SavedRun;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// Under which a search has had its check run since it began.
const BEGUN: &str = "git-mend/1";

/// A repository with a run about its last commit.
pub(super) struct SearchedRepository {
    pub(super) dir: TempDir,
    folder: TempDir,
}

impl SearchedRepository {
    pub(super) fn new(dir: TempDir, good: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("run");
        let search = ["--good", good, "--output", output.to_str().unwrap()];
        let ran = mend(dir.path(), &bisect(&search));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        Self { dir, folder }
    }

    pub(super) fn run(&self) -> SavedRun {
        SavedRun::open_no_link(&self.folder.path().join("run")).unwrap()
    }

    fn head(&self) -> String {
        git(self.dir.path(), &["rev-parse", "HEAD"])
    }
}

/// GitHub with a failure, and the App that publishes the result.
pub(super) struct PublishScene {
    pub(super) github: FakeGithub,
    repo: Repo,
    pub(super) failing: BuildFailure,
    settings: RepoSettings,
}

impl PublishScene {
    /// Creates a scene in which the last commit of a repository fails, on a branch and optionally for a pull request.
    pub(super) fn new(dir: &Path, branch: &str) -> Self {
        let github = FakeGithub::start();
        github.add_repo(TILL, dir);
        let repo = github.client(TILL, Actor::installation("mend", TILL, &PERMISSIONS));
        let failing = BuildFailure {
            head: CommitId(git(dir, &["rev-parse", "HEAD"])),
            branch: Some(branch.to_owned()),
            pull: None,
            queue: None,
            workflow: None,
            claims: SearchClaims::default(),
            details_url: None,
        };
        Self { github, repo, failing, settings: RepoSettings::default() }
    }

    pub(super) fn till(&self) -> FakeRepo<'_> {
        self.github.repo(TILL)
    }

    /// Publishes the result of a search as a server does.
    pub(super) async fn publish(&self, run: &SavedRun) -> ApiResult<PublishedRun> {
        let begun = NewCheckRun {
            name: "git-mend".to_owned(),
            head: self.failing.head.clone(),
            state: CheckRunStatus::InProgress,
            started_at: None,
            title: "Looking for it".to_owned(),
            summary: String::new(),
            annotations: Vec::new(),
            external_id: BEGUN.to_owned(),
            details_url: None,
            actions: None,
        };
        self.repo.create_check_run_if_missing(&begun).await?;
        let publisher = Publisher {
            repo: &self.repo,
            failure: &self.failing,
            settings: self.settings.clone(),
            search: SearchIdentity::CheckRun(BEGUN.to_owned()),
            matrix_job: None,
        };
        publisher.publish(run).await
    }

    /// Tells it until a request is held, and no further; gives whether it came so far.
    fn is_stopped(&self, run: &SavedRun, hostage: &BlockedRequestHandle) -> bool {
        let held = async {
            while !hostage.is_there() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        wait(async {
            tokio::select! {
                () = held => true,
                told = self.publish(run) => {
                    assert!(told.unwrap().result.skipped.is_empty());
                    false
                }
            }
        })
    }

    fn own_branches(&self) -> usize {
        let own = ["for-each-ref", "--format=%(refname)", "refs/heads/git-mend/"];
        git(&self.till().path(), &own).lines().count()
    }
}

/// Interrupts publishing after each of its requests, each time in a new scene, publishes again, and checks the result.
/// An interruption before a request equals one after the previous request.
fn at_every_request(
    run: &SavedRun,
    prepare: impl Fn() -> PublishScene,
    look: impl Fn(&PublishScene, &str),
) {
    let is_stopped_at = |request: &usize| {
        let scene = prepare();
        let hostage = scene.github.hold(*request, Hold::After);
        let is_stopped = scene.is_stopped(run, &hostage);
        drop(hostage);
        if is_stopped {
            wait(scene.publish(run)).unwrap();
        }
        look(&scene, &format!("{request}: {:?}", scene.github.operations()));
        is_stopped
    };
    assert!((0..MOST_REQUESTS).take_while(is_stopped_at).count() > 10);
}

fn has_one_check(scene: &PublishScene, head: &str, when: &str) {
    let checks = scene.till().check_runs(head);
    assert_eq!(checks.len(), 1, "{when}");
    assert_eq!(checks[0].statuses, ["in_progress", "completed"], "{when}");
    assert_eq!(checks[0].annotations.len(), 1, "{when}");
}

/// Creates a scene in which the last commit of a pull request fails, with or without suggestions.
fn proposed(searched: &SearchedRepository, suggestions: bool) -> PublishScene {
    let mut scene = PublishScene::new(searched.dir.path(), "topic");
    let to = scene.till().path().display().to_string();
    let refs = ["main:refs/heads/topic", "+release-1^{}:refs/heads/main"];
    git(searched.dir.path(), &[&["push", "-q", &to][..], &refs].concat());
    let alice = scene.github.user("alice", Access::Write);
    let number = scene.till().open_pull(&alice, "topic", "topic", "main");
    scene.failing.pull = Some(wait(scene.repo.get_pull(PullNumber(number))).unwrap());
    scene.settings.suggestions = suggestions;
    scene
}

/// Asserts that the result was published once on a pull request. Returns the fix pull request, if there must be one.
fn is_told_once(scene: &PublishScene, when: &str) -> Option<Pull> {
    let suggestions = scene.settings.suggestions;
    has_one_check(scene, &scene.failing.head.0, when);
    assert_eq!(scene.till().comments(1).len(), 1, "{when}");
    assert_eq!(scene.till().reviews(1).len(), usize::from(suggestions), "{when}");
    let mut fixes = scene.till().pulls().split_off(1);
    assert_eq!(fixes.len(), usize::from(!suggestions), "{when}");
    assert!(fixes.iter().all(|fix| fix.labels.contains("git-mend")), "{when}");
    assert_eq!(scene.own_branches(), fixes.len(), "{when}");
    fixes.pop()
}

#[test]
fn a_pull_request_is_told_of_once_wherever_the_app_is_stopped() {
    let searched = SearchedRepository::new(words_repository(), "release-1");
    let run = searched.run();
    for suggestions in [true, false] {
        let look = |scene: &PublishScene, when: &str| drop(is_told_once(scene, when));
        at_every_request(&run, || proposed(&searched, suggestions), look);
    }
}

#[test]
fn what_was_done_though_its_answer_was_lost_is_told_once() {
    let searched = SearchedRepository::new(words_repository(), "release-1");
    let run = searched.run();
    let always = ["checks/create", "checks/update", "issues/create-comment"];
    let suggested = ["pulls/create-review"];
    let offered = ["git/create-ref", "graphql", "pulls/create", "issues/add-labels"];
    for fault in [Fault::After(502), Fault::ClosedAfter] {
        for (suggestions, more) in [(true, &suggested[..]), (false, &offered)] {
            let scene = proposed(&searched, suggestions);
            for operation in always.iter().chain(more) {
                scene.github.fault(operation, fault.clone());
            }
            // What is tried again goes on where it stopped.
            let told = (0..5).map(|_| wait(scene.publish(&run))).find(|told| match told {
                Ok(_) => true,
                Err(error) => {
                    assert!(error.is_transient(), "{error}");
                    false
                }
            });
            assert!(told.unwrap().unwrap().result.skipped.is_empty());
            is_told_once(&scene, &format!("{fault:?}: {:?}", scene.github.operations()));
        }
    }
}

#[test]
fn a_branch_that_another_of_us_makes_just_then_is_taken_up() {
    let searched = SearchedRepository::new(words_repository(), "release-1");
    let run = searched.run();
    let scene = proposed(&searched, false);
    wait(scene.publish(&run)).unwrap();
    let branch = is_told_once(&scene, "before").unwrap().head_branch;
    let scene = proposed(&searched, false);
    let path = scene.till().path();
    scene.github.meanwhile("git/create-ref", move || {
        git(&path, &["branch", &branch, "topic"]);
    });
    wait(scene.publish(&run)).unwrap();
    is_told_once(&scene, "after");
    assert_eq!(scene.github.count("git/create-ref"), 1);
}

#[test]
fn one_fix_is_closed_and_another_made_once_wherever_the_app_is_stopped() {
    let before = SearchedRepository::new(words_repository(), "release-1");
    let failed = before.head();
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["clone", "-q", before.dir.path().to_str().unwrap(), "."]);
    git(dir.path(), &["revert", "--no-edit", &failed]);
    commit(dir.path(), "breaks it otherwise", &[("words.txt", "nothing\n")]);
    let after = SearchedRepository::new(dir, "HEAD~1");
    let (first, run, head) = (before.run(), after.run(), after.head());
    let prepare = || {
        let mut scene = PublishScene::new(before.dir.path(), "main");
        wait(scene.publish(&first)).unwrap();
        has_one_check(&scene, &failed, "the first");
        git(after.dir.path(), &["push", "-q", scene.till().path().to_str().unwrap(), "HEAD:main"]);
        scene.failing.head = CommitId(head.clone());
        scene
    };
    at_every_request(&run, prepare, |scene, when| {
        has_one_check(scene, &head, when);
        let [old, new] = scene.till().pulls().try_into().unwrap_or_else(|_| panic!("{when}"));
        assert_eq!(
            (old.standing, new.standing),
            (FakePullState::Closed, FakePullState::Open),
            "{when}"
        );
        assert_eq!(scene.till().comments(old.number).len(), 1, "{when}");
        assert!(new.labels.contains("git-mend"), "{when}");
        assert_eq!(scene.own_branches(), 1, "{when}");
    });
}
