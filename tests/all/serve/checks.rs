//! The check run of a search, from its beginning to its end.

use super::jobs::{
    MOST_REQUESTS, WORKFLOW, barren, failed_run, github, killed_when_held, outcome, searched_here,
    send, served, waits_for,
};
use super::server::{Server, ServerHome};
use crate::github::{Access, CheckRun, FakeGithub, Fault, Hold, WorkflowRun};
use crate::github_client::TILL;
use crate::support::{eventually, git};
use rusqlite::Connection;
use serde_json::{Value, json};

/// A pull request whose checks fail, and the webhook that says so.
fn proposed(github: &FakeGithub) -> (u64, Value) {
    let till = github.repo(TILL);
    let alice = github.user("alice", Access::Write);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let head = till.branch("topic").unwrap();
    let mut run = failed_run(github);
    run["workflow_run"]["event"] = json!("pull_request");
    run["workflow_run"]["head_branch"] = json!("topic");
    run["workflow_run"]["pull_requests"] = json!([{ "number": pull, "head": { "sha": head } }]);
    (pull, run)
}

/// Sends the event of a closed pull request to the server.
fn close(github: &FakeGithub, server: &Server, installation: u64, pull: u64) {
    let head = json!({ "ref": "topic", "sha": github.repo(TILL).branch("topic").unwrap(),
        "repo": { "full_name": TILL } });
    let closed = json!({ "action": "closed", "number": pull, "pull_request": { "head": head } });
    let became = outcome(server, installation, "d-2", "pull_request", closed);
    assert_eq!(became, "done");
}

fn checks(github: &FakeGithub) -> Vec<CheckRun> {
    let till = github.repo(TILL);
    till.check_runs(&till.branch("topic").unwrap())
}

/// Kills a server, and starts another one that waits for nothing: what may have been asked was asked long ago.
pub(super) fn again(home: &ServerHome, server: Server) -> Server {
    server.kill();
    let queue = Connection::open(home.queue()).unwrap();
    queue.execute("update jobs set not_before = 0", []).unwrap();
    let asking = "json_extract(progress, '$.step.step') = 'asking'";
    let since = "json_set(progress, '$.step.since', '2020-01-01T00:00:00Z')";
    queue.execute(&format!("update jobs set progress = {since} where {asking}"), []).unwrap();
    drop(queue);
    home.start()
}

#[test]
fn the_check_leads_to_the_run_of_the_repositorys_own_workflow_until_that_ends() {
    let github = github(Some(WORKFLOW));
    let (_, failed) = proposed(&github);
    let (home, installation) = served(&github);
    let server = home.start();
    send(&server, installation, "d-1", "workflow_run", failed);
    let till = github.repo(TILL);
    assert!(eventually(|| till.dispatches().len() == 1));
    let run = WorkflowRun {
        event: "repository_dispatch".into(),
        title: format!("git-mend {}", till.dispatches()[0].payload["id"].as_str().unwrap()),
        status: "in_progress".into(),
        conclusion: None,
        ..WorkflowRun::completed(9, "main", &till.branch("main").unwrap(), "")
    };
    let run = till.workflow_run(run);
    let server = again(&home, server);
    let is_taken = || checks(&github).iter().all(|check| check.status == "in_progress");
    assert!(eventually(is_taken));
    waits_for(&server, "queued", 1);
    till.end_workflow_run(run, "success");
    let server = again(&home, server);
    waits_for(&server, "done", 1);
    let [check] = checks(&github).try_into().unwrap();
    assert_eq!(check.statuses, ["queued", "in_progress", "completed"]);
    assert!(check.started_at.is_some());
    assert!(check.details_url.is_some_and(|url| url.ends_with(&format!("/runs/{run}"))));
    assert_eq!(till.dispatches().len(), 1);
}

