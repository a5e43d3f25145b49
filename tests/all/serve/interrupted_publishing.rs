//! Tests that the App publishes a result once, although publishing is interrupted after each of its requests. The
//! search is not repeated.

use super::jobs::MAX_REQUESTS_PER_JOB;
use crate::github::{
    Access, Actor, BlockedRequestHandle, FakeGithub, FakePullState, FakeRepo, Fault, Hold, Pull,
    block_on,
};
use crate::github_client::REPO_NAME;
use crate::support::{bisect_arguments, commit, git, run_mend, words_repository};
use mend_bot::{BuildFailure, PublishedRun, Publisher, RepoSettings, SearchClaims, SearchIdentity};
use mend_github::{ApiResult, CheckRunStatus, NewCheckRun, PERMISSIONS, PullNumber, Repo};
use mend_model::CommitId;
use mend_report::SavedRun;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// External id of the search's check run.
const CHECK_RUN_ID: &str = "git-mend/1";

/// Repository with the run of a bisection of its last commit.
pub(super) struct SearchedRepository {
    pub(super) dir: TempDir,
    folder: TempDir,
}

impl SearchedRepository {
    pub(super) fn new(dir: TempDir, good: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("run");
        let search = ["--good", good, "--output", output.to_str().unwrap()];
        let command_output = run_mend(dir.path(), &bisect_arguments(&search));
        assert_eq!(command_output.code, 0, "{}", command_output.stderr);
        Self { dir, folder }
    }

    pub(super) fn run(&self) -> SavedRun {
        SavedRun::open_no_link(&self.folder.path().join("run")).unwrap()
    }

    fn head(&self) -> String {
        git(self.dir.path(), &["rev-parse", "HEAD"])
    }
}

/// GitHub with a failing commit, and the App that publishes the result.
pub(super) struct PublishScene {
    pub(super) github: FakeGithub,
    repo: Repo,
    pub(super) build_failure: BuildFailure,
    settings: RepoSettings,
}

impl PublishScene {
    /// Creates a scene in which the last commit of a repository fails, on a branch and optionally for a pull request.
    pub(super) fn new(dir: &Path, branch: &str) -> Self {
        let github = FakeGithub::start();
        github.add_repo(REPO_NAME, dir);
        let repo = github.client(REPO_NAME, Actor::installation("mend", REPO_NAME, &PERMISSIONS));
        let failing = BuildFailure {
            head: CommitId(git(dir, &["rev-parse", "HEAD"])),
            branch: Some(branch.to_owned()),
            pull: None,
            queue: None,
            workflow: None,
            claims: SearchClaims::default(),
            details_url: None,
        };
        Self { github, repo, build_failure: failing, settings: RepoSettings::default() }
    }

    pub(super) fn fake_repo(&self) -> FakeRepo<'_> {
        self.github.repo(REPO_NAME)
    }

    /// Publishes the result of a search as a server does.
    pub(super) async fn publish(&self, run: &SavedRun) -> ApiResult<PublishedRun> {
        let new_check_run = NewCheckRun {
            name: "git-mend".to_owned(),
            head: self.build_failure.head.clone(),
            state: CheckRunStatus::InProgress,
            started_at: None,
            title: "Looking for it".to_owned(),
            summary: String::new(),
            annotations: Vec::new(),
            external_id: CHECK_RUN_ID.to_owned(),
            details_url: None,
            actions: None,
        };
        self.repo.create_check_run_if_missing(&new_check_run).await?;
        let publisher = Publisher {
            repo: &self.repo,
            failure: &self.build_failure,
            settings: self.settings.clone(),
            search: SearchIdentity::CheckRun(CHECK_RUN_ID.to_owned()),
            matrix_job: None,
        };
        publisher.publish(run).await.map(Result::unwrap)
    }

    /// Publishes until a request is blocked. Returns true if the request was reached.
    fn publish_until_blocked(
        &self,
        run: &SavedRun,
        blocked_request: &BlockedRequestHandle,
    ) -> bool {
        let until_blocked = async {
            while !blocked_request.has_arrived() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        block_on(async {
            tokio::select! {
                () = until_blocked => true,
                told = self.publish(run) => {
                    assert!(told.unwrap().result.skipped.is_empty());
                    false
                }
            }
        })
    }

    fn count_fix_branches(&self) -> usize {
        let own = ["for-each-ref", "--format=%(refname)", "refs/heads/git-mend/"];
        git(&self.fake_repo().path(), &own).lines().count()
    }
}

/// Interrupts publishing after each of its requests, each time in a new scene, publishes again, and checks the result.
/// An interruption before a request equals one after the previous request.
fn interrupt_at_every_request(
    run: &SavedRun,
    prepare: impl Fn() -> PublishScene,
    look: impl Fn(&PublishScene, &str),
) {
    let is_stopped_at = |request: &usize| {
        let scene = prepare();
        let blocked_request = scene.github.block_request(*request, Hold::After);
        let is_stopped = scene.publish_until_blocked(run, &blocked_request);
        drop(blocked_request);
        if is_stopped {
            block_on(scene.publish(run)).unwrap();
        }
        look(&scene, &format!("{request}: {:?}", scene.github.operations()));
        is_stopped
    };
    assert!((0..MAX_REQUESTS_PER_JOB).take_while(is_stopped_at).count() > 10);
}

