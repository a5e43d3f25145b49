//! Tests of the GitHub client with the in-memory fake of GitHub.

use crate::github::{Access, Actor, FakeGithub, FakePullState, WorkflowRun, block_on};
use crate::support::{commit, git, repository, words_repository};
use mend_github::{
    AccessLevel, Ancestry, Annotation, AnnotationLevel, ApiAddress, ApiError, ChangedFile,
    CheckRunStatus, Conclusion, EntryKind, FileContentChange, Login, NewCheckRun, NewCommit,
    NewPull, PullNumber, PullState, Repo, RunId, Suggestion,
};
use mend_model::CommitId;

pub(crate) const REPO_NAME: &str = "bakery/till";

/// Creates a GitHub with a repository of three commits, and a branch `side` on the second commit.
pub(crate) fn github_with_repo() -> FakeGithub {
    let github = FakeGithub::start();
    let source = words_repository();
    git(source.path(), &["branch", "side", "HEAD~1"]);
    github.add_repo(REPO_NAME, source.path());
    github
}

/// Returns the actor of a workflow with all permissions that these tests need.
pub(crate) fn workflow_actor() -> Actor {
    let write = ["contents", "pull_requests", "checks", "actions"];
    Actor::actions(REPO_NAME, &write.map(|name| (name, AccessLevel::Write)))
}

pub(crate) fn commit_id(text: &str) -> CommitId {
    CommitId(text.to_owned())
}

fn commit_at(github: &FakeGithub, revision: &str) -> CommitId {
    commit_id(&git(&github.repo(REPO_NAME).path(), &["rev-parse", revision]))
}

/// Creates a commit with a fix on its own branch.
pub(crate) fn fix_commit(github: &FakeGithub) -> NewCommit {
    let change = FileContentChange::Write(b"a\ngood\nb\nc\nd\nE\n".to_vec());
    NewCommit {
        branch: "mend/words".to_owned(),
        parent: commit_at(github, "main"),
        headline: "Mend words".to_owned(),
        body: "They were bad.".to_owned(),
        changes: vec![ChangedFile { path: "words.txt".to_owned(), kind: EntryKind::File, change }],
    }
}

pub(crate) fn fix_pull() -> NewPull {
    NewPull {
        title: "Mend words".to_owned(),
        body: "See there.".to_owned(),
        head: "mend/words".to_owned(),
        base: "main".to_owned(),
        draft: false,
    }
}

pub(crate) fn new_check_run(
    github: &FakeGithub,
    state: CheckRunStatus,
    annotations: usize,
) -> NewCheckRun {
    let annotation = |line| Annotation {
        path: "words.txt".to_owned(),
        start_line: line,
        end_line: line,
        annotation_level: AnnotationLevel::Notice,
        title: "Here".to_owned(),
        message: format!("number {line}"),
    };
    NewCheckRun {
        name: "git-mend".to_owned(),
        head: commit_at(github, "main"),
        state,
        started_at: None,
        title: "Found".to_owned(),
        summary: "One hunk.".to_owned(),
        annotations: (1..=annotations).map(annotation).collect(),
        external_id: "run-1".to_owned(),
        details_url: None,
        actions: None,
    }
}

#[test]
fn repository_info_is_read() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Write);
    let info = block_on(github.client(REPO_NAME, alice).get_info()).unwrap();
    assert_eq!(info.default_branch, "main");
}

#[test]
fn private_repository_is_hidden_from_others() {
    let github = github_with_repo();
    github.repo(REPO_NAME).make_private();
    let stranger = github.user("mallory", Access::None);
    let error = block_on(github.client(REPO_NAME, stranger).get_info()).unwrap_err();
    assert!(matches!(error, ApiError::NotFound(_)), "{error}");
}

