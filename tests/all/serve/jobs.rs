//! Tests of the jobs that the server runs on GitHub.

#![allow(clippy::print_stderr, reason = "what could not be tested is never passed over in silence")]

use super::checks::restart_without_delays;
use super::client::Request;
use super::server::{Server, ServerHome};
use crate::github::{Access, Actor, BlockedRequestHandle, FakeGithub, Hold, WorkflowRun};
use crate::github_client::REPO_NAME;
use crate::support::{CommandOutput, commit, git, repository, wait_until};
use mend_github::PERMISSIONS;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Upper bound of the number of requests per job.
pub(super) const MAX_REQUESTS_PER_JOB: usize = 100;

pub(super) const SEARCH_WORKFLOW: &str = "run-name: git-mend ${{ github.event.client_payload.id }}\non:\n  \
                                   repository_dispatch:\n    types: [git-mend]\n";
const TILL_TEST: &str = "public class TillTest { public static void main(String[] a) { \
                    if (new Till().sum() != 3) throw new AssertionError(\"sum\"); } }";

/// Creates a GitHub with a Java repository whose last commit breaks its test, on `main` and `topic`.
pub(super) fn github_with_failure(workflow: Option<&str>) -> FakeGithub {
    let source = repository();
    let till = |sum: &str| {
        format!("public class Till {{\n    int sum() {{\n        return {sum};\n    }}\n}}\n")
    };
    let test = ("src/test/java/TillTest.java", TILL_TEST.to_owned());
    commit(source.path(), "one", &[("src/main/java/Till.java", till("1 + 2")), test]);
    if let Some(text) = workflow {
        commit(source.path(), "workflow", &[(".github/workflows/mend.yml", text)]);
    }
    commit(source.path(), "two", &[("src/main/java/Till.java", till("1 - 2"))]);
    git(source.path(), &["branch", "topic"]);
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, source.path());
    github
}

/// Creates a GitHub like [`github_with_failure`] without a workflow, where a check names the failing test. Returns the
/// failing commit too.
pub(super) fn github_with_failed_test() -> (FakeGithub, String) {
    let github = github_with_failure(None);
    let head = github.repo(REPO_NAME).branch("main").unwrap();
    github.repo(REPO_NAME).add_failed_check(&head, "src/test/java/TillTest.java");
    (github, head)
}

/// Creates the home of a server whose App is installed there. Returns the installation's number too.
pub(super) fn installed_server(github: &FakeGithub) -> (ServerHome, u64) {
    let app = github.app("mend");
    let installation = app.install(&[REPO_NAME], &PERMISSIONS);
    (ServerHome::for_app(&app, github), installation)
}

pub(super) fn send_queued(
    server: &Server,
    installation: u64,
    delivery: &str,
    event: &str,
    body: Value,
) {
    assert_eq!(send_webhook(server, installation, delivery, event, body), "queued");
}

/// Sends a webhook, and returns its outcome.
pub(super) fn send_webhook(
    server: &Server,
    installation: u64,
    delivery: &str,
    event: &str,
    mut body: Value,
) -> String {
    body["repository"] = json!({ "full_name": REPO_NAME, "default_branch": "main" });
    body["installation"] = json!({ "id": installation });
    let answer = server.send(&Request::webhook(event, delivery, body.to_string()));
    assert_eq!(answer.status, 202, "{}", answer.body);
    answer.outcome()
}

pub(super) fn failed_run_event(github: &FakeGithub) -> Value {
    let head = github.repo(REPO_NAME).branch("main").unwrap();
    json!({ "action": "completed", "workflow_run": {
        "id": 1, "workflow_id": 5, "run_attempt": 1, "event": "push", "conclusion": "failure",
        "head_branch": "main", "head_sha": head, "head_repository": { "full_name": REPO_NAME },
    } })
}

pub(super) fn comment_event(text: &str, author: &str, pull: u64, id: u64) -> Value {
    json!({ "action": "created", "issue": { "number": pull, "pull_request": {} },
        "comment": { "id": id, "body": text, "user": { "login": author, "type": "User" } } })
}

/// Waits until this number of jobs is in a state.
pub(super) fn wait_for_jobs(server: &Server, state: &str, count: usize) {
    let page = || server.send(&Request::get("/")).body;
    assert!(
        wait_until(|| server.shows_job_count(state, count)),
        "not {count} {state} in\n{}",
        page()
    );
    // `scripts/screenshots` uses this file.
    if let Some(file) = std::env::var_os("KEEP_STATUS_PAGE") {
        fs::write(file, page()).unwrap();
    }
}