fn assert_one_check(scene: &PublishScene, head: &str, when: &str) {
    let checks = scene.fake_repo().check_runs(head);
    assert_eq!(checks.len(), 1, "{when}");
    assert_eq!(checks[0].statuses, ["in_progress", "completed"], "{when}");
    assert_eq!(checks[0].annotations.len(), 1, "{when}");
}

/// Creates a scene in which the last commit of a pull request fails, with or without suggestions.
fn pull_request_scene(searched: &SearchedRepository, suggestions: bool) -> PublishScene {
    let mut scene = PublishScene::new(searched.dir.path(), "topic");
    let to = scene.fake_repo().path().display().to_string();
    let refs = ["main:refs/heads/topic", "+release-1^{}:refs/heads/main"];
    git(searched.dir.path(), &[&["push", "-q", &to][..], &refs].concat());
    let alice = scene.github.user("alice", Access::Write);
    let number = scene.fake_repo().open_pull(&alice, "topic", "topic", "main");
    scene.build_failure.pull = Some(block_on(scene.repo.get_pull(PullNumber(number))).unwrap());
    scene.settings.suggestions = suggestions;
    scene
}

/// Asserts that the result was published once on a pull request. Returns the fix pull request, if there must be one.
fn assert_published_once(scene: &PublishScene, when: &str) -> Option<Pull> {
    let suggestions = scene.settings.suggestions;
    assert_one_check(scene, &scene.build_failure.head.0, when);
    assert_eq!(scene.fake_repo().comments(1).len(), 1, "{when}");
    assert_eq!(scene.fake_repo().reviews(1).len(), usize::from(suggestions), "{when}");
    let mut fixes = scene.fake_repo().pulls().split_off(1);
    assert_eq!(fixes.len(), usize::from(!suggestions), "{when}");
    assert!(fixes.iter().all(|fix| fix.labels.contains("git-mend")), "{when}");
    assert_eq!(scene.count_fix_branches(), fixes.len(), "{when}");
    fixes.pop()
}

#[test]
fn pull_request_result_is_published_once_despite_interrupts() {
    let searched = SearchedRepository::new(words_repository(), "release-1");
    let run = searched.run();
    for suggestions in [true, false] {
        let assert_published =
            |scene: &PublishScene, when: &str| drop(assert_published_once(scene, when));
        interrupt_at_every_request(
            &run,
            || pull_request_scene(&searched, suggestions),
            assert_published,
        );
    }
}

#[test]
fn requests_with_lost_responses_are_published_once() {
    let searched = SearchedRepository::new(words_repository(), "release-1");
    let run = searched.run();
    let always = ["checks/create", "checks/update", "issues/create-comment"];
    let suggested = ["pulls/create-review"];
    let offered = ["git/create-ref", "graphql", "pulls/create", "issues/add-labels"];
    for fault in [Fault::After(502), Fault::ClosedAfter] {
        for (suggestions, more) in [(true, &suggested[..]), (false, &offered)] {
            let scene = pull_request_scene(&searched, suggestions);
            for operation in always.iter().chain(more) {
                scene.github.add_fault(operation, fault.clone());
            }
            // A repeated call continues after the completed requests.
            let published =
                (0..5).map(|_| block_on(scene.publish(&run))).find(|published| match published {
                    Ok(_) => true,
                    Err(error) => {
                        assert!(error.is_transient(), "{error}");
                        false
                    }
                });
            assert!(published.unwrap().unwrap().result.skipped.is_empty());
            assert_published_once(&scene, &format!("{fault:?}: {:?}", scene.github.operations()));
        }
    }
}

#[test]
fn concurrently_created_fix_branch_is_reused() {
    let searched = SearchedRepository::new(words_repository(), "release-1");
    let run = searched.run();
    let scene = pull_request_scene(&searched, false);
    block_on(scene.publish(&run)).unwrap();
    let branch = assert_published_once(&scene, "before").unwrap().head_branch;
    let scene = pull_request_scene(&searched, false);
    let path = scene.fake_repo().path();
    scene.github.before_operation("git/create-ref", move || {
        git(&path, &["branch", &branch, "topic"]);
    });
    block_on(scene.publish(&run)).unwrap();
    assert_published_once(&scene, "after");
    assert_eq!(scene.github.request_count("git/create-ref"), 1);
}

#[test]
fn fix_is_replaced_once_despite_interrupts() {
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
        block_on(scene.publish(&first)).unwrap();
        assert_one_check(&scene, &failed, "the first");
        git(
            after.dir.path(),
            &["push", "-q", scene.fake_repo().path().to_str().unwrap(), "HEAD:main"],
        );
        scene.build_failure.head = CommitId(head.clone());
        scene
    };
    interrupt_at_every_request(&run, prepare, |scene, when| {
        assert_one_check(scene, &head, when);
        let [old, new] = scene.fake_repo().pulls().try_into().unwrap_or_else(|_| panic!("{when}"));
        assert_eq!((old.state, new.state), (FakePullState::Closed, FakePullState::Open), "{when}");
        assert_eq!(scene.fake_repo().comments(old.number).len(), 1, "{when}");
        assert!(new.labels.contains("git-mend"), "{when}");
        assert_eq!(scene.count_fix_branches(), 1, "{when}");
    });
}
