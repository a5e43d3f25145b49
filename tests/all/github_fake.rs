//! Tests of the in-memory fake of GitHub: its behaviour like GitHub, and its checks of requests.

use crate::github::http::{HttpResponse, send};
use crate::github::{Access, Actor, FakeGithub, Fault};
use crate::github_client::{REPO_NAME, github_with_repo, workflow_actor};
use crate::support::{commit, git};
use mend_github::AccessLevel;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Sends a request as a workflow with all permissions.
fn send_request(github: &FakeGithub, method: &str, path: &str, body: &Value) -> HttpResponse {
    let authorization = format!("Bearer {}", github.token_for(workflow_actor()));
    let headers = [
        ("authorization", authorization.as_str()),
        ("user-agent", "git-mend/test"),
        ("x-github-api-version", "2022-11-28"),
        ("accept", "application/vnd.github+json"),
    ];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    send(method, &format!("{}{path}", github.url()), &headers, body.as_bytes())
}

/// Asserts that the fake reports a single error, which contains these words.
fn assert_only_error(github: &FakeGithub, words: &str) {
    let [complaint] = github.take_errors().try_into().unwrap();
    assert!(complaint.contains(words), "{complaint}");
}

#[test]
fn fake_reports_unknown_routes() {
    let github = github_with_repo();
    assert_eq!(send_request(&github, "GET", "/repos/bakery/till/forks", &Value::Null).status, 404);
    assert_only_error(&github, "unexpected: GET");
}

#[test]
fn fake_reports_requests_outside_the_api_description() {
    let github = github_with_repo();
    let cases = [
        ("GET", "/pulls?stat=all", Value::Null, "no query parameter `stat`"),
        ("GET", "/pulls?state=some", Value::Null, "state"),
        ("GET", "/pulls?per_page=many", Value::Null, "per_page"),
        (
            "GET",
            "/issues/1/comments?since=2020-01-01T00:00:00Z",
            Value::Null,
            "does not look at `since`",
        ),
        ("GET", "/pulls/seven", Value::Null, "pull_number"),
        ("DELETE", "/git/refs/heads/side", json!({}), "takes no body"),
        ("POST", "/issues/1/comments", json!({ "body": 7 }), "body/body"),
        ("POST", "/issues/1/comments", json!({ "body": "x", "text": "y" }), "text"),
        ("POST", "/issues/1/comments", Value::Null, "the body is missing"),
        ("POST", "/check-runs", json!({ "name": "x" }), "head_sha"),
    ];
    for (method, path, body, words) in cases {
        let got = send_request(&github, method, &format!("/repos/bakery/till{path}"), &body);
        assert_eq!(got.status, 422, "{method} {path}");
        assert_only_error(&github, words);
    }
}

#[test]
fn fake_limits_annotations_to_fifty() {
    let github = github_with_repo();
    let annotation = json!({ "path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice",
        "message": "x" });
    let output = json!({ "title": "x", "summary": "x", "annotations": vec![annotation; 51] });
    let run = json!({ "name": "x", "head_sha": "x", "output": output });
    assert_eq!(send_request(&github, "POST", "/repos/bakery/till/check-runs", &run).status, 422);
    assert_only_error(&github, "annotations");
}

#[test]
fn completed_check_run_needs_a_conclusion() {
    let github = github_with_repo();
    let head = github.repo(REPO_NAME).branch("main").unwrap();
    let run = json!({ "name": "x", "head_sha": head, "status": "completed" });
    assert_eq!(send_request(&github, "POST", "/repos/bakery/till/check-runs", &run).status, 422);
}

#[test]
fn fake_reports_unknown_graphql_documents() {
    let github = github_with_repo();
    let query = json!({ "query": "{ viewer { login } }", "variables": {} });
    assert_eq!(send_request(&github, "POST", "/graphql", &query).status, 400);
    assert_only_error(&github, "no document of crates/github/src");
}

