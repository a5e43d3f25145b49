//! A failure in a merge queue is published only on the pull request with the culprit, whichever way the queue combines
//! pull requests.

use super::told::{PublishScene, SearchedRepository};
use crate::github::{Access, FakePullState, wait};
use crate::support::{commit, git, repository};
use mend_bot::MergeQueueBranch;
use tempfile::TempDir;

/// Way in which a queue combines pull requests.
#[derive(Clone, Copy, Debug)]
enum Method {
    Squash,
    Rebase,
    Merge,
}

impl Method {
    /// Puts a pull request on top of the commit that is checked out.
    fn add(self, dir: &TempDir, branch: &str, number: u64) {
        let run = |arguments: &[&str]| git(dir.path(), arguments);
        match self {
            Self::Squash => {
                run(&["merge", "-q", "--squash", branch]);
                run(&["commit", "-q", "-m", &format!("adds {branch} (#{number})")]);
            }
            // With another committer it is another commit even within the second.
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

/// A queue with the pull requests 1 and 2, of which the second one does not go with the first.
struct Queue {
    searched: SearchedRepository,
    /// Returns the commit that the second pull request was merged onto.
    below: String,
}

impl Queue {
    fn with_method(method: Method) -> Self {
        Self::with_message(method, "adds two")
    }

    /// The second one has a commit with this message.
    fn with_message(method: Method, message: &str) -> Self {
        let dir = repository();
        commit(dir.path(), "zero", &[("check.sh", "! test -e one || ! test -e two\n")]);
        for (branch, message) in [("one", "adds one"), ("two", message)] {
            git(dir.path(), &["checkout", "-q", "-b", branch, "main"]);
            commit(dir.path(), message, &[(branch, "x\n")]);
        }
        git(dir.path(), &["checkout", "-q", "-b", "queue", "main"]);
        method.add(&dir, "one", 1);
        let below = git(dir.path(), &["rev-parse", "HEAD"]);
        method.add(&dir, "two", 2);
        Self { searched: SearchedRepository::new(dir, "main"), below }
    }

    /// Returns the pull requests with a comment, for a queue branch with this name.
    fn commented_pulls(&self, branch: &str, prepare: impl Fn(&PublishScene)) -> Vec<u64> {
        let mut scene = PublishScene::new(self.searched.dir.path(), "main");
        let alice = scene.github.user("alice", Access::Write);
        for branch in ["one", "two"] {
            scene.till().open_pull(&alice, branch, branch, "main");
        }
        prepare(&scene);
        scene.failing.branch = None;
        scene.failing.queue = MergeQueueBranch::parse(branch);
        wait(scene.publish(&self.searched.run())).unwrap();
        scene.till().check_runs(&scene.failing.head.0);
        let is_told = |pull: &u64| !scene.till().comments(*pull).is_empty();
        scene.till().pulls().iter().map(|pull| pull.number).filter(is_told).collect()
    }

    /// Returns the branch name that GitHub uses.
    fn branch(&self) -> String {
        format!("gh-readonly-queue/main/pr-2-{}", self.below)
    }
}

#[test]
fn the_pull_request_is_told_that_a_commit_of_the_queue_itself_came_from() {
    for method in [Method::Squash, Method::Rebase, Method::Merge] {
        let queue = Queue::with_method(method);
        assert_eq!(queue.commented_pulls(&queue.branch(), |_| ()), [2], "{method:?}");
        let is_closed = |scene: &PublishScene| scene.till().set_standing(2, FakePullState::Closed);
        assert!(queue.commented_pulls(&queue.branch(), is_closed).is_empty(), "{method:?}");
        let elsewhere = queue.branch().replace("main", "release");
        assert!(queue.commented_pulls(&elsewhere, |_| ()).is_empty(), "{method:?}");
    }
}

#[test]
fn a_message_names_the_pull_request_before_the_branch_of_the_queue_does() {
    for method in [Method::Squash, Method::Merge] {
        let queue = Queue::with_method(method);
        assert_eq!(
            queue.commented_pulls(&queue.branch().replace("pr-2", "pr-1"), |_| ()),
            [2],
            "{method:?}"
        );
    }
}

#[test]
fn nobody_is_told_of_a_commit_that_the_last_pull_request_was_put_on_top_of() {
    let queue = Queue::with_method(Method::Rebase);
    let head = git(queue.searched.dir.path(), &["rev-parse", "HEAD"]);
    assert!(
        queue.commented_pulls(&format!("gh-readonly-queue/main/pr-1-{head}"), |_| ()).is_empty()
    );
    assert!(queue.commented_pulls("gh-readonly-queue/main/pr-1-0", |_| ()).is_empty());
}

#[test]
fn a_message_of_an_author_blames_no_other_pull_request() {
    let queue = Queue::with_message(Method::Rebase, "adds two (#1)");
    assert_eq!(queue.commented_pulls(&queue.branch(), |_| ()), [2]);
}