#[test]
fn search_workflow_is_dispatched_once_despite_server_kill() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (home, installation) = installed_server(&github);
    let server = home.start();
    send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
    assert!(wait_until(|| github.request_count("repos/create-dispatch-event") == 1));
    server.kill();
    let head = github.repo(REPO_NAME).branch("main").unwrap();
    let dispatches = github.repo(REPO_NAME).dispatches();
    let dispatched_run = |title: String, conclusion: &str| WorkflowRun {
        event: "repository_dispatch".into(),
        title,
        ..WorkflowRun::completed(9, "main", &head, conclusion)
    };
    let id = dispatches[0].payload["id"].as_str().unwrap();
    github.repo(REPO_NAME).add_workflow_run(dispatched_run(format!("git-mend {id}"), "success"));
    // Runs that other users requested do not belong to the job.
    github.repo(REPO_NAME).add_workflow_run(dispatched_run("git-mend".to_owned(), "failure"));
    github
        .repo(REPO_NAME)
        .add_workflow_run(dispatched_run(format!("git-mend {}", "0".repeat(16)), "failure"));
    let server = home.start();
    wait_for_jobs(&server, "done", 1);
    assert_eq!(dispatches.len(), 1);
    let [check] = github.repo(REPO_NAME).check_runs(&head).try_into().unwrap();
    assert_eq!(check.statuses, ["queued", "completed"]);
    assert_eq!(check.conclusion.as_deref(), Some("neutral"));
    let url = check.details_url.unwrap();
    assert!(check.summary.contains(&format!("({url})")), "{url}: {}", check.summary);
    let payload = &dispatches[0].payload;
    assert_eq!((&payload["reason"], &payload["sha"]), (&json!("search"), &json!(head)));
    assert_eq!(payload["id"].as_str().unwrap().len(), 16);
    assert_eq!(server.stop().code, 0);
}

#[test]
fn fork_code_is_not_run_by_the_repository_workflow() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let source = repository();
    commit(source.path(), "theirs", &[("notes.txt", "x\n")]);
    github.add_repo("mallory/till", source.path());
    let (home, installation) = installed_server(&github);
    let alice = github.user("alice", Access::Write);
    let mallory = github.user("mallory", Access::Read);
    let (till, fork) = (github.repo(REPO_NAME), github.repo("mallory/till"));
    let pull = till.open_pull_from(&fork, &mallory, "theirs", "main", "main");
    let id = till.add_comment(&alice, pull, "/mend retry");
    let server = home.start();
    let event = comment_event("/mend retry", "alice", pull, id);
    send_queued(&server, installation, "d-1", "issue_comment", event);
    let is_over =
        || ["done", "failed", "cancelled"].iter().any(|state| server.shows_job_count(state, 1));
    assert!(wait_until(is_over), "{}", server.send(&Request::get("/")).body);
    assert!(till.dispatches().is_empty());
    // There is no check run if no sandbox works.
    for check in till.check_runs(&fork.branch("main").unwrap()) {
        assert!(check.summary.contains("in a clone"), "{}", check.summary);
        let bisect_command =
            format!("git mend bisect --good auto --bad {} '--test=*'\n", check.head);
        assert!(check.summary.contains(&bisect_command), "{}", check.summary);
    }
}

/// Returns the reactions to a comment.
fn comment_reactions(github: &FakeGithub, pull: u64, comment: u64) -> Vec<String> {
    let comments = github.repo(REPO_NAME).comments(pull);
    let comment = comments.into_iter().find(|one| one.id == comment).unwrap();
    comment.reactions.into_iter().map(|(_, content)| content).collect()
}

#[test]
fn upgrade_command_requests_a_search_of_updates() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (home, installation) = installed_server(&github);
    let alice = github.user("alice", Access::Write);
    let till = github.repo(REPO_NAME);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let id = till.add_comment(&alice, pull, "/mend upgrade");
    let server = home.start();
    let event = comment_event("/mend upgrade", "alice", pull, id);
    send_queued(&server, installation, "d-1", "issue_comment", event);
    assert!(wait_until(|| github.request_count("repos/create-dispatch-event") == 1));
    wait_for_jobs(&server, "queued", 1);
    assert_eq!(comment_reactions(&github, pull, id), ["eyes"]);
    let [check] = till.check_runs(&till.branch("topic").unwrap()).try_into().unwrap();
    assert_eq!(check.statuses, ["queued"]);
    assert_eq!(till.dispatches()[0].payload["reason"], "upgrade");
}

