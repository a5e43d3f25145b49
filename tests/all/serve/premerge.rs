//! Tests of the check run for a merge queue.

use super::jobs::{
    MAX_REQUESTS_PER_JOB, github_without_sources, installed_server, kill_at_request, send_queued,
    send_webhook, wait_for_jobs,
};
use crate::github::{CheckRun, FakeGithub, Fault, Hold};
use crate::github_client::REPO_NAME;
use crate::support::git;
use serde_json::{Value, json};

/// Creates a GitHub whose merge queue waits for the checks of a commit. Returns the commit and the webhook too.
fn github_with_merge_group() -> (FakeGithub, String, Value) {
    let github = github_without_sources();
    let till = github.repo(REPO_NAME);
    let (base, branch) = (till.branch("main").unwrap(), "gh-readonly-queue/main/pr-9-0");
    let group = git(&till.path(), &["commit-tree", "-p", &base, "-m", "nine", "main^{tree}"]);
    git(&till.path(), &["branch", branch, &group]);
    let webhook = json!({ "action": "checks_requested", "merge_group": {
        "head_sha": group, "head_ref": format!("refs/heads/{branch}"), "base_sha": base,
        "base_ref": "refs/heads/main",
    } });
    (github, group, webhook)
}

/// Asserts that one successful check run exists for the merge group, and none for its base.
fn assert_group_passes(github: &FakeGithub, group: &str, when: &str) -> CheckRun {
    let till = github.repo(REPO_NAME);
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
fn merge_group_gets_one_passing_check() {
    let (github, group, webhook) = github_with_merge_group();
    let (home, installation) = installed_server(&github);
    let server = home.start();
    send_queued(&server, installation, "d-1", "merge_group", webhook.clone());
    wait_for_jobs(&server, "done", 1);
    for delivery in ["d-1", "d-2"] {
        let second_outcome =
            send_webhook(&server, installation, delivery, "merge_group", webhook.clone());
        assert_eq!(second_outcome, "duplicate", "{delivery}");
    }
    assert_eq!(server.stop().code, 0);
    let check = assert_group_passes(&github, &group, "told again");
    assert_eq!(check.title, "No search needed");
    assert_eq!(github.request_count("checks/create"), 1);
    assert_eq!(github.granted_permissions(), ["checks:write metadata:read".to_owned()].into());
}

#[test]
fn merge_group_check_with_lost_response_is_created_once() {
    for fault in [Fault::After(502), Fault::ClosedAfter] {
        let when = format!("{fault:?}");
        let (github, group, webhook) = github_with_merge_group();
        github.add_fault("checks/create", fault);
        let (home, installation) = installed_server(&github);
        let server = home.start();
        send_queued(&server, installation, "d-1", "merge_group", webhook);
        wait_for_jobs(&server, "done", 1);
        assert_group_passes(&github, &group, &when);
        assert_eq!(github.request_count("checks/create"), 1, "{when}");
    }
}

#[test]
fn merge_group_check_is_created_once_despite_kills() {
    let is_killed_at = |request: &usize| {
        let (github, group, webhook) = github_with_merge_group();
        let is_killed = kill_at_request(&github, (*request, Hold::After), ("merge_group", webhook));
        assert_group_passes(&github, &group, &request.to_string());
        is_killed
    };
    assert!((0..MAX_REQUESTS_PER_JOB).take_while(is_killed_at).count() > 2);
}
