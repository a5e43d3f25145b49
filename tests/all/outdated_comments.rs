//! Tests that the Action marks comments as outdated whose failure no longer exists, and no others.

use crate::ci_and_pr::{
    Job, REPO_NAME, WORKFLOW_FILE, assert_succeeded, edit_result, job_with_pull_request,
    kill_at_every_request, matrix_run_folder, publish_matrix_job, with_pull_request,
    workflow_run_event,
};
use crate::github::{Access, Actor, Comment, FakePullState, Fault};
use crate::support::{CommandOutput, commit, git, wait_until, words_repository};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::sync::Arc;

/// Start of the first line of an outdated comment, after its marker.
const OUTDATED: &str = "\nOutdated: ";

/// Returns the event of a workflow that passed on the head commit of the branch `topic` of a repository.
fn green_topic(job: &Job, head_repo: &str) -> Value {
    let mut event = workflow_run_event(job, "success", Some(WORKFLOW_FILE));
    let run = &mut event["workflow_run"];
    run["head_branch"] = json!("topic");
    run["event"] = json!("pull_request");
    run["head_repository"]["full_name"] = json!(head_repo);
    event
}

fn publish_green(job: &Job, event: &Value) -> CommandOutput {
    job.run_step("workflow_run", event, &["ci", "publish"])
}

/// Changes the words in a new commit, and pushes it to the branch `topic`.
fn push_words(job: &Job, message: &str, words: &str) {
    commit(job.dir(), message, &[("words.txt", words)]);
    job.push(&["+HEAD:topic"]);
}

/// Creates a job with a comment on the pull request of the branch `topic`. Returns the pull request's number too.
fn job_with_comment() -> (Job, u64) {
    let (job, number, event) = job_with_pull_request();
    assert_succeeded(&job.publish("pull_request", &event, &job.run_folder()));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    job.repo().reviews(number);
    (job, number)
}

fn only_comment(job: &Job, pull: u64) -> Comment {
    let [comment] = job.repo().comments(pull).try_into().unwrap();
    comment
}

#[test]
fn passing_pull_request_makes_its_comment_outdated_until_it_fails_again() {
    let (job, number) = job_with_comment();
    let first = only_comment(&job, number);
    push_words(&job, "mended", "a\ngood\n");
    let short = job.head()[..10].to_owned();
    for line in ["Marked http", ""] {
        let output = publish_green(&job, &green_topic(&job, REPO_NAME));
        assert_succeeded(&output);
        assert!(output.stdout.starts_with(line), "{}", output.stdout);
        let outdated = only_comment(&job, number);
        let line = format!("{OUTDATED}`topic` passes again at [`{short}`](");
        assert!(outdated.body.contains(&line), "{}", outdated.body);
        let former = first.body.split_once('\n').unwrap().1.trim();
        let folded = format!("<details><summary>Former result</summary>\n\n{former}\n\n</details>");
        assert!(outdated.body.contains(&folded), "{}", outdated.body);
        assert_eq!(outdated.id, first.id);
    }
    assert!(job.summary().contains("as outdated: the branch passes again"), "{}", job.summary());

    push_words(&job, "broken again", "a\nworse\n");
    let event = json!({ "pull_request": { "number": number, "head": { "sha": job.head() } } });
    let run = job.run_folder_since("HEAD~1", "again");
    assert_succeeded(&job.publish("pull_request", &event, &run));
    let again = only_comment(&job, number);
    assert!(again.id == first.id && !again.body.contains(OUTDATED), "{}", again.body);
    assert!(again.body.contains(&job.head()[..10]) && !again.body.contains("Former"));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    job.repo().reviews(number);
}

#[test]
fn passing_fork_pull_request_makes_its_comment_outdated() {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    git(job.dir(), &["branch", "topic"]);
    let fork = job.github.add_repo("mallory/till", job.dir());
    job.push(&["+release-1^{}:refs/heads/main"]);
    let mallory = job.github.user("mallory", Access::Read);
    let number = job.repo().open_pull_from(&fork, &mallory, "Change words", "topic", "main");
    let mut failed = green_topic(&job, "mallory/till");
    failed["workflow_run"]["conclusion"] = json!("failure");
    assert_succeeded(&job.publish("workflow_run", &failed, &run));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    job.repo().reviews(number);
    commit(job.dir(), "mended", &[("words.txt", "a\ngood\n")]);
    let fork_path = fork.path().display().to_string();
    git(job.dir(), &["push", "-q", &fork_path, "HEAD:topic"]);
    // GitHub has the commits of a fork here too.
    git(&job.repo().path(), &["fetch", "-q", &fork_path, "topic"]);
    assert_succeeded(&publish_green(&job, &green_topic(&job, REPO_NAME)));
    assert!(!only_comment(&job, number).body.contains(OUTDATED), "another branch of this name");
    assert_succeeded(&publish_green(&job, &green_topic(&job, "mallory/till")));
    let comment = only_comment(&job, number);
    assert!(comment.body.contains(&format!("{OUTDATED}`topic` passes again")), "{}", comment.body);
}