#[test]
fn commands_need_write_access() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (home, installation) = installed_server(&github);
    let [alice, mallory, opener] =
        [("alice", Access::Write), ("mallory", Access::Read), ("opener", Access::Read)]
            .map(|(login, access)| github.user(login, access));
    let till = github.repo(REPO_NAME);
    let pull = till.open_pull(&opener, "topic", "topic", "main");
    let server = home.start();
    let command = |delivery: &str, who: &Actor, name: &str, words: &str| {
        let id = github.repo(REPO_NAME).add_comment(who, pull, words);
        send_queued(
            &server,
            installation,
            delivery,
            "issue_comment",
            comment_event(words, name, pull, id),
        );
        id
    };
    let stranger = command("d-1", &mallory, "mallory", "/mend fix");
    wait_for_jobs(&server, "cancelled", 1);
    assert!(comment_reactions(&github, pull, stranger).is_empty(), "a stranger hears nothing");
    for (delivery, cancelled) in [("d-2", 2), ("d-3", 3)] {
        command(delivery, &opener, "opener", "/mend fix");
        wait_for_jobs(&server, "cancelled", cancelled);
    }
    let told: Vec<_> =
        till.comments(pull).into_iter().filter(|one| one.author == "mend[bot]").collect();
    assert_eq!(told.len(), 1, "whoever opened it is told once");
    assert!(told[0].body.contains("users with write access"), "{}", told[0].body);
    assert!(till.dispatches().is_empty());
    let fix = command("d-4", &alice, "alice", "/mend fix");
    assert!(wait_until(|| github.request_count("repos/create-dispatch-event") == 1));
    wait_for_jobs(&server, "queued", 1);
    assert_eq!(comment_reactions(&github, pull, fix), ["eyes"]);
    let stop = command("d-5", &alice, "alice", "/mend stop");
    wait_for_jobs(&server, "cancelled", 4);
    wait_for_jobs(&server, "done", 2);
    let [check] = till.check_runs(&till.branch("topic").unwrap()).try_into().unwrap();
    assert_eq!(check.statuses, ["queued", "completed"]);
    assert!(check.summary.contains("`a user stopped it`"), "{}", check.summary);
    assert_eq!(comment_reactions(&github, pull, stop), ["eyes", "rocket"]);
    assert_eq!(till.dispatches()[0].payload["reason"], "fix");
    // Permissions to answer, to read the state, to show the progress, and to start the workflow.
    let granted = [
        "checks:read contents:read metadata:read pull_requests:write",
        "actions:read checks:read contents:read metadata:read pull_requests:read",
        "checks:write metadata:read",
        "contents:write metadata:read",
    ];
    assert_eq!(github.granted_permissions(), granted.map(str::to_owned).into());
}

#[test]
fn explain_command_reports_known_result_without_search() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (home, installation) = installed_server(&github);
    let alice = github.user("alice", Access::Write);
    let till = github.repo(REPO_NAME);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let server = home.start();
    let ask = |delivery: &str| {
        let id = github.repo(REPO_NAME).add_comment(&alice, pull, "/mend explain");
        send_queued(
            &server,
            installation,
            delivery,
            "issue_comment",
            comment_event("/mend explain", "alice", pull, id),
        );
    };
    ask("d-1");
    wait_for_jobs(&server, "done", 1);
    let answer = till.comments(pull).pop().unwrap();
    assert!(answer.body.contains("There is no search for"), "{}", answer.body);
    let head = till.branch("topic").unwrap();
    let summary = "x\n\n### Culprit\n\n[`ab11f313e4`](https://x/c) `two` by `A`\n\n```diff\n-a\n+b\n```\n\n\
                   ### Verification\n\n- 6 commits\n";
    till.add_result_check(&head, "a.B#c fails", summary);
    ask("d-2");
    wait_for_jobs(&server, "done", 2);
    let answer = till.comments(pull).pop().unwrap();
    assert!(answer.body.contains("**`a.B#c fails`** ([details](http"), "{}", answer.body);
    assert!(answer.body.contains("Culprit: `ab11f313e4 two by A`"), "{}", answer.body);
    assert!(answer.body.contains("```diff\n-a\n+b\n```"), "{}", answer.body);
    assert!(answer.body.contains("- 6 commits"), "{}", answer.body);
    for comment in till.comments(pull).iter().filter(|comment| comment.author == "alice") {
        assert_eq!(comment_reactions(&github, pull, comment.id), ["eyes", "rocket"]);
    }
    assert_eq!(till.comments(pull).len(), 4, "each is answered once");
    assert!(till.dispatches().is_empty());
}

