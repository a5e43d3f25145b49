//! Tests of the check run of a search, from its creation to its completion.

use super::jobs::{
    MAX_REQUESTS_PER_JOB, SEARCH_WORKFLOW, failed_run_event, github_with_failure,
    github_without_sources, installed_server, kill_when_blocked, run_local_search, send_queued,
    send_webhook, wait_for_jobs,
};
use super::server::{Server, ServerHome};
use crate::github::{Access, CheckRun, FakeGithub, Fault, Hold, WorkflowRun};
use crate::github_client::REPO_NAME;
use crate::support::{git, wait_until};
use rusqlite::Connection;
use serde_json::{Value, json};

/// Creates a pull request with failing checks, and the webhook about them.
fn failing_pull_request(github: &FakeGithub) -> (u64, Value) {
    let till = github.repo(REPO_NAME);
    let alice = github.user("alice", Access::Write);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let head = till.branch("topic").unwrap();
    let mut run = failed_run_event(github);
    run["workflow_run"]["event"] = json!("pull_request");
    run["workflow_run"]["head_branch"] = json!("topic");
    run["workflow_run"]["pull_requests"] = json!([{ "number": pull, "head": { "sha": head } }]);
    (pull, run)
}

/// Sends the event of a closed pull request to the server.
fn close_pull_request(github: &FakeGithub, server: &Server, installation: u64, pull: u64) {
    let head = json!({ "ref": "topic", "sha": github.repo(REPO_NAME).branch("topic").unwrap(),
        "repo": { "full_name": REPO_NAME } });
    let closed = json!({ "action": "closed", "number": pull, "pull_request": { "head": head } });
    let became = send_webhook(server, installation, "d-2", "pull_request", closed);
    assert_eq!(became, "done");
}

fn topic_check_runs(github: &FakeGithub) -> Vec<CheckRun> {
    let till = github.repo(REPO_NAME);
    till.check_runs(&till.branch("topic").unwrap())
}

/// Kills a server and starts another one without waiting times: the queue's times are set to the past.
pub(super) fn restart_without_delays(home: &ServerHome, server: Server) -> Server {
    server.kill();
    let queue = Connection::open(home.queue_file()).unwrap();
    queue.execute("update jobs set not_before = 0", []).unwrap();
    let asking = "json_extract(progress, '$.step.step') = 'asking'";
    let since = "json_set(progress, '$.step.since', '2020-01-01T00:00:00Z')";
    queue.execute(&format!("update jobs set progress = {since} where {asking}"), []).unwrap();
    drop(queue);
    home.start()
}

#[test]
fn check_links_to_the_running_search_workflow() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (_, failed) = failing_pull_request(&github);
    let (home, installation) = installed_server(&github);
    let server = home.start();
    send_queued(&server, installation, "d-1", "workflow_run", failed);
    let till = github.repo(REPO_NAME);
    assert!(wait_until(|| till.dispatches().len() == 1));
    let run = WorkflowRun {
        event: "repository_dispatch".into(),
        title: format!("git-mend {}", till.dispatches()[0].payload["id"].as_str().unwrap()),
        status: "in_progress".into(),
        conclusion: None,
        ..WorkflowRun::completed(9, "main", &till.branch("main").unwrap(), "")
    };
    let run = till.add_workflow_run(run);
    let server = restart_without_delays(&home, server);
    let is_taken = || topic_check_runs(&github).iter().all(|check| check.status == "in_progress");
    assert!(wait_until(is_taken));
    wait_for_jobs(&server, "queued", 1);
    till.end_workflow_run(run, "success");
    let server = restart_without_delays(&home, server);
    wait_for_jobs(&server, "done", 1);
    let [check] = topic_check_runs(&github).try_into().unwrap();
    assert_eq!(check.statuses, ["queued", "in_progress", "completed"]);
    assert!(check.started_at.is_some());
    assert!(check.details_url.is_some_and(|url| url.ends_with(&format!("/runs/{run}"))));
    assert_eq!(till.dispatches().len(), 1);
}

