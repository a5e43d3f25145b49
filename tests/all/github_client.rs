//! The client of GitHub, against a GitHub in memory: each call once.

use crate::github::{Access, Actor, FakeGithub, FakePullState, WorkflowRun, wait};
use crate::support::{commit, git, repository, words_repository};
use mend_github::{
    AccessLevel, Ancestry, Annotation, AnnotationLevel, ApiAddress, ApiError, ChangedFile,
    CheckRunStatus, Conclusion, EntryKind, FileContentChange, Login, NewCheckRun, NewCommit,
    NewPull, PullNumber, PullState, Repo, RunId, Suggestion, WorkflowRunConclusion,
};
use mend_model::CommitId;

pub(crate) const TILL: &str = "bakery/till";

/// A GitHub with a repository of three commits, and a branch `side` on the second of them.
pub(crate) fn bakery() -> FakeGithub {
    let github = FakeGithub::start();
    let source = words_repository();
    git(source.path(), &["branch", "side", "HEAD~1"]);
    github.add_repo(TILL, source.path());
    github
}

/// A workflow that may do everything that any of these tests does.
pub(crate) fn workflow() -> Actor {
    let write = ["contents", "pull_requests", "checks", "actions"];
    Actor::actions(TILL, &write.map(|name| (name, AccessLevel::Write)))
}

pub(crate) fn id(text: &str) -> CommitId {
    CommitId(text.to_owned())
}

fn commit_at(github: &FakeGithub, revision: &str) -> CommitId {
    id(&git(&github.repo(TILL).path(), &["rev-parse", revision]))
}

/// Creates a commit with a fix on its own branch.
pub(crate) fn mend(github: &FakeGithub) -> NewCommit {
    let change = FileContentChange::Write(b"a\ngood\nb\nc\nd\nE\n".to_vec());
    NewCommit {
        branch: "mend/words".to_owned(),
        parent: commit_at(github, "main"),
        headline: "Mend words".to_owned(),
        body: "They were bad.".to_owned(),
        changes: vec![ChangedFile { path: "words.txt".to_owned(), kind: EntryKind::File, change }],
    }
}

pub(crate) fn pull_of_mend() -> NewPull {
    NewPull {
        title: "Mend words".to_owned(),
        body: "See there.".to_owned(),
        head: "mend/words".to_owned(),
        base: "main".to_owned(),
        draft: false,
    }
}

pub(crate) fn check(github: &FakeGithub, state: CheckRunStatus, annotations: usize) -> NewCheckRun {
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
fn a_repository_is_told_of() {
    let github = bakery();
    let alice = github.user("alice", Access::Write);
    let info = wait(github.client(TILL, alice).get_info()).unwrap();
    assert_eq!(info.default_branch, "main");
    assert_eq!(info.html_url, format!("{}/{TILL}", github.url()));
    assert!(!info.private);
}

#[test]
fn a_private_repository_is_not_there_for_others() {
    let github = bakery();
    github.repo(TILL).make_private();
    let stranger = github.user("mallory", Access::None);
    let error = wait(github.client(TILL, stranger).get_info()).unwrap_err();
    assert!(matches!(error, ApiError::NotFound(_)), "{error}");
}

#[test]
fn commits_are_looked_at_and_compared() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let (main, side) = (commit_at(&github, "main"), commit_at(&github, "side"));
    let commit = wait(till.get_commit(&main)).unwrap();
    assert_eq!((commit.summary(), commit.author.as_str()), ("three", "A"));
    assert_eq!(commit.parents.as_slice(), std::slice::from_ref(&side));
    assert!(!commit.is_verified);
    let descent =
        |base: &CommitId, commit: &CommitId| wait(till.compare_commits(base, commit)).unwrap();
    assert_eq!(descent(&side, &main), Ancestry::Ahead);
    assert_eq!(descent(&main, &side), Ancestry::Behind);
    assert_eq!(descent(&main, &main), Ancestry::Identical);
    let unknown = wait(till.get_commit(&id(&"0".repeat(40)))).unwrap_err();
    assert!(matches!(unknown, ApiError::Invalid(_)), "{unknown}");
}

#[test]
fn branches_are_looked_at_and_taken_away() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    assert_eq!(wait(till.get_branch_head("side")).unwrap(), Some(commit_at(&github, "side")));
    wait(till.delete_branch("side")).unwrap();
    assert_eq!(wait(till.get_branch_head("side")).unwrap(), None);
    wait(till.delete_branch("side")).unwrap();
    assert_eq!(github.repo(TILL).branch("side"), None);
}

