//! The GitHub in memory: what it does that GitHub does, and what it does not let pass.

use crate::github::http::{HttpResponse, send};
use crate::github::{Access, Actor, FakeGithub, Fault};
use crate::github_client::{TILL, bakery, workflow};
use crate::support::{commit, git};
use mend_github::AccessLevel;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Asks as a workflow that may do everything.
fn ask(github: &FakeGithub, method: &str, path: &str, body: &Value) -> HttpResponse {
    let authorization = format!("Bearer {}", github.token_for(workflow()));
    let headers = [
        ("authorization", authorization.as_str()),
        ("user-agent", "test"),
        ("accept", "application/vnd.github+json"),
    ];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    send(method, &format!("{}{path}", github.url()), &headers, body.as_bytes())
}

/// The only complaint, which has these words.
fn complains(github: &FakeGithub, words: &str) {
    let [complaint] = github.complaints().try_into().unwrap();
    assert!(complaint.contains(words), "{complaint}");
}

#[test]
fn what_is_not_served_is_complained_of() {
    let github = bakery();
    assert_eq!(ask(&github, "GET", "/repos/bakery/till/forks", &Value::Null).status, 404);
    complains(&github, "unexpected: GET");
}

#[test]
fn what_github_does_not_describe_is_complained_of() {
    let github = bakery();
    let cases = [
        ("GET", "/pulls?stat=all", Value::Null, "no query parameter `stat`"),
        ("GET", "/pulls?state=some", Value::Null, "state"),
        ("GET", "/pulls?per_page=many", Value::Null, "per_page"),
        ("GET", "/pulls?sort=updated", Value::Null, "does not look at `sort`"),
        ("GET", "/pulls/seven", Value::Null, "pull_number"),
        ("DELETE", "/git/refs/heads/side", json!({}), "takes no body"),
        ("POST", "/issues/1/comments", json!({ "body": 7 }), "body/body"),
        ("POST", "/issues/1/comments", json!({ "body": "x", "text": "y" }), "text"),
        ("POST", "/issues/1/comments", Value::Null, "the body is missing"),
        ("POST", "/check-runs", json!({ "name": "x" }), "head_sha"),
    ];
    for (method, path, body, words) in cases {
        let got = ask(&github, method, &format!("/repos/bakery/till{path}"), &body);
        assert_eq!(got.status, 422, "{method} {path}");
        complains(&github, words);
    }
}

#[test]
fn more_than_fifty_annotations_are_complained_of() {
    let github = bakery();
    let one = json!({ "path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice",
        "message": "x" });
    let output = json!({ "title": "x", "summary": "x", "annotations": vec![one; 51] });
    let run = json!({ "name": "x", "head_sha": "x", "output": output });
    assert_eq!(ask(&github, "POST", "/repos/bakery/till/check-runs", &run).status, 422);
    complains(&github, "annotations");
}

#[test]
fn a_check_run_that_is_over_needs_a_conclusion() {
    let github = bakery();
    let head = github.repo(TILL).branch("main").unwrap();
    let run = json!({ "name": "x", "head_sha": head, "status": "completed" });
    assert_eq!(ask(&github, "POST", "/repos/bakery/till/check-runs", &run).status, 422);
}

#[test]
fn a_document_that_is_not_the_programs_is_complained_of() {
    let github = bakery();
    let query = json!({ "query": "{ viewer { login } }", "variables": {} });
    assert_eq!(ask(&github, "POST", "/graphql", &query).status, 400);
    complains(&github, "no document of crates/github/src");
}

#[test]
fn what_nobody_reads_and_faults_that_nothing_meets_are_complained_of() {
    let github = bakery();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(TILL);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    let path = format!("/repos/{TILL}/issues/{number}/comments");
    let got = ask(&github, "POST", &path, &json!({ "body": "hello" }));
    assert_eq!((got.status, &got.json()["body"]), (201, &json!("hello")));
    complains(&github, "never read: Comment");
    github.fault("repos/get", Fault::Instead(502));
    complains(&github, "nothing met");
    assert_eq!(github.operations(), ["issues/create-comment"]);
}

#[test]
fn lists_come_in_pages_with_links() {
    let github = bakery();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(TILL);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    for index in 0..5 {
        repo.comment(&alice, number, &index.to_string());
    }
    let path = format!("/repos/{TILL}/issues/{number}/comments?per_page=2&page=2");
    let got = ask(&github, "GET", &path, &Value::Null);
    assert_eq!(got.json()[0]["body"], "2");
    let links = got.header("link").unwrap().replace(&github.url(), "");
    assert!(links.contains("comments?per_page=2&page=3>; rel=\"next\""), "{links}");
    assert!(links.contains("comments?per_page=2&page=1>; rel=\"prev\""), "{links}");
}

/// Runs git with a token, and says whether it went well.
fn git_with(token: Option<&str>, url: &str, dir: &Path, arguments: &[&str]) -> bool {
    let url = match token {
        Some(token) => url.replace("http://", &format!("http://x-access-token:{token}@")),
        None => url.to_owned(),
    };
    let mut command = Command::new("git");
    crate::support::hermetic(command.current_dir(dir)).env("GIT_TERMINAL_PROMPT", "0");
    let output = command.args(arguments).arg(url).arg("main").output().unwrap();
    output.status.success()
}

#[test]
fn git_clones_and_pushes_with_a_token() {
    let github = bakery();
    let repo = github.repo(TILL);
    repo.make_private();
    let read = github.token_for(Actor::actions(TILL, &[("contents", AccessLevel::Read)]));
    let write = github.token_for(Actor::actions(TILL, &[("contents", AccessLevel::Write)]));
    let url = repo.clone_url();
    let dir = tempfile::tempdir().unwrap();
    let clone = ["clone", "-q", "-b", "main"];
    let clone = |token| {
        let into = tempfile::tempdir_in(dir.path()).unwrap().keep();
        git_with(token, &url, &into, &clone).then(|| into.join("main"))
    };
    assert!(clone(None).is_none());
    assert!(clone(Some("nobody's")).is_none());
    let tree = clone(Some(&read)).unwrap();
    commit(&tree, "four", &[("more.txt", "x\n")]);
    assert!(!git_with(Some(&read), &url, &tree, &["push", "-q"]));
    assert!(git_with(Some(&write), &url, &tree, &["push", "-q"]));
    assert_eq!(repo.branch("main").unwrap(), git(&tree, &["rev-parse", "HEAD"]));
}

#[test]
fn a_pull_request_follows_its_branch() {
    let github = bakery();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(TILL);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "side", "base");
    git(&repo.path(), &["branch", "-f", "side", "main"]);
    let got = ask(&github, "GET", &format!("/repos/{TILL}/pulls/{number}"), &Value::Null);
    let main = repo.branch("main").unwrap();
    assert_eq!(got.json()["head"]["sha"], main);
    assert_eq!(git(&repo.path(), &["rev-parse", &format!("refs/pull/{number}/head")]), main);
    assert_eq!(repo.pull(number).head, main);
}

/// Returns the errors of documents against GitHub's own schema.
fn objections(files: &[&Path]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = root.join("tests/npm/graphql.mjs");
    let output = Command::new("node").arg(script).args(files).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    said
}

#[test]
fn every_document_is_one_of_githubs_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/github/src");
    let files = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|x| x == "graphql")).collect();
    assert!(!files.is_empty());
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    assert_eq!(objections(&files), "");
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("bad.graphql");
    std::fs::write(&bad, "query { viewer { bread } }").unwrap();
    assert!(objections(&[&bad]).contains("bread"));
}
