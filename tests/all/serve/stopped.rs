//! Stopping a server that has work, and cancelling a running job.

use super::jobs::{
    WORKFLOW, comment, failed_run, github, not_tested, outcome, send, served, waits_for,
};
use super::server::ServerHome;
use crate::github::{Access, FakeGithub};
use crate::github_client::TILL;
use crate::support::{commit, eventually, git, repository};
use rusqlite::Connection;
use serde_json::json;
use std::fs;

#[test]
fn a_server_that_is_told_to_stop_finishes_what_it_is_at() {
    let github = github(Some(WORKFLOW));
    let (home, installation) = served(&github);
    let alice = github.user("alice", Access::Write);
    let till = github.repo(TILL);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let id = till.comment(&alice, pull, "/mend explain");
    let server = home.start();
    let hostage = github.hold_after("issues/create-comment", 0);
    let asked = comment("/mend explain", "alice", pull, id);
    send(&server, installation, "d-1", "issue_comment", asked);
    assert!(eventually(|| hostage.is_there()));
    server.ask_to_end();
    assert!(eventually(|| server.logs("stopping: no new jobs")));
    drop(hostage);
    assert_eq!(server.wait().code, 0);
    assert_eq!(till.comments(pull).len(), 2);
    let queue = Connection::open(home.queue()).unwrap();
    let state: String = queue.query_row("select state from jobs", [], |row| row.get(0)).unwrap();
    assert_eq!(state, "done");
}

/// Creates a GitHub with a pull request whose test hangs.
fn endless() -> (FakeGithub, u64) {
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
    github.add_repo(TILL, source.path());
    let alice = github.user("alice", Access::Write);
    let pull = github.repo(TILL).open_pull(&alice, "topic", "topic", "main");
    (github, pull)
}

/// The processes, in whichever sandbox, that were started for a job of this server, by what they were called with.
fn at_work(home: &ServerHome) -> Vec<String> {
    let place = home.work();
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let called = processes.map(|process| fs::read(process.join("cmdline")).unwrap_or_default());
    let called = called.map(|words| String::from_utf8_lossy(&words).replace('\0', " "));
    called.filter(|words| words.contains(place.to_str().unwrap())).collect()
}

#[test]
fn nothing_goes_on_of_a_search_whose_branch_has_moved_on() {
    let (github, pull) = endless();
    let till = github.repo(TILL);
    let head = till.branch("topic").unwrap();
    let (home, installation) = served(&github);
    let server = home.start();
    let mut run = failed_run(&github);
    run["workflow_run"]["event"] = json!("pull_request");
    run["workflow_run"]["head_branch"] = json!("topic");
    run["workflow_run"]["head_sha"] = json!(head);
    run["workflow_run"]["pull_requests"] = json!([{ "number": pull, "head": { "sha": head } }]);
    send(&server, installation, "d-1", "workflow_run", run);
    let is_testing =
        || at_work(&home).iter().any(|words| words.contains("gitmend.state.TestServer"));
    if server.logs("no sandbox works on this machine") {
        waits_for(&server, "failed", 1);
        return not_tested();
    }
    assert!(eventually(is_testing), "{:?}", at_work(&home));
    let moved = json!({ "action": "synchronize", "number": pull, "before": head, "after": "1".repeat(40),
        "pull_request": { "head": { "ref": "topic", "sha": "1".repeat(40), "repo": { "full_name": TILL } } } });
    assert_eq!(outcome(&server, installation, "d-2", "pull_request", moved), "done");
    waits_for(&server, "cancelled", 1);
    assert!(eventually(|| at_work(&home).is_empty()), "{:?}", at_work(&home));
    assert!(eventually(|| home.is_swept()), "its folder stays");
    let is_over = || till.check_runs(&head).iter().all(|check| check.status == "completed");
    assert!(eventually(is_over));
    assert!(till.comments(pull).is_empty());
}