#[test]
fn commits_are_read_and_compared() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let (main, side) = (commit_at(&github, "main"), commit_at(&github, "side"));
    let commit = block_on(till.get_commit(&main)).unwrap();
    assert_eq!((commit.summary(), commit.author.as_str()), ("three", "A"));
    assert_eq!(commit.parents.as_slice(), std::slice::from_ref(&side));
    assert!(!commit.is_verified);
    let descent =
        |base: &CommitId, commit: &CommitId| block_on(till.compare_commits(base, commit)).unwrap();
    assert_eq!(descent(&side, &main), Ancestry::Ahead);
    assert_eq!(descent(&main, &side), Ancestry::Behind);
    assert_eq!(descent(&main, &main), Ancestry::Identical);
    let unknown = block_on(till.get_commit(&commit_id(&"0".repeat(40)))).unwrap_err();
    assert!(matches!(unknown, ApiError::Invalid(_)), "{unknown}");
}

#[test]
fn branches_are_read_and_deleted() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    assert_eq!(block_on(till.get_branch_head("side")).unwrap(), Some(commit_at(&github, "side")));
    block_on(till.delete_branch("side")).unwrap();
    assert_eq!(block_on(till.get_branch_head("side")).unwrap(), None);
    block_on(till.delete_branch("side")).unwrap();
    assert_eq!(github.repo(REPO_NAME).branch("side"), None);
}

#[test]
fn commit_is_signed_and_created_once() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let new_commit = fix_commit(&github);
    let created = block_on(till.create_commit(&new_commit)).unwrap();
    assert!(created.is_verified);
    assert_eq!(created.author, "github-actions[bot]");
    assert_eq!(created.message, "Mend words\n\nThey were bad.");
    let second_result = block_on(till.create_commit(&new_commit)).unwrap();
    assert_eq!((&second_result.id, github.request_count("graphql")), (&created.id, 1));
    let dir = github.repo(REPO_NAME).path();
    assert_eq!(git(&dir, &["show", "mend/words:words.txt"]), "a\ngood\nb\nc\nd\nE");
    assert_eq!(git(&dir, &["diff", "--name-only", "main", "mend/words"]), "words.txt");
}

#[test]
fn commit_with_file_modes_is_signed() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let mut new_commit = fix_commit(&github);
    let tool = FileContentChange::Write(b"#!/bin/sh\n".to_vec());
    let (run, other) = ("tools/run".to_owned(), "other.txt".to_owned());
    new_commit.changes.push(ChangedFile { path: run, kind: EntryKind::Executable, change: tool });
    new_commit.changes.push(ChangedFile {
        path: other,
        kind: EntryKind::File,
        change: FileContentChange::Delete,
    });
    let created = block_on(till.create_commit(&new_commit)).unwrap();
    assert!(created.is_verified);
    let tree_listing = git(&github.repo(REPO_NAME).path(), &["ls-tree", "-r", &created.id.0]);
    assert!(
        tree_listing.contains("100755") && tree_listing.contains("tools/run"),
        "{tree_listing}"
    );
    assert!(!tree_listing.contains("other.txt"), "{tree_listing}");
}

#[test]
fn branch_with_another_commit_is_a_conflict() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    block_on(till.create_commit(&fix_commit(&github))).unwrap();
    let other = NewCommit { headline: "Mend other words".to_owned(), ..fix_commit(&github) };
    let error = block_on(till.create_commit(&other)).unwrap_err();
    assert!(matches!(error, ApiError::Conflict(_)), "{error}");
}

#[test]
fn concurrently_moved_branch_is_a_conflict() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let new_commit = fix_commit(&github);
    let dir = github.repo(REPO_NAME).path();
    let name = new_commit.branch.clone();
    github.before_operation("graphql", move || drop(git(&dir, &["branch", "-f", &name, "side"])));
    let error = block_on(till.create_commit(&new_commit)).unwrap_err();
    assert!(matches!(error, ApiError::Conflict(_)), "{error}");
}

#[test]
fn workflow_files_need_permission() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let mut new_commit = fix_commit(&github);
    new_commit.changes[0].path = ".github/workflows/test.yml".to_owned();
    let error = block_on(till.create_commit(&new_commit)).unwrap_err();
    assert!(matches!(error, ApiError::Forbidden(_)), "{error}");
}

