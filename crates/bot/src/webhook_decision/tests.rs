#![allow(clippy::needless_pass_by_value, reason = "a table of cases reads better so")]

use super::*;
use crate::webhook::Delivery;
use serde_json::{Value, json};

const APP: AppId = AppId(7);
const OLD_COMMIT: &str = "1111111111111111111111111111111111111111";
const NEW_COMMIT: &str = "2222222222222222222222222222222222222222";

/// Returns the effects of an event as one line of text.
fn effect_of(event: &str, body: Value) -> String {
    let mut payload = json!({
        "repository": { "full_name": "octo/shop", "default_branch": "main" },
        "installation": { "id": 3 },
    });
    payload.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    let delivery = Delivery { id: "d-1".to_owned().try_into().unwrap(), event: event.to_owned() };
    match decide(
        APP,
        &delivery,
        &WebhookEvent::parse(event, payload.to_string().as_bytes()).unwrap(),
    ) {
        Decision::Ignore(reason) => reason.to_owned(),
        Decision::Change(effects) => describe_changes(&effects),
    }
}

fn describe_changes(effects: &QueueChanges) -> String {
    let job = effects.job.iter().map(|job| {
        let pull = job.subject.pull.map_or(String::new(), |pull| format!(" #{pull}"));
        format!("{}{pull}, {}", job.task.kind(), job.key)
    });
    let cancel = effects.cancel.iter().map(|selection| {
        let branch = selection.branch.as_ref().map_or("", |branch| branch.as_str());
        let sha = selection.sha.as_ref().map_or("", |sha| &sha.0[..1]);
        let pull = selection.pull.map_or(String::new(), |pull| format!("#{pull}"));
        let waiting = if selection.only_waiting { " if waiting" } else { "" };
        format!("cancel {branch}{pull}@{sha}{waiting}")
    });
    let status = effects.installation_change.iter().map(|change| format!("{:?}", change.status));
    job.chain(status).chain(cancel).collect::<Vec<_>>().join("; ")
}

fn run_payload(changes: Value) -> Value {
    let mut run = json!({
        "id": 100, "workflow_id": 5, "run_attempt": 1, "event": "push", "conclusion": "failure",
        "head_branch": "main", "head_sha": OLD_COMMIT, "head_repository": { "full_name": "octo/shop" },
    });
    run.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    json!({ "action": "completed", "workflow_run": run })
}

#[test]
fn failed_runs_of_default_branch_and_pulls_are_searched() {
    let pull = json!([{ "number": 9, "head": { "sha": OLD_COMMIT } }]);
    let stale = json!([{ "number": 9, "head": { "sha": NEW_COMMIT } }]);
    let fork = json!({ "full_name": "mona/shop" });
    let key = format!("search/octo/shop/5/{OLD_COMMIT}/1");
    for (changes, leads) in [
        (json!({}), format!("search, {key}")),
        (json!({ "conclusion": "timed_out" }), format!("search, {key}")),
        (json!({ "conclusion": "success" }), "settle, settle/octo/shop/run/100/1".to_owned()),
        (
            json!({ "conclusion": "success", "head_branch": "topic" }),
            "settle, settle/octo/shop/run/100/1".to_owned(),
        ),
        (
            json!({ "conclusion": "success", "head_branch": "topic", "event": "pull_request" }),
            "settle, settle/octo/shop/run/100/1".to_owned(),
        ),
        (
            json!({ "conclusion": "success", "head_branch": "topic", "event": "pull_request",
                "head_repository": fork }),
            "settle, settle/octo/shop/run/100/1".to_owned(),
        ),
        (
            json!({ "conclusion": "success", "event": "merge_group",
                "head_branch": "gh-readonly-queue/main/pr-1" }),
            "settle, settle/octo/shop/run/100/1".to_owned(),
        ),
        (json!({ "run_attempt": 2 }), format!("search, search/octo/shop/5/{OLD_COMMIT}/2")),
        (json!({ "head_branch": "topic", "pull_requests": pull }), format!("search #9, {key}")),
        (
            json!({ "event": "pull_request", "head_branch": "topic", "pull_requests": pull }),
            format!("search #9, {key}"),
        ),
        (json!({ "event": "pull_request", "head_repository": fork }), format!("search, {key}")),
        (
            json!({ "event": "merge_group", "head_branch": "gh-readonly-queue/main/pr-1" }),
            format!("search, {key}"),
        ),
    ] {
        assert_eq!(effect_of("workflow_run", run_payload(changes.clone())), leads, "{changes}");
    }
    for (changes, reason) in [
        (json!({ "conclusion": "success", "event": "pull_request" }), "no check failed"),
        (
            json!({ "conclusion": "success", "head_branch": "git-mend/fix-1" }),
            "the workflow run is on a branch of git-mend",
        ),
        (json!({ "conclusion": "cancelled" }), "the workflow run has no result for the code"),
        (json!({ "conclusion": null }), "the workflow run has no result for the code"),
        (json!({ "conclusion": "of another age" }), "the workflow run has no result for the code"),
        (json!({ "head_branch": "topic" }), "not on the default branch or a pull request"),
        (
            json!({ "head_branch": "topic", "pull_requests": stale }),
            "not on the default branch or a pull request",
        ),
        (json!({ "head_repository": fork }), "not on the default branch or a pull request"),
        (json!({ "head_branch": null }), "the workflow run has no branch"),
        (json!({ "head_branch": "git-mend/fix-1" }), "the workflow run is on a branch of git-mend"),
        (json!({ "event": "repository_dispatch" }), "git-mend may have started this workflow run"),
    ] {
        assert_eq!(effect_of("workflow_run", run_payload(changes.clone())), reason, "{changes}");
    }
}

