//! Actions of the server on GitHub.

#![allow(clippy::print_stderr, reason = "what could not be tested is never passed over in silence")]

use super::checks::again;
use super::client::Request;
use super::server::{Server, ServerHome};
use crate::github::{Access, Actor, BlockedRequestHandle, FakeGithub, Hold, WorkflowRun};
use crate::github_client::TILL;
use crate::support::{CommandOutput, commit, eventually, git, repository};
use mend_github::PERMISSIONS;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// More requests than any job makes.
pub(super) const MOST_REQUESTS: usize = 100;

pub(super) const WORKFLOW: &str = "run-name: git-mend ${{ github.event.client_payload.id }}\non:\n  \
                                   repository_dispatch:\n    types: [git-mend]\n";
const TEST: &str = "public class TillTest { public static void main(String[] a) { \
                    if (new Till().sum() != 3) throw new AssertionError(\"sum\"); } }";

/// A GitHub with a Java repository whose last commit breaks its test; `topic` is there too.
pub(super) fn github(workflow: Option<&str>) -> FakeGithub {
    let source = repository();
    let till = |sum: &str| {
        format!("public class Till {{\n    int sum() {{\n        return {sum};\n    }}\n}}\n")
    };
    let test = ("src/test/java/TillTest.java", TEST.to_owned());
    commit(source.path(), "one", &[("src/main/java/Till.java", till("1 + 2")), test]);
    if let Some(text) = workflow {
        commit(source.path(), "workflow", &[(".github/workflows/mend.yml", text)]);
    }
    commit(source.path(), "two", &[("src/main/java/Till.java", till("1 - 2"))]);
    git(source.path(), &["branch", "topic"]);
    let github = FakeGithub::start();
    github.add_repo(TILL, source.path());
    github
}

/// The server of an App that is installed there, and the installation's number.
pub(super) fn served(github: &FakeGithub) -> (ServerHome, u64) {
    let app = github.app("mend");
    let installation = app.install(&[TILL], &PERMISSIONS);
    (ServerHome::for_app(&app, github), installation)
}

pub(super) fn send(server: &Server, installation: u64, delivery: &str, event: &str, body: Value) {
    assert_eq!(outcome(server, installation, delivery, event, body), "queued");
}

/// Sends a webhook, and gives what became of it.
pub(super) fn outcome(
    server: &Server,
    installation: u64,
    delivery: &str,
    event: &str,
    mut body: Value,
) -> String {
    body["repository"] = json!({ "full_name": TILL, "default_branch": "main" });
    body["installation"] = json!({ "id": installation });
    let answer = server.send(&Request::webhook(event, delivery, body.to_string()));
    assert_eq!(answer.status, 202, "{}", answer.body);
    answer.outcome()
}

pub(super) fn failed_run(github: &FakeGithub) -> Value {
    let head = github.repo(TILL).branch("main").unwrap();
    json!({ "action": "completed", "workflow_run": {
        "id": 1, "workflow_id": 5, "run_attempt": 1, "event": "push", "conclusion": "failure",
        "head_branch": "main", "head_sha": head, "head_repository": { "full_name": TILL },
    } })
}

pub(super) fn comment(text: &str, author: &str, pull: u64, id: u64) -> Value {
    json!({ "action": "created", "issue": { "number": pull, "pull_request": {} },
        "comment": { "id": id, "body": text, "user": { "login": author, "type": "User" } } })
}

/// Waits until as many jobs are in a state as there should be.
pub(super) fn waits_for(server: &Server, state: &str, count: usize) {
    let page = || server.send(&Request::get("/")).body;
    assert!(
        eventually(|| server.shows_job_count(state, count)),
        "not {count} {state} in\n{}",
        page()
    );
    // For `scripts/screenshots`.
    if let Some(file) = std::env::var_os("KEEP_STATUS_PAGE") {
        fs::write(file, page()).unwrap();
    }
}