#[test]
fn files_are_read_byte_for_byte() {
    let github = FakeGithub::start();
    let (source, bytes) = (repository(), vec![0xff; 300]);
    commit(source.path(), "one", &[("a/b.bin", &bytes)]);
    github.add_repo(REPO_NAME, source.path());
    let till = github.client(REPO_NAME, workflow_actor());
    let tree = block_on(till.get_commit(&commit_at(&github, "main"))).unwrap().tree;
    let entry = block_on(till.find_entry(&tree, "a/b.bin")).unwrap().unwrap();
    assert_eq!(entry.kind, EntryKind::File);
    assert_eq!(block_on(till.read_blob(&entry)).unwrap(), bytes);
    assert_eq!(block_on(till.find_entry(&tree, "a/c.bin")).unwrap(), None);
    let kind_below_file =
        block_on(till.find_entry(&tree, "a/b.bin/c")).unwrap().map(|entry| entry.kind);
    assert_eq!(kind_below_file, Some(EntryKind::Other), "a file in the way is not an empty place");
}

#[test]
fn pull_request_is_created_once_updated_and_closed() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let commit = block_on(till.create_commit(&fix_commit(&github))).unwrap().id;
    let created = block_on(till.create_pull(&fix_pull())).unwrap();
    assert_eq!((&created.head, created.base_branch.as_str()), (&commit, "main"));
    let number = created.number;
    assert_eq!(block_on(till.create_pull(&fix_pull())).unwrap().number, number);
    assert_eq!(block_on(till.list_pulls_with_commit(&commit)).unwrap().len(), 1);
    assert_eq!(block_on(till.list_open_pulls()).unwrap().len(), 1);
    block_on(till.add_labels(number, &["git-mend".to_owned()])).unwrap();
    block_on(till.update_pull(number, "Mend the words", "Look.")).unwrap();
    block_on(till.close_pull(number, "Look.")).unwrap();
    assert_eq!(block_on(till.get_pull(number)).unwrap().state, PullState::Closed);
    assert_eq!(block_on(till.list_pulls_from("mend/words")).unwrap().len(), 1);
    assert_eq!(block_on(till.list_open_pulls()).unwrap().len(), 0);
    let [pull] = github.repo(REPO_NAME).pulls().try_into().unwrap();
    assert_eq!((pull.title.as_str(), pull.body.as_str()), ("Mend the words", "Look."));
    assert_eq!((pull.author.as_str(), pull.state), ("github-actions[bot]", FakePullState::Closed));
    assert!(pull.labels.contains("git-mend"));
}

#[test]
fn merged_pull_request_is_not_just_closed() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Write);
    let repo = github.repo(REPO_NAME);
    let source = words_repository();
    git(source.path(), &["checkout", "-q", "-b", "fork-side"]);
    commit(source.path(), "four", &[("more.txt", "x\n")]);
    let fork = github.add_repo("alice/till", source.path());
    let number = repo.open_pull_from(&fork, &alice, "More", "fork-side", "main");
    let till = github.client(REPO_NAME, workflow_actor());
    let pull = block_on(till.get_pull(PullNumber(number))).unwrap();
    assert_eq!(pull.head_repo.unwrap().to_string(), "alice/till");
    repo.set_state(number, FakePullState::Merged);
    assert_eq!(block_on(till.get_pull(PullNumber(number))).unwrap().state, PullState::Merged);
}

#[test]
fn suggestion_is_created_once_and_only_on_diff_lines() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Write);
    let source = github.repo(REPO_NAME);
    git(&source.path(), &["branch", "base", "main~1"]);
    let number = source.open_pull(&alice, "Words", "main", "base");
    let till = github.client(REPO_NAME, workflow_actor());
    let pull = block_on(till.get_pull(PullNumber(number))).unwrap();
    let suggestion = |path: &str, first, last| Suggestion {
        path: path.to_owned(),
        first_line: first,
        last_line: last,
        body: "```suggestion\ngood\n```".to_owned(),
    };
    let suggest = |one| {
        block_on(till.create_suggestions(&pull, "<!-- mark -->", "<!-- mark --> Try", &[one]))
    };
    for (path, first, last) in [("words.txt", 20, 20), ("other.txt", 1, 1), ("words.txt", 0, 2)] {
        let error = suggest(suggestion(path, first, last)).unwrap_err();
        assert!(matches!(error, ApiError::Invalid(_)), "{error}");
    }
    suggest(suggestion("words.txt", 2, 3)).unwrap();
    suggest(suggestion("words.txt", 2, 3)).unwrap();
    let [review] = source.reviews(number).try_into().unwrap();
    assert_eq!((review.event.as_str(), review.comments.len()), ("COMMENT", 1));
    assert_eq!(review.comments[0]["line"], 3);
}

