//! From a failed workflow run to what stands on GitHub, by a search on the server.

use super::client::Request;
use super::jobs::{failed_run, github, not_tested, send, served, waits_for};
use super::server::Server;
use crate::github::{Access, FakeGithub, FakePullState};
use crate::github_client::TILL;
use crate::support::{commit, eventually, git, repository};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Compiles the repository in a folder and runs its test. Returns true if it passes.
fn passes(dir: &Path) -> bool {
    let classes = TempDir::new().unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(dir).args(arguments);
        command.output().unwrap().status.success()
    };
    let place = classes.path().to_str().unwrap();
    let sources = ["src/main/java/Till.java", "src/test/java/TillTest.java"];
    assert!(run("javac", &[&["-d", place][..], &sources].concat()));
    run("java", &["-cp", place, "TillTest"])
}

/// Asserts that the status page leads to the page of the run, and that a browser shows both without a complaint.
fn assert_shown(server: &Server) {
    let get = |path: &str| server.send(&Request::get(path));
    let status = get("/").body;
    assert!(status.contains(r#"<a href="/reports/1">report</a>"#), "{status}");
    let page = get("/reports/1");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("TillTest"), "{}", page.body);
    // The folder of the job is gone.
    for gone in ["git apply", "--output", "/job-"] {
        assert!(!page.body.contains(gone), "{gone} in {}", page.body);
    }
    let policy = page.head.lines().find(|line| line.starts_with("content-security-policy: "));
    let policy = policy.unwrap();
    assert!(
        policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    assert!(policy.contains("script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    for path in
        ["2", "0", "-1", "x", "", "1/", "1/../..", "%2e%2e%2fqueue", "../git-mend-queue.sqlite"]
    {
        assert_eq!(get(&format!("/reports/{path}")).status, 404, "{path}");
    }
    let pages = ["", "reports/1"].map(|path| format!("http://{}/{path}", server.address));
    let look = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/look");
    let pictures = TempDir::new().unwrap();
    let output = Command::new(look).args(pages).arg(pictures.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_branch_of_a_pull_request_that_a_failed_run_led_to_passes_the_test_where_it_is_cloned() {
    let github = github(None);
    let till = github.repo(TILL);
    let head = till.branch("main").unwrap();
    till.failed_check(&head, "src/test/java/TillTest.java");
    let (home, installation) = served(&github);
    let server = home.start();
    send(&server, installation, "d-1", "workflow_run", failed_run(&github));
    waits_for(&server, "done", 1);
    if till.pulls().is_empty() {
        let log = server.end().stderr;
        assert!(log.contains("no sandbox works on this machine"), "{log}");
        not_tested();
        return;
    }
    assert_eq!(till.check_runs(&head).len(), 2);
    assert_shown(&server);
    let [pull] = till.pulls().try_into().unwrap();
    assert!(!pull.body.contains("GitHub starts no workflows"), "{}", pull.body);
    let clones = TempDir::new().unwrap();
    let clone = |branch: &str, folder: &str| {
        git(clones.path(), &["clone", "-q", "-b", branch, &till.clone_url(), folder]);
        clones.path().join(folder)
    };
    assert!(!passes(&clone("main", "failing")));
    let mended = clone(&pull.head_branch, "mended");
    assert!(passes(&mended));
    assert_eq!(git(&mended, &["rev-parse", "HEAD~1"]), head, "one commit on what fails");
    let author = git(&mended, &["log", "-1", "--format=%an"]);
    assert_eq!(author, "mend[bot]");

    // A user reverts the culprit.
    let reverted = clone("main", "reverted");
    git(&reverted, &["revert", "--no-edit", "HEAD"]);
    git(&reverted, &["push", "-q", till.path().to_str().unwrap(), "main"]);
    let after = till.branch("main").unwrap();
    let message = git(&reverted, &["log", "-1", "--format=%B"]);
    let push = json!({ "ref": "refs/heads/main", "before": head, "after": after, "deleted": false,
        "commits": [{ "message": message }] });
    send(&server, installation, "d-2", "push", push);
    waits_for(&server, "done", 2);
    assert_eq!(till.pull(pull.number).standing, FakePullState::Closed);
    assert_eq!(till.branch(&pull.head_branch), None);
    let [comment] = till.comments(pull.number).try_into().unwrap();
    assert!(comment.body.contains(&format!("[`{}`]", &after[..10])), "{}", comment.body);

    // Permissions to read the state, to clone, to show the progress, to publish, and to close.
    let granted = [
        "actions:read checks:read contents:read metadata:read pull_requests:read",
        "contents:read metadata:read",
        "checks:write metadata:read",
        "checks:write contents:write metadata:read pull_requests:write",
        "checks:read contents:write metadata:read pull_requests:write",
    ];
    assert_eq!(github.granted(), granted.map(str::to_owned).into());
}

/// Settings that would disable searching and publishing.
const UNWANTED: &str = "evil = 1\n[github]\ncomment = false\nfix-pull-requests = false\n";

/// A GitHub where the pull request number 1 breaks a test, and where patches are pull requests of their own; it also
/// proposes settings.
fn proposed() -> (FakeGithub, u64) {
    let source = repository();
    let till = |sum: &str| format!("public class Till {{\n    int sum() {{ return {sum}; }}\n}}\n");
    let test = "public class TillTest { public static void main(String[] a) { \
                if (new Till().sum() != 3) throw new AssertionError(\"sum\"); } }";
    let (code, settings) = ("src/main/java/Till.java", "[github]\nsuggestions = false\n");
    let rest = [("src/test/java/TillTest.java", test), (".git-mend.toml", settings)];
    commit(source.path(), "one", &[(code, till("1 + 2"))]);
    commit(source.path(), "two", &rest);
    git(source.path(), &["checkout", "-q", "-b", "topic"]);
    commit(source.path(), "three", &[(code, till("1 - 2").as_str()), (".git-mend.toml", UNWANTED)]);
    git(source.path(), &["checkout", "-q", "main"]);
    let github = FakeGithub::start();
    github.add_repo(TILL, source.path());
    let alice = github.user("alice", Access::Write);
    let pull = github.repo(TILL).open_pull(&alice, "topic", "topic", "main");
    let head = github.repo(TILL).branch("topic").unwrap();
    github.repo(TILL).failed_check(&head, "src/test/java/TillTest.java");
    (github, pull)
}

/// Publishes one search with a server that is killed, in turn, after each of these requests was executed and before it
/// was answered. Then checks the final state.
fn told_once_though_killed_after(requests: &[(&str, usize)]) {
    let (github, pull) = proposed();
    let till = github.repo(TILL);
    let head = till.branch("topic").unwrap();
    let (home, installation) = served(&github);
    let mut server = home.start();
    let mut run = failed_run(&github);
    run["workflow_run"]["event"] = json!("pull_request");
    run["workflow_run"]["head_branch"] = json!("topic");
    run["workflow_run"]["head_sha"] = json!(head);
    run["workflow_run"]["pull_requests"] = json!([{ "number": pull, "head": { "sha": head } }]);
    let mut hostage = github.hold_after(requests[0].0, requests[0].1);
    send(&server, installation, "d-1", "workflow_run", run);
    for at in 0..requests.len() {
        let mut is_there = false;
        assert!(eventually(|| {
            is_there = hostage.is_there();
            is_there || server.shows_job_count("done", 1) || server.shows_job_count("failed", 1)
        }));
        if !is_there {
            let log = server.end().stderr;
            assert!(
                log.contains("no sandbox works on this machine"),
                "{:?} never came: {log}",
                requests[at]
            );
            not_tested();
            return;
        }
        server.kill();
        drop(hostage);
        let (next, skip) = requests.get(at + 1).copied().unwrap_or(("none", 0));
        hostage = github.hold_after(next, skip);
        server = home.start();
    }
    waits_for(&server, "done", 1);
    let checks = till.check_runs(&head);
    assert_eq!(checks.len(), 2, "{:?}", github.operations());
    assert_eq!(checks[1].statuses, ["queued", "in_progress", "completed"]);
    assert_eq!(till.comments(pull).len(), 1, "{:?}", github.operations());
    let pulls = till.pulls();
    assert_eq!(pulls.len(), 2, "{:?}", github.operations());
    assert!(pulls[1].labels.contains("git-mend"), "{:?}", pulls[1].labels);
    assert!(till.comments(pull)[0].body.contains(&format!("The fix is in #{}", pulls[1].number)));
    let own = ["for-each-ref", "--format=%(refname)", "refs/heads/git-mend/"];
    assert_eq!(git(&till.path(), &own).lines().count(), 1);
}

#[test]
fn a_server_that_is_killed_again_and_again_while_it_makes_a_pull_request_makes_one() {
    told_once_though_killed_after(&[("git/create-ref", 0), ("graphql", 0), ("pulls/create", 0)]);
}

#[test]
fn a_server_that_is_killed_again_and_again_tells_once_whatever_settings_are_proposed() {
    let last = [("issues/add-labels", 0), ("checks/update", 1), ("issues/create-comment", 0)];
    told_once_though_killed_after(&last);
}