#[test]
fn unknown_event_or_missing_installation_is_ignored() {
    let mut body = run_payload(json!({}));
    body["installation"] = Value::Null;
    assert_eq!(effect_of("workflow_run", body), "the event has no installation");
    assert_eq!(effect_of("star", json!({})), "git-mend does not use this event");
}

#[test]
fn checks_of_other_apps_are_searched() {
    let suite = |app: Value, action: &str| {
        json!({ "action": action, "check_suite": {
            "id": 50, "head_branch": "main", "head_sha": OLD_COMMIT, "conclusion": "failure", "app": app,
        } })
    };
    let other = || json!({ "id": 1, "slug": "other-ci" });
    for (app, action, leads) in [
        (other(), "completed", "search, search/octo/shop/suite/50"),
        (
            json!({ "id": 2, "slug": "github-actions" }),
            "completed",
            "the workflow run event covers these checks",
        ),
        (json!({ "id": 7 }), "completed", "the checks belong to git-mend"),
        (json!({ "id": 7 }), "rerequested", "button, button/d-1"),
        (other(), "rerequested", "the checks belong to another App"),
        (other(), "requested", "the checks have not completed"),
    ] {
        assert_eq!(effect_of("check_suite", suite(app, action)), leads);
    }
    for (branch, conclusion, leads) in [
        ("main", "success", "settle, settle/octo/shop/suite/50/d-1"),
        ("topic", "success", "settle, settle/octo/shop/suite/50/d-1"),
        ("gh-readonly-queue/main/pr-1", "success", "settle, settle/octo/shop/suite/50/d-1"),
        ("git-mend/fix-1", "success", "the checks are on a branch of git-mend"),
        ("main", "neutral", "no check failed"),
        ("topic", "failure", "not on the default branch or a pull request"),
    ] {
        let mut body = suite(other(), "completed");
        body["check_suite"]["head_branch"] = json!(branch);
        body["check_suite"]["conclusion"] = json!(conclusion);
        assert_eq!(effect_of("check_suite", body), leads);
    }
}

#[test]
fn own_check_run_has_buttons() {
    let check = |app: u64, action: &str, identifier: Option<&str>| {
        json!({ "action": action, "requested_action": identifier.map(|identifier| json!({ "identifier": identifier })),
            "check_run": { "id": 60, "head_sha": OLD_COMMIT, "check_suite": { "head_branch": "main" }, "app": { "id": app } } })
    };
    for (body, leads) in [
        (check(7, "rerequested", None), "button, button/d-1"),
        (check(7, "requested_action", Some("fix")), "button, button/d-1"),
        (check(7, "requested_action", Some("dance")), "not a button of git-mend"),
        (check(7, "completed", None), "not a request to git-mend"),
        (check(8, "rerequested", None), "the check belongs to another App"),
    ] {
        assert_eq!(effect_of("check_run", body), leads);
    }
}

#[test]
fn updated_or_closed_pull_cancels_its_jobs() {
    let pull = |action: &str, branch: &str| {
        json!({ "action": action, "number": 9, "before": OLD_COMMIT, "after": NEW_COMMIT, "pull_request": {
            "head": { "ref": branch, "sha": NEW_COMMIT, "repo": { "full_name": "octo/shop" } },
        } })
    };
    assert_eq!(
        effect_of("pull_request", pull("synchronize", "topic")),
        "cancel topic@1; cancel #9@1"
    );
    assert_eq!(effect_of("pull_request", pull("closed", "topic")), "cancel topic@2; cancel #9@");
    assert_eq!(effect_of("pull_request", pull("closed", "main")), "cancel #9@");
    let mut fork = pull("closed", "main");
    fork["pull_request"]["head"]["repo"]["full_name"] = json!("mona/shop");
    assert_eq!(effect_of("pull_request", fork), "cancel main@2; cancel #9@");
    let mut merged = pull("closed", "main");
    merged["pull_request"]["merged"] = json!(true);
    let settled = "settle #9, settle/octo/shop/pull/9; cancel #9@";
    assert_eq!(effect_of("pull_request", merged), settled);
    assert_eq!(
        effect_of("pull_request", pull("labeled", "topic")),
        "the head commit did not change"
    );
}

