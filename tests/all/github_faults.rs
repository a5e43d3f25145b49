//! The client of GitHub where GitHub fails, refuses or keeps silent.

use crate::github::{Access, Actor, FakeGithub, Fault, PATIENCE, wait};
use crate::github_client::{TILL, bakery, check, mend, pull_of_mend, workflow};
use crate::support::git;
use mend_github::{
    AccessLevel, ApiError, CheckRunStatus, Conclusion, GitHubApp, InstallationId, PERMISSIONS,
    PullNumber, Repo, RepoName, Suggestion,
};
use std::time::Duration;

/// Ways in which a request is executed but its response is lost.
const LOST: [Fault; 2] = [Fault::After(502), Fault::ClosedAfter];

/// A GitHub with a pull request.
fn with_pull() -> (FakeGithub, u64) {
    let github = bakery();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(TILL);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    (github, number)
}

fn say(till: &Repo, pull: u64) -> Result<(), ApiError> {
    wait(till.set_comment(PullNumber(pull), "<!-- mark -->", "<!-- mark --> one")).map(drop)
}

#[test]
fn a_comment_whose_answer_is_lost_is_written_once() {
    for fault in LOST {
        let (github, pull) = with_pull();
        github.fault("issues/create-comment", fault);
        say(&github.client(TILL, workflow()), pull).unwrap();
        assert_eq!(github.repo(TILL).comments(pull).len(), 1);
    }
}

#[test]
fn a_pull_request_whose_answer_is_lost_is_made_once() {
    for fault in LOST {
        let github = bakery();
        let till = github.client(TILL, workflow());
        wait(till.create_commit(&mend(&github))).unwrap();
        github.fault("pulls/create", fault);
        wait(till.create_pull(&pull_of_mend())).unwrap();
        assert_eq!(github.repo(TILL).pulls().len(), 1);
    }
}

#[test]
fn a_branch_and_a_commit_whose_answers_are_lost_are_made_once() {
    for operation in ["git/create-ref", "graphql"] {
        for fault in LOST {
            let github = bakery();
            let till = github.client(TILL, workflow());
            github.fault(operation, fault);
            let made = wait(till.create_commit(&mend(&github))).unwrap();
            assert_eq!(github.repo(TILL).branch("mend/words"), Some(made.id.0));
            assert_eq!(github.count("graphql"), 1);
        }
    }
}

#[test]
fn a_branch_that_somebody_else_makes_meanwhile_is_taken() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    // The look before shows nothing, and the branch is there.
    git(&github.repo(TILL).path(), &["branch", "mend/words", "main"]);
    github.fault("git/get-ref", Fault::Instead(404));
    wait(till.create_commit(&mend(&github))).unwrap();
    assert_eq!(github.count("git/create-ref"), 1);
}

#[test]
fn a_suggestion_whose_answer_is_lost_is_made_once() {
    for fault in LOST {
        let (github, number) = with_pull();
        let till = github.client(TILL, workflow());
        let pull = wait(till.get_pull(PullNumber(number))).unwrap();
        let body = "```suggestion\ngood\n```".to_owned();
        let one = Suggestion { path: "words.txt".to_owned(), first_line: 2, last_line: 2, body };
        github.fault("pulls/create-review", fault);
        wait(till.create_suggestions(&pull, "<!-- mark -->", "<!-- mark -->", &[one])).unwrap();
        assert_eq!(github.repo(TILL).reviews(number).len(), 1);
    }
}

/// Every annotation once, whatever is lost on the way.
fn annotated_once(faults: &[(usize, &str, Fault)]) {
    let github = bakery();
    let till = github.client(TILL, workflow());
    for (skip, operation, fault) in faults {
        github.fault_after(*skip, operation, fault.clone());
    }
    let wanted = check(&github, CheckRunStatus::Completed(Conclusion::Failure), 120);
    wait(till.set_check_run(&wanted)).unwrap();
    let [run] = github.repo(TILL).check_runs(&wanted.head.0).try_into().unwrap();
    let lines = run.annotations.iter().map(|one| one["start_line"].as_u64().unwrap());
    assert!(lines.eq(1..=120), "{faults:?}");
    assert_eq!(run.conclusion.as_deref(), Some("failure"));
}