#[test]
fn a_commit_is_made_signed_and_made_once() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let wanted = mend(&github);
    let made = wait(till.create_commit(&wanted)).unwrap();
    assert!(made.is_verified);
    assert_eq!(made.author, "github-actions[bot]");
    assert_eq!(made.message, "Mend words\n\nThey were bad.");
    let again = wait(till.create_commit(&wanted)).unwrap();
    assert_eq!((&again.id, github.count("graphql")), (&made.id, 1));
    let dir = github.repo(TILL).path();
    assert_eq!(git(&dir, &["show", "mend/words:words.txt"]), "a\ngood\nb\nc\nd\nE");
    assert_eq!(git(&dir, &["diff", "--name-only", "main", "mend/words"]), "words.txt");
}

#[test]
fn a_commit_with_modes_is_made_of_objects_and_signed() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let mut wanted = mend(&github);
    let tool = FileContentChange::Write(b"#!/bin/sh\n".to_vec());
    let (run, other) = ("tools/run".to_owned(), "other.txt".to_owned());
    wanted.changes.push(ChangedFile { path: run, kind: EntryKind::Executable, change: tool });
    wanted.changes.push(ChangedFile {
        path: other,
        kind: EntryKind::File,
        change: FileContentChange::Delete,
    });
    let made = wait(till.create_commit(&wanted)).unwrap();
    assert!(made.is_verified);
    let listed = git(&github.repo(TILL).path(), &["ls-tree", "-r", &made.id.0]);
    assert!(listed.contains("100755") && listed.contains("tools/run"), "{listed}");
    assert!(!listed.contains("other.txt"), "{listed}");
}

#[test]
fn a_branch_with_something_else_on_it_is_a_conflict() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    wait(till.create_commit(&mend(&github))).unwrap();
    let other = NewCommit { headline: "Mend other words".to_owned(), ..mend(&github) };
    let error = wait(till.create_commit(&other)).unwrap_err();
    assert!(matches!(error, ApiError::Conflict(_)), "{error}");
}

#[test]
fn a_branch_that_moves_meanwhile_is_a_conflict() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let wanted = mend(&github);
    let dir = github.repo(TILL).path();
    let name = wanted.branch.clone();
    github.meanwhile("graphql", move || drop(git(&dir, &["branch", "-f", &name, "side"])));
    let error = wait(till.create_commit(&wanted)).unwrap_err();
    assert!(matches!(error, ApiError::Conflict(_)), "{error}");
}

#[test]
fn workflows_are_not_changed_without_leave() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let mut wanted = mend(&github);
    wanted.changes[0].path = ".github/workflows/test.yml".to_owned();
    let error = wait(till.create_commit(&wanted)).unwrap_err();
    assert!(matches!(error, ApiError::Forbidden(_)), "{error}");
}

#[test]
fn files_are_read_byte_for_byte() {
    let github = FakeGithub::start();
    let (source, bytes) = (repository(), vec![0xff; 300]);
    commit(source.path(), "one", &[("a/b.bin", &bytes)]);
    github.add_repo(TILL, source.path());
    let till = github.client(TILL, workflow());
    let tree = wait(till.get_commit(&commit_at(&github, "main"))).unwrap().tree;
    let entry = wait(till.find_entry(&tree, "a/b.bin")).unwrap().unwrap();
    assert_eq!(entry.kind, EntryKind::File);
    assert_eq!(wait(till.read_blob(&entry)).unwrap(), bytes);
    assert_eq!(wait(till.find_entry(&tree, "a/c.bin")).unwrap(), None);
    let below = wait(till.find_entry(&tree, "a/b.bin/c")).unwrap().map(|entry| entry.kind);
    assert_eq!(below, Some(EntryKind::Other), "a file in the way is not an empty place");
}

#[test]
fn a_pull_request_is_made_once_told_anew_and_closed() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let commit = wait(till.create_commit(&mend(&github))).unwrap().id;
    let made = wait(till.create_pull(&pull_of_mend())).unwrap();
    assert_eq!((&made.head, made.base_branch.as_str()), (&commit, "main"));
    let number = made.number;
    assert_eq!(wait(till.create_pull(&pull_of_mend())).unwrap().number, number);
    assert_eq!(wait(till.list_pulls_with_commit(&commit)).unwrap().len(), 1);
    assert_eq!(wait(till.list_open_pulls()).unwrap().len(), 1);
    wait(till.add_labels(number, &["git-mend".to_owned()])).unwrap();
    wait(till.update_pull(number, "Mend the words", "Look.")).unwrap();
    wait(till.close_pull(number, "Look.")).unwrap();
    assert_eq!(wait(till.get_pull(number)).unwrap().state, PullState::Closed);
    assert_eq!(wait(till.list_pulls_from("mend/words")).unwrap().len(), 1);
    assert_eq!(wait(till.list_open_pulls()).unwrap().len(), 0);
    let [pull] = github.repo(TILL).pulls().try_into().unwrap();
    assert_eq!((pull.title.as_str(), pull.body.as_str()), ("Mend the words", "Look."));
    assert_eq!(
        (pull.author.as_str(), pull.standing),
        ("github-actions[bot]", FakePullState::Closed)
    );
    assert!(pull.labels.contains("git-mend"));
}