#[test]
fn the_buttons_of_a_check_stop_its_search_and_begin_another_one() {
    let github = github(Some(WORKFLOW));
    let (pull, failed) = proposed(&github);
    let (home, installation) = served(&github);
    let server = home.start();
    send(&server, installation, "d-1", "workflow_run", failed);
    assert!(eventually(|| github.repo(TILL).dispatches().len() == 1));
    waits_for(&server, "queued", 1);
    let press = |delivery: &str, check: &CheckRun, button: &str| {
        let pressed = json!({ "action": "requested_action", "requested_action": { "identifier": button },
            "check_run": { "id": check.id, "head_sha": check.head, "app": { "id": home.app() },
                "check_suite": { "head_branch": "topic" },
                "pull_requests": [{ "number": pull, "head": { "sha": check.head } }] } });
        send(&server, installation, delivery, "check_run", pressed);
    };
    let [check] = checks(&github).try_into().unwrap();
    assert_eq!(check.actions, Some(vec!["stop".to_owned()]));
    press("d-2", &check, "stop");
    waits_for(&server, "cancelled", 1);
    let is_over = || checks(&github)[0].status == "completed";
    assert!(eventually(is_over));
    let [check] = checks(&github).try_into().unwrap();
    assert_eq!(check.actions, Some(vec!["retry".to_owned()]));
    press("d-3", &check, "retry");
    let is_asked = || github.repo(TILL).dispatches().len() == 2;
    assert!(eventually(is_asked), "{}\n{:?}", server.end().stderr, github.operations());
    assert!(eventually(|| checks(&github).len() == 2));
}

#[test]
fn a_check_that_cannot_be_written_keeps_no_search_from_its_end() {
    let github = barren();
    github.fault("checks/create", Fault::Instead(403));
    github.fault("checks/create", Fault::Instead(403));
    let Some((_, ran)) = searched_here(&github) else { return };
    let head = github.repo(TILL).branch("main").unwrap();
    let [check] = github.repo(TILL).check_runs(&head).try_into().unwrap();
    assert_eq!(check.statuses, ["completed"], "{}", ran.stderr);
}

#[test]
fn the_check_of_a_search_that_is_cancelled_at_any_request_is_over() {
    let is_cancelled_at = |request: &usize| {
        let github = barren();
        git(&github.repo(TILL).path(), &["branch", "topic", "main"]);
        let (pull, run) = proposed(&github);
        let (home, installation) = served(&github);
        let server = home.start();
        let hostage = github.hold(*request, Hold::After);
        send(&server, installation, "d-1", "workflow_run", run);
        let mut is_there = false;
        assert!(eventually(|| {
            is_there = hostage.is_there();
            is_there || server.shows_job_count("done", 1)
        }));
        if is_there {
            close(&github, &server, installation, pull);
            waits_for(&server, "cancelled", 1);
        }
        let is_over = || checks(&github).iter().all(|check| check.status == "completed");
        assert!(eventually(is_over), "{request}: {:?}", github.operations());
        assert!(checks(&github).len() <= 1);
        github.repo(TILL).comments(pull);
        is_there
    };
    assert!((0..MOST_REQUESTS).take_while(is_cancelled_at).count() > 10);
}

#[test]
fn a_server_that_is_killed_while_it_closes_a_check_closes_it_all_the_same() {
    let is_killed_at = |request: &usize| {
        let github = github(Some(WORKFLOW));
        let (pull, run) = proposed(&github);
        let (home, installation) = served(&github);
        let server = home.start();
        send(&server, installation, "d-1", "workflow_run", run);
        assert!(eventually(|| github.repo(TILL).dispatches().len() == 1));
        waits_for(&server, "queued", 1);
        let hostage = github.hold(*request, Hold::After);
        close(&github, &server, installation, pull);
        let is_there = killed_when_held(&home, server, hostage);
        let [check] = checks(&github).try_into().unwrap();
        assert_eq!(check.statuses, ["queued", "completed"]);
        assert_eq!(check.conclusion.as_deref(), Some("neutral"));
        is_there
    };
    assert!((0..MOST_REQUESTS).take_while(is_killed_at).count() > 2);
}