#[test]
fn the_repositorys_own_workflow_is_asked_once_even_if_the_server_is_killed_just_then() {
    let github = github(Some(WORKFLOW));
    let (home, installation) = served(&github);
    let server = home.start();
    send(&server, installation, "d-1", "workflow_run", failed_run(&github));
    assert!(eventually(|| github.count("repos/create-dispatch-event") == 1));
    server.kill();
    let head = github.repo(TILL).branch("main").unwrap();
    let dispatches = github.repo(TILL).dispatches();
    let of = |title: String, conclusion: &str| WorkflowRun {
        event: "repository_dispatch".into(),
        title,
        ..WorkflowRun::completed(9, "main", &head, conclusion)
    };
    let id = dispatches[0].payload["id"].as_str().unwrap();
    github.repo(TILL).workflow_run(of(format!("git-mend {id}"), "success"));
    // Runs that other users requested do not belong to the job.
    github.repo(TILL).workflow_run(of("git-mend".to_owned(), "failure"));
    github.repo(TILL).workflow_run(of(format!("git-mend {}", "0".repeat(16)), "failure"));
    let server = home.start();
    waits_for(&server, "done", 1);
    assert_eq!(dispatches.len(), 1);
    let [check] = github.repo(TILL).check_runs(&head).try_into().unwrap();
    assert_eq!(check.statuses, ["queued", "completed"]);
    assert_eq!(check.conclusion.as_deref(), Some("neutral"));
    let url = check.details_url.unwrap();
    assert!(check.summary.contains(&format!("({url})")), "{url}: {}", check.summary);
    let payload = &dispatches[0].payload;
    assert_eq!((&payload["reason"], &payload["sha"]), (&json!("search"), &json!(head)));
    assert_eq!(payload["id"].as_str().unwrap().len(), 16);
    assert_eq!(server.end().code, 0);
}

#[test]
fn no_workflow_of_the_repository_is_asked_to_run_the_code_of_a_fork() {
    let github = github(Some(WORKFLOW));
    let source = repository();
    commit(source.path(), "theirs", &[("notes.txt", "x\n")]);
    github.add_repo("mallory/till", source.path());
    let (home, installation) = served(&github);
    let alice = github.user("alice", Access::Write);
    let mallory = github.user("mallory", Access::Read);
    let (till, fork) = (github.repo(TILL), github.repo("mallory/till"));
    let pull = till.open_pull_from(&fork, &mallory, "theirs", "main", "main");
    let id = till.comment(&alice, pull, "/mend retry");
    let server = home.start();
    let asked = comment("/mend retry", "alice", pull, id);
    send(&server, installation, "d-1", "issue_comment", asked);
    let is_over =
        || ["done", "failed", "cancelled"].iter().any(|state| server.shows_job_count(state, 1));
    assert!(eventually(is_over), "{}", server.send(&Request::get("/")).body);
    assert!(till.dispatches().is_empty());
    // There is none where no sandbox works.
    for check in till.check_runs(&fork.branch("main").unwrap()) {
        assert!(check.summary.contains("in a clone"), "{}", check.summary);
        let again = format!("git mend bisect --good auto --bad {} '--test=*'\n", check.head);
        assert!(check.summary.contains(&again), "{}", check.summary);
    }
}

/// Returns the reactions to a comment.
fn reactions(github: &FakeGithub, pull: u64, comment: u64) -> Vec<String> {
    let comments = github.repo(TILL).comments(pull);
    let comment = comments.into_iter().find(|one| one.id == comment).unwrap();
    comment.reactions.into_iter().map(|(_, content)| content).collect()
}

#[test]
fn only_who_may_write_commands() {
    let github = github(Some(WORKFLOW));
    let (home, installation) = served(&github);
    let [alice, mallory, opener] =
        [("alice", Access::Write), ("mallory", Access::Read), ("opener", Access::Read)]
            .map(|(login, access)| github.user(login, access));
    let till = github.repo(TILL);
    let pull = till.open_pull(&opener, "topic", "topic", "main");
    let server = home.start();
    let command = |delivery: &str, who: &Actor, name: &str, words: &str| {
        let id = github.repo(TILL).comment(who, pull, words);
        send(&server, installation, delivery, "issue_comment", comment(words, name, pull, id));
        id
    };
    let stranger = command("d-1", &mallory, "mallory", "/mend fix");
    waits_for(&server, "cancelled", 1);
    assert!(reactions(&github, pull, stranger).is_empty(), "a stranger hears nothing");
    for (delivery, cancelled) in [("d-2", 2), ("d-3", 3)] {
        command(delivery, &opener, "opener", "/mend fix");
        waits_for(&server, "cancelled", cancelled);
    }
    let told: Vec<_> =
        till.comments(pull).into_iter().filter(|one| one.author == "mend[bot]").collect();
    assert_eq!(told.len(), 1, "whoever opened it is told once");
    assert!(told[0].body.contains("users with write access"), "{}", told[0].body);
    assert!(till.dispatches().is_empty());
    let fix = command("d-4", &alice, "alice", "/mend fix");
    assert!(eventually(|| github.count("repos/create-dispatch-event") == 1));
    waits_for(&server, "queued", 1);
    assert_eq!(reactions(&github, pull, fix), ["eyes"]);
    let stop = command("d-5", &alice, "alice", "/mend stop");
    waits_for(&server, "cancelled", 4);
    waits_for(&server, "done", 2);
    let [check] = till.check_runs(&till.branch("topic").unwrap()).try_into().unwrap();
    assert_eq!(check.statuses, ["queued", "completed"]);
    assert!(check.summary.contains("`a user stopped it`"), "{}", check.summary);
    assert_eq!(reactions(&github, pull, stop), ["eyes", "rocket"]);
    assert_eq!(till.dispatches()[0].payload["reason"], "fix");
    // What it takes to answer, to look, to show where the search is, and to ask the workflow.
    let granted = [
        "checks:read contents:read metadata:read pull_requests:write",
        "actions:read checks:read contents:read metadata:read pull_requests:read",
        "checks:write metadata:read",
        "contents:write metadata:read",
    ];
    assert_eq!(github.granted(), granted.map(str::to_owned).into());
}