#[test]
fn a_merged_pull_request_is_told_from_a_closed_one() {
    let github = bakery();
    let alice = github.user("alice", Access::Write);
    let repo = github.repo(TILL);
    let source = words_repository();
    git(source.path(), &["checkout", "-q", "-b", "fork-side"]);
    commit(source.path(), "four", &[("more.txt", "x\n")]);
    let fork = github.add_repo("alice/till", source.path());
    let number = repo.open_pull_from(&fork, &alice, "More", "fork-side", "main");
    let till = github.client(TILL, workflow());
    let pull = wait(till.get_pull(PullNumber(number))).unwrap();
    assert_eq!(pull.head_repo.unwrap().to_string(), "alice/till");
    repo.set_standing(number, FakePullState::Merged);
    assert_eq!(wait(till.get_pull(PullNumber(number))).unwrap().state, PullState::Merged);
}

#[test]
fn a_suggestion_is_made_once_and_only_on_lines_that_are_shown() {
    let github = bakery();
    let alice = github.user("alice", Access::Write);
    let source = github.repo(TILL);
    git(&source.path(), &["branch", "base", "main~1"]);
    let number = source.open_pull(&alice, "Words", "main", "base");
    let till = github.client(TILL, workflow());
    let pull = wait(till.get_pull(PullNumber(number))).unwrap();
    let suggestion = |path: &str, first, last| Suggestion {
        path: path.to_owned(),
        first_line: first,
        last_line: last,
        body: "```suggestion\ngood\n```".to_owned(),
    };
    let suggest =
        |one| wait(till.create_suggestions(&pull, "<!-- mark -->", "<!-- mark --> Try", &[one]));
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
fn the_one_comment_is_brought_up_to_date_and_a_persons_is_left_alone() {
    let github = bakery();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(TILL);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    repo.comment(&alice, number, "<!-- mark --> is what I wrote");
    let till = github.client(TILL, workflow());
    let set = |body| wait(till.set_comment(PullNumber(number), "<!-- mark -->", body)).unwrap();
    let first = set("<!-- mark --> one");
    assert_eq!(set("<!-- mark --> two").id, first.id);
    set("<!-- mark --> two");
    assert_eq!(github.count("issues/update-comment"), 1);
    let bodies: Vec<String> = repo.comments(number).into_iter().map(|one| one.body).collect();
    assert_eq!(bodies, ["<!-- mark --> is what I wrote", "<!-- mark --> two"]);
}

/// Owners of tokens that can publish: a workflow, an App, a user.
fn tellers(github: &FakeGithub) -> [Actor; 3] {
    let app = Actor::Installation {
        app: 77,
        slug: "mender".to_owned(),
        repos: [TILL.to_owned()].into(),
        permissions: [("pull_requests".to_owned(), AccessLevel::Write)].into(),
    };
    [workflow(), app, github.user("bob", Access::Write)]
}

#[test]
fn each_teller_finds_its_own_comment_again_and_leaves_those_of_others_alone() {
    let github = bakery();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(TILL);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    let clients = tellers(&github).map(|teller| github.client(TILL, teller));
    let say = |till: &Repo, body: &str| {
        let body = format!("<!-- mark --> {body}");
        wait(till.set_comment(PullNumber(number), "<!-- mark -->", &body)).unwrap();
    };
    for (till, name) in clients.iter().zip(["workflow", "app", "person"]) {
        say(till, "one");
        say(till, name);
    }
    let told: Vec<_> =
        repo.comments(number).into_iter().map(|one| (one.author, one.body)).collect();
    let one = |author: &str, name: &str| (author.to_owned(), format!("<!-- mark --> {name}"));
    let all = [("github-actions[bot]", "workflow"), ("mender[bot]", "app"), ("bob", "person")];
    assert_eq!(told, all.map(|(author, name)| one(author, name)));
    assert_eq!(github.count("viewer"), 3, "each is asked once who it is");
}

#[test]
fn a_review_of_somebody_else_takes_no_suggestion_away() {
    let github = bakery();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(TILL);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    let body = "```suggestion\ngood\n```".to_owned();
    let one = Suggestion { path: "words.txt".to_owned(), first_line: 2, last_line: 2, body };
    for teller in tellers(&github) {
        let till = github.client(TILL, teller);
        let pull = wait(till.get_pull(PullNumber(number))).unwrap();
        for _ in 0..2 {
            wait(till.create_suggestions(
                &pull,
                "<!-- mark -->",
                "<!-- mark -->",
                std::slice::from_ref(&one),
            ))
            .unwrap();
        }
    }
    assert_eq!(repo.reviews(number).len(), 3);
}

#[test]
fn all_of_250_comments_are_read() {
    let github = bakery();
    let alice = github.user("alice", Access::Read);
    let repo = github.repo(TILL);
    git(&repo.path(), &["branch", "base", "main~1"]);
    let number = repo.open_pull(&alice, "Words", "main", "base");
    for index in 0..250 {
        repo.comment(&alice, number, &index.to_string());
    }
    let till = github.client(TILL, workflow());
    let all = wait(till.list_comments(PullNumber(number))).unwrap();
    let bodies: Vec<String> = all.into_iter().map(|comment| comment.body).collect();
    assert_eq!(bodies, (0..250).map(|index| index.to_string()).collect::<Vec<_>>());
    assert_eq!(github.count("issues/list-comments"), 3);
}

#[test]
fn a_check_run_is_one_from_its_beginning_to_its_end() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let begun = wait(till.set_check_run(&check(&github, CheckRunStatus::Queued, 0))).unwrap();
    wait(till.set_check_run(&check(&github, CheckRunStatus::InProgress, 0))).unwrap();
    let end = check(&github, CheckRunStatus::Completed(Conclusion::Failure), 120);
    let ended = wait(till.set_check_run(&end)).unwrap();
    assert_eq!((ended.id, ended.conclusion), (begun.id, Some(Conclusion::Failure)));
    wait(till.set_check_run(&end)).unwrap();
    let [run] = github.repo(TILL).check_runs(&end.head.0).try_into().unwrap();
    assert_eq!((run.status.as_str(), run.conclusion.as_deref()), ("completed", Some("failure")));
    assert_eq!(run.annotations.len(), 120);
    assert_eq!(wait(till.list_check_runs(&end.head, Some("git-mend"))).unwrap().len(), 1);
    assert_eq!(wait(till.list_check_runs(&end.head, Some("other"))).unwrap().len(), 0);
}

