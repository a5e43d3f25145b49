//! Tests of the GitHub client with injected faults of GitHub.

use crate::github::{Access, Actor, FAST_RETRY_POLICY, FakeGithub, Fault, block_on};
use crate::github_client::{
    REPO_NAME, fix_commit, fix_pull, github_with_repo, new_check_run, workflow_actor,
};
use crate::support::git;
use mend_github::{
    AccessLevel, ApiError, CheckRunStatus, Conclusion, GitHubApp, InstallationId, PERMISSIONS,
    PullNumber, Repo, RepoName, Suggestion,
};
use std::time::Duration;

/// Faults for which a request is executed but its response is lost.
const LOST_RESPONSE_FAULTS: [Fault; 2] = [Fault::After(502), Fault::ClosedAfter];

/// Creates a GitHub with a pull request.
fn github_with_pull() -> (FakeGithub, u64) {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(REPO_NAME);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    (github, number)
}

fn set_comment(till: &Repo, pull: u64) -> Result<(), ApiError> {
    block_on(till.set_comment(PullNumber(pull), "<!-- mark -->", "<!-- mark --> one")).map(drop)
}

#[test]
fn comment_with_lost_response_is_created_once() {
    for fault in LOST_RESPONSE_FAULTS {
        let (github, pull) = github_with_pull();
        github.add_fault("issues/create-comment", fault);
        set_comment(&github.client(REPO_NAME, workflow_actor()), pull).unwrap();
        assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 1);
    }
}

#[test]
fn pull_request_with_lost_response_is_created_once() {
    for fault in LOST_RESPONSE_FAULTS {
        let github = github_with_repo();
        let till = github.client(REPO_NAME, workflow_actor());
        block_on(till.create_commit(&fix_commit(&github))).unwrap();
        github.add_fault("pulls/create", fault);
        block_on(till.create_pull(&fix_pull())).unwrap();
        assert_eq!(github.repo(REPO_NAME).pulls().len(), 1);
    }
}

#[test]
fn branch_and_commit_with_lost_responses_are_created_once() {
    for operation in ["git/create-ref", "graphql"] {
        for fault in LOST_RESPONSE_FAULTS {
            let github = github_with_repo();
            let till = github.client(REPO_NAME, workflow_actor());
            github.add_fault(operation, fault);
            let created = block_on(till.create_commit(&fix_commit(&github))).unwrap();
            assert_eq!(github.repo(REPO_NAME).branch("mend/words"), Some(created.id.0));
            assert_eq!(github.request_count("graphql"), 1);
        }
    }
}

#[test]
fn concurrently_created_branch_is_reused() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    // The lookup of the branch fails, although the branch exists.
    git(&github.repo(REPO_NAME).path(), &["branch", "mend/words", "main"]);
    github.add_fault("git/get-ref", Fault::Instead(404));
    block_on(till.create_commit(&fix_commit(&github))).unwrap();
    assert_eq!(github.request_count("git/create-ref"), 1);
}

#[test]
fn suggestion_with_lost_response_is_created_once() {
    for fault in LOST_RESPONSE_FAULTS {
        let (github, number) = github_with_pull();
        let till = github.client(REPO_NAME, workflow_actor());
        let pull = block_on(till.get_pull(PullNumber(number))).unwrap();
        let body = "```suggestion\ngood\n```".to_owned();
        let suggestion =
            Suggestion { path: "words.txt".to_owned(), first_line: 2, last_line: 2, body };
        github.add_fault("pulls/create-review", fault);
        block_on(till.create_suggestions(&pull, "<!-- mark -->", "<!-- mark -->", &[suggestion]))
            .unwrap();
        assert_eq!(github.repo(REPO_NAME).reviews(number).len(), 1);
    }
}

/// Asserts that each annotation is published once, despite these faults.
fn assert_annotated_once(faults: &[(usize, &str, Fault)]) {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    for (skip, operation, fault) in faults {
        github.add_fault_after(*skip, operation, fault.clone());
    }
    let new_check_run = new_check_run(&github, CheckRunStatus::Completed(Conclusion::Failure), 120);
    block_on(till.set_check_run(&new_check_run)).unwrap();
    let [run] = github.repo(REPO_NAME).check_runs(&new_check_run.head.0).try_into().unwrap();
    let lines = run.annotations.iter().map(|one| one["start_line"].as_u64().unwrap());
    assert!(lines.eq(1..=120), "{faults:?}");
    assert_eq!(run.conclusion.as_deref(), Some("failure"));
}

#[test]
fn check_run_with_lost_responses_has_each_annotation_once() {
    for fault in LOST_RESPONSE_FAULTS {
        assert_annotated_once(&[(0, "checks/create", fault.clone())]);
        assert_annotated_once(&[(0, "checks/update", fault.clone())]);
        assert_annotated_once(&[(1, "checks/update", fault)]);
    }
}

