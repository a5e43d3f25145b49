//! Tests of the App's server with injected faults of GitHub.

use super::checks::restart_without_delays;
use super::client::Request;
use super::jobs::{
    SEARCH_WORKFLOW, comment_event, failed_run_event, github_with_failed_test, github_with_failure,
    installed_server, report_skipped, send_queued, wait_for_jobs,
};
use super::server::{Server, ServerHome};
use crate::github::{Access, FakeGithub, Fault, WorkflowRun};
use crate::github_client::REPO_NAME;
use crate::support::wait_until;
use rusqlite::Connection;
use serde_json::Value;

const CREATE_COMMENT: &str = "issues/create-comment";
const ONE_DONE_JOB: &str = "<dt>done</dt><dd>1</dd>";

/// Creates a GitHub with a comment that requests an explanation of a failing pull request, and its webhook.
fn github_with_command() -> (FakeGithub, u64, Value) {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let alice = github.user("alice", Access::Write);
    let till = github.repo(REPO_NAME);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let id = till.add_comment(&alice, pull, "/mend explain");
    (github, pull, comment_event("/mend explain", "alice", pull, id))
}

/// Sends a command to a new server, and waits until its status page contains these words.
fn send_command_until(github: &FakeGithub, asked: Value, words: &str) -> (ServerHome, Server) {
    let (home, installation) = installed_server(github);
    let server = home.start();
    send_queued(&server, installation, "d-1", "issue_comment", asked);
    let page = || server.send(&Request::get("/")).body;
    assert!(wait_until(|| page().contains(words)), "no {words} in\n{}", page());
    (home, server)
}

/// Reads a column of the only job in the queue.
fn read_job_column(home: &ServerHome, server: Server, name: &str) -> i64 {
    server.kill();
    let queue = Connection::open(home.queue_file()).unwrap();
    queue.query_row(&format!("select {name} from jobs"), [], |row| row.get(0)).unwrap()
}

#[test]
fn expired_token_is_replaced_during_a_job() {
    for operation in ["repos/get-collaborator-permission-level", CREATE_COMMENT] {
        let (github, pull, event) = github_with_command();
        github.add_fault(operation, Fault::TokenEnds);
        let (home, server) = send_command_until(&github, event, ONE_DONE_JOB);
        assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 2, "{operation}");
        assert_eq!(read_job_column(&home, server, "attempts"), 1, "{operation}");
    }
}

#[test]
fn failed_reaction_does_not_repeat_a_command() {
    for fault in [Fault::After(502), Fault::Instead(404)] {
        let (github, pull, event) = github_with_command();
        for _ in 0..2 {
            github.add_fault("reactions/create-for-issue-comment", fault.clone());
        }
        let (home, server) = send_command_until(&github, event, ONE_DONE_JOB);
        assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 2, "{fault:?}");
        assert_eq!(read_job_column(&home, server, "attempts"), 1, "{fault:?}");
    }
}

#[test]
fn job_with_rejected_tokens_is_retried_later() {
    let (github, pull, event) = github_with_command();
    for _ in 0..2 {
        github.add_fault(CREATE_COMMENT, Fault::TokenEnds);
    }
    let (home, server) = send_command_until(&github, event, "GitHub rejected the token");
    let server = restart_without_delays(&home, server);
    wait_for_jobs(&server, "done", 1);
    assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 2);
}

#[test]
fn rate_limited_job_waits_without_a_failed_attempt() {
    let (github, pull, event) = github_with_command();
    github.add_fault(CREATE_COMMENT, Fault::RetryAfter(0));
    github.add_fault(CREATE_COMMENT, Fault::RetryAfter(3600));
    let (home, server) =
        send_command_until(&github, event, "GitHub rate limit exceeded: wait 60 minutes");
    assert_eq!(read_job_column(&home, server, "(not_before - changed) / 1000"), 3600);
    let server = restart_without_delays(&home, home.start());
    wait_for_jobs(&server, "done", 1);
    assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 2);
    assert_eq!(read_job_column(&home, server, "attempts"), 1);
}

#[test]
fn comment_with_lost_response_is_published_once() {
    for fault in [Fault::After(502), Fault::ClosedAfter] {
        let (github, pull, event) = github_with_command();
        github.add_fault(CREATE_COMMENT, fault);
        send_command_until(&github, event, ONE_DONE_JOB);
        assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 2);
    }
}

#[test]
fn dispatch_with_lost_response_is_sent_once() {
    for fault in [Fault::After(502), Fault::ClosedAfter] {
        let github = github_with_failure(Some(SEARCH_WORKFLOW));
        let till = github.repo(REPO_NAME);
        let head = till.branch("main").unwrap();
        github.add_fault("repos/create-dispatch-event", fault);
        github.add_fault("checks/create", Fault::After(502));
        let (home, installation) = installed_server(&github);
        let server = home.start();
        send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
        assert!(wait_until(|| till.dispatches().len() == 1));
        wait_for_jobs(&server, "queued", 1);
        let id = till.dispatches()[0].payload["id"].as_str().unwrap().to_owned();
        till.add_workflow_run(WorkflowRun {
            title: format!("git-mend {id}"),
            event: "repository_dispatch".to_owned(),
            ..WorkflowRun::completed(9, "main", &head, "success")
        });
        let server = restart_without_delays(&home, server);
        wait_for_jobs(&server, "done", 1);
        assert_eq!(till.dispatches().len(), 1);
        assert_eq!(till.check_runs(&head).len(), 1);
    }
}

#[test]
fn publishing_fault_does_not_repeat_the_search() {
    for operation in ["git/create-ref", "pulls/create"] {
        let (github, head) = github_with_failed_test();
        let till = github.repo(REPO_NAME);
        let (home, installation) = installed_server(&github);
        let server = home.start();
        if server.has_logged("no sandbox works on this machine") {
            return report_skipped();
        }
        github.add_fault(operation, Fault::Closed);
        send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
        assert!(wait_until(|| server.has_logged("job did not complete")));
        wait_for_jobs(&server, "queued", 1);
        let fetches = github.request_count("git");
        let server = restart_without_delays(&home, server);
        wait_for_jobs(&server, "done", 1);
        assert_eq!(github.request_count("git"), fetches, "{operation}: cloned again");
        assert_eq!(till.pulls().len(), 1, "{operation}");
        let [_, check] = till.check_runs(&head).try_into().unwrap();
        assert_eq!(check.status, "completed", "{operation}");
        assert!(home.is_work_folder_empty(), "{operation}: a folder was left");
    }
}

#[test]
fn failing_job_is_given_up_after_five_attempts() {
    let (github, pull, event) = github_with_command();
    for _ in 0..5 {
        github.add_fault(CREATE_COMMENT, Fault::Closed);
    }
    let (home, mut server) = send_command_until(&github, event, "<dt>queued</dt><dd>1</dd>");
    for attempt in 1..=5 {
        assert!(wait_until(|| github.request_count(CREATE_COMMENT) == attempt));
        let state = if attempt == 5 { "failed" } else { "queued" };
        wait_for_jobs(&server, state, 1);
        server = restart_without_delays(&home, server);
    }
    wait_for_jobs(&server, "failed", 1);
    assert_eq!(github.request_count(CREATE_COMMENT), 5);
    assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 1, "only the command");
}