#[test]
fn a_user_may_make_no_check_run() {
    let github = bakery();
    let admin = github.user("alice", Access::Admin);
    let till = github.client(TILL, admin);
    let error = wait(till.set_check_run(&check(&github, CheckRunStatus::Queued, 0))).unwrap_err();
    assert!(matches!(error, ApiError::Forbidden(_)), "{error}");
}

#[test]
fn runs_of_workflows_are_looked_at() {
    let github = bakery();
    let (main, side) = (commit_at(&github, "main"), commit_at(&github, "side"));
    let repo = github.repo(TILL);
    let red = repo.workflow_run(WorkflowRun::completed(7, "main", &main.0, "failure"));
    repo.workflow_run(WorkflowRun::completed(7, "main", &side.0, "success"));
    repo.workflow_run(WorkflowRun::completed(8, "main", &main.0, "success"));
    repo.workflow_run(WorkflowRun::completed(7, "side", &side.0, "success"));
    let till = github.client(TILL, workflow());
    let run = wait(till.get_workflow_run(RunId(red))).unwrap();
    assert_eq!((run.workflow_id, &run.head_sha, run.event.as_str()), (7, &main, "push"));
    assert_eq!(run.conclusion(), WorkflowRunConclusion::Failure);
    assert_eq!(wait(till.list_passing_commits(7, "main")).unwrap(), [side]);
}

#[test]
fn who_may_write_is_asked_of_github() {
    let github = bakery();
    let till = github.client(TILL, workflow());
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
        assert_eq!(wait(till.has_write_access(&alice)).unwrap(), may, "{access:?}");
    }
    assert!(!wait(till.has_write_access(&Login("nobody".to_owned()))).unwrap());
}

#[test]
fn workflows_are_started() {
    let github = bakery();
    let till = github.client(TILL, workflow());
    let payload = serde_json::json!({ "pull": 7 });
    wait(till.send_dispatch("mend", &payload)).unwrap();
    let [dispatch] = github.repo(TILL).dispatches().try_into().unwrap();
    assert_eq!((dispatch.event.as_str(), &dispatch.payload), ("mend", &payload));
}

#[test]
fn a_server_of_ones_own_is_asked_where_it_is() {
    let github = bakery();
    let address = ApiAddress::parse(&github.enterprise_url()).unwrap();
    let till = github.client_at(&address, TILL, workflow());
    let made = wait(till.create_commit(&mend(&github))).unwrap();
    assert_eq!(github.repo(TILL).branch("mend/words"), Some(made.id.0));
}
