//! Tests of accepted and rejected webhooks.

use super::client::{Request, sign_body};
use super::server::ServerHome;
use serde_json::{Value, json};

/// Maximum body size in bytes.
const MAX_BODY_BYTES: usize = 25 * 1024 * 1024;

/// Returns the body of a failed workflow run on the default branch.
pub(super) fn failed_run_body(number: u64, installation: u64) -> String {
    json!({
        "action": "completed",
        "workflow_run": {
            "id": number, "workflow_id": 5, "run_attempt": 1, "event": "push", "conclusion": "failure",
            "head_branch": "main", "head_sha": format!("{number:040x}"),
            "head_repository": { "full_name": format!("octo-{installation}/shop") },
        },
        "repository": { "full_name": format!("octo-{installation}/shop"), "default_branch": "main" },
        "installation": { "id": installation },
    })
    .to_string()
}

#[test]
fn duplicate_webhook_is_queued_once() {
    let (home, body) = (ServerHome::new(), failed_run_body(1, 3));
    let server = home.start();
    let first = server.send(&Request::webhook("workflow_run", "d-1", body.as_str()));
    assert_eq!((first.status, first.outcome().as_str()), (202, "queued"));
    let second_answer = server.send(&Request::webhook("workflow_run", "d-1", body.as_str()));
    assert_eq!((second_answer.status, second_answer.outcome().as_str()), (202, "duplicate"));
    let other = server.send(&Request::webhook("workflow_run", "d-2", body.as_str()));
    assert_eq!((other.status, other.outcome().as_str()), (202, "duplicate"));
    assert_eq!(server.stop().code, 0);
    let server = home.start();
    let later = server.send(&Request::webhook("workflow_run", "d-1", body));
    assert_eq!((later.status, later.outcome().as_str()), (202, "duplicate"), "after a restart");
}

#[test]
fn unrelated_events_are_ignored() {
    let server = ServerHome::new().start();
    for (event, body) in [("ping", "{\"zen\":\"\"}"), ("star", "not even JSON")] {
        let answer = server.send(&Request::webhook(event, "d-1", body));
        assert_eq!((answer.status, answer.outcome().as_str()), (202, "ignored"), "{event}");
    }
}

