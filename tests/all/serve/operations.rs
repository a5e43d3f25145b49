//! Tests of starting, monitoring and stopping the server.

use super::client::Request;
use super::server::{Server, ServerHome, WEBHOOK_SECRET};
use super::webhooks::failed_run_body;
use crate::support::CommandOutput;
use std::fs;

#[test]
fn health_metrics_and_status_pages_are_served() {
    let server = ServerHome::new().start();
    server.send(&Request::webhook("workflow_run", "d-1", failed_run_body(1, 3)));
    server.send(&Request::webhook("unheard_of", "d-2", "{}"));
    let health = server.send(&Request::get("/healthz"));
    assert_eq!((health.status, health.body.as_str()), (200, "ok\n"));
    let metrics = server.send(&Request::get("/metrics")).body;
    for line in [
        r#"git_mend_webhooks_total{event="workflow_run",outcome="queued"} 1"#,
        r#"git_mend_webhooks_total{event="other",outcome="ignored"} 1"#,
        r"git_mend_webhook_answer_seconds_count 2",
        "# EOF",
    ] {
        assert!(metrics.contains(line), "no {line} in\n{metrics}");
    }
    let page = server.send(&Request::get("/"));
    assert!(
        page.body.contains("octo-3/shop") && page.body.contains("main 0000000"),
        "{}",
        page.body
    );
    assert!(!page.body.contains("<script"));
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    assert!(page.head.contains("x-request-id: "), "{}", page.head);
    assert_eq!(server.send(&Request::get("/nothing")).status, 404);
    assert_eq!(server.send(&Request::get("/webhook")).status, 405);
}

#[test]
fn operations_pages_can_have_their_own_address() {
    let home = ServerHome::new();
    let server = Server::spawn(home.command().args(["--operations", "127.0.0.1:0"]));
    for path in ["/", "/metrics", "/reports/1"] {
        assert_eq!(server.send(&Request::get(path)).status, 404, "{path}");
    }
    assert_eq!(server.send(&Request::get("/healthz")).status, 200);
}

#[test]
fn stopped_server_exits_cleanly_and_logs_no_secrets() {
    let home = ServerHome::new();
    let server = home.start();
    server.send(&Request::webhook("workflow_run", "d-1", failed_run_body(1, 3)));
    let CommandOutput { code, stderr, .. } = server.stop();
    assert_eq!(code, 0, "{stderr}");
    let lines: Vec<serde_json::Value> =
        stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let accepted = lines.iter().find(|line| line["message"] == "accepted").unwrap();
    assert_eq!(accepted["delivery"], "d-1");
    assert_eq!(accepted["span"]["id"].as_str().unwrap().len(), 16);
    assert!(!stderr.contains(WEBHOOK_SECRET) && !stderr.contains("PRIVATE KEY"));
}

#[test]
fn missing_server_settings_are_reported() {
    let home = ServerHome::new();
    let run = |change: &dyn Fn(&mut std::process::Command)| -> CommandOutput {
        let mut command = home.command();
        change(&mut command);
        command.output().unwrap().into()
    };
    run(&|command| {
        command.env_remove("GIT_MEND_WEBHOOK_SECRET");
    })
    .assert_exit_and_stderr(2, &["the webhook secret is missing", "GIT_MEND_WEBHOOK_SECRET"]);
    run(&|command| {
        command.args(["--webhook-secret-file", "none"]);
    })
    .assert_exit_and_stderr(2, &["cannot read"]);
    let elsewhere =
        CommandOutput::from(ServerHome::with_api("github.com").command().output().unwrap());
    elsewhere.assert_exit_and_stderr(2, &["not the address of a GitHub"]);
    run(&|command| {
        command.args(["--jobs", "0"]);
    })
    .assert_exit_and_stderr(2, &["--jobs and --jobs-per-installation must not be 0"]);
    fs::write(home.path().join("app.pem"), "no key").unwrap();
    run(&|_| {}).assert_exit_and_stderr(2, &["not an RSA key in PEM"]);
}

#[test]
fn queue_is_locked_by_one_server() {
    let home = ServerHome::new();
    let server = home.start();
    let second = CommandOutput::from(home.command().output().unwrap());
    second.assert_exit_and_stderr(2, &["another process is using", "--database"]);
    server.kill();
    assert_eq!(home.start().stop().code, 0, "a killed one leaves no lock");
}