#[test]
fn own_comment_is_updated_and_others_are_kept() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(REPO_NAME);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    repo.add_comment(&alice, number, "<!-- mark --> is what I wrote");
    let till = github.client(REPO_NAME, workflow_actor());
    let set = |body| block_on(till.set_comment(PullNumber(number), "<!-- mark -->", body)).unwrap();
    let first = set("<!-- mark --> one");
    assert_eq!(set("<!-- mark --> two").id, first.id);
    set("<!-- mark --> two");
    assert_eq!(github.request_count("issues/update-comment"), 1);
    let bodies: Vec<String> = repo.comments(number).into_iter().map(|one| one.body).collect();
    assert_eq!(bodies, ["<!-- mark --> is what I wrote", "<!-- mark --> two"]);
}

/// Returns actors that can publish: a workflow, an App and a user.
fn publishing_actors(github: &FakeGithub) -> [Actor; 3] {
    let app = Actor::Installation {
        app: 77,
        slug: "mender".to_owned(),
        repos: [REPO_NAME.to_owned()].into(),
        permissions: [("pull_requests".to_owned(), AccessLevel::Write)].into(),
    };
    [workflow_actor(), app, github.user("bob", Access::Write)]
}

#[test]
fn each_actor_updates_only_its_own_comment() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(REPO_NAME);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    let clients = publishing_actors(&github).map(|teller| github.client(REPO_NAME, teller));
    let say = |till: &Repo, body: &str| {
        let body = format!("<!-- mark --> {body}");
        block_on(till.set_comment(PullNumber(number), "<!-- mark -->", &body)).unwrap();
    };
    for (till, name) in clients.iter().zip(["workflow", "app", "person"]) {
        say(till, "one");
        say(till, name);
    }
    let told: Vec<_> =
        repo.comments(number).into_iter().map(|comment| (comment.author, comment.body)).collect();
    let comment_of =
        |author: &str, name: &str| (author.to_owned(), format!("<!-- mark --> {name}"));
    let all = [("github-actions[bot]", "workflow"), ("mender[bot]", "app"), ("bob", "person")];
    assert_eq!(told, all.map(|(author, name)| comment_of(author, name)));
    assert_eq!(github.request_count("viewer"), 3, "each is asked once who it is");
}

#[test]
fn foreign_review_does_not_suppress_suggestions() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(REPO_NAME);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    let body = "```suggestion\ngood\n```".to_owned();
    let suggestion = Suggestion { path: "words.txt".to_owned(), first_line: 2, last_line: 2, body };
    for teller in publishing_actors(&github) {
        let till = github.client(REPO_NAME, teller);
        let pull = block_on(till.get_pull(PullNumber(number))).unwrap();
        for _ in 0..2 {
            block_on(till.create_suggestions(
                &pull,
                "<!-- mark -->",
                "<!-- mark -->",
                std::slice::from_ref(&suggestion),
            ))
            .unwrap();
        }
    }
    assert_eq!(repo.reviews(number).len(), 3);
}

#[test]
fn all_comment_pages_are_read() {
    let github = github_with_repo();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(REPO_NAME);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    for index in 0..250 {
        repo.add_comment(&alice, number, &index.to_string());
    }
    let till = github.client(REPO_NAME, workflow_actor());
    let all = block_on(till.list_comments(PullNumber(number))).unwrap();
    let bodies: Vec<String> = all.into_iter().map(|comment| comment.body).collect();
    assert_eq!(bodies, (0..250).map(|index| index.to_string()).collect::<Vec<_>>());
    assert_eq!(github.request_count("issues/list-comments"), 3);
}