/// Sends a webhook to a server that is killed at a request and restarted. Waits until the job is done. Returns true if
/// the request was reached.
pub(super) fn kill_at_request(
    github: &FakeGithub,
    (request, at): (usize, Hold),
    (event, body): (&str, Value),
) -> bool {
    let (home, installation) = installed_server(github);
    let server = home.start();
    let blocked_request = github.block_request(request, at);
    send_queued(&server, installation, "d-1", event, body);
    kill_when_blocked(&home, server, blocked_request)
}

/// Kills a server at the blocked request, restarts it, and waits until its job is done. Returns true if the request was
/// reached.
pub(super) fn kill_when_blocked(
    home: &ServerHome,
    mut server: Server,
    blocked_request: BlockedRequestHandle,
) -> bool {
    let mut is_there = false;
    assert!(wait_until(|| {
        is_there = blocked_request.has_arrived();
        is_there || server.shows_job_count("done", 1)
    }));
    if is_there {
        server.kill();
        drop(blocked_request);
        server = home.start();
    }
    wait_for_jobs(&server, "done", 1);
    is_there
}

#[test]
fn command_is_answered_once_despite_server_kills() {
    for at in [Hold::Before, Hold::After] {
        let is_killed_at = |request: &usize| {
            let github = github_with_failure(Some(SEARCH_WORKFLOW));
            let alice = github.user("alice", Access::Write);
            let pull = github.repo(REPO_NAME).open_pull(&alice, "topic", "topic", "main");
            let id = github.repo(REPO_NAME).add_comment(&alice, pull, "/mend explain");
            let event = ("issue_comment", comment_event("/mend explain", "alice", pull, id));
            let is_killed = kill_at_request(&github, (*request, at), event);
            let comments = github.repo(REPO_NAME).comments(pull).len();
            assert_eq!(comments, 2, "{at:?} {request}: {:?}", github.operations());
            is_killed
        };
        assert!((0..MAX_REQUESTS_PER_JOB).take_while(is_killed_at).count() > 5);
    }
}

#[test]
fn search_is_published_once_despite_server_kills() {
    let is_killed_at = |request: &usize| {
        let github = github_without_sources();
        let is_killed = kill_at_request(
            &github,
            (*request, Hold::After),
            ("workflow_run", failed_run_event(&github)),
        );
        let head = github.repo(REPO_NAME).branch("main").unwrap();
        let check_count = github.repo(REPO_NAME).check_runs(&head).len();
        assert_eq!(check_count, 1, "{request}: {:?}", github.operations());
        is_killed
    };
    assert!((0..MAX_REQUESTS_PER_JOB).take_while(is_killed_at).count() > 10);
}

/// Kills a server after a request while it dispatches the repository's own workflow, whose run completes at once.
/// Returns true if the request was reached.
fn assert_dispatched_once(request: usize) -> bool {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let till = github.repo(REPO_NAME);
    let head = till.branch("main").unwrap();
    let (home, installation) = installed_server(&github);
    let blocked_request = github.block_request(request, Hold::After);
    let mut server = Some(home.start());
    send_queued(
        server.as_ref().unwrap(),
        installation,
        "d-1",
        "workflow_run",
        failed_run_event(&github),
    );
    let (mut is_killed, mut has_run, mut is_awaited) = (false, false, false);
    assert!(wait_until(|| {
        let is_held = blocked_request.has_arrived();
        is_killed |= is_held;
        if let [dispatch, ..] = &till.dispatches()[..]
            && !has_run
        {
            let title = format!("git-mend {}", dispatch.payload["id"].as_str().unwrap());
            let event = "repository_dispatch".to_owned();
            till.add_workflow_run(WorkflowRun {
                title,
                event,
                ..WorkflowRun::completed(9, "main", &head, "success")
            });
            has_run = true;
        }
        let is_waiting =
            has_run && !is_awaited && server.as_ref().unwrap().shows_job_count("queued", 1);
        if is_held || is_waiting {
            is_awaited |= is_waiting;
            server = server.take().map(|server| restart_without_delays(&home, server));
        }
        server.as_ref().unwrap().shows_job_count("done", 1)
    }));
    let when = format!("{request}: {:?}", github.operations());
    assert_eq!(till.dispatches().len(), 1, "{when}");
    let checks = till.check_runs(&head);
    assert_eq!(checks.len(), 1, "{when}");
    assert_eq!(checks[0].statuses.last().unwrap(), "completed", "{when}");
    is_killed
}