#[test]
fn push_cancels_jobs_except_running_default_branch_search() {
    let push = |name: &str, deleted: bool| json!({ "ref": name, "before": OLD_COMMIT, "after": NEW_COMMIT, "deleted": deleted });
    assert_eq!(effect_of("push", push("refs/heads/topic", false)), "cancel topic@1");
    assert_eq!(effect_of("push", push("refs/heads/main", false)), "cancel main@1 if waiting");
    assert_eq!(effect_of("push", push("refs/heads/main", true)), "cancel main@1");
    assert_eq!(effect_of("push", push("refs/tags/v1", false)), "not a branch");
}

#[test]
fn pushed_revert_queues_a_settle_job() {
    let message = |text: &str| json!([{ "message": "x" }, { "message": text }]);
    let push = |commits: Value, deleted: bool| json!({ "ref": "refs/heads/main", "before": OLD_COMMIT, "after": NEW_COMMIT, "deleted": deleted, "commits": commits });
    let reverts = || message(&format!("Revert \"x\"\n\nThis reverts commit {OLD_COMMIT}."));
    let cancelled = "cancel main@1";
    assert_eq!(
        effect_of("push", push(reverts(), false)),
        format!("settle, settle/octo/shop/push/{NEW_COMMIT}; {cancelled} if waiting")
    );
    assert_eq!(effect_of("push", push(reverts(), true)), cancelled);
    assert_eq!(effect_of("push", push(message("y"), false)), format!("{cancelled} if waiting"));
}

#[test]
fn users_can_give_commands_on_pull_requests() {
    let comment = |action: &str, kind: &str, body: &str, is_pull: bool| {
        let pull = is_pull.then(|| json!({ "url": "https://example.org" }));
        json!({ "action": action, "issue": { "number": 9, "pull_request": pull },
            "comment": { "id": 70, "body": body, "user": { "login": "mona", "type": kind } } })
    };
    for (body, leads) in [
        (comment("created", "User", "/mend fix", true), "command #9, comment/octo/shop/70"),
        (comment("edited", "User", "/mend fix", true), "commands are read from new comments only"),
        (comment("created", "Bot", "/mend fix", true), "only users can give commands"),
        (comment("created", "User", "> /mend fix", true), "the comment has no command"),
        (comment("created", "User", "/mend fix", false), "commands work on pull requests only"),
    ] {
        assert_eq!(effect_of("issue_comment", body), leads);
    }
}

#[test]
fn merge_group_passes_and_its_removal_cancels_no_job() {
    let group = |action: &str| {
        json!({ "action": action, "merge_group": {
            "head_sha": NEW_COMMIT, "head_ref": "refs/heads/gh-readonly-queue/main/pr-9", "base_sha": OLD_COMMIT,
        } })
    };
    assert_eq!(
        effect_of("merge_group", group("checks_requested")),
        format!("pass_merge_group, merge_group/octo/shop/{NEW_COMMIT}")
    );
    assert_eq!(effect_of("merge_group", group("destroyed")), "the merge group was removed");
    let deleted = json!({ "ref": "refs/heads/gh-readonly-queue/main/pr-9", "before": NEW_COMMIT, "after": OLD_COMMIT, "deleted": true });
    assert_eq!(effect_of("push", deleted), "the branch belongs to a merge queue");
}

#[test]
fn installation_events_change_the_status() {
    let installation = |action: &str| json!({ "action": action, "installation": { "id": 3, "updated_at": 1_600_000_000 } });
    assert_eq!(effect_of("installation", installation("created")), "Active");
    assert_eq!(effect_of("installation", installation("suspend")), "Suspended; cancel @");
    assert_eq!(effect_of("installation", installation("deleted")), "Deleted; cancel @");
    let removed = json!({ "installation": { "id": 3, "updated_at": "2020-01-01T00:00:00Z" },
        "repositories_removed": [{ "full_name": "octo/shop" }] });
    assert_eq!(effect_of("installation_repositories", removed), "cancel @");
}
