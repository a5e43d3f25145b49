//! The App's server where GitHub fails, refuses or keeps silent.

use super::checks::again;
use super::client::Request;
use super::jobs::{WORKFLOW, comment, failed_run, github, send, served, waits_for};
use super::server::{Server, ServerHome};
use crate::github::{Access, FakeGithub, Fault, WorkflowRun};
use crate::github_client::TILL;
use crate::support::eventually;
use rusqlite::Connection;
use serde_json::Value;

const COMMENT: &str = "issues/create-comment";
const DONE: &str = "<dt>done</dt><dd>1</dd>";

/// Creates a GitHub with a comment that requests an explanation of a failing pull request, and its webhook.
fn asked() -> (FakeGithub, u64, Value) {
    let github = github(Some(WORKFLOW));
    let alice = github.user("alice", Access::Write);
    let till = github.repo(TILL);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let id = till.comment(&alice, pull, "/mend explain");
    (github, pull, comment("/mend explain", "alice", pull, id))
}

/// Has a server asked, and waits until its status page says this.
fn asked_until(github: &FakeGithub, asked: Value, words: &str) -> (ServerHome, Server) {
    let (home, installation) = served(github);
    let server = home.start();
    send(&server, installation, "d-1", "issue_comment", asked);
    let page = || server.send(&Request::get("/")).body;
    assert!(eventually(|| page().contains(words)), "no {words} in\n{}", page());
    (home, server)
}

/// Reads a column of the only job in the queue.
fn column(home: &ServerHome, server: Server, name: &str) -> i64 {
    server.kill();
    let queue = Connection::open(home.queue()).unwrap();
    queue.query_row(&format!("select {name} from jobs"), [], |row| row.get(0)).unwrap()
}

#[test]
fn a_token_that_ends_in_the_middle_of_a_job_is_replaced_and_the_job_goes_on() {
    for operation in ["repos/get-collaborator-permission-level", COMMENT] {
        let (github, pull, asked) = asked();
        github.fault(operation, Fault::TokenEnds);
        let (home, server) = asked_until(&github, asked, DONE);
        assert_eq!(github.repo(TILL).comments(pull).len(), 2, "{operation}");
        assert_eq!(column(&home, server, "attempts"), 1, "{operation}");
    }
}

#[test]
fn where_no_token_is_taken_the_job_waits_for_another_try() {
    let (github, pull, asked) = asked();
    for _ in 0..2 {
        github.fault(COMMENT, Fault::TokenEnds);
    }
    let (home, server) = asked_until(&github, asked, "GitHub rejected the token");
    let server = again(&home, server);
    waits_for(&server, "done", 1);
    assert_eq!(github.repo(TILL).comments(pull).len(), 2);
}

#[test]
fn a_job_that_github_turns_away_for_the_rate_is_kept_until_then_and_that_is_no_failure() {
    let (github, pull, asked) = asked();
    github.fault(COMMENT, Fault::RetryAfter(0));
    github.fault(COMMENT, Fault::RetryAfter(3600));
    let (home, server) = asked_until(&github, asked, "GitHub rate limit exceeded: wait 60 minutes");
    assert_eq!(column(&home, server, "(not_before - changed) / 1000"), 3600);
    let server = again(&home, home.start());
    waits_for(&server, "done", 1);
    assert_eq!(github.repo(TILL).comments(pull).len(), 2);
    assert_eq!(column(&home, server, "attempts"), 1);
}

#[test]
fn an_answer_whose_own_answer_is_lost_is_given_once() {
    for fault in [Fault::After(502), Fault::ClosedAfter] {
        let (github, pull, asked) = asked();
        github.fault(COMMENT, fault);
        asked_until(&github, asked, DONE);
        assert_eq!(github.repo(TILL).comments(pull).len(), 2);
    }
}

#[test]
fn a_workflow_that_was_asked_though_the_answer_is_lost_is_not_asked_again() {
    for fault in [Fault::After(502), Fault::ClosedAfter] {
        let github = github(Some(WORKFLOW));
        let till = github.repo(TILL);
        let head = till.branch("main").unwrap();
        github.fault("repos/create-dispatch-event", fault);
        github.fault("checks/create", Fault::After(502));
        let (home, installation) = served(&github);
        let server = home.start();
        send(&server, installation, "d-1", "workflow_run", failed_run(&github));
        assert!(eventually(|| till.dispatches().len() == 1));
        waits_for(&server, "queued", 1);
        let id = till.dispatches()[0].payload["id"].as_str().unwrap().to_owned();
        till.workflow_run(WorkflowRun {
            title: format!("git-mend {id}"),
            event: "repository_dispatch".to_owned(),
            ..WorkflowRun::completed(9, "main", &head, "success")
        });
        let server = again(&home, server);
        waits_for(&server, "done", 1);
        assert_eq!(till.dispatches().len(), 1);
        assert_eq!(till.check_runs(&head).len(), 1);
    }
}