#[test]
fn workflow_is_dispatched_once_despite_kills_anywhere() {
    assert!(
        (0..MAX_REQUESTS_PER_JOB).take_while(|request| assert_dispatched_once(*request)).count()
            > 5
    );
}

#[test]
fn merge_queue_failure_is_searched_without_its_branch() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (home, installation) = installed_server(&github);
    let server = home.start();
    let mut run = failed_run_event(&github);
    run["workflow_run"]["event"] = json!("merge_group");
    run["workflow_run"]["head_branch"] = json!("gh-readonly-queue/main/pr-9-0");
    send_queued(&server, installation, "d-1", "workflow_run", run);
    assert!(wait_until(|| github.request_count("repos/create-dispatch-event") == 1));
    let [dispatch] = github.repo(REPO_NAME).dispatches().try_into().unwrap();
    assert_eq!(dispatch.payload["branch"], "gh-readonly-queue/main/pr-9-0");
    assert_eq!(
        (&dispatch.payload["base"], &dispatch.payload["pull"]),
        (&json!("main"), &Value::Null)
    );
}

#[test]
fn ignored_workflow_is_not_searched() {
    let source = repository();
    let settings = "[github]\nignored-workflows = ['test.yml']\n";
    commit(source.path(), "one", &[(".git-mend.toml", settings)]);
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, source.path());
    let head = github.repo(REPO_NAME).branch("main").unwrap();
    let id = github
        .repo(REPO_NAME)
        .add_workflow_run(WorkflowRun::completed(9, "main", &head, "failure"));
    let (home, installation) = installed_server(&github);
    let server = home.start();
    let mut run = failed_run_event(&github);
    run["workflow_run"]["id"] = json!(id);
    send_queued(&server, installation, "d-1", "workflow_run", run);
    wait_for_jobs(&server, "cancelled", 1);
    assert!(github.repo(REPO_NAME).check_runs(&head).is_empty());
}

#[test]
fn outdated_pull_request_commit_is_not_searched() {
    let github = github_with_failure(Some(SEARCH_WORKFLOW));
    let (home, installation) = installed_server(&github);
    let alice = github.user("alice", Access::Write);
    let pull = github.repo(REPO_NAME).open_pull(&alice, "topic", "topic", "main");
    let server = home.start();
    let mut run = failed_run_event(&github);
    let old = "1".repeat(40);
    run["workflow_run"]["event"] = json!("pull_request");
    run["workflow_run"]["head_sha"] = json!(old);
    run["workflow_run"]["pull_requests"] = json!([{ "number": pull, "head": { "sha": old } }]);
    send_queued(&server, installation, "d-1", "workflow_run", run);
    wait_for_jobs(&server, "cancelled", 1);
    assert!(github.repo(REPO_NAME).dispatches().is_empty());
}

/// Reports a skipped test, because no sandbox works on this machine. Fails in CI, where the message would be missed.
pub(super) fn report_skipped() {
    assert!(std::env::var_os("CI").is_none_or(|word| word != "true"), "no sandbox works");
    eprintln!("NOT TESTED: no sandbox works on this machine");
}

/// Runs a local search for a commit with failed checks, and returns the server's log. Returns `None` if no sandbox
/// works.
pub(super) fn run_local_search(github: &FakeGithub) -> Option<(ServerHome, CommandOutput)> {
    let (home, installation) = installed_server(github);
    let server = home.start();
    send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(github));
    wait_for_jobs(&server, "done", 1);
    let output = server.stop();
    let is_tested = !output.stderr.contains("no sandbox works on this machine");
    if !is_tested {
        report_skipped();
    }
    is_tested.then_some((home, output))
}

/// Creates a GitHub with a repository without Java sources.
pub(super) fn github_without_sources() -> FakeGithub {
    let source = repository();
    commit(source.path(), "one", &[("notes.txt", "x\n")]);
    commit(source.path(), "two", &[("notes.txt", "y\n")]);
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, source.path());
    github
}