#[test]
fn check_run_is_updated_from_queue_to_completion() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let queued_run =
        block_on(till.set_check_run(&new_check_run(&github, CheckRunStatus::Queued, 0))).unwrap();
    block_on(till.set_check_run(&new_check_run(&github, CheckRunStatus::InProgress, 0))).unwrap();
    let end = new_check_run(&github, CheckRunStatus::Completed(Conclusion::Failure), 120);
    let completed_run = block_on(till.set_check_run(&end)).unwrap();
    assert_eq!(
        (completed_run.id, completed_run.conclusion),
        (queued_run.id, Some(Conclusion::Failure))
    );
    block_on(till.set_check_run(&end)).unwrap();
    let [run] = github.repo(REPO_NAME).check_runs(&end.head.0).try_into().unwrap();
    assert_eq!((run.status.as_str(), run.conclusion.as_deref()), ("completed", Some("failure")));
    assert_eq!(run.annotations.len(), 120);
    assert_eq!(block_on(till.list_check_runs(&end.head, Some("git-mend"))).unwrap().len(), 1);
    assert_eq!(block_on(till.list_check_runs(&end.head, Some("other"))).unwrap().len(), 0);
}

#[test]
fn user_cannot_create_check_runs() {
    let github = github_with_repo();
    let admin = github.user("alice", Access::Admin);
    let till = github.client(REPO_NAME, admin);
    let error = block_on(till.set_check_run(&new_check_run(&github, CheckRunStatus::Queued, 0)))
        .unwrap_err();
    assert!(matches!(error, ApiError::Forbidden(_)), "{error}");
}

#[test]
fn workflow_runs_are_read() {
    let github = github_with_repo();
    let (main, side) = (commit_at(&github, "main"), commit_at(&github, "side"));
    let repo = github.repo(REPO_NAME);
    let red = repo.add_workflow_run(WorkflowRun::completed(7, "main", &main.0, "failure"));
    repo.add_workflow_run(WorkflowRun::completed(7, "main", &side.0, "success"));
    repo.add_workflow_run(WorkflowRun::completed(8, "main", &main.0, "success"));
    repo.add_workflow_run(WorkflowRun::completed(7, "side", &side.0, "success"));
    let till = github.client(REPO_NAME, workflow_actor());
    let run = block_on(till.get_workflow_run(RunId(red))).unwrap();
    assert_eq!((run.workflow_id, &run.head_sha, run.is_completed()), (7, &main, true));
    assert_eq!(block_on(till.list_passing_commits(7, "main")).unwrap(), [side]);
}

#[test]
fn write_access_follows_github_permissions() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let cases = [
        (Access::None, false),
        (Access::Read, false),
        (Access::Triage, false),
        (Access::Write, true),
        (Access::Maintain, true),
        (Access::Admin, true),
    ];
    for (access, may) in cases {
        github.user("alice", access);
        let alice = Login("alice".to_owned());
        assert_eq!(block_on(till.has_write_access(&alice)).unwrap(), may, "{access:?}");
    }
    assert!(!block_on(till.has_write_access(&Login("nobody".to_owned()))).unwrap());
}

#[test]
fn dispatch_event_is_sent() {
    let github = github_with_repo();
    let till = github.client(REPO_NAME, workflow_actor());
    let payload = serde_json::json!({ "pull": 7 });
    block_on(till.send_dispatch("mend", &payload)).unwrap();
    let [dispatch] = github.repo(REPO_NAME).dispatches().try_into().unwrap();
    assert_eq!((dispatch.event.as_str(), &dispatch.payload), ("mend", &payload));
}

#[test]
fn enterprise_server_address_is_used() {
    let github = github_with_repo();
    let address = ApiAddress::parse(&github.enterprise_url()).unwrap();
    let till = github.client_at(&address, REPO_NAME, workflow_actor());
    let created = block_on(till.create_commit(&fix_commit(&github))).unwrap();
    assert_eq!(github.repo(REPO_NAME).branch("mend/words"), Some(created.id.0));
}