#[test]
fn forced_push_that_passes_makes_the_comment_outdated() {
    let (job, number) = job_with_comment();
    git(job.dir(), &["reset", "-q", "--hard", "HEAD~1"]);
    push_words(&job, "done otherwise", "a\ngood\nb\n");
    assert_succeeded(&publish_green(&job, &green_topic(&job, REPO_NAME)));
    let comment = only_comment(&job, number);
    assert!(comment.body.contains(&format!("{OUTDATED}`topic` passes again")), "{}", comment.body);
}

#[test]
fn late_green_run_of_an_earlier_commit_keeps_the_comment() {
    let (job, number) = job_with_comment();
    let mut late = green_topic(&job, REPO_NAME);
    late["workflow_run"]["head_sha"] = json!(git(job.dir(), &["rev-parse", "HEAD~1"]));
    assert_succeeded(&publish_green(&job, &late));
    let mut other = green_topic(&job, REPO_NAME);
    push_words(&job, "more", "a\nbad\nb\n");
    other["workflow_run"]["head_sha"] = json!(job.head());
    other["workflow_run"]["path"] = json!(".github/workflows/lint.yml");
    assert_succeeded(&publish_green(&job, &other));
    assert!(!only_comment(&job, number).body.contains(OUTDATED));
}

#[test]
fn reverted_culprit_makes_the_comment_of_another_job_outdated() {
    let (job, number) = job_with_comment();
    let failed = job.head();
    git(job.dir(), &["revert", "--no-edit", &failed]);
    let revert = job.head();
    push_words(&job, "breaks it otherwise", "nothing\n");
    let run = job.run_folder_since("HEAD~1", "again");
    let event = json!({ "pull_request": { "number": number, "head": { "sha": job.head() } } });
    fs::write(job.file("event.json"), event.to_string()).unwrap();
    publish_matrix_job(&job, "pull_request", &matrix_run_folder(&job, &run, "Two"), "Two");
    let [first, second] = job.repo().comments(number).try_into().unwrap();
    let [revert, failed] = [&revert, &failed].map(|id| id[..10].to_owned());
    assert!(first.body.contains(&format!("{OUTDATED}[`{revert}`](")), "{}", first.body);
    assert!(first.body.contains(&format!("reverted the culprit [`{failed}`](")), "{}", first.body);
    assert!(!second.body.contains(OUTDATED), "{}", second.body);
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    job.repo().reviews(number);
}

#[test]
fn foreign_and_unknown_comments_stay_as_they_are() {
    let (job, number) = job_with_comment();
    let mallory = job.github.user("mallory", Access::Read);
    let copied = only_comment(&job, number).body;
    job.repo().add_comment(&mallory, number, &copied);
    let old = "<!-- git-mend comment of=0123456789ab found=0123456789ab -->\n**x**";
    job.repo().add_comment(&Actor::actions(REPO_NAME, &[]), number, old);
    push_words(&job, "mended", "a\ngood\n");
    assert_succeeded(&publish_green(&job, &green_topic(&job, REPO_NAME)));
    let [own, copy, unknown] = job.repo().comments(number).try_into().unwrap();
    assert!(own.body.contains(OUTDATED));
    assert_eq!((copy.body, unknown.body.as_str()), (copied, old));
}

#[test]
fn refused_edit_changes_nothing_else() {
    let (job, number, event) = job_with_pull_request();
    let run = job.run_folder();
    assert_succeeded(&job.publish("pull_request", &event, &run));
    let two = matrix_run_folder(&job, &run, "Two");
    edit_result(&two, |result| result["culprit_commit"] = Value::Null);
    publish_matrix_job(&job, "pull_request", &two, "Two");
    assert_eq!(job.repo().check_runs(&job.head()).len(), 2);
    job.repo().reviews(number);
    push_words(&job, "mended", "a\ngood\n");
    job.github.add_fault("issues/update-comment", Fault::Instead(403));
    let output = publish_green(&job, &green_topic(&job, REPO_NAME));
    assert_ne!(output.code, 0);
    let [first, second] = job.repo().comments(number).try_into().unwrap();
    assert!(!first.body.contains(OUTDATED) && second.body.contains(OUTDATED));
    assert_succeeded(&publish_green(&job, &green_topic(&job, REPO_NAME)));
    assert!(job.repo().comments(number)[0].body.contains(OUTDATED));
}

