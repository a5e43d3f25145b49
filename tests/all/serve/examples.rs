//! Tests that the server parses or deliberately ignores GitHub's example webhooks.

use mend_bot::webhook::event_payloads::WebhookEvent;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Events that the server ignores. The test fails for a new event. Workflow jobs (`workflow_job`) are covered by their
/// workflow run.
const IGNORED_EVENTS: [&str; 49] = [
    "branch_protection_rule",
    "code_scanning_alert",
    "commit_comment",
    "create",
    "delete",
    "dependabot_alert",
    "deploy_key",
    "deployment",
    "deployment_review",
    "deployment_status",
    "discussion",
    "discussion_comment",
    "fork",
    "github_app_authorization",
    "gollum",
    "issues",
    "label",
    "marketplace_purchase",
    "member",
    "membership",
    "meta",
    "milestone",
    "org_block",
    "organization",
    "package",
    "page_build",
    "ping",
    "project",
    "project_card",
    "project_column",
    "projects_v2_item",
    "public",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "release",
    "repository",
    "repository_dispatch",
    "repository_import",
    "repository_vulnerability_alert",
    "security_advisory",
    "sponsorship",
    "star",
    "status",
    "team",
    "team_add",
    "watch",
    "workflow_dispatch",
    "workflow_job",
];

fn webhook_examples() -> Vec<(String, Vec<Value>)> {
    let file = "tests/npm/node_modules/@octokit/webhooks-examples/api.github.com/index.json";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    assert!(file.exists(), "{} is not there: run scripts/setup", file.display());
    let text = std::fs::read(&file).unwrap();
    let families: Vec<Value> = serde_json::from_slice(&text).unwrap();
    let read = |family: &Value| {
        (
            family["name"].as_str().unwrap().to_owned(),
            family["examples"].as_array().unwrap().clone(),
        )
    };
    families.iter().map(read).collect()
}

#[test]
fn github_webhook_examples_are_parsed_or_ignored() {
    let mut counts = BTreeMap::new();
    for (name, examples) in webhook_examples() {
        for example in examples {
            let event = WebhookEvent::parse(&name, example.to_string().as_bytes());
            let event = event.unwrap_or_else(|error| panic!("{name}: {error}\n{example:#}"));
            let is_ignored = matches!(event, WebhookEvent::Unused);
            assert_eq!(is_ignored, IGNORED_EVENTS.contains(&name.as_str()), "{name}");
            *counts.entry(is_ignored).or_insert(0) += 1;
        }
    }
    assert_eq!((counts[&false], counts[&true]), (80, 249));
}

#[test]
fn account_rename_event_is_ignored() {
    let renamed = br#"{ "action": "renamed", "target_type": "Organization", "account": { "id": 1, "login": "new" },
        "changes": { "login": { "from": "old" } }, "installation": { "id": 3 } }"#;
    assert!(matches!(
        WebhookEvent::parse("installation_target", renamed).unwrap(),
        WebhookEvent::Unused
    ));
}