#[test]
fn unsearchable_repository_check_suggests_a_workflow() {
    let github = github_without_sources();
    let Some((_, output)) = run_local_search(&github) else { return };
    let head = github.repo(REPO_NAME).branch("main").unwrap();
    let [check] = github
        .repo(REPO_NAME)
        .check_runs(&head)
        .try_into()
        .unwrap_or_else(|_| panic!("{}", output.stderr));
    assert_eq!(check.title, "the build: not searched, incomplete environment");
    assert!(check.summary.contains("no Java sources found"), "{}", check.summary);
    assert!(check.summary.contains("the repository's own workflow"), "{}", check.summary);
    assert!(github.repo(REPO_NAME).pulls().is_empty());
}

#[test]
fn repository_without_workflow_is_searched_on_the_server() {
    let (github, head) = github_with_failed_test();
    let Some((home, output)) = run_local_search(&github) else { return };
    let checks = github.repo(REPO_NAME).check_runs(&head);
    assert_eq!(checks.len(), 2, "{}", output.stderr);
    assert_eq!(checks[1].statuses, ["queued", "in_progress", "completed"]);
    assert!(checks[1].started_at.is_some());
    assert!(checks[1].summary.contains("--test=TillTest"), "{}", checks[1].summary);
    let pulls = github.repo(REPO_NAME).pulls();
    assert_eq!(pulls.len(), 1);
    assert!(pulls[0].head_branch.starts_with("git-mend/"));
    assert!(!output.stderr.contains("ghs_"), "a token was logged");
    assert!(home.is_work_folder_empty(), "a folder was left");
}

#[test]
fn unsandboxed_run_needs_the_option_and_is_logged() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    fs::write(secret.path(), "what no sandbox shows").unwrap();
    let source = repository();
    let test = format!(
        "public class TillTest {{ public static void main(String[] a) throws Exception {{ \
         if (new Till().sum() != 3) throw new AssertionError(java.nio.file.Files.readString(\
         java.nio.file.Path.of(\"{}\"))); }} }}",
        secret.path().display()
    );
    let till = |sum: &str| format!("public class Till {{\n    int sum() {{ return {sum}; }}\n}}\n");
    let (code, test) = ("src/main/java/Till.java", ("src/test/java/TillTest.java", test));
    commit(source.path(), "one", &[(code, till("1 + 2")), test]);
    commit(source.path(), "two", &[(code, till("1 - 2"))]);
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, source.path());
    let head = github.repo(REPO_NAME).branch("main").unwrap();
    github.repo(REPO_NAME).add_failed_check(&head, "src/test/java/TillTest.java");
    let (home, installation) = installed_server(&github);
    let server = start_without_sandbox(&home, &["--run-untrusted-code-without-a-sandbox"]);
    assert!(wait_until(|| server.has_logged("repository code runs without a sandbox")));
    fs::create_dir(missing_temp_folder(&home)).unwrap();
    send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
    wait_for_jobs(&server, "done", 1);
    assert_eq!(server.stop().code, 0);
    let [_, check] = github.repo(REPO_NAME).check_runs(&head).try_into().unwrap();
    assert!(check.summary.contains("what no sandbox shows"), "{}", check.summary);
    assert_eq!(github.repo(REPO_NAME).pulls().len(), 1);
    assert!(home.is_work_folder_empty());
}

/// Starts a server that finds no working sandbox, because the temporary folder does not exist.
fn start_without_sandbox(home: &ServerHome, arguments: &[&str]) -> Server {
    Server::spawn(home.command().args(arguments).env("TMPDIR", missing_temp_folder(home)))
}

fn missing_temp_folder(home: &ServerHome) -> PathBuf {
    home.path().join("nowhere")
}

#[test]
fn no_repository_code_runs_without_a_sandbox() {
    let (github, head) = github_with_failed_test();
    let (home, installation) = installed_server(&github);
    let server = start_without_sandbox(&home, &[]);
    send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
    wait_for_jobs(&server, "failed", 1);
    let output = server.stop();
    assert!(output.stderr.contains("no sandbox works on this machine"), "{}", output.stderr);
    assert!(home.is_work_folder_empty());
    assert!(github.repo(REPO_NAME).pulls().is_empty());
    assert_eq!(github.repo(REPO_NAME).check_runs(&head).len(), 1, "the one that failed");
}
