//! Tests of stopping a server with running jobs, and of cancelling a running job.

use super::jobs::{
    SEARCH_WORKFLOW, comment_event, failed_run_event, github_with_failure, installed_server,
    report_skipped, send_queued, send_webhook, wait_for_jobs,
};
use super::server::ServerHome;
use crate::github::{Access, FakeGithub};
use crate::github_client::REPO_NAME;
use crate::support::{commit, git, repository, wait_until};
use rusqlite::Connection;
use serde_json::json;
use std::fs;

#[test]
fn stopping_server_finishes_its_jobs() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (home, installation) = installed_server(&github);
    let alice = github.user("alice", Access::Write);
    let till = github.repo(REPO_NAME);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let id = till.add_comment(&alice, pull, "/mend explain");
    let server = home.start();
    let blocked_request = github.block_after_operation("issues/create-comment", 0);
    let event = comment_event("/mend explain", "alice", pull, id);
    send_queued(&server, installation, "d-1", "issue_comment", event);
    assert!(wait_until(|| blocked_request.has_arrived()));
    server.request_stop();
    assert!(wait_until(|| server.has_logged("stopping: no new jobs")));
    drop(blocked_request);
    assert_eq!(server.wait().code, 0);
    assert_eq!(till.comments(pull).len(), 2);
    let queue = Connection::open(home.queue_file()).unwrap();
    let state: String = queue.query_row("select state from jobs", [], |row| row.get(0)).unwrap();
    assert_eq!(state, "done");
}

/// Creates a GitHub with a pull request whose test hangs.
fn github_with_hanging_test() -> (FakeGithub, u64) {
    let source = repository();
    let test = "public class TillTest { public static void main(String[] a) throws Exception { \
                Thread.sleep(Till.PAUSE); } }";
    let till =
        |pause: u64| format!("public class Till {{\n    static long PAUSE = {pause}L;\n}}\n");
    let (code, test) =
        ("src/main/java/Till.java", ("src/test/java/TillTest.java", test.to_owned()));
    commit(source.path(), "one", &[(code, till(1)), test]);
    git(source.path(), &["checkout", "-q", "-b", "topic"]);
    commit(source.path(), "two", &[(code, till(1_000_000_000))]);
    git(source.path(), &["checkout", "-q", "main"]);
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, source.path());
    let alice = github.user("alice", Access::Write);
    let pull = github.repo(REPO_NAME).open_pull(&alice, "topic", "topic", "main");
    (github, pull)
}

/// Returns the command lines of all processes of a server's jobs, in any sandbox.
fn job_processes(home: &ServerHome) -> Vec<String> {
    let work_folder = home.work_folder();
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let called = processes.map(|process| fs::read(process.join("cmdline")).unwrap_or_default());
    let called = called.map(|words| String::from_utf8_lossy(&words).replace('\0', " "));
    called.filter(|words| words.contains(work_folder.to_str().unwrap())).collect()
}

#[test]
fn search_of_outdated_branch_is_stopped() {
    let (github, pull) = github_with_hanging_test();
    let till = github.repo(REPO_NAME);
    let head = till.branch("topic").unwrap();
    let (home, installation) = installed_server(&github);
    let server = home.start();
    let mut run = failed_run_event(&github);
    run["workflow_run"]["event"] = json!("pull_request");
    run["workflow_run"]["head_branch"] = json!("topic");
    run["workflow_run"]["head_sha"] = json!(head);
    run["workflow_run"]["pull_requests"] = json!([{ "number": pull, "head": { "sha": head } }]);
    send_queued(&server, installation, "d-1", "workflow_run", run);
    let is_testing =
        || job_processes(&home).iter().any(|words| words.contains("gitmend.testserver.TestServer"));
    if server.has_logged("no sandbox works on this machine") {
        wait_for_jobs(&server, "failed", 1);
        return report_skipped();
    }
    assert!(wait_until(is_testing), "{:?}", job_processes(&home));
    let moved = json!({ "action": "synchronize", "number": pull, "before": head, "after": "1".repeat(40),
        "pull_request": { "head": { "ref": "topic", "sha": "1".repeat(40), "repo": { "full_name": REPO_NAME } } } });
    assert_eq!(send_webhook(&server, installation, "d-2", "pull_request", moved), "done");
    wait_for_jobs(&server, "cancelled", 1);
    assert!(wait_until(|| job_processes(&home).is_empty()), "{:?}", job_processes(&home));
    assert!(wait_until(|| home.is_work_folder_empty()), "its folder stays");
    let is_over = || till.check_runs(&head).iter().all(|check| check.status == "completed");
    assert!(wait_until(is_over));
    assert!(till.comments(pull).is_empty());
}
