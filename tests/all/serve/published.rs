//! Tests of searches on the server, from a failed workflow run to the published result.

use super::client::Request;
use super::jobs::{
    failed_run_event, github_with_failed_test, installed_server, report_skipped, run_local_search,
    send_queued, wait_for_jobs,
};
use super::server::Server;
use crate::github::{Access, BlockedRequestHandle, FakeGithub, FakePullState, Fault};
use crate::github_client::REPO_NAME;
use crate::support::{commit, git, repository, wait_until};
use rusqlite::Connection;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Compiles the repository in a folder and runs its test. Returns true if it passes.
fn is_test_passing(dir: &Path) -> bool {
    let classes = TempDir::new().unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(dir).args(arguments);
        command.output().unwrap().status.success()
    };
    let classes_path = classes.path().to_str().unwrap();
    let sources = ["src/main/java/Till.java", "src/test/java/TillTest.java"];
    assert!(run("javac", &[&["-d", classes_path][..], &sources].concat()));
    run("java", &["-cp", classes_path, "TillTest"])
}

/// Asserts that the status page links to the report page, and that a browser shows both without an error.
fn assert_report_served(server: &Server) {
    let get = |path: &str| server.send(&Request::get(path));
    let status = get("/").body;
    assert!(status.contains(r#"<a href="/reports/1">report</a>"#), "{status}");
    let page = get("/reports/1");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("TillTest"), "{}", page.body);
    // The folder of the job no longer exists.
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
    let look_script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/look");
    let pictures = TempDir::new().unwrap();
    let output = Command::new(look_script).args(pages).arg(pictures.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn cloned_fix_branch_passes_the_test() {
    let (github, head) = github_with_failed_test();
    let till = github.repo(REPO_NAME);
    let (home, installation) = installed_server(&github);
    let server = home.start();
    send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
    wait_for_jobs(&server, "done", 1);
    if till.pulls().is_empty() {
        let log = server.stop().stderr;
        assert!(log.contains("no sandbox works on this machine"), "{log}");
        report_skipped();
        return;
    }
    assert_eq!(till.check_runs(&head).len(), 2);
    assert_report_served(&server);
    let [pull] = till.pulls().try_into().unwrap();
    assert!(!pull.body.contains("GitHub starts no workflows"), "{}", pull.body);
    let clones = TempDir::new().unwrap();
    let clone = |branch: &str, folder: &str| {
        git(clones.path(), &["clone", "-q", "-b", branch, &till.clone_url(), folder]);
        clones.path().join(folder)
    };
    assert!(!is_test_passing(&clone("main", "failing")));
    let fixed_clone = clone(&pull.head_branch, "mended");
    assert!(is_test_passing(&fixed_clone));
    assert_eq!(git(&fixed_clone, &["rev-parse", "HEAD~1"]), head, "one commit on what fails");
    let author = git(&fixed_clone, &["log", "-1", "--format=%an"]);
    assert_eq!(author, "mend[bot]");

    // A user reverts the culprit.
    let reverted = clone("main", "reverted");
    git(&reverted, &["revert", "--no-edit", "HEAD"]);
    git(&reverted, &["push", "-q", till.path().to_str().unwrap(), "main"]);
    let after = till.branch("main").unwrap();
    let message = git(&reverted, &["log", "-1", "--format=%B"]);
    let push = json!({ "ref": "refs/heads/main", "before": head, "after": after, "deleted": false,
        "commits": [{ "message": message }] });
    send_queued(&server, installation, "d-2", "push", push);
    wait_for_jobs(&server, "done", 2);
    assert_eq!(till.pull(pull.number).state, FakePullState::Closed);
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
    assert_eq!(github.granted_permissions(), granted.map(str::to_owned).into());
}

#[test]
fn refused_labels_do_not_hide_the_fix_pull_request() {
    let (github, head) = github_with_failed_test();
    let till = github.repo(REPO_NAME);
    github.add_fault("issues/add-labels", Fault::Instead(403));
    if run_local_search(&github).is_none() {
        return;
    }
    let [pull] = till.pulls().try_into().unwrap();
    assert!(pull.labels.is_empty());
    let checks = till.check_runs(&head);
    let check = checks.iter().find(|check| check.name == "git-mend").unwrap();
    assert!(check.summary.contains(&format!("#{}", pull.number)), "{}", check.summary);
}

/// Settings that would disable searching and publishing.
const DISABLING_SETTINGS: &str = "evil = 1\n[github]\ncomment = false\nfix-pull-requests = false\n";

/// Creates a GitHub where pull request 1 breaks a test and changes the settings. Fixes are separate pull requests.
fn github_with_failing_pull() -> (FakeGithub, u64) {
    let source = repository();
    let till = |sum: &str| format!("public class Till {{\n    int sum() {{ return {sum}; }}\n}}\n");
    let test = "public class TillTest { public static void main(String[] a) { \
                if (new Till().sum() != 3) throw new AssertionError(\"sum\"); } }";
    let (code, settings) = ("src/main/java/Till.java", "[github]\nsuggestions = false\n");
    let rest = [("src/test/java/TillTest.java", test), (".git-mend.toml", settings)];
    commit(source.path(), "one", &[(code, till("1 + 2"))]);
    commit(source.path(), "two", &rest);
    git(source.path(), &["checkout", "-q", "-b", "topic"]);
    commit(
        source.path(),
        "three",
        &[(code, till("1 - 2").as_str()), (".git-mend.toml", DISABLING_SETTINGS)],
    );
    git(source.path(), &["checkout", "-q", "main"]);
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, source.path());
    let alice = github.user("alice", Access::Write);
    let pull = github.repo(REPO_NAME).open_pull(&alice, "topic", "topic", "main");
    let head = github.repo(REPO_NAME).branch("topic").unwrap();
    github.repo(REPO_NAME).add_failed_check(&head, "src/test/java/TillTest.java");
    (github, pull)
}

/// Publishes one search with a server that is killed, in turn, after the execution of each of these requests and before
/// its response. Then checks the final state.
fn assert_published_once_despite_kills(requests: &[(&str, usize)]) {
    let (github, pull) = github_with_failing_pull();
    let till = github.repo(REPO_NAME);
    let head = till.branch("topic").unwrap();
    let (home, installation) = installed_server(&github);
    let mut server = home.start();
    let mut run = failed_run_event(&github);
    run["workflow_run"]["event"] = json!("pull_request");
    run["workflow_run"]["head_branch"] = json!("topic");
    run["workflow_run"]["head_sha"] = json!(head);
    run["workflow_run"]["pull_requests"] = json!([{ "number": pull, "head": { "sha": head } }]);
    let mut blocked_request = github.block_after_operation(requests[0].0, requests[0].1);
    send_queued(&server, installation, "d-1", "workflow_run", run);
    for at in 0..requests.len() {
        if !wait_for_request(&server, &blocked_request) {
            let log = server.stop().stderr;
            assert!(
                log.contains("no sandbox works on this machine"),
                "{:?} never came: {log}",
                requests[at]
            );
            report_skipped();
            return;
        }
        server.kill();
        drop(blocked_request);
        let (next, skip) = requests.get(at + 1).copied().unwrap_or(("none", 0));
        blocked_request = github.block_after_operation(next, skip);
        server = home.start();
    }
    wait_for_jobs(&server, "done", 1);
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
fn repeatedly_killed_server_opens_one_pull_request() {
    assert_published_once_despite_kills(&[
        ("git/create-ref", 0),
        ("graphql", 0),
        ("pulls/create", 0),
    ]);
}

#[test]
fn repeatedly_killed_server_ignores_proposed_settings() {
    let last = [("issues/add-labels", 0), ("checks/update", 0), ("issues/create-comment", 0)];
    assert_published_once_despite_kills(&last);
}

/// Waits until a request is blocked, or the job ends without it. Returns true if it is blocked.
fn wait_for_request(server: &Server, blocked_request: &BlockedRequestHandle) -> bool {
    let mut is_there = false;
    assert!(wait_until(|| {
        is_there = blocked_request.has_arrived();
        is_there || server.shows_job_count("done", 1) || server.shows_job_count("failed", 1)
    }));
    is_there
}

#[test]
fn unusable_result_is_not_published_by_the_attempt_after_the_next() {
    let (github, head) = github_with_failed_test();
    let (home, installation) = installed_server(&github);
    let server = home.start();
    let publishing = github.block_after_operation("git/create-ref", 0);
    send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
    if !wait_for_request(&server, &publishing) {
        let log = server.stop().stderr;
        assert!(log.contains("no sandbox works on this machine"), "{log}");
        report_skipped();
        return;
    }
    server.kill();
    drop(publishing);
    fs::remove_file(home.work_folder().join("job-1/run/result.json")).unwrap();
    let searching = github.block_after_operation("checks/update", 0);
    let server = home.start();
    assert!(wait_for_request(&server, &searching), "the search is not repeated");
    server.kill();
    let queue = Connection::open(home.queue_file()).unwrap();
    let query = "select json_extract(progress, '$.step.step') from jobs";
    let step: String = queue.query_row(query, [], |row| row.get(0)).unwrap();
    assert_eq!(step, "begun");
    drop((searching, queue));
    let server = home.start();
    wait_for_jobs(&server, "done", 1);
    let till = github.repo(REPO_NAME);
    assert_eq!(till.pulls().len(), 1, "{:?}", github.operations());
    assert!(till.check_runs(&head)[1].title.contains("fix available"));
}