#[test]
fn newer_result_is_not_overwritten() {
    let (job, number) = job_with_comment();
    push_words(&job, "mended", "a\ngood\n");
    let green = green_topic(&job, REPO_NAME);
    push_words(&job, "broken again", "a\nworse\n");
    let run = job.run_folder_since("HEAD~1", "again");
    let event = json!({ "pull_request": { "number": number, "head": { "sha": job.head() } } });
    fs::write(job.file("event.json"), green.to_string()).unwrap();
    let mut step = job.step_command("workflow_run", &green, &["ci", "publish"]);
    let blocked = job.github.block_after_operation("repos/compare-commits-with-basehead", 0);
    let mut step = step.spawn().unwrap();
    assert!(wait_until(|| blocked.has_arrived()));
    assert_succeeded(&job.publish("pull_request", &event, &run));
    drop(blocked);
    assert!(step.wait().unwrap().success());
    let comment = only_comment(&job, number);
    assert!(!comment.body.contains(OUTDATED), "{}", comment.body);
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    job.repo().reviews(number);
}

#[test]
fn comment_is_marked_once_despite_kills() {
    let (first, number) = job_with_comment();
    only_comment(&first, number);
    let run = first.run_folder_since("release-1", "same");
    let dir = Arc::clone(&first.dir);
    let failed = first.head();
    commit(dir.path(), "mended", &[("words.txt", "a\ngood\n")]);
    let prepare = || {
        git(dir.path(), &["checkout", "-q", &failed]);
        let (job, opened, event) = with_pull_request(Job::new(Arc::clone(&dir)));
        assert_eq!(opened, number);
        assert_succeeded(&job.publish("pull_request", &event, &run));
        assert_eq!(job.repo().check_runs(&failed).len(), 1);
        assert!(!only_comment(&job, number).body.contains(OUTDATED));
        job.repo().reviews(number);
        git(dir.path(), &["checkout", "-q", "main"]);
        job.push(&["+main:topic"]);
        job
    };
    let step = |job: &Job| -> Command {
        job.step_command("workflow_run", &green_topic(job, REPO_NAME), &["ci", "publish"])
    };
    kill_at_every_request(prepare, step, |job, when| {
        let comment = only_comment(job, number);
        assert_eq!(comment.body.matches(OUTDATED).count(), 1, "{when}");
        assert_eq!(comment.body.matches("### Culprit").count(), 1, "{when}");
    });
}

/// Publishes a failed merge group. Returns the job, the innocent pull request, and the one with the culprit.
fn failed_merge_group() -> (Job, u64, u64) {
    let job = Job::new(words_repository());
    job.push(&["HEAD~1:refs/heads/two", "HEAD:refs/heads/three"]);
    job.push(&["+release-1^{}:refs/heads/main"]);
    let alice = job.github.user("alice", Access::Write);
    let open = |branch: &str| job.repo().open_pull(&alice, branch, branch, "main");
    let (two, three) = (open("two"), open("three"));
    let run = job.run_folder();
    assert_succeeded(&job.publish("workflow_run", &group_event(&job, three, "failure"), &run));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    assert!(only_comment(&job, three).body.contains("Minimal culprit"));
    (job, two, three)
}

/// Returns the event of a workflow for a merge group that ends with a pull request.
fn group_event(job: &Job, last: u64, conclusion: &str) -> Value {
    let mut event = workflow_run_event(job, conclusion, Some(WORKFLOW_FILE));
    let base = git(job.dir(), &["rev-parse", "HEAD~1"]);
    event["workflow_run"]["head_branch"] =
        json!(format!("gh-readonly-queue/main/pr-{last}-{base}"));
    event["workflow_run"]["event"] = json!("merge_group");
    event
}

#[test]
fn passing_merge_group_makes_the_comment_on_its_pull_request_outdated() {
    let (job, two, three) = failed_merge_group();
    push_words(&job, "mended", "a\ngood\n");
    assert_succeeded(&publish_green(&job, &group_event(&job, two, "success")));
    assert!(!only_comment(&job, three).body.contains(OUTDATED), "a group without it");
    assert_succeeded(&publish_green(&job, &group_event(&job, three, "success")));
    let comment = only_comment(&job, three);
    let line = format!("{OUTDATED}a merge group with this pull request passes at [`");
    assert!(comment.body.contains(&line), "{}", comment.body);
}

#[test]
fn merge_makes_the_comment_about_a_merge_group_outdated() {
    let (job, _, three) = failed_merge_group();
    push_words(&job, "mended", "a\ngood\n");
    job.push(&["+HEAD:main"]);
    let green = workflow_run_event(&job, "success", Some(".github/workflows/lint.yml"));
    for (state, is_outdated) in [(FakePullState::Closed, false), (FakePullState::Merged, true)] {
        job.repo().set_state(three, state);
        assert_succeeded(&publish_green(&job, &green));
        let comment = only_comment(&job, three);
        let line = format!("{OUTDATED}this pull request was merged.");
        assert_eq!(comment.body.contains(&line), is_outdated, "{state:?}: {}", comment.body);
    }
}