#[test]
fn who_asks_why_is_told_what_is_known_and_nothing_is_searched() {
    let github = github(Some(WORKFLOW));
    let (home, installation) = served(&github);
    let alice = github.user("alice", Access::Write);
    let till = github.repo(TILL);
    let pull = till.open_pull(&alice, "topic", "topic", "main");
    let server = home.start();
    let ask = |delivery: &str| {
        let id = github.repo(TILL).comment(&alice, pull, "/mend explain");
        send(
            &server,
            installation,
            delivery,
            "issue_comment",
            comment("/mend explain", "alice", pull, id),
        );
    };
    ask("d-1");
    waits_for(&server, "done", 1);
    let answer = till.comments(pull).pop().unwrap();
    assert!(answer.body.contains("There is no search for"), "{}", answer.body);
    let head = till.branch("topic").unwrap();
    till.told_check(&head, "a.B#c fails", "x\n\n### Verification\n\n- 6 commits\n");
    ask("d-2");
    waits_for(&server, "done", 2);
    let answer = till.comments(pull).pop().unwrap();
    assert!(answer.body.contains("**`a.B#c fails`** ([details](http"), "{}", answer.body);
    assert!(answer.body.contains("- 6 commits"), "{}", answer.body);
    assert_eq!(till.comments(pull).len(), 4, "each is answered once");
    assert!(till.dispatches().is_empty());
}

/// Sends a webhook to a server that is killed at a request and started again, and waits until the job is done; gives
/// whether it came so far.
pub(super) fn killed_at(
    github: &FakeGithub,
    (request, at): (usize, Hold),
    (event, body): (&str, Value),
) -> bool {
    let (home, installation) = served(github);
    let server = home.start();
    let hostage = github.hold(request, at);
    send(&server, installation, "d-1", event, body);
    killed_when_held(&home, server, hostage)
}

/// Kills a server at the request that is held, starts it again, and waits until its job is done; gives whether it came so
/// far.
pub(super) fn killed_when_held(
    home: &ServerHome,
    mut server: Server,
    hostage: BlockedRequestHandle,
) -> bool {
    let mut is_there = false;
    assert!(eventually(|| {
        is_there = hostage.is_there();
        is_there || server.shows_job_count("done", 1)
    }));
    if is_there {
        server.kill();
        drop(hostage);
        server = home.start();
    }
    waits_for(&server, "done", 1);
    is_there
}

#[test]
fn a_server_that_is_killed_at_any_request_answers_once() {
    for at in [Hold::Before, Hold::After] {
        let is_killed_at = |request: &usize| {
            let github = github(Some(WORKFLOW));
            let alice = github.user("alice", Access::Write);
            let pull = github.repo(TILL).open_pull(&alice, "topic", "topic", "main");
            let asked = ("issue_comment", comment("/mend explain", "alice", pull, 7));
            let is_killed = killed_at(&github, (*request, at), asked);
            let answers = github.repo(TILL).comments(pull).len();
            assert_eq!(answers, 1, "{at:?} {request}: {:?}", github.operations());
            is_killed
        };
        assert!((0..MOST_REQUESTS).take_while(is_killed_at).count() > 5);
    }
}

#[test]
fn a_server_that_is_killed_at_any_request_tells_of_a_search_once() {
    let is_killed_at = |request: &usize| {
        let github = barren();
        let is_killed =
            killed_at(&github, (*request, Hold::After), ("workflow_run", failed_run(&github)));
        let head = github.repo(TILL).branch("main").unwrap();
        let told = github.repo(TILL).check_runs(&head).len();
        assert_eq!(told, 1, "{request}: {:?}", github.operations());
        is_killed
    };
    assert!((0..MOST_REQUESTS).take_while(is_killed_at).count() > 10);
}