#[test]
fn check_buttons_stop_and_retry_a_search() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (pull, failed) = failing_pull_request(&github);
    let (home, installation) = installed_server(&github);
    let server = home.start();
    send_queued(&server, installation, "d-1", "workflow_run", failed);
    assert!(wait_until(|| github.repo(REPO_NAME).dispatches().len() == 1));
    wait_for_jobs(&server, "queued", 1);
    let press = |delivery: &str, check: &CheckRun, button: &str| {
        let pressed = json!({ "action": "requested_action", "requested_action": { "identifier": button },
            "check_run": { "id": check.id, "head_sha": check.head, "app": { "id": home.app_id() },
                "check_suite": { "head_branch": "topic" },
                "pull_requests": [{ "number": pull, "head": { "sha": check.head } }] } });
        send_queued(&server, installation, delivery, "check_run", pressed);
    };
    let [check] = topic_check_runs(&github).try_into().unwrap();
    assert_eq!(check.actions, Some(vec!["stop".to_owned()]));
    press("d-2", &check, "stop");
    wait_for_jobs(&server, "cancelled", 1);
    let is_over = || topic_check_runs(&github)[0].status == "completed";
    assert!(wait_until(is_over));
    let [check] = topic_check_runs(&github).try_into().unwrap();
    assert_eq!(check.actions, Some(vec!["retry".to_owned()]));
    press("d-3", &check, "retry");
    let is_asked = || github.repo(REPO_NAME).dispatches().len() == 2;
    assert!(wait_until(is_asked), "{}\n{:?}", server.stop().stderr, github.operations());
    assert!(wait_until(|| topic_check_runs(&github).len() == 2));
}

#[test]
fn failed_check_creation_does_not_stop_the_search() {
    let github = github_without_sources();
    github.add_fault("checks/create", Fault::Instead(403));
    github.add_fault("checks/create", Fault::Instead(403));
    let Some((_, output)) = run_local_search(&github) else { return };
    let head = github.repo(REPO_NAME).branch("main").unwrap();
    let [check] = github.repo(REPO_NAME).check_runs(&head).try_into().unwrap();
    assert_eq!(check.statuses, ["completed"], "{}", output.stderr);
}

#[test]
fn cancelled_search_completes_its_check() {
    let is_cancelled_at = |request: &usize| {
        let github = github_without_sources();
        git(&github.repo(REPO_NAME).path(), &["branch", "topic", "main"]);
        let (pull, run) = failing_pull_request(&github);
        let (home, installation) = installed_server(&github);
        let server = home.start();
        let blocked_request = github.block_request(*request, Hold::After);
        send_queued(&server, installation, "d-1", "workflow_run", run);
        let mut is_there = false;
        assert!(wait_until(|| {
            is_there = blocked_request.has_arrived();
            is_there || server.shows_job_count("done", 1)
        }));
        if is_there {
            close_pull_request(&github, &server, installation, pull);
            wait_for_jobs(&server, "cancelled", 1);
        }
        let is_over = || topic_check_runs(&github).iter().all(|check| check.status == "completed");
        assert!(wait_until(is_over), "{request}: {:?}", github.operations());
        assert!(topic_check_runs(&github).len() <= 1);
        github.repo(REPO_NAME).comments(pull);
        is_there
    };
    assert!((0..MAX_REQUESTS_PER_JOB).take_while(is_cancelled_at).count() > 10);
}

#[test]
fn check_is_closed_once_despite_server_kill() {
    let is_killed_at = |request: &usize| {
        let github = github_with_failure(Some(SEARCH_WORKFLOW));
        let (pull, run) = failing_pull_request(&github);
        let (home, installation) = installed_server(&github);
        let server = home.start();
        send_queued(&server, installation, "d-1", "workflow_run", run);
        assert!(wait_until(|| github.repo(REPO_NAME).dispatches().len() == 1));
        wait_for_jobs(&server, "queued", 1);
        let blocked_request = github.block_request(*request, Hold::After);
        close_pull_request(&github, &server, installation, pull);
        let is_blocked = kill_when_blocked(&home, server, blocked_request);
        let [check] = topic_check_runs(&github).try_into().unwrap();
        assert_eq!(check.statuses, ["queued", "completed"]);
        assert_eq!(check.conclusion.as_deref(), Some("neutral"));
        is_blocked
    };
    assert!((0..MAX_REQUESTS_PER_JOB).take_while(is_killed_at).count() > 2);
}
