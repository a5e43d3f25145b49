//! Check run for a merge queue.

use super::jobs::{MOST_REQUESTS, barren, killed_at, outcome, send, served, waits_for};
use crate::github::{CheckRun, FakeGithub, Fault, Hold};
use crate::github_client::TILL;
use crate::support::git;
use serde_json::{Value, json};

/// A GitHub whose merge queue waits for the checks of a commit, that commit, and the webhook that says so.
fn queued() -> (FakeGithub, String, Value) {
    let github = barren();
    let till = github.repo(TILL);
    let (base, branch) = (till.branch("main").unwrap(), "gh-readonly-queue/main/pr-9-0");
    let group = git(&till.path(), &["commit-tree", "-p", &base, "-m", "nine", "main^{tree}"]);
    git(&till.path(), &["branch", branch, &group]);
    let webhook = json!({ "action": "checks_requested", "merge_group": {
        "head_sha": group, "head_ref": format!("refs/heads/{branch}"), "base_sha": base,
        "base_ref": "refs/heads/main",
    } });
    (github, group, webhook)
}

/// Asserts that the group is let through by one check run, and that nothing is said of what it is put on top of.
fn assert_let_through(github: &FakeGithub, group: &str, when: &str) -> CheckRun {
    let till = github.repo(TILL);
    let of_group = till.check_runs(group);
    assert_eq!(of_group.len(), 1, "{when}: {:?}", github.operations());
    assert!(till.check_runs(&till.branch("main").unwrap()).is_empty(), "{when}");
    let check = of_group.into_iter().next().unwrap();
    assert_eq!(check.name, "git-mend", "{when}");
    assert_eq!(check.statuses, ["completed"], "{when}");
    assert_eq!(check.conclusion.as_deref(), Some("success"), "{when}");
    check
}

#[test]
fn a_merge_queue_is_told_once_that_nothing_is_against_its_group_however_often_it_asks() {
    let (github, group, webhook) = queued();
    let (home, installation) = served(&github);
    let server = home.start();
    send(&server, installation, "d-1", "merge_group", webhook.clone());
    waits_for(&server, "done", 1);
    for delivery in ["d-1", "d-2"] {
        let again = outcome(&server, installation, delivery, "merge_group", webhook.clone());
        assert_eq!(again, "duplicate", "{delivery}");
    }
    assert_eq!(server.end().code, 0);
    let check = assert_let_through(&github, &group, "told again");
    assert_eq!(check.title, "No search needed");
    assert_eq!(github.count("checks/create"), 1);
    assert_eq!(github.granted(), ["checks:write metadata:read".to_owned()].into());
}

#[test]
fn a_merge_queue_whose_answer_is_lost_is_told_once() {
    for fault in [Fault::After(502), Fault::ClosedAfter] {
        let when = format!("{fault:?}");
        let (github, group, webhook) = queued();
        github.fault("checks/create", fault);
        let (home, installation) = served(&github);
        let server = home.start();
        send(&server, installation, "d-1", "merge_group", webhook);
        waits_for(&server, "done", 1);
        assert_let_through(&github, &group, &when);
        assert_eq!(github.count("checks/create"), 1, "{when}");
    }
}

#[test]
fn a_server_that_is_killed_at_any_request_tells_a_merge_queue_once() {
    let is_killed_at = |request: &usize| {
        let (github, group, webhook) = queued();
        let is_killed = killed_at(&github, (*request, Hold::After), ("merge_group", webhook));
        assert_let_through(&github, &group, &request.to_string());
        is_killed
    };
    assert!((0..MOST_REQUESTS).take_while(is_killed_at).count() > 2);
}