/// Has a server that is killed after a request ask the repository's own workflow, whose run is over as soon as it was
/// asked for; gives whether it came so far.
fn is_asked_once(request: usize) -> bool {
    let github = github(Some(WORKFLOW));
    let till = github.repo(TILL);
    let head = till.branch("main").unwrap();
    let (home, installation) = served(&github);
    let hostage = github.hold(request, Hold::After);
    let mut server = Some(home.start());
    send(server.as_ref().unwrap(), installation, "d-1", "workflow_run", failed_run(&github));
    let (mut is_killed, mut has_run, mut is_awaited) = (false, false, false);
    assert!(eventually(|| {
        let is_held = hostage.is_there();
        is_killed |= is_held;
        if let [dispatch, ..] = &till.dispatches()[..]
            && !has_run
        {
            let title = format!("git-mend {}", dispatch.payload["id"].as_str().unwrap());
            let event = "repository_dispatch".to_owned();
            till.workflow_run(WorkflowRun {
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
            server = server.take().map(|server| again(&home, server));
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
fn a_server_that_is_killed_at_any_request_asks_the_repositorys_own_workflow_once() {
    assert!((0..MOST_REQUESTS).take_while(|request| is_asked_once(*request)).count() > 5);
}

#[test]
fn what_fails_in_a_merge_queue_is_searched_though_its_branch_is_gone() {
    let github = github(Some(WORKFLOW));
    let (home, installation) = served(&github);
    let server = home.start();
    let mut run = failed_run(&github);
    run["workflow_run"]["event"] = json!("merge_group");
    run["workflow_run"]["head_branch"] = json!("gh-readonly-queue/main/pr-9-0");
    send(&server, installation, "d-1", "workflow_run", run);
    assert!(eventually(|| github.count("repos/create-dispatch-event") == 1));
    let [dispatch] = github.repo(TILL).dispatches().try_into().unwrap();
    assert_eq!(dispatch.payload["branch"], "gh-readonly-queue/main/pr-9-0");
    assert_eq!(
        (&dispatch.payload["base"], &dispatch.payload["pull"]),
        (&json!("main"), &Value::Null)
    );
}

#[test]
fn a_workflow_that_the_settings_leave_alone_is_not_searched() {
    let source = repository();
    let settings = "[github]\nignored-workflows = ['test.yml']\n";
    commit(source.path(), "one", &[(".git-mend.toml", settings)]);
    let github = FakeGithub::start();
    github.add_repo(TILL, source.path());
    let head = github.repo(TILL).branch("main").unwrap();
    let id = github.repo(TILL).workflow_run(WorkflowRun::completed(9, "main", &head, "failure"));
    let (home, installation) = served(&github);
    let server = home.start();
    let mut run = failed_run(&github);
    run["workflow_run"]["id"] = json!(id);
    send(&server, installation, "d-1", "workflow_run", run);
    waits_for(&server, "cancelled", 1);
    assert!(github.repo(TILL).check_runs(&head).is_empty());
}

#[test]
fn a_commit_that_is_no_longer_proposed_is_not_searched() {
    let github = github(Some(WORKFLOW));
    let (home, installation) = served(&github);
    let alice = github.user("alice", Access::Write);
    let pull = github.repo(TILL).open_pull(&alice, "topic", "topic", "main");
    let server = home.start();
    let mut run = failed_run(&github);
    let old = "1".repeat(40);
    run["workflow_run"]["event"] = json!("pull_request");
    run["workflow_run"]["head_sha"] = json!(old);
    run["workflow_run"]["pull_requests"] = json!([{ "number": pull, "head": { "sha": old } }]);
    send(&server, installation, "d-1", "workflow_run", run);
    waits_for(&server, "cancelled", 1);
    assert!(github.repo(TILL).dispatches().is_empty());
}

/// Reports a test that was skipped because no sandbox works on this machine; fails in CI, where the message would be
/// missed.
pub(super) fn not_tested() {
    assert!(std::env::var_os("CI").is_none_or(|word| word != "true"), "no sandbox works");
    eprintln!("NOT TESTED: no sandbox works on this machine");
}

/// Has a server search a commit whose checks failed, and gives what it logged; nothing where no sandbox works.
pub(super) fn searched_here(github: &FakeGithub) -> Option<(ServerHome, CommandOutput)> {
    let (home, installation) = served(github);
    let server = home.start();
    send(&server, installation, "d-1", "workflow_run", failed_run(github));
    waits_for(&server, "done", 1);
    let ran = server.end();
    let is_tested = !ran.stderr.contains("no sandbox works on this machine");
    if !is_tested {
        not_tested();
    }
    is_tested.then_some((home, ran))
}

/// A GitHub with a repository in which there is nothing to search.
pub(super) fn barren() -> FakeGithub {
    let source = repository();
    commit(source.path(), "one", &[("notes.txt", "x\n")]);
    commit(source.path(), "two", &[("notes.txt", "y\n")]);
    let github = FakeGithub::start();
    github.add_repo(TILL, source.path());
    github
}

#[test]
fn what_cannot_be_searched_here_is_said_with_what_to_do() {
    let github = barren();
    let Some((_, ran)) = searched_here(&github) else { return };
    let head = github.repo(TILL).branch("main").unwrap();
    let [check] =
        github.repo(TILL).check_runs(&head).try_into().unwrap_or_else(|_| panic!("{}", ran.stderr));
    assert_eq!(check.title, "the build: not searched, incomplete environment");
    assert!(check.summary.contains("no Java sources found"), "{}", check.summary);
    assert!(check.summary.contains("the repository's own workflow"), "{}", check.summary);
    assert!(github.repo(TILL).pulls().is_empty());
}

#[test]
fn a_repository_without_a_workflow_is_searched_here_and_told_once() {
    let github = github(None);
    let head = github.repo(TILL).branch("main").unwrap();
    github.repo(TILL).failed_check(&head, "src/test/java/TillTest.java");
    let Some((home, ran)) = searched_here(&github) else { return };
    let checks = github.repo(TILL).check_runs(&head);
    assert_eq!(checks.len(), 2, "{}", ran.stderr);
    assert_eq!(checks[1].statuses, ["queued", "in_progress", "completed"]);
    assert!(checks[1].started_at.is_some());
    assert!(checks[1].summary.contains("--test=TillTest"), "{}", checks[1].summary);
    let pulls = github.repo(TILL).pulls();
    assert_eq!(pulls.len(), 1);
    assert!(pulls[0].head_branch.starts_with("git-mend/"));
    assert!(!ran.stderr.contains("ghs_"), "a token was logged");
    assert!(home.is_swept(), "a folder was left");
}

#[test]
fn whoever_says_so_in_so_many_words_has_code_run_without_a_sandbox_and_is_warned() {
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
    github.add_repo(TILL, source.path());
    let head = github.repo(TILL).branch("main").unwrap();
    github.repo(TILL).failed_check(&head, "src/test/java/TillTest.java");
    let (home, installation) = served(&github);
    let server = without_a_sandbox(&home, &["--run-untrusted-code-without-a-sandbox"]);
    assert!(eventually(|| server.logs("repository code runs without a sandbox")));
    fs::create_dir(nowhere(&home)).unwrap();
    send(&server, installation, "d-1", "workflow_run", failed_run(&github));
    waits_for(&server, "done", 1);
    assert_eq!(server.end().code, 0);
    let [_, check] = github.repo(TILL).check_runs(&head).try_into().unwrap();
    assert!(check.summary.contains("what no sandbox shows"), "{}", check.summary);
    assert_eq!(github.repo(TILL).pulls().len(), 1);
    assert!(home.is_swept());
}

/// A server that finds no sandbox to work, as there is no folder in which to try one.
fn without_a_sandbox(home: &ServerHome, arguments: &[&str]) -> Server {
    Server::spawn(home.command().args(arguments).env("TMPDIR", nowhere(home)))
}

fn nowhere(home: &ServerHome) -> PathBuf {
    home.path().join("nowhere")
}

#[test]
fn where_no_sandbox_works_no_code_of_a_repository_runs() {
    let github = github(None);
    let head = github.repo(TILL).branch("main").unwrap();
    github.repo(TILL).failed_check(&head, "src/test/java/TillTest.java");
    let (home, installation) = served(&github);
    let server = without_a_sandbox(&home, &[]);
    send(&server, installation, "d-1", "workflow_run", failed_run(&github));
    waits_for(&server, "failed", 1);
    let ran = server.end();
    assert!(ran.stderr.contains("no sandbox works on this machine"), "{}", ran.stderr);
    assert!(home.is_swept());
    assert!(github.repo(TILL).pulls().is_empty());
    assert_eq!(github.repo(TILL).check_runs(&head).len(), 1, "the one that failed");
}
