//! Tests that a failure in a merge queue is published only on the pull request with the culprit, for each merge method
//! of the queue.

use super::interrupted_publishing::{PublishScene, SearchedRepository};
use crate::github::{Access, FakePullState, block_on};
use crate::support::{commit, git, repository};
use mend_bot::MergeQueueBranch;
use tempfile::TempDir;

/// Merge method of a queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Squash,
    Rebase,
    Merge,
}

impl Method {
    /// Adds a pull request on top of the checked-out commit.
    fn merge_branch(self, dir: &TempDir, branch: &str, number: u64) {
        let run = |arguments: &[&str]| git(dir.path(), arguments);
        match self {
            Self::Squash => {
                run(&["merge", "-q", "--squash", branch]);
                run(&["commit", "-q", "-m", &format!("adds {branch} (#{number})")]);
            }
            // Another committer gives another commit id even within the same second.
            Self::Rebase => {
                run(&["-c", "user.name=GitHub", "cherry-pick", "--no-ff", branch]);
            }
            Self::Merge => {
                let message = format!("Merge pull request #{number} from octo/{branch}");
                run(&["merge", "-q", "--no-ff", "-m", &message, branch]);
            }
        }
    }
}

/// Merge queue with the pull requests 1 and 2, which fail only together.
pub(super) struct Queue {
    searched_repository: SearchedRepository,
    /// Commit that the second pull request was merged onto.
    base_of_second: String,
}

impl Queue {
    pub(super) fn with_method(method: Method) -> Self {
        Self::with_message(method, "adds two")
    }

    /// Creates a queue in which the commit of the second pull request has this message.
    fn with_message(method: Method, message: &str) -> Self {
        let dir = repository();
        commit(dir.path(), "zero", &[("check.sh", "! test -e one || ! test -e two\n")]);
        for (branch, message) in [("one", "adds one"), ("two", message)] {
            git(dir.path(), &["checkout", "-q", "-b", branch, "main"]);
            commit(dir.path(), message, &[(branch, "x\n")]);
        }
        git(dir.path(), &["checkout", "-q", "-b", "queue", "main"]);
        method.merge_branch(&dir, "one", 1);
        let below = git(dir.path(), &["rev-parse", "HEAD"]);
        method.merge_branch(&dir, "two", 2);
        Self { searched_repository: SearchedRepository::new(dir, "main"), base_of_second: below }
    }

    /// Publishes the failure of a queue branch with this name.
    pub(super) fn publish(&self, branch: &str, prepare: impl Fn(&PublishScene)) -> PublishScene {
        let mut scene = PublishScene::new(self.searched_repository.dir.path(), "main");
        let alice = scene.github.user("alice", Access::Write);
        for branch in ["one", "two"] {
            scene.fake_repo().open_pull(&alice, branch, branch, "main");
        }
        prepare(&scene);
        scene.build_failure.branch = None;
        scene.build_failure.queue = MergeQueueBranch::parse(branch);
        block_on(scene.publish(&self.searched_repository.run())).unwrap();
        scene.fake_repo().check_runs(&scene.build_failure.head.0);
        scene
    }

    /// Returns the pull requests with a comment, for a queue branch with this name.
    fn commented_pulls(&self, branch: &str, prepare: impl Fn(&PublishScene)) -> Vec<u64> {
        let scene = self.publish(branch, prepare);
        let is_told = |pull: &u64| !scene.fake_repo().comments(*pull).is_empty();
        scene.fake_repo().pulls().iter().map(|pull| pull.number).filter(is_told).collect()
    }

    /// Returns the branch name that GitHub uses.
    pub(super) fn queue_branch(&self) -> String {
        format!("gh-readonly-queue/main/pr-2-{}", self.base_of_second)
    }
}

#[test]
fn culprit_in_queue_is_attributed_to_its_pull_request() {
    for method in [Method::Squash, Method::Rebase, Method::Merge] {
        let queue = Queue::with_method(method);
        assert_eq!(queue.commented_pulls(&queue.queue_branch(), |_| ()), [2], "{method:?}");
        let is_closed =
            |scene: &PublishScene| scene.fake_repo().set_state(2, FakePullState::Closed);
        assert!(queue.commented_pulls(&queue.queue_branch(), is_closed).is_empty(), "{method:?}");
        let elsewhere = queue.queue_branch().replace("main", "release");
        assert!(queue.commented_pulls(&elsewhere, |_| ()).is_empty(), "{method:?}");
    }
}

#[test]
fn commit_message_overrides_queue_branch_name() {
    for method in [Method::Squash, Method::Merge] {
        let queue = Queue::with_method(method);
        assert_eq!(
            queue.commented_pulls(&queue.queue_branch().replace("pr-2", "pr-1"), |_| ()),
            [2],
            "{method:?}"
        );
    }
}

#[test]
fn commit_below_the_group_is_not_attributed() {
    let queue = Queue::with_method(Method::Rebase);
    let head = git(queue.searched_repository.dir.path(), &["rev-parse", "HEAD"]);
    assert!(
        queue.commented_pulls(&format!("gh-readonly-queue/main/pr-1-{head}"), |_| ()).is_empty()
    );
    assert!(queue.commented_pulls("gh-readonly-queue/main/pr-1-0", |_| ()).is_empty());
}

#[test]
fn author_message_does_not_change_attribution() {
    let queue = Queue::with_message(Method::Rebase, "adds two (#1)");
    assert_eq!(queue.commented_pulls(&queue.queue_branch(), |_| ()), [2]);
}