#[test]
fn interrupted_check_run_is_completed() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let new_check_run = new_check_run(&github, CheckRunStatus::Completed(Conclusion::Failure), 120);
    github.add_fault_after(1, "checks/update", Fault::TokenEnds);
    assert_eq!(block_on(till.set_check_run(&new_check_run)).unwrap_err(), ApiError::Unauthorized);
    block_on(github.client(REPO_NAME, workflow_actor()).set_check_run(&new_check_run)).unwrap();
    let [run] = github.repo(REPO_NAME).check_runs(&new_check_run.head.0).try_into().unwrap();
    assert_eq!((run.status.as_str(), run.annotations.len()), ("completed", 120));
}

#[test]
fn expired_token_fails_the_call() {
    let (github, pull) = github_with_pull();
    let alice = Actor::user("alice");
    for index in 0..250 {
        github.repo(REPO_NAME).add_comment(&alice, pull, &index.to_string());
    }
    github.add_fault_after(1, "issues/list-comments", Fault::TokenEnds);
    let till = github.client(REPO_NAME, workflow_actor());
    let read = |till: &Repo| block_on(till.list_comments(PullNumber(pull))).unwrap_err();
    assert_eq!(read(&till), ApiError::Unauthorized);
    assert_eq!(read(&till), ApiError::Unauthorized);
    assert_eq!(github.request_count("issues/list-comments"), 3);
}

#[test]
fn rate_limited_request_is_retried_once() {
    let (github, pull) = github_with_pull();
    github.add_fault("issues/create-comment", Fault::RetryAfter(0));
    set_comment(&github.client(REPO_NAME, workflow_actor()), pull).unwrap();
    assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 1);
    assert_eq!(github.request_count("issues/create-comment"), 2);
}

#[test]
fn long_rate_limit_is_an_error() {
    let (github, pull) = github_with_pull();
    let till = github.client(REPO_NAME, workflow_actor());
    github.add_fault("issues/create-comment", Fault::RetryAfter(3600));
    assert_eq!(set_comment(&till, pull), Err(ApiError::RateLimited { seconds: 3600 }));
    let till = github.client(REPO_NAME, workflow_actor());
    github.add_fault("issues/create-comment", Fault::Spent { until: 9_999_999_999 });
    assert!(matches!(set_comment(&till, pull), Err(ApiError::RateLimited { .. })));
}

/// Creates the client of an App with this key.
fn app_client(github: &FakeGithub, id: u64, key: String) -> GitHubApp {
    block_on(async { GitHubApp::new(&github.address(), id, key.into(), FAST_RETRY_POLICY) })
        .unwrap()
}

/// Creates the client of an App that is installed in the repository.
fn installed_app(github: &FakeGithub) -> (GitHubApp, InstallationId) {
    let app = github.app("git-mend");
    let installation = InstallationId(app.install(&[REPO_NAME], &PERMISSIONS));
    (app_client(github, app.id, app.private_key), installation)
}

#[test]
fn rate_limit_holds_for_all_clients_of_an_installation() {
    let (github, pull) = github_with_pull();
    let (ours, installation) = installed_app(&github);
    let new_client =
        || block_on(ours.create_repo_token(installation, &repo_name(), &PERMISSIONS)).unwrap().repo;
    let (first, second) = (new_client(), new_client());
    github.add_fault("issues/create-comment", Fault::RetryAfter(400));
    assert_eq!(set_comment(&first, pull), Err(ApiError::RateLimited { seconds: 400 }));
    let requests = || github.request_count("issues/list-comments");
    let requests_before = requests();
    for client in [first, second, new_client()] {
        assert!(matches!(set_comment(&client, pull), Err(ApiError::RateLimited { .. })));
    }
    assert_eq!(requests(), requests_before);
}

#[test]
fn failed_request_is_reported_and_can_be_repeated() {
    let (github, pull) = github_with_pull();
    let till = github.client(REPO_NAME, workflow_actor());
    for fault in [Fault::Instead(502), Fault::Closed] {
        github.add_fault("issues/create-comment", fault);
        let error = set_comment(&till, pull).unwrap_err();
        assert!(error.is_transient(), "{error}");
    }
    set_comment(&till, pull).unwrap();
    assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 1);
}

#[test]
fn read_requests_are_retried() {
    for fault in [Fault::Instead(502), Fault::Closed, Fault::ClosedAfter] {
        let github = github_with_repo();
        github.add_fault("repos/get", fault.clone());
        github.add_fault("repos/get", fault);
        block_on(github.client(REPO_NAME, workflow_actor()).get_info()).unwrap();
        assert_eq!(github.request_count("repos/get"), 3);
    }
}

#[test]
fn slow_response_is_accepted() {
    let (github, pull) = github_with_pull();
    github.add_fault("issues/create-comment", Fault::Slow(Duration::from_millis(200)));
    set_comment(&github.client(REPO_NAME, workflow_actor()), pull).unwrap();
    assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 1);
}