#[test]
fn fake_reports_unread_writes_and_unused_faults() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(REPO_NAME);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    let path = format!("/repos/{REPO_NAME}/issues/{number}/comments");
    let got = send_request(&github, "POST", &path, &json!({ "body": "hello" }));
    assert_eq!((got.status, &got.json()["body"]), (201, &json!("hello")));
    assert_only_error(&github, "never read: Comment");
    github.add_fault("repos/get", Fault::Instead(502));
    assert_only_error(&github, "nothing met");
    assert_eq!(github.operations(), ["issues/create-comment"]);
}

#[test]
fn lists_are_paginated_with_links() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(REPO_NAME);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    for index in 0..5 {
        repo.add_comment(&alice, number, &index.to_string());
    }
    let path = format!("/repos/{REPO_NAME}/issues/{number}/comments?per_page=2&page=2");
    let got = send_request(&github, "GET", &path, &Value::Null);
    assert_eq!(got.json()[0]["body"], "2");
    let links = got.header("link").unwrap().replace(&github.url(), "");
    assert!(links.contains("comments?per_page=2&page=3>; rel=\"next\""), "{links}");
    assert!(links.contains("comments?per_page=2&page=1>; rel=\"prev\""), "{links}");
}

/// Runs git with a token. Returns true if it succeeds.
fn git_with_token(token: Option<&str>, url: &str, dir: &Path, arguments: &[&str]) -> bool {
    let url = match token {
        Some(token) => url.replace("http://", &format!("http://x-access-token:{token}@")),
        None => url.to_owned(),
    };
    let mut command = Command::new("git");
    crate::support::isolate_git(command.current_dir(dir)).env("GIT_TERMINAL_PROMPT", "0");
    let output = command.args(arguments).arg(url).arg("main").output().unwrap();
    output.status.success()
}

#[test]
fn git_clone_and_push_need_a_token() {
    let github = github_with_repo();
    let repo = github.repo(REPO_NAME);
    repo.make_private();
    let read = github.token_for(Actor::actions(REPO_NAME, &[("contents", AccessLevel::Read)]));
    let write = github.token_for(Actor::actions(REPO_NAME, &[("contents", AccessLevel::Write)]));
    let url = repo.clone_url();
    let dir = tempfile::tempdir().unwrap();
    let clone = ["clone", "-q", "-b", "main"];
    let clone = |token| {
        let into = tempfile::tempdir_in(dir.path()).unwrap().keep();
        git_with_token(token, &url, &into, &clone).then(|| into.join("main"))
    };
    assert!(clone(None).is_none());
    assert!(clone(Some("nobody's")).is_none());
    let tree = clone(Some(&read)).unwrap();
    commit(&tree, "four", &[("more.txt", "x\n")]);
    assert!(!git_with_token(Some(&read), &url, &tree, &["push", "-q"]));
    assert!(git_with_token(Some(&write), &url, &tree, &["push", "-q"]));
    assert_eq!(repo.branch("main").unwrap(), git(&tree, &["rev-parse", "HEAD"]));
}

#[test]
fn pull_request_head_follows_its_branch() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(REPO_NAME);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "side", "base");
    git(&repo.path(), &["branch", "-f", "side", "main"]);
    let got =
        send_request(&github, "GET", &format!("/repos/{REPO_NAME}/pulls/{number}"), &Value::Null);
    let main = repo.branch("main").unwrap();
    assert_eq!(got.json()["head"]["sha"], main);
    assert_eq!(git(&repo.path(), &["rev-parse", &format!("refs/pull/{number}/head")]), main);
    assert_eq!(repo.pull(number).head, main);
}

/// Returns the errors of documents against GitHub's own schema.
fn graphql_errors(files: &[&Path]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = root.join("tests/npm/graphql.mjs");
    let output = Command::new("node").arg(script).args(files).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), message.is_empty(), "{message}");
    message
}

#[test]
fn graphql_documents_match_the_github_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/github/src");
    let files = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|x| x == "graphql")).collect();
    assert!(!files.is_empty());
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    assert_eq!(graphql_errors(&files), "");
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("bad.graphql");
    std::fs::write(&bad, "query { viewer { bread } }").unwrap();
    assert!(graphql_errors(&[&bad]).contains("bread"));
}