#[test]
fn a_check_run_whose_answers_are_lost_is_one_with_each_annotation_once() {
    for fault in LOST {
        annotated_once(&[(0, "checks/create", fault.clone())]);
        annotated_once(&[(0, "checks/update", fault.clone())]);
        annotated_once(&[(1, "checks/update", fault)]);
    }
}

#[test]
fn a_check_run_that_stopped_half_way_is_brought_to_its_end() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let wanted = check(&github, CheckRunStatus::Completed(Conclusion::Failure), 120);
    github.fault_after(1, "checks/update", Fault::TokenEnds);
    assert_eq!(wait(till.set_check_run(&wanted)).unwrap_err(), ApiError::Unauthorized);
    wait(github.client(TILL, workflow()).set_check_run(&wanted)).unwrap();
    let [run] = github.repo(TILL).check_runs(&wanted.head.0).try_into().unwrap();
    assert_eq!((run.status.as_str(), run.annotations.len()), ("completed", 120));
}

#[test]
fn a_token_that_ends_in_the_middle_ends_the_call() {
    let (github, pull) = with_pull();
    let alice = Actor::user("alice");
    for index in 0..250 {
        github.repo(TILL).comment(&alice, pull, &index.to_string());
    }
    github.fault_after(1, "issues/list-comments", Fault::TokenEnds);
    let till = github.client(TILL, workflow());
    let read = |till: &Repo| wait(till.list_comments(PullNumber(pull))).unwrap_err();
    assert_eq!(read(&till), ApiError::Unauthorized);
    assert_eq!(read(&till), ApiError::Unauthorized);
    assert_eq!(github.count("issues/list-comments"), 3);
}

#[test]
fn what_is_turned_away_for_the_rate_is_done_once_after_the_wait() {
    let (github, pull) = with_pull();
    github.fault("issues/create-comment", Fault::RetryAfter(0));
    say(&github.client(TILL, workflow()), pull).unwrap();
    assert_eq!(github.repo(TILL).comments(pull).len(), 1);
    assert_eq!(github.count("issues/create-comment"), 2);
}

#[test]
fn too_long_a_wait_is_not_waited_for() {
    let (github, pull) = with_pull();
    let till = github.client(TILL, workflow());
    github.fault("issues/create-comment", Fault::RetryAfter(3600));
    assert_eq!(say(&till, pull), Err(ApiError::RateLimited { seconds: 3600 }));
    github.fault("issues/create-comment", Fault::Spent { until: 9_999_999_999 });
    assert!(matches!(say(&till, pull), Err(ApiError::RateLimited { .. })));
}

#[test]
fn what_was_not_done_is_told_and_can_be_done_again() {
    let (github, pull) = with_pull();
    let till = github.client(TILL, workflow());
    for fault in [Fault::Instead(502), Fault::Closed] {
        github.fault("issues/create-comment", fault);
        let error = say(&till, pull).unwrap_err();
        assert!(error.is_transient(), "{error}");
    }
    say(&till, pull).unwrap();
    assert_eq!(github.repo(TILL).comments(pull).len(), 1);
}

#[test]
fn looking_is_repeated() {
    for fault in [Fault::Instead(502), Fault::Closed, Fault::ClosedAfter] {
        let github = bakery();
        github.fault("repos/get", fault.clone());
        github.fault("repos/get", fault);
        wait(github.client(TILL, workflow()).get_info()).unwrap();
        assert_eq!(github.count("repos/get"), 3);
    }
}

#[test]
fn a_slow_answer_is_an_answer() {
    let (github, pull) = with_pull();
    github.fault("issues/create-comment", Fault::Slow(Duration::from_millis(200)));
    say(&github.client(TILL, workflow()), pull).unwrap();
    assert_eq!(github.repo(TILL).comments(pull).len(), 1);
}

#[test]
fn silence_ends_and_what_was_asked_for_is_asked_again_or_looked_for() {
    let (github, pull) = with_pull();
    let hour = Duration::from_secs(3600);
    let till = github.impatient_client(TILL, workflow());
    github.fault("repos/get", Fault::Slow(hour));
    wait(till.get_info()).unwrap();
    assert!(github.count("repos/get") > 1);
    github.fault("issues/create-comment", Fault::Slow(hour));
    say(&till, pull).unwrap();
    assert_eq!(github.repo(TILL).comments(pull).len(), 1);
    assert_eq!(github.count("issues/create-comment"), 1);
}