#[test]
fn timed_out_request_is_retried_or_looked_up() {
    let (github, pull) = github_with_pull();
    let hour = Duration::from_secs(3600);
    let till = github.impatient_client(REPO_NAME, workflow_actor());
    github.add_fault("repos/get", Fault::Slow(hour));
    block_on(till.get_info()).unwrap();
    assert!(github.request_count("repos/get") > 1);
    github.add_fault("issues/create-comment", Fault::Slow(hour));
    set_comment(&till, pull).unwrap();
    assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 1);
    assert_eq!(github.request_count("issues/create-comment"), 1);
}

#[test]
fn missing_permission_is_forbidden() {
    let (github, pull) = github_with_pull();
    let read = ["contents", "pull_requests", "checks"].map(|name| (name, AccessLevel::Read));
    let till = github.client(REPO_NAME, Actor::actions(REPO_NAME, &read));
    let is_forbidden = |error: ApiError| {
        assert!(matches!(error, ApiError::Forbidden(_)), "{error}");
    };
    is_forbidden(set_comment(&till, pull).unwrap_err());
    is_forbidden(block_on(till.create_commit(&fix_commit(&github))).unwrap_err());
    is_forbidden(block_on(till.create_pull(&fix_pull())).unwrap_err());
    is_forbidden(
        block_on(till.set_check_run(&new_check_run(&github, CheckRunStatus::Queued, 0)))
            .unwrap_err(),
    );
    is_forbidden(block_on(till.delete_branch("side")).unwrap_err());
    assert_eq!(github.request_count("graphql"), 0);
}

#[test]
fn workflow_forbidden_to_open_pulls_gets_an_error() {
    let github = github_with_repo();
    github.repo(REPO_NAME).forbid_pulls_by_actions();
    let till = github.client(REPO_NAME, workflow_actor());
    block_on(till.create_commit(&fix_commit(&github))).unwrap();
    let error = block_on(till.create_pull(&fix_pull())).unwrap_err();
    assert!(error.to_string().contains("not permitted to create"), "{error}");
}

fn repo_name() -> RepoName {
    REPO_NAME.parse().unwrap()
}

#[test]
fn app_token_is_limited_to_repository_and_permissions() {
    let (github, pull) = github_with_pull();
    let (ours, installation) = installed_app(&github);
    github.add_fault("apps/create-installation-access-token", Fault::After(502));
    let full_token =
        block_on(ours.create_repo_token(installation, &repo_name(), &PERMISSIONS)).unwrap();
    set_comment(&full_token.repo, pull).unwrap();
    assert_eq!(github.repo(REPO_NAME).comments(pull)[0].author, "git-mend[bot]");
    let narrow = [("metadata", AccessLevel::Read)];
    let narrow = block_on(ours.create_repo_token(installation, &repo_name(), &narrow)).unwrap();
    let error = set_comment(&narrow.repo, pull).unwrap_err();
    assert!(matches!(error, ApiError::Forbidden(_)), "{error}");
    let elsewhere = block_on(ours.create_repo_token(InstallationId(1), &repo_name(), &PERMISSIONS));
    assert!(matches!(elsewhere.err(), Some(ApiError::NotFound(_))));
    let too_much = [("workflows", AccessLevel::Write)];
    let too_much = block_on(ours.create_repo_token(installation, &repo_name(), &too_much));
    assert!(matches!(too_much.err(), Some(ApiError::Invalid(_))));
}

#[test]
fn expired_app_token_is_replaced_once() {
    let (github, pull) = github_with_pull();
    let (ours, installation) = installed_app(&github);
    let till =
        block_on(ours.create_repo_token(installation, &repo_name(), &PERMISSIONS)).unwrap().repo;
    github.add_fault("issues/create-comment", Fault::TokenEnds);
    set_comment(&till, pull).unwrap();
    assert_eq!(github.repo(REPO_NAME).comments(pull).len(), 1);
    let tokens = || github.request_count("apps/create-installation-access-token");
    assert_eq!(tokens(), 2);
    block_on(till.get_info()).unwrap();
    github.add_fault("repos/get", Fault::TokenEnds);
    assert_eq!(block_on(till.get_info()).err(), Some(ApiError::Unauthorized));
    assert_eq!(tokens(), 2);
}

#[test]
fn app_with_wrong_key_is_unauthorized() {
    let github = github_with_repo();
    let (app, other) = (github.app("git-mend"), github.app("other"));
    let installation = InstallationId(app.install(&[REPO_NAME], &PERMISSIONS));
    let forged = app_client(&github, app.id, other.private_key);
    let error = block_on(forged.create_repo_token(installation, &repo_name(), &PERMISSIONS)).err();
    assert_eq!(error, Some(ApiError::Unauthorized));
}