#[test]
fn forged_webhook_is_rejected_without_reason() {
    let server = ServerHome::new().start();
    let good = Request::webhook("workflow_run", "d-1", failed_run_body(1, 3));
    let signature = "X-Hub-Signature-256";
    let other = sign_body(b"something else");
    let mut changed = good.clone();
    changed.body[20] ^= 1;
    let forged = [
        good.clone().with_header(signature, None),
        good.clone().with_header(signature, Some("sha256=")),
        good.clone().with_header(signature, Some(&other)),
        good.clone().with_header(signature, None).with_header("X-Hub-Signature", Some("sha1=00")),
        changed,
    ];
    for request in forged {
        let answer = server.send(&request);
        assert_eq!((answer.status, answer.body.as_str()), (401, r#"{"outcome":"forged"}"#));
    }
    assert_eq!(server.send(&good).outcome(), "queued");
}

#[test]
fn malformed_webhook_is_rejected() {
    let server = ServerHome::new().start();
    let good = Request::webhook("workflow_run", "d-1", failed_run_body(1, 3));
    for request in [
        good.clone().with_header("X-GitHub-Delivery", None),
        good.clone().with_header("X-GitHub-Delivery", Some("../../etc")),
        good.clone().with_header("X-GitHub-Event", None),
        good.clone().with_header("Content-Type", Some("application/x-www-form-urlencoded")),
        Request::webhook("workflow_run", "d-1", "{"),
        Request::webhook("workflow_run", "d-1", "[]"),
        Request::webhook("workflow_run", "d-1", "[".repeat(100_000)),
    ] {
        let answer = server.send(&request);
        assert_eq!(
            (answer.status, answer.outcome().as_str()),
            (400, "malformed"),
            "{}",
            answer.body
        );
    }
}

#[test]
fn truncated_or_oversized_body_is_rejected() {
    let server = ServerHome::new().start();
    let good = Request::webhook("workflow_run", "d-1", failed_run_body(1, 3));
    let cut = good.send_truncated(server.address, good.body.len() / 2);
    assert!(cut.is_err() || cut.unwrap().status == 400);
    let large = (MAX_BODY_BYTES + 1).to_string();
    let answer = server.send(&good.clone().with_header("Content-Length", Some(&large)));
    assert_eq!((answer.status, answer.outcome().as_str()), (413, "too large"));
    assert_eq!(server.send(&good).outcome(), "queued");
}

#[test]
fn chunked_body_has_the_same_size_limit() {
    let server = ServerHome::new().start();
    let body = failed_run_body(1, 3);
    let largest = format!("{body}{}", " ".repeat(MAX_BODY_BYTES - body.len()));
    for (delivery, body, outcome) in [("d-1", &body, "queued"), ("d-2", &largest, "duplicate")] {
        let request = Request::webhook("workflow_run", delivery, body.as_str());
        let mut request = request.with_header("Transfer-Encoding", Some("chunked"));
        request.body = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes();
        assert_eq!(server.send(&request).outcome(), outcome);
    }
    let request = Request::webhook("workflow_run", "d-3", body.as_str());
    let mut request = request.with_header("Transfer-Encoding", Some("chunked"));
    // The body is incomplete, so that the response is not lost: a response may be lost if the server does not read the
    // whole body.
    request.body = format!("{MAX_BODY_BYTES:x}\r\n{largest}\r\n1\r\n ").into_bytes();
    let answer = server.send(&request);
    assert_eq!((answer.status, answer.outcome().as_str()), (413, "too large"));
}

#[test]
fn out_of_order_pushes_cancel_no_newer_job() {
    let server = ServerHome::new().start();
    let push = |before: u64| {
        let [before, after] = [before, before + 1].map(|commit| format!("{commit:040x}"));
        json!({ "ref": "refs/heads/main", "before": before, "after": after, "deleted": false,
            "repository": { "full_name": "octo-3/shop", "default_branch": "main" }, "installation": { "id": 3 } })
    };
    assert_eq!(
        server.send(&Request::webhook("workflow_run", "d-3", failed_run_body(3, 3))).outcome(),
        "queued"
    );
    assert_eq!(
        server.send(&Request::webhook("push", "d-2", push(2).to_string())).outcome(),
        "done"
    );
    assert_eq!(
        server.send(&Request::webhook("push", "d-1", push(1).to_string())).outcome(),
        "done"
    );
    let page = server.send(&Request::get("/"));
    assert!(page.body.contains("<dt>cancelled</dt><dd>0</dd>"), "{}", page.body);
}

#[test]
fn own_commits_and_comments_start_nothing() {
    let server = ServerHome::new().start();
    let repository = json!({ "full_name": "octo-3/shop", "default_branch": "main" });
    let mut run: Value = serde_json::from_str(&failed_run_body(1, 3)).unwrap();
    run["workflow_run"]["head_branch"] = json!("git-mend/87914ddf3a-TillTest-a1b2c3");
    run["workflow_run"]["pull_requests"] =
        json!([{ "number": 9, "head": { "sha": run["workflow_run"]["head_sha"] } }]);
    let comment = json!({ "action": "created", "issue": { "number": 9, "pull_request": {} },
        "comment": { "id": 1, "body": "/mend fix", "user": { "login": "mend[bot]", "type": "Bot" } },
        "repository": repository, "installation": { "id": 3 } });
    for (delivery, event, body) in [("d-1", "workflow_run", run), ("d-2", "issue_comment", comment)]
    {
        let answer = server.send(&Request::webhook(event, delivery, body.to_string()));
        assert_eq!((answer.status, answer.outcome().as_str()), (202, "ignored"), "{event}");
    }
}