#[test]
fn a_token_with_too_little_permission_is_told_so() {
    let (github, pull) = with_pull();
    let read = ["contents", "pull_requests", "checks"].map(|name| (name, AccessLevel::Read));
    let till = github.client(TILL, Actor::actions(TILL, &read));
    let is_forbidden = |error: ApiError| {
        assert!(matches!(error, ApiError::Forbidden(_)), "{error}");
    };
    is_forbidden(say(&till, pull).unwrap_err());
    is_forbidden(wait(till.create_commit(&mend(&github))).unwrap_err());
    is_forbidden(wait(till.create_pull(&pull_of_mend())).unwrap_err());
    is_forbidden(wait(till.set_check_run(&check(&github, CheckRunStatus::Queued, 0))).unwrap_err());
    is_forbidden(wait(till.delete_branch("side")).unwrap_err());
    assert_eq!(github.count("graphql"), 0);
}

#[test]
fn workflows_may_be_forbidden_to_open_pull_requests() {
    let github = bakery();
    github.repo(TILL).forbid_pulls_by_actions();
    let till = github.client(TILL, workflow());
    wait(till.create_commit(&mend(&github))).unwrap();
    let error = wait(till.create_pull(&pull_of_mend())).unwrap_err();
    assert!(error.to_string().contains("not permitted to create"), "{error}");
}

fn name() -> RepoName {
    TILL.parse().unwrap()
}

#[test]
fn an_app_has_a_token_for_one_repository_that_may_do_what_is_named() {
    let (github, pull) = with_pull();
    let app = github.app("git-mend");
    let installation = InstallationId(app.install(&[TILL], &PERMISSIONS));
    let key = || app.private_key.clone().into();
    let ours = wait(async { GitHubApp::new(&github.address(), app.id, key(), PATIENCE) }).unwrap();
    github.fault("apps/create-installation-access-token", Fault::After(502));
    let whole = wait(ours.create_repo_token(installation, &name(), &PERMISSIONS)).unwrap();
    say(&whole.repo, pull).unwrap();
    assert_eq!(github.repo(TILL).comments(pull)[0].author, "git-mend[bot]");
    let narrow = [("metadata", AccessLevel::Read)];
    let narrow = wait(ours.create_repo_token(installation, &name(), &narrow)).unwrap();
    let error = say(&narrow.repo, pull).unwrap_err();
    assert!(matches!(error, ApiError::Forbidden(_)), "{error}");
    let elsewhere = wait(ours.create_repo_token(InstallationId(1), &name(), &PERMISSIONS));
    assert!(matches!(elsewhere.err(), Some(ApiError::NotFound(_))));
    let too_much = [("workflows", AccessLevel::Write)];
    let too_much = wait(ours.create_repo_token(installation, &name(), &too_much));
    assert!(matches!(too_much.err(), Some(ApiError::Invalid(_))));
}

#[test]
fn a_token_of_an_app_that_ends_is_replaced_once() {
    let (github, pull) = with_pull();
    let app = github.app("git-mend");
    let installation = InstallationId(app.install(&[TILL], &PERMISSIONS));
    let key = app.private_key.clone().into();
    let ours = wait(async { GitHubApp::new(&github.address(), app.id, key, PATIENCE) }).unwrap();
    let till = wait(ours.create_repo_token(installation, &name(), &PERMISSIONS)).unwrap().repo;
    github.fault("issues/create-comment", Fault::TokenEnds);
    say(&till, pull).unwrap();
    assert_eq!(github.repo(TILL).comments(pull).len(), 1);
    let tokens = || github.count("apps/create-installation-access-token");
    assert_eq!(tokens(), 2);
    wait(till.get_info()).unwrap();
    github.fault("repos/get", Fault::TokenEnds);
    assert_eq!(wait(till.get_info()).err(), Some(ApiError::Unauthorized));
    assert_eq!(tokens(), 2);
}

#[test]
fn an_app_with_another_key_is_nobody() {
    let github = bakery();
    let (app, other) = (github.app("git-mend"), github.app("other"));
    let installation = InstallationId(app.install(&[TILL], &PERMISSIONS));
    let key = other.private_key.into();
    let forged = wait(async { GitHubApp::new(&github.address(), app.id, key, PATIENCE) }).unwrap();
    let error = wait(forged.create_repo_token(installation, &name(), &PERMISSIONS)).err();
    assert_eq!(error, Some(ApiError::Unauthorized));
}
