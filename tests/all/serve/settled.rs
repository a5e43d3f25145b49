//! Tests that the App ends searches and comments about failures that no longer exist.

use super::interrupted_publishing::{PublishScene, SearchedRepository};
use super::jobs::{
    MAX_REQUESTS_PER_JOB, SEARCH_WORKFLOW, failed_run_event, github_with_failure, installed_server,
    kill_at_request, send_queued, send_webhook, wait_for_jobs,
};
use super::merge_queue_culprit::{Method, Queue};
use crate::github::{Access, FakePullState, Hold, block_on};
use crate::github_client::REPO_NAME;
use crate::support::{commit, git, wait_until, words_repository};
use mend_github::PullNumber;
use serde_json::{Value, json};

/// Start of the first line of an outdated comment, after its marker.
const OUTDATED: &str = "\nOutdated: ";

/// Returns the event of a workflow that passed on a commit of a branch.
fn green_run_event(head_repo: &str, branch: &str, head: &str) -> Value {
    json!({ "action": "completed", "workflow_run": {
        "id": 2, "workflow_id": 5, "run_attempt": 1, "event": "pull_request", "conclusion": "success",
        "head_branch": branch, "head_sha": head, "head_repository": { "full_name": head_repo },
    } })
}

#[test]
fn green_branch_ends_the_search_of_its_failure() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (home, installation) = installed_server(&github);
    let till = github.repo(REPO_NAME);
    let failing = till.branch("main").unwrap();
    till.add_check(&failing, "Tests", "failure");
    let server = home.start();
    send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
    assert!(wait_until(|| till.dispatches().len() == 1));
    wait_for_jobs(&server, "queued", 1);
    let passing = git(&till.path(), &["commit-tree", "-p", "main", "-m", "x", "main~1^{tree}"]);
    git(&till.path(), &["update-ref", "refs/heads/main", &passing]);
    let mut green = green_run_event(REPO_NAME, "main", &passing);
    green["workflow_run"]["event"] = json!("push");
    // Another workflow passes first.
    for (delivery, has_passed) in [("d-2", false), ("d-3", true)] {
        if has_passed {
            till.add_check(&passing, "Tests", "success");
            green["workflow_run"]["id"] = json!(3);
        }
        send_queued(&server, installation, delivery, "workflow_run", green.clone());
        assert!(wait_until(|| server.shows_job_count("done", 1 + 2 * usize::from(has_passed))));
        wait_for_jobs(&server, "cancelled", usize::from(has_passed));
    }
    let own = till.check_runs(&failing).into_iter().find(|check| check.name == "git-mend").unwrap();
    assert_eq!(own.statuses, ["queued", "completed"]);
    assert_eq!(own.conclusion.as_deref(), Some("neutral"));
    assert!(own.summary.contains("the branch passes again"), "{}", own.summary);
}

#[test]
fn green_fork_run_makes_the_comment_on_its_pull_request_outdated() {
    let searched = SearchedRepository::new(words_repository(), "release-1");
    let dir = searched.dir.path();
    let mut scene = PublishScene::new(dir, "main");
    let till = scene.github.repo(REPO_NAME);
    let fork = scene.github.add_repo("mallory/till", dir);
    git(&fork.path(), &["branch", "topic", "main"]);
    git(&till.path(), &["update-ref", "refs/heads/main", "release-1^{}"]);
    let mallory = scene.github.user("mallory", Access::Read);
    let pull = till.open_pull_from(&fork, &mallory, "Change words", "topic", "main");
    let head = scene.build_failure.head.0.clone();
    till.add_check(&head, "Tests", "failure");
    scene.build_failure.branch = None;
    let client = scene.github.client(REPO_NAME, mallory);
    scene.build_failure.pull = Some(block_on(client.get_pull(PullNumber(pull))).unwrap());
    block_on(scene.publish(&searched.run())).unwrap();
    till.reviews(pull);
    assert_eq!(till.check_runs(&head).len(), 2);
    let [former] = till.comments(pull).try_into().unwrap();
    assert!(!former.body.contains(OUTDATED));

    commit(dir, "mended", &[("words.txt", "a\ngood\n")]);
    let passing = git(dir, &["rev-parse", "HEAD"]);
    git(dir, &["push", "-q", fork.path().to_str().unwrap(), "HEAD:topic"]);
    // GitHub has the commits of a fork here too.
    git(&till.path(), &["fetch", "-q", fork.path().to_str().unwrap(), "topic"]);
    till.add_check(&passing, "Tests", "success");
    let (home, installation) = installed_server(&scene.github);
    let server = home.start();
    let green = green_run_event("mallory/till", "topic", &passing);
    send_queued(&server, installation, "d-1", "workflow_run", green);
    wait_for_jobs(&server, "done", 1);
    let [comment] = till.comments(pull).try_into().unwrap();
    assert!(comment.body.contains(&format!("{OUTDATED}`topic` passes again")), "{}", comment.body);
    assert_eq!(comment.id, former.id);
}

/// Returns the event of the closed pull request `two`.
fn closed_event(scene: &PublishScene, is_merged: bool) -> Value {
    let sha = scene.fake_repo().branch("two").unwrap();
    let head = json!({ "ref": "two", "sha": sha, "repo": { "full_name": REPO_NAME } });
    let pull = json!({ "head": head, "merged": is_merged });
    json!({ "action": "closed", "number": 2, "pull_request": pull })
}

#[test]
fn comment_is_marked_once_despite_server_kills() {
    let queue = Queue::with_method(Method::Squash);
    for at in [Hold::Before, Hold::After] {
        let is_killed_at = |request: &usize| {
            let scene = queue.publish(&queue.queue_branch(), |_| ());
            scene.fake_repo().comments(2);
            scene.fake_repo().set_state(2, FakePullState::Merged);
            let event = ("pull_request", closed_event(&scene, true));
            let is_killed = kill_at_request(&scene.github, (*request, at), event);
            let [comment] = scene.fake_repo().comments(2).try_into().unwrap();
            assert_eq!(comment.body.matches(OUTDATED).count(), 1, "{at:?} {request}");
            assert_eq!(comment.body.matches("### Culprit").count(), 1, "{at:?} {request}");
            is_killed
        };
        assert!((0..MAX_REQUESTS_PER_JOB).take_while(is_killed_at).count() > 4);
    }
}

#[test]
fn merged_pull_request_makes_the_comment_about_its_merge_group_outdated() {
    let queue = Queue::with_method(Method::Squash);
    let scene = queue.publish(&queue.queue_branch(), |_| ());
    let till = scene.fake_repo();
    let (home, installation) = installed_server(&scene.github);
    let server = home.start();
    let send = |delivery: &str, is_merged: bool| {
        let event = closed_event(&scene, is_merged);
        send_webhook(&server, installation, delivery, "pull_request", event)
    };
    assert_eq!(send("d-1", false), "done");
    till.set_state(2, FakePullState::Merged);
    assert_eq!(send("d-2", true), "queued");
    wait_for_jobs(&server, "done", 1);
    let [comment] = till.comments(2).try_into().unwrap();
    let line = format!("{OUTDATED}this pull request was merged.");
    assert!(comment.body.contains(&line), "{}", comment.body);
}
