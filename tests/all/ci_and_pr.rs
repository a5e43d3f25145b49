//! Tests of `git mend ci` and `git mend pr` with the in-memory fake of GitHub, from a failed build to the fix pull
//! request.

use crate::github::{
    Access, Actor, Comment, FakeGithub, FakePullState, FakeRepo, Fault, Hold, WorkflowRun,
};
use crate::support::{
    CommandOutput, bisect_arguments, commit, git, program, repository, run_mend, wait_until,
    words_repository, write,
};
use mend_github::AccessLevel;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use tempfile::TempDir;

pub(crate) const REPO_NAME: &str = "bakery/till";

/// Workflow file of the job.
pub(crate) const WORKFLOW_FILE: &str = ".github/workflows/test.yml";

/// Workflow without tests.
const LINT_WORKFLOW: Option<&str> = Some(".github/workflows/lint.yml");

/// Repository on GitHub with its clone and the job of a workflow.
pub(crate) struct Job {
    pub(crate) github: FakeGithub,
    pub(crate) dir: Arc<TempDir>,
    files: TempDir,
    token: String,
}

impl Job {
    /// Creates a job with all write permissions in a clone of `dir`.
    pub(crate) fn new(dir: impl Into<Arc<TempDir>>) -> Self {
        let dir = dir.into();
        let github = FakeGithub::start();
        github.add_repo(REPO_NAME, dir.path());
        let write = ["contents", "pull_requests", "checks"].map(|name| (name, AccessLevel::Write));
        let read = [("actions", AccessLevel::Read)];
        let token = github.token_for(Actor::actions(REPO_NAME, &[&write[..], &read].concat()));
        Self { github, dir, files: tempfile::tempdir().unwrap(), token }
    }

    pub(crate) fn repo(&self) -> FakeRepo<'_> {
        self.github.repo(REPO_NAME)
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn head(&self) -> String {
        git(self.dir.path(), &["rev-parse", "HEAD"])
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    /// Creates a run folder by a bisection with a command.
    pub(crate) fn run_folder(&self) -> PathBuf {
        self.run_folder_since("release-1", "run")
    }

    /// Creates a run folder like [`Self::run_folder`], with another good commit and folder name.
    pub(crate) fn run_folder_since(&self, good: &str, name: &str) -> PathBuf {
        let folder = self.file(name);
        let output = folder.to_str().unwrap();
        let command_output =
            run_mend(self.dir.path(), &bisect_arguments(&["--good", good, "--output", output]));
        assert_eq!(command_output.code, 0, "{}", command_output.stderr);
        folder
    }

    /// Pushes from the clone as a user.
    pub(crate) fn push(&self, refs: &[&str]) {
        let remote_path = self.repo().path().display().to_string();
        git(self.dir(), &[&["push", "-q", &remote_path], refs].concat());
    }

    /// Runs the program as a step of a job after an event.
    pub(crate) fn run_step(
        &self,
        event: &str,
        payload: &Value,
        arguments: &[&str],
    ) -> CommandOutput {
        self.step_command(event, payload, arguments).output().unwrap().into()
    }

    pub(crate) fn step_command(&self, event: &str, payload: &Value, arguments: &[&str]) -> Command {
        fs::write(self.file("event.json"), payload.to_string()).unwrap();
        self.next_step_command(event, arguments)
    }

    /// Creates the program as a further step after the same event.
    fn next_step_command(&self, event: &str, arguments: &[&str]) -> Command {
        let mut step = program(self.dir.path());
        step.args(arguments)
            .env("GITHUB_REPOSITORY", REPO_NAME)
            .env("GITHUB_API_URL", self.github.url())
            .env("GITHUB_EVENT_NAME", event)
            .env("GITHUB_EVENT_PATH", self.file("event.json"))
            .env("GITHUB_OUTPUT", self.file("output"))
            .env("GITHUB_STEP_SUMMARY", self.file("summary"))
            .env("GITHUB_SHA", self.head())
            .env("GITHUB_RUN_ID", fs::read_to_string(self.file("run-id")).unwrap_or_default())
            .env("GITHUB_WORKFLOW_REF", format!("{REPO_NAME}/{WORKFLOW_FILE}@refs/heads/main"))
            .env("GITHUB_REF_NAME", "main")
            .env("GITHUB_REF_TYPE", "branch")
            .env("GITHUB_TOKEN", &self.token);
        step
    }

    pub(crate) fn publish(&self, event: &str, payload: &Value, run: &Path) -> CommandOutput {
        self.run_step(event, payload, &["ci", "publish", run.to_str().unwrap()])
    }

    /// Returns an output value of the step.
    pub(crate) fn output(&self, name: &str) -> String {
        let text = fs::read_to_string(self.file("output")).unwrap();
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("{name}<<")));
        lines.nth(1).unwrap_or_default().to_owned()
    }

    /// Removes the files of earlier steps, because the runner gives each step its own files.
    fn clear_step_files(&self) {
        for name in ["output", "summary"] {
            // Ignores missing files, because a search writes no summary.
            let _ = fs::remove_file(self.file(name));
        }
    }

    pub(crate) fn summary(&self) -> String {
        fs::read_to_string(self.file("summary")).unwrap()
    }
}

pub(crate) fn assert_succeeded(output: &CommandOutput) {
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
}

/// Changes the result of a run, as untrusted code could.
pub(crate) fn edit_result(run: &Path, change: impl FnOnce(&mut Value)) {
    let path = run.join("result.json");
    let mut result = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut result);
    fs::write(path, result.to_string()).unwrap();
}

#[test]
fn failing_push_gets_one_fix_pull_request() {
    let job = Job::new(words_repository());
    let (run, head) = (job.run_folder(), job.head());
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [pull] = job.repo().pulls().try_into().unwrap();
    assert_eq!((pull.base_branch.as_str(), pull.title.starts_with("Fix ")), ("main", true));
    assert!(pull.labels.contains("git-mend") && pull.body.contains("+bad"), "{}", pull.body);
    assert_eq!(job.output("status"), "found");
    assert_eq!(job.output("culprit"), head);
    assert!(job.output("pull-request").ends_with(&format!("/pull/{}", pull.number)));
    assert!(job.summary().contains(&format!("The fix is in #{}.", pull.number)));

    // A clone of the fix branch passes the test.
    let clone = job.file("clone");
    let url = job.repo().clone_url();
    git(job.files.path(), &["clone", "-q", "-b", &pull.head_branch, &url, "clone"]);
    git(&clone, &["merge-base", "--is-ancestor", &head, "HEAD"]);
    assert!(fs::read_to_string(clone.join("words.txt")).unwrap().contains("good"));

    let [check] = job.repo().check_runs(&head).try_into().unwrap();
    assert_eq!((check.conclusion.as_deref(), check.annotations.len()), (Some("neutral"), 1));
    assert_eq!(check.annotations[0]["start_line"], 2);
    assert_eq!(check.actions, None, "nobody would hear of a button of a job");

    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [republished] = job.repo().pulls().try_into().unwrap();
    assert_eq!(republished, pull, "the same run told twice is told once");
    assert!(pull.body.contains("GitHub starts no workflows for a pull request that a job opens"));
    assert!(job.summary().contains("the token of a GitHub App"), "{}", job.summary());
    assert!(!pull.body.contains("verified"), "{}", pull.body);

    job.repo().clear_signatures();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [pull] = job.repo().pulls().try_into().unwrap();
    assert!(pull.body.contains("does not show the commit of this pull request as verified"));
}

/// Runs a step and kills it at a request, before or after its execution. Returns true if the request was reached.
fn kill_at_request(job: &Job, step: &mut Command, (request, at): (usize, Hold)) -> bool {
    let blocked_request = job.github.block_request(request, at);
    let mut step = step.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut is_there, mut has_ended) = (false, false);
    assert!(wait_until(|| {
        is_there = blocked_request.has_arrived();
        has_ended = step.try_wait().unwrap().is_some();
        is_there || has_ended
    }));
    let _ = step.kill();
    step.wait().unwrap();
    is_there
}

/// Kills a step at each of its requests in turn, each time in a new repository created by `prepare`. Then repeats the
/// step and calls `check` on the final state.
pub(crate) fn kill_at_every_request(
    prepare: impl Fn() -> Job,
    step: impl Fn(&Job) -> Command,
    check: impl Fn(&Job, &str),
) {
    for at in [Hold::Before, Hold::After] {
        let mut requests = 0;
        loop {
            let job = prepare();
            if !kill_at_request(&job, &mut step(&job), (requests, at)) {
                check(&job, "not killed");
                break;
            }
            assert_succeeded(&step(&job).output().unwrap().into());
            check(
                &job,
                &format!("killed {at:?} request {requests}: {:?}", job.github.operations()),
            );
            requests += 1;
        }
        assert!(requests > 3, "{requests}");
    }
}

/// Lists the branches of fix pull requests.
fn fix_branches(job: &Job) -> String {
    git(&job.repo().path(), &["for-each-ref", "--format=%(refname)", "refs/heads/git-mend/"])
}

#[test]
fn push_result_is_published_once_despite_kills() {
    let dir = Arc::new(words_repository());
    let first = Job::new(Arc::clone(&dir));
    let run = first.run_folder();
    let step =
        |job: &Job| job.step_command("push", &json!({}), &["ci", "publish", run.to_str().unwrap()]);
    kill_at_every_request(
        || Job::new(Arc::clone(&dir)),
        step,
        |job, when| {
            let pulls = job.repo().pulls();
            assert_eq!(pulls.len(), 1, "{when}");
            assert!(pulls[0].labels.contains("git-mend"), "{when}");
            assert_eq!(fix_branches(job), format!("refs/heads/{}", pulls[0].head_branch), "{when}");
            let checks = job.repo().check_runs(&job.head());
            assert_eq!((checks.len(), checks[0].annotations.len()), (1, 1), "{when}");
            assert_eq!(checks[0].status, "completed", "{when}");
        },
    );
}

#[test]
fn pull_request_result_is_published_once_despite_kills() {
    let (first, number, event) = job_with_pull_request();
    let (run, dir) = (first.run_folder(), Arc::clone(&first.dir));
    let step = |job: &Job| {
        job.step_command("pull_request", &event, &["ci", "publish", run.to_str().unwrap()])
    };
    let prepare = || {
        let job = with_pull_request(Job::new(Arc::clone(&dir)));
        assert_eq!(job.1, number);
        job.0
    };
    kill_at_every_request(prepare, step, |job, when| {
        let counts = (job.repo().comments(number).len(), job.repo().reviews(number).len());
        assert_eq!(counts, (1, 1), "{when}");
        assert_eq!(job.repo().check_runs(&job.head()).len(), 1, "{when}");
        assert_eq!(job.repo().pulls().len(), 1, "{when}");
    });
}

#[test]
fn fix_pull_request_is_closed_once_despite_kills() {
    let dir = Arc::new(words_repository());
    let first = Job::new(Arc::clone(&dir));
    let run = first.run_folder();
    let head = first.head();
    commit(dir.path(), "mended otherwise", &[("words.txt", "a\ngood\n")]);
    let prepare = || {
        let job = Job::new(Arc::clone(&dir));
        let event = json!({ "workflow_run": { "head_sha": head, "head_branch": "main", "event": "push",
            "head_repository": { "full_name": REPO_NAME }, "conclusion": "failure", "pull_requests": [],
            "html_url": "https://x", "path": WORKFLOW_FILE } });
        assert_succeeded(&job.publish("workflow_run", &event, &run));
        assert_eq!(job.repo().check_runs(&head).len(), 1);
        job
    };
    let step = |job: &Job| {
        job.step_command(
            "workflow_run",
            &workflow_run_event(job, "success", Some(WORKFLOW_FILE)),
            &["ci", "publish"],
        )
    };
    kill_at_every_request(prepare, step, |job, when| {
        let [pull] = job.repo().pulls().try_into().unwrap();
        assert_eq!(pull.state, FakePullState::Closed, "{when}");
        let is_by_us = ["settling", "settled"].iter().any(|word| {
            pull.body.starts_with(&format!("<!-- git-mend {word} -->\n<!-- git-mend fix"))
        });
        assert!(is_by_us, "{when}");
        assert_eq!(job.repo().comments(pull.number).len(), 1, "{when}");
        assert_eq!(fix_branches(job), "", "{when}");
    });
}

#[test]
fn github_faults_cause_no_duplicates() {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    for operation in ["pulls/create", "checks/create", "git/create-ref", "graphql"] {
        job.github.add_fault(operation, Fault::After(502));
    }
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert_eq!(job.repo().pulls().len(), 1);
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

#[test]
fn patch_to_a_workflow_gets_no_pull_request() {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    let patch = "diff --git a/.github/workflows/x.yml b/.github/workflows/x.yml\nnew file mode 100644\n\
                 --- /dev/null\n+++ b/.github/workflows/x.yml\n@@ -0,0 +1 @@\n+on: push\n";
    fs::write(run.join("fix.patch"), patch).unwrap();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert_eq!(job.repo().pulls().len(), 0);
    assert!(job.summary().contains("the fix changes a git or GitHub configuration file"));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

#[test]
fn run_for_another_commit_is_rejected() {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    edit_result(&run, |result| {
        result["bad"]["revision"] = json!(git(job.dir.path(), &["rev-parse", "HEAD~1"]));
    });
    let output = job.publish("push", &json!({}), &run);
    assert_succeeded(&output);
    assert!(output.stderr.contains("the run is for a different commit"), "{}", output.stderr);
    assert_eq!((job.output("status").as_str(), job.output("culprit").as_str()), ("error", ""));
    assert!(!job.file("summary").exists());
    assert!(job.repo().pulls().is_empty() && job.repo().check_runs(&job.head()).is_empty());
}

#[test]
fn culprit_outside_history_is_omitted() {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    edit_result(&run, |result| result["culprit_commit"] = json!("ab".repeat(20)));
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert_eq!(job.output("culprit"), "");
    let (pulls, checks) = (job.repo().pulls(), job.repo().check_runs(&job.head()));
    assert!(!pulls[0].body.contains(&"ab".repeat(20)) && checks.len() == 1);
}

#[test]
fn pull_request_gets_suggestions_and_one_comment() {
    let (job, number, event) = job_with_pull_request();
    let (run, head) = (job.run_folder(), job.head());
    for _ in 0..2 {
        assert_succeeded(&job.publish("pull_request", &event, &run));
    }
    let [comment] = job.repo().comments(number).try_into().unwrap();
    assert!(comment.body.contains("suggested on the changed lines"), "{}", comment.body);
    let [review] = job.repo().reviews(number).try_into().unwrap();
    assert_eq!(review.comments.len(), 1);
    assert!(review.comments[0]["body"].as_str().unwrap().contains("```suggestion\ngood\n```"));
    assert_eq!(job.repo().pulls().len(), 1, "no pull request of its own");
    assert_eq!(job.repo().check_runs(&head).len(), 1);
}

#[test]
fn missing_list_of_pull_requests_does_not_stop_the_comment() {
    let (job, number, event) = job_with_pull_request();
    let run = job.run_folder();
    job.github.add_fault("repos/list-pull-requests-associated-with-commit", Fault::Instead(404));
    let output = job.publish("pull_request", &event, &run);
    assert_succeeded(&output);
    assert!(output.stderr.contains("skipped: pull request of the culprit"), "{}", output.stderr);
    assert_eq!(job.repo().comments(number).len(), 1);
    assert_eq!(job.repo().reviews(number).len(), 1);
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

/// Creates a job for a pull request of the branch `topic`. Returns the pull request's number and event too.
pub(crate) fn job_with_pull_request() -> (Job, u64, Value) {
    with_pull_request(Job::new(words_repository()))
}

pub(crate) fn with_pull_request(job: Job) -> (Job, u64, Value) {
    git(job.dir.path(), &["branch", "-f", "topic"]);
    let to = job.repo().path().display().to_string();
    git(job.dir.path(), &["push", "-q", &to, "topic", "+release-1^{}:refs/heads/main"]);
    let alice = job.github.user("alice", Access::Write);
    let number = job.repo().open_pull(&alice, "Change words", "topic", "main");
    let event = json!({ "pull_request": { "number": number, "head": { "sha": job.head() } } });
    (job, number, event)
}

#[test]
fn fork_pull_request_gets_suggestions_and_one_comment() {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    git(job.dir.path(), &["branch", "topic"]);
    let fork = job.github.add_repo("mallory/till", job.dir.path());
    let to = job.repo().path().display().to_string();
    git(job.dir.path(), &["push", "-q", &to, "+release-1^{}:refs/heads/main"]);
    let mallory = job.github.user("mallory", Access::Read);
    let number = job.repo().open_pull_from(&fork, &mallory, "Change words", "topic", "main");
    let event = json!({ "workflow_run": {
        "head_sha": job.head(), "head_branch": "topic", "head_repository": { "full_name": "mallory/till" },
        "event": "pull_request", "conclusion": "failure", "pull_requests": [], "html_url": "https://x",
        "path": WORKFLOW_FILE,
    } });
    for _ in 0..2 {
        assert_succeeded(&job.publish("workflow_run", &event, &run));
    }
    let [comment] = job.repo().comments(number).try_into().unwrap();
    assert!(comment.body.contains("suggested on the changed lines"), "{}", comment.body);
    let [review] = job.repo().reviews(number).try_into().unwrap();
    let suggestion = review.comments[0]["body"].as_str().unwrap();
    assert!(suggestion.contains("```suggestion\ngood\n```"), "{suggestion}");
    assert_eq!(job.repo().pulls().len(), 1, "no pull request of its own");
    assert_eq!(fix_branches(&job), "");
    assert_eq!(git(&fork.path(), &["for-each-ref", "refs/heads/git-mend/"]), "");
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

/// Creates the run of a matrix job, which differs only in the failed test.
pub(crate) fn matrix_run_folder(job: &Job, run: &Path, matrix_job: &str) -> PathBuf {
    let folder = job.file(matrix_job);
    fs::create_dir(&folder).unwrap();
    for file in ["result.json", "culprit.patch", "fix.patch"] {
        fs::copy(run.join(file), folder.join(file)).unwrap();
    }
    let claims = json!({ "schema": "git-mend/ci/1", "tests": [format!("words.{matrix_job}#good")],
        "flaky": null, "not_checked": [] });
    fs::write(folder.join("ci.json"), claims.to_string()).unwrap();
    folder
}

pub(crate) fn publish_matrix_job(job: &Job, event: &str, run: &Path, matrix_job: &str) {
    let arguments = ["ci", "publish", "--matrix-job", matrix_job, run.to_str().unwrap()];
    assert_succeeded(&job.next_step_command(event, &arguments).output().unwrap().into());
}

#[test]
fn matrix_jobs_get_own_checks_and_share_equal_results() {
    let (job, number, event) = job_with_pull_request();
    let run = job.run_folder();
    let [first_job, second_job] = ["One", "Two"].map(|leg| matrix_run_folder(&job, &run, leg));
    assert_succeeded(&job.publish("pull_request", &event, &run));
    publish_matrix_job(&job, "pull_request", &first_job, "One");
    let comments = job.repo().comments(number);
    assert_eq!(comments.len(), 1, "what one leg told is told");
    edit_result(&second_job, |result| result["culprit_commit"] = Value::Null);
    publish_matrix_job(&job, "pull_request", &second_job, "Two");
    let [first, second] = job.repo().comments(number).try_into().unwrap();
    assert_eq!(first.body, comments[0].body, "no leg writes over what another one told");
    assert!(second.body.contains("`words.Two#good` fails.**"), "{}", second.body);
    let mut names: Vec<String> =
        job.repo().check_runs(&job.head()).into_iter().map(|run| run.name).collect();
    names.sort();
    assert_eq!(names, ["git-mend", "git-mend (One)", "git-mend (Two)"]);
    assert_eq!(job.repo().reviews(number).len(), 1);
    // A job with the same result as the first one only links to it.
    let second_job = matrix_run_folder(&job, &run, "Again");
    publish_matrix_job(&job, "pull_request", &second_job, "Two");
    let second = &job.repo().comments(number)[1];
    assert!(
        second.body.contains("The result is the same as in [this comment]("),
        "{}",
        second.body
    );
    assert_eq!(job.repo().check_runs(&job.head()).len(), 4);
}

#[test]
fn concurrent_matrix_jobs_open_one_fix_pull_request() {
    let (job, number, event) = job_with_pull_request();
    let run = job.run_folder();
    let legs = ["A", "B", "C", "D"].map(|leg| (leg, matrix_run_folder(&job, &run, leg)));
    let at_once = |event: &str| {
        thread::scope(|scope| {
            for (leg, run) in &legs {
                let job = &job;
                scope.spawn(move || publish_matrix_job(job, event, run, leg));
            }
        });
    };
    fs::write(job.file("event.json"), event.to_string()).unwrap();
    at_once("pull_request");
    let comments = job.repo().comments(number);
    let is_long = |comment: &&Comment| comment.body.contains("### Culprit");
    assert_eq!(comments.iter().filter(is_long).count(), 1);
    assert!(is_long(&&comments[0]));
    job.repo().reviews(number);

    git(job.dir.path(), &["push", "-q", job.repo().path().to_str().unwrap(), "main"]);
    at_once("push");
    let pulls = job.repo().pulls();
    let open = pulls.iter().filter(|pull| pull.number != number);
    let open: Vec<_> = open.filter(|pull| pull.state == FakePullState::Open).collect();
    assert_eq!(open.len(), 1, "{pulls:#?}");
    for pull in &pulls {
        let branch_exists = job.repo().branch(&pull.head_branch).is_some();
        assert_eq!(branch_exists, pull.state == FakePullState::Open);
    }
    assert_eq!(job.repo().check_runs(&job.head()).len(), 4);
}

#[test]
fn only_culprit_of_merge_group_gets_a_comment() {
    let job = Job::new(words_repository());
    let to = job.repo().path().display().to_string();
    git(job.dir.path(), &["push", "-q", &to, "HEAD~1:refs/heads/two", "HEAD:refs/heads/three"]);
    git(job.dir.path(), &["push", "-q", &to, "+release-1^{}:refs/heads/main"]);
    let alice = job.github.user("alice", Access::Write);
    let open = |branch: &str| job.repo().open_pull(&alice, branch, branch, "main");
    let (two, three) = (open("two"), open("three"));
    let run = job.run_folder();
    let dispatch_event = json!({ "client_payload": { "sha": job.head(), "pull": null,
        "branch": "gh-readonly-queue/main/pr-2-0" } });
    let group = json!({ "merge_group": { "base_sha": job.head(),
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-2-0" } });
    // The events of a merge queue, of the App, and of a branch that combines pull requests for testing.
    for (event, payload) in
        [("merge_group", group), ("repository_dispatch", dispatch_event), ("push", json!({}))]
    {
        let mut step = job.step_command(event, &payload, &["ci", "publish", run.to_str().unwrap()]);
        assert_succeeded(&step.env("GITHUB_REF_NAME", "staging").output().unwrap().into());
        assert!(job.repo().comments(two).is_empty());
        let [comment] = job.repo().comments(three).try_into().unwrap();
        assert!(comment.body.contains("Minimal culprit"), "{}", comment.body);
        assert_eq!(job.repo().pulls().len(), 2, "such a branch gets no pull request");
        assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    }
    // The default branch is not such a branch, even if its commits belong to open pull requests.
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert_eq!((job.repo().pulls().len(), job.repo().comments(three).len()), (3, 1));
}

/// Makes a run say that neither reverting the culprit nor its part fixes the failing commit.
fn unconfirm_culprit(run: &Path) {
    edit_result(run, |result| {
        result["revert"] = json!({"applies": false, "passes": false});
        result["fix"]["commits"] = json!([]);
    });
}

#[test]
fn suspect_is_published_without_its_author() {
    let (job, number, event) = job_with_pull_request();
    let run = job.run_folder();
    unconfirm_culprit(&run);
    assert_succeeded(&job.publish("pull_request", &event, &run));
    let [comment] = job.repo().comments(number).try_into().unwrap();
    let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
    assert!(check.title.contains("suspect"), "{}", check.title);
    assert_eq!(job.repo().reviews(number).len(), 1);
    for text in [comment.body, job.summary()] {
        assert!(text.contains("The suspect is") && text.contains("### Suspect"), "{text}");
        assert!(!text.contains(" by `A`") && !text.contains("The culprit is"), "{text}");
    }
}

#[test]
fn suspect_of_merge_group_gets_no_comment() {
    let job = Job::new(words_repository());
    job.push(&["HEAD:refs/heads/three", "+release-1^{}:refs/heads/main"]);
    let alice = job.github.user("alice", Access::Write);
    let three = job.repo().open_pull(&alice, "three", "three", "main");
    let run = job.run_folder();
    unconfirm_culprit(&run);
    let group = json!({ "merge_group": { "base_sha": job.head(),
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-1-0" } });
    assert_succeeded(&job.publish("merge_group", &group, &run));
    assert!(job.repo().comments(three).is_empty());
    assert_eq!(job.repo().pulls().len(), 1, "a merge queue gets no fix pull request");
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

#[test]
fn repaired_culprit_is_not_blamed_for_a_second_break() {
    let dir = words_repository();
    let first = git(dir.path(), &["rev-parse", "HEAD"]);
    for (name, word) in [("n1", "bad"), ("n2", "bad"), ("repair", "good"), ("second", "bad")] {
        let words = format!("a\n{word}\nb\nc\nd\nE\n");
        commit(dir.path(), name, &[("words.txt", words.as_str()), ("other.txt", name)]);
    }
    let job = Job::new(dir);
    let run = job.run_folder();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert_eq!(job.output("culprit"), job.head());
    let [pull] = job.repo().pulls().try_into().unwrap();
    assert!(pull.title.contains(&format!("broken by {}", &job.head()[..10])), "{}", pull.title);
    assert!(!pull.body.contains(&first[..10]), "{}", pull.body);
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

#[test]
fn read_only_token_still_writes_the_summary() {
    let mut job = Job::new(words_repository());
    let run = job.run_folder();
    job.token = job.github.token_for(Actor::actions(REPO_NAME, &[("contents", AccessLevel::Read)]));
    let output = job.publish("push", &json!({}), &run);
    assert_succeeded(&output);
    assert!(output.stderr.contains("skipped: fix pull request"), "{}", output.stderr);
    assert!(output.stdout.contains("::error file=words.txt,line=2,"), "{}", output.stdout);
    assert!(job.summary().contains("`git apply fix.patch`"));
}

/// Returns the event of a workflow that completed on main. GitHub may append a reference to its file.
pub(crate) fn workflow_run_event(job: &Job, conclusion: &str, path: Option<&str>) -> Value {
    json!({ "workflow_run": {
        "head_sha": job.head(), "head_branch": "main", "head_repository": { "full_name": REPO_NAME },
        "event": "push", "conclusion": conclusion, "pull_requests": [], "html_url": "https://x",
        "path": path,
    }})
}

/// Creates a job with a fix pull request for a failure, and a next commit that fixes the failure otherwise. `path` is
/// the failing workflow, if known.
fn job_fixed_by_another_commit(path: Option<&str>) -> Job {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    job.repo().add_check(&job.head(), "Tests", "failure");
    assert_succeeded(&job.publish(
        "workflow_run",
        &workflow_run_event(&job, "failure", path),
        &run,
    ));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 2);
    commit(job.dir.path(), "mended otherwise", &[("words.txt", "a\ngood\n")]);
    job.push(&["main"]);
    job
}

/// Publishes a passing run of a workflow on the newest commit.
fn publish_green_run(job: &Job, path: Option<&str>) {
    assert_succeeded(&job.run_step(
        "workflow_run",
        &workflow_run_event(job, "success", path),
        &["ci", "publish"],
    ));
}

#[test]
fn green_branch_closes_fix_pull_request() {
    for path in [None, Some(format!("{WORKFLOW_FILE}@main"))] {
        let job = job_fixed_by_another_commit(Some(WORKFLOW_FILE));
        let branch = job.repo().pulls()[0].head_branch.clone();
        if path.is_none() {
            job.repo().add_check(&job.head(), "Tests", "success");
        }
        publish_green_run(&job, path.as_deref());
        let pull = &job.repo().pulls()[0];
        assert_eq!(pull.state, FakePullState::Closed);
        assert_eq!(job.repo().branch(&branch), None);
        assert!(job.summary().contains("the branch passes again"));
        let [comment] = job.repo().comments(pull.number).try_into().unwrap();
        assert!(comment.body.contains("`main` passes again at"), "{}", comment.body);
    }
}

#[test]
fn reverted_culprit_closes_fix_pull_request_on_red_branch() {
    let dir = words_repository();
    let job = Job::new(dir);
    let run = job.run_folder();
    let failed = job.head();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let branch = job.repo().pulls()[0].head_branch.clone();
    assert_eq!(job.repo().check_runs(&failed).len(), 1);
    let output = revert_and_break_again(&job, &failed);
    let command_output = job.publish("push", &json!({}), &output);
    assert_succeeded(&command_output);
    let pulls = job.repo().pulls();
    assert_eq!(pulls[0].state, FakePullState::Closed, "{}", command_output.stderr);
    assert_eq!(job.repo().branch(&branch), None);
    let [comment] = job.repo().comments(pulls[0].number).try_into().unwrap();
    assert!(
        comment.body.contains(&format!("reverted the culprit [`{}`]", &failed[..10])),
        "{}",
        comment.body
    );
    assert!(job.summary().contains(&format!("reverted the culprit {}", &failed[..10])));
    assert_eq!(pulls.len(), 2, "what breaks it now has its own");
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

/// Reverts a commit and breaks the test in another way. Returns the run that finds the new culprit.
fn revert_and_break_again(job: &Job, failed: &str) -> PathBuf {
    git(job.dir(), &["revert", "--no-edit", failed]);
    commit(job.dir(), "breaks it otherwise", &[("words.txt", "nothing\n")]);
    job.push(&["main"]);
    job.run_folder_since("HEAD~1", "again")
}

/// Creates a job whose culprit has a fix pull request and was reverted. Returns the run that finds the new culprit too.
fn published_and_reverted() -> (Job, PathBuf) {
    let job = Job::new(words_repository());
    let (run, failed) = (job.run_folder(), job.head());
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert_eq!(job.repo().check_runs(&failed).len(), 1);
    let output = revert_and_break_again(&job, &failed);
    (job, output)
}

#[test]
fn unclosable_pull_request_does_not_block_publishing() {
    let (job, output) = published_and_reverted();
    job.github.add_fault("issues/create-comment", Fault::Instead(422));
    let command_output = job.publish("push", &json!({}), &output);
    assert_succeeded(&command_output);
    assert!(
        command_output.stderr.contains("skipped: closing of fix pull requests: "),
        "{}",
        command_output.stderr
    );
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    let [first, second] = job.repo().pulls().try_into().unwrap();
    assert_eq!((first.state, second.state), (FakePullState::Open, FakePullState::Open));
    assert!(job.summary().contains(&format!("The fix is in #{}.", second.number)));
    // The next publishing job closes it.
    assert_succeeded(&job.publish("push", &json!({}), &output));
    assert_eq!(job.repo().pull(first.number).state, FakePullState::Closed);
    assert_eq!(job.repo().comments(first.number).len(), 1);
}

#[test]
fn unclosable_pull_request_does_not_keep_others_open() {
    let (job, output) = published_and_reverted();
    job.github.add_fault("issues/create-comment", Fault::Instead(422));
    assert_succeeded(&job.publish("push", &json!({}), &output));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    git(job.dir(), &["revert", "--no-edit", "HEAD"]);
    job.push(&["main"]);
    let count = || job.repo().pulls().iter().filter(|one| one.state == FakePullState::Open).count();
    assert_eq!(count(), 2);
    job.github.add_fault("issues/create-comment", Fault::Instead(422));
    let command_output = job.run_step(
        "workflow_run",
        &workflow_run_event(&job, "success", LINT_WORKFLOW),
        &["ci", "publish"],
    );
    assert_ne!(command_output.code, 0);
    assert!(
        command_output
            .stderr
            .contains("ending output about earlier failures: GitHub rejected the request"),
        "{}",
        command_output.stderr
    );
    assert_eq!(count(), 1);
    assert!(command_output.stdout.starts_with("Closed "), "{}", command_output.stdout);
    publish_green_run(&job, LINT_WORKFLOW);
    assert_eq!(count(), 0);
    for pull in job.repo().pulls() {
        assert_eq!(job.repo().comments(pull.number).len(), 1);
    }
}

#[test]
fn force_pushed_branch_still_gets_a_check() {
    let job = Job::new(words_repository());
    let (run, old) = (job.run_folder(), workflow_run_event(&job, "failure", Some(WORKFLOW_FILE)));
    git(job.dir(), &["checkout", "-q", "--orphan", "other"]);
    commit(job.dir(), "first", &[("words.txt", "good\n")]);
    commit(job.dir(), "second", &[("words.txt", "bad\n")]);
    job.push(&["+other:main"]);
    let head = old["workflow_run"]["head_sha"].as_str().unwrap();
    assert_succeeded(&job.publish("workflow_run", &old, &run));
    assert_eq!(job.repo().check_runs(head).len(), 1);
    assert!(job.summary().contains("the failing commit is on no branch"), "{}", job.summary());
    assert!(job.repo().pulls().is_empty() && fix_branches(&job).is_empty());
}

#[test]
fn pull_request_for_lost_history_does_not_block_publishing() {
    let job = Job::new(words_repository());
    let (run, failed) = (job.run_folder(), job.head());
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert_eq!(job.repo().check_runs(&failed).len(), 1);
    git(job.dir(), &["checkout", "-q", "--orphan", "other"]);
    commit(job.dir(), "first", &[("words.txt", "good\n")]);
    commit(job.dir(), "second", &[("words.txt", "bad\n")]);
    job.push(&["+other:main"]);
    let output = job.publish("push", &json!({}), &job.run_folder_since("HEAD~1", "again"));
    assert_succeeded(&output);
    assert!(!output.stderr.contains("skipped:"), "{}", output.stderr);
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    let standing: Vec<_> = job.repo().pulls().into_iter().map(|pull| pull.state).collect();
    assert_eq!(standing, [FakePullState::Open, FakePullState::Open]);
}

#[test]
fn only_revert_of_the_culprits_merge_closes_the_fix() {
    for is_merge in [true, false] {
        let job = Job::new(words_repository());
        if is_merge {
            git(job.dir(), &["checkout", "-q", "-b", "side", "HEAD~1"]);
        }
        commit(job.dir(), "harmless", &[("notes.txt", "x\n")]);
        git(job.dir(), &["checkout", "-q", "main"]);
        if is_merge {
            git(job.dir(), &["merge", "-q", "--no-ff", "-m", "merged", "side"]);
        }
        job.push(&["main", "main:topic"]);
        let (alice, last) = (job.github.user("alice", Access::Write), job.head());
        let brought = job.repo().open_pull(&alice, "topic", "topic", "main");
        let run = job.run_folder();
        assert_succeeded(&job.publish("push", &json!({}), &run));
        job.repo().set_merged(brought, &last);
        assert_eq!(job.repo().check_runs(&last).len(), 1);
        let message = format!("Take it back\n\nThis reverts commit {last}.");
        commit(job.dir(), &message, &[("more.txt", "x\n")]);
        job.push(&["main"]);
        publish_green_run(&job, LINT_WORKFLOW);
        let fix = job.repo().pulls().into_iter().find(|pull| pull.number != brought).unwrap();
        let expected = if is_merge { FakePullState::Closed } else { FakePullState::Open };
        assert_eq!(fix.state, expected, "{is_merge}");
        assert_eq!(job.repo().comments(fix.number).len(), usize::from(is_merge));
    }
}

#[test]
fn other_green_workflow_closes_no_fix() {
    let job = job_fixed_by_another_commit(Some(WORKFLOW_FILE));
    job.repo().add_check(&job.head(), "Tests", "success");
    publish_green_run(&job, LINT_WORKFLOW);
    let pull = &job.repo().pulls()[0];
    assert_eq!(pull.state, FakePullState::Open);
    assert!(job.repo().branch(&pull.head_branch).is_some());
}

#[test]
fn fix_closes_only_when_the_failed_check_is_green() {
    for (failed, green) in [(Some(WORKFLOW_FILE), None), (None, LINT_WORKFLOW), (None, None)] {
        let job = job_fixed_by_another_commit(failed);
        let pull = job.repo().pulls()[0].number;
        // The check of another App is the first one. A check without a result may still fail.
        job.repo().add_check(&job.head(), "DCO", "success");
        publish_green_run(&job, green);
        for conclusion in ["cancelled", "action_required", "skipped"] {
            assert_eq!(job.repo().pull(pull).state, FakePullState::Open, "{failed:?} {green:?}");
            job.repo().add_check(&job.head(), "Tests", conclusion);
            publish_green_run(&job, green);
        }
        assert_eq!(job.repo().pull(pull).state, FakePullState::Open, "{failed:?} {green:?}");
        job.repo().add_check(&job.head(), "Tests", "success");
        publish_green_run(&job, green);
        assert_eq!(job.repo().pull(pull).state, FakePullState::Closed, "{failed:?} {green:?}");
        assert_eq!(job.repo().comments(pull).len(), 1);
    }
}

/// Fetches the branch of the fix pull request into the clone as `kept`. Returns its name.
fn fetch_fix_branch(job: &Job) -> String {
    let branch = job.repo().pulls().remove(0).head_branch;
    let from = job.repo().path();
    git(job.dir(), &["fetch", "-q", from.to_str().unwrap(), &format!("{branch}:kept")]);
    branch
}

#[test]
fn reopened_fix_pull_request_stays_open() {
    let job = job_fixed_by_another_commit(Some(WORKFLOW_FILE));
    let (pull, branch) = (job.repo().pulls()[0].number, fetch_fix_branch(&job));
    publish_green_run(&job, Some(WORKFLOW_FILE));
    assert_eq!(job.repo().pull(pull).state, FakePullState::Closed);
    job.push(&[&format!("kept:refs/heads/{branch}")]);
    job.repo().set_state(pull, FakePullState::Open);
    publish_green_run(&job, Some(WORKFLOW_FILE));
    assert_eq!(job.repo().pull(pull).state, FakePullState::Open);
    assert!(job.repo().branch(&branch).is_some());
    assert_eq!(job.repo().comments(pull).len(), 1);
}

#[test]
fn fix_branch_with_foreign_commits_is_not_deleted() {
    let job = job_fixed_by_another_commit(Some(WORKFLOW_FILE));
    let (pull, branch) = (job.repo().pulls()[0].number, fetch_fix_branch(&job));
    git(job.dir(), &["checkout", "-q", "kept"]);
    commit(job.dir(), "theirs", &[("notes.txt", "x\n")]);
    job.push(&[&format!("kept:refs/heads/{branch}")]);
    let theirs = job.head();
    git(job.dir(), &["checkout", "-q", "main"]);
    publish_green_run(&job, Some(WORKFLOW_FILE));
    assert_eq!(job.repo().pull(pull).state, FakePullState::Closed);
    assert_eq!(job.repo().branch(&branch), Some(theirs));
    assert_eq!(job.repo().comments(pull).len(), 1);
}

#[test]
fn pr_command_opens_a_pull_request() {
    // An explicit command overrides the setting that disables fix pull requests.
    let job = job_with_settings("[github]\nlabels = ['mended']\nfix-pull-requests = false\n");
    let run = job.run_folder();
    let alice = job.github.user("alice", Access::Write);
    let pr = |token: &str| -> CommandOutput {
        let mut pr = program(job.dir.path());
        pr.args(["pr", run.to_str().unwrap(), "--repo", REPO_NAME])
            .env("GITHUB_API_URL", job.github.url())
            .env("GITHUB_TOKEN", token);
        pr.output().unwrap().into()
    };
    let output = pr(&job.github.token_for(alice));
    assert_succeeded(&output);
    let [pull] = job.repo().pulls().try_into().unwrap();
    assert_eq!(
        output.stdout.trim(),
        format!("{}/{REPO_NAME}/pull/{}", job.github.url(), pull.number)
    );
    assert!(pull.labels.iter().eq(["mended"]));
    pr("no-token").assert_exit_and_stderr(4, &["GitHub rejected the token"]);
    assert_eq!(job.github.request_count("pulls/create"), 1);
}

#[test]
fn failed_search_start_is_published() {
    for (test, said, title) in [
        ("a.B", "unknown revision `nowhere`", "a.B"),
        ("$(x)", "`$(x)` is not a test selector", "the build"),
    ] {
        let job = Job::new(words_repository());
        let folder = job.file("run");
        let words = ["ci", "search", "--test", test, "--good", "nowhere", "--output"];
        let output =
            job.run_step("push", &json!({}), &[&words[..], &[folder.to_str().unwrap()]].concat());
        output.assert_exit_and_stderr(2, &[said]);
        let outputs = (job.output("status"), job.output("run-folder"));
        assert_eq!(outputs, ("error".to_owned(), folder.display().to_string()));
        assert_succeeded(&job.publish("push", &json!({}), &folder));
        let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
        assert_eq!(check.title, format!("{title}: not searched, invalid search request"));
        assert!(check.summary.contains(said), "{}", check.summary);
        assert!(check.summary.contains("### Next step\n\n"), "{}", check.summary);
    }
}

#[test]
fn environment_error_creates_no_comment() {
    let (job, number, event) = job_with_pull_request();
    let run = job.run_folder();
    edit_result(&run, |result| {
        for name in ["culprit", "fix", "culprit_commit", "culprit_info", "symptom"] {
            result[name] = Value::Null;
        }
        result["status"] = json!("error");
        result["message"] = json!("no JDK found: @all");
    });
    let claims = json!({ "schema": "git-mend/ci/1", "tests": ["a.B"], "flaky": null, "not_checked": [],
        "error": "environment", "help": "install a JDK" });
    fs::write(run.join("ci.json"), claims.to_string()).unwrap();
    assert_succeeded(&job.publish("pull_request", &event, &run));
    assert!(job.repo().comments(number).is_empty());
    let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
    assert_eq!(
        (check.title.as_str(), check.conclusion.as_deref()),
        ("a.B: not searched, incomplete environment", Some("neutral"))
    );
    for words in [
        "This says nothing about your change. The search reported: `no JDK found: @all`.",
        "### Next step\n\n`install a JDK`",
    ] {
        assert!(check.summary.contains(words), "{}", check.summary);
    }
    assert_eq!(job.output("status"), "error");
    assert_eq!(check.summary, job.summary());
}

/// Creates a job on a repository with these settings, whose last commit breaks the test.
fn job_with_settings(settings: &str) -> Job {
    let dir = words_repository();
    git(dir.path(), &["reset", "-q", "--soft", "HEAD~1"]);
    commit(dir.path(), "three", &[(".git-mend.toml", settings)]);
    Job::new(dir)
}

#[test]
fn settings_of_default_branch_control_publishing() {
    let job = job_with_settings("[github]\nlabels = ['mended']\n");
    let run = job.run_folder();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [pull] = job.repo().pulls().try_into().unwrap();
    assert!(pull.labels.iter().eq(["mended"]));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);

    let job = job_with_settings("[github]\nfix-pull-requests = false\n");
    let run = job.run_folder();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert!(job.repo().pulls().is_empty());
    assert!(job.summary().contains("the settings of this repository disable them"));
    // An explicit request overrides the setting.
    let dispatch_event = json!({ "client_payload": { "sha": job.head(), "pull": null, "branch": "main", "reason": "fix" } });
    assert_succeeded(&job.publish("repository_dispatch", &dispatch_event, &run));
    assert_eq!((job.repo().pulls().len(), job.repo().check_runs(&job.head()).len()), (1, 1));
}

#[test]
fn ignored_workflow_is_not_published() {
    let job = job_with_settings("[github]\nignored-workflows = ['test.yml']\n");
    let run = job.run_folder();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert!(job.repo().pulls().is_empty() && job.repo().check_runs(&job.head()).is_empty());
    assert_eq!(job.output("status"), "none");
}

#[test]
fn invalid_github_settings_are_reported() {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    commit(job.dir.path(), "four", &[(".git-mend.toml", "[github]\ncoment = false\n")]);
    git(job.dir.path(), &["push", "-q", job.repo().path().to_str().unwrap(), "main"]);
    job.publish("push", &json!({}), &run)
        .assert_exit_and_stderr(2, &["did you mean `comment`?", "fix-pull-requests"]);
}

#[test]
fn pull_request_cannot_change_search_settings() {
    let dir = words_repository();
    let base = git(dir.path(), &["rev-parse", "HEAD"]);
    commit(dir.path(), "four", &[(".git-mend.toml", "evil = 1\n")]);
    let job = Job::new(dir);
    let output = job.file("run");
    let words = ["ci", "search", "--test", "a.B", "--good", "HEAD~1", "--output"];
    let search = [&words[..], &[output.to_str().unwrap()]].concat();
    let said_on = |branch: &str, event: &str, payload: Value| {
        let mut step = job.step_command(event, &payload, &search);
        step.env_remove("GITHUB_TOKEN").env("GITHUB_SHA", &base).env("GITHUB_REF_NAME", branch);
        CommandOutput::from(step.output().unwrap()).stderr
    };
    let search_stderr = |event: &str, payload: Value| said_on("main", event, payload);
    let pull = |base: Value| json!({ "pull_request": { "number": 1, "head": { "sha": job.head() }, "base": base } });
    for (event, payload) in [
        ("pull_request", pull(json!({ "sha": base }))),
        ("pull_request", pull(Value::Null)),
        ("merge_group", json!({ "merge_group": { "base_sha": base, "head_ref": "refs/heads/q" } })),
        ("workflow_run", workflow_run_event(&job, "failure", Some(WORKFLOW_FILE))),
    ] {
        let stderr = search_stderr(event, payload);
        assert!(stderr.contains("no Java sources found"), "{stderr}");
    }
    for below in [base.as_str(), "none"] {
        let stderr = said_on(&format!("gh-readonly-queue/main/pr-1-{below}"), "push", json!({}));
        assert!(stderr.contains("no Java sources found"), "{stderr}");
    }
    assert!(search_stderr("push", json!({})).contains("unknown key `evil`"));
    assert!(
        search_stderr("pull_request", pull(json!({ "sha": job.head() })))
            .contains("unknown key `evil`")
    );
}

#[test]
fn ci_command_outside_a_workflow_suggests_bisect() {
    let dir = words_repository();
    run_mend(dir.path(), &["ci", "search"])
        .assert_exit_and_stderr(2, &["not a job of GitHub Actions", "git mend bisect"]);
    run_mend(dir.path(), &["pr", "nowhere"]).assert_exit_and_stderr(2, &["is not a run folder"]);
}

/// Test that prints the token of the job, if it sees it.
const TOKEN_PRINTING_TEST: &str = "public class TillTest { public static void main(String[] a) { \
                    if (new Till().sum() != 3) \
                    throw new AssertionError(\"sum, token \" + System.getenv(\"GITHUB_TOKEN\")); } }";

/// Report of a failed test, as Surefire writes it.
const SUREFIRE_REPORT: (&str, &str) = (
    "target/surefire-reports/TEST-TillTest.xml",
    "<testsuite><testcase classname='TillTest' name='main'><failure>sum</failure></testcase></testsuite>",
);

fn till_source(sum: &str) -> String {
    format!("public class Till {{\n    int sum() {{\n        return {sum};\n    }}\n}}\n")
}

#[test]
fn failed_build_is_searched_from_reports_and_green_commit() {
    let dir = repository();
    let test = ("src/test/java/TillTest.java", TOKEN_PRINTING_TEST.to_owned());
    commit(dir.path(), "one", &[("src/main/java/Till.java", till_source("1 + 2")), test]);
    let green = git(dir.path(), &["rev-parse", "HEAD"]);
    let shelf: Vec<String> =
        (0..9).map(|n| format!("    int b{n}() {{ return {n}; }}\n")).collect();
    let shelf = ("src/main/java/Shelf.java", format!("class Shelf {{\n{}}}\n", shelf.concat()));
    commit(dir.path(), "two", &[("src/main/java/Till.java", till_source("1 - 2")), shelf]);
    commit(dir.path(), "three", &[("notes.txt", "x\n")]);
    write(dir.path(), SUREFIRE_REPORT.0, SUREFIRE_REPORT.1);
    let job = Job::new(dir);
    job.repo().add_workflow_run(WorkflowRun::completed(7, "main", &green, "success"));
    let this =
        job.repo().add_workflow_run(WorkflowRun::completed(7, "main", &job.head(), "failure"));
    let folder = job.file("run");
    fs::write(job.file("run-id"), this.to_string()).unwrap();
    let output =
        job.run_step("push", &json!({}), &["ci", "search", "--output", folder.to_str().unwrap()]);
    assert_succeeded(&output);
    assert!(output.stderr.contains(&format!("was green on {}", &green[..10])), "{}", output.stderr);
    assert_eq!(
        (job.output("status").as_str(), job.output("run-folder")),
        ("found", folder.display().to_string())
    );
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("TillTest") && page.contains("sum, token null"), "{page}");
    assert_succeeded(&job.publish("push", &json!({}), &folder));
    let patch = folder.join("fix.patch");
    assert_eq!(job.output("patch"), patch.display().to_string());
    assert!(fs::read_to_string(patch).unwrap().contains("+        return 1 + 2;"));
    let page = format!("{}/{REPO_NAME}/actions/runs/{this}", job.github.url());
    assert_eq!(job.output("report"), page);
    let [pull] = job.repo().pulls().try_into().unwrap();
    let picture = "xychart-beta\n    accDescr: Search in ";
    assert!(pull.body.contains(picture) && job.summary().contains(picture), "{}", pull.body);
    assert!(
        pull.body.contains("`TillTest#main`") && pull.body.contains("+        return 1 + 2;"),
        "{}",
        pull.body
    );
    let bisect_command =
        format!("git mend bisect --good {green} --bad {} --test 'TillTest#main'", job.head());
    assert!(pull.body.contains(&bisect_command), "{}", pull.body);
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

/// Creates a job whose build reports a failing test. The arguments are the sums in the two versions of the till.
pub(crate) fn job_with_failed_build([first, second]: [&str; 2]) -> Job {
    let dir = repository();
    let test = ("src/test/java/TillTest.java", TOKEN_PRINTING_TEST.to_owned());
    commit(dir.path(), "one", &[("src/main/java/Till.java", till_source(first)), test]);
    git(dir.path(), &["tag", "release-1"]);
    commit(dir.path(), "two", &[("src/main/java/Till.java", till_source(second))]);
    write(dir.path(), SUREFIRE_REPORT.0, SUREFIRE_REPORT.1);
    Job::new(dir)
}

/// Searches for the culprit of the reported failures, and returns the run folder.
fn search_failed_build(job: &Job, more: &[&str]) -> PathBuf {
    let folder = job.file("run");
    let words = ["ci", "search", "--good", "release-1", "--output", folder.to_str().unwrap()];
    assert_succeeded(&job.run_step("push", &json!({}), &[&words[..], more].concat()));
    assert_eq!(job.output("run-folder"), folder.display().to_string());
    folder
}

#[test]
fn reports_in_other_folders_are_searched() {
    let job = job_with_failed_build(["1 + 2", "1 - 2"]);
    let dir = job.dir();
    fs::remove_dir_all(dir.join("target")).unwrap();
    write(dir, "core/out/junit/it/TEST-TillTest.xml", SUREFIRE_REPORT.1);
    let search = |more: &[&str]| {
        let folder = job.file("run");
        let words = ["ci", "search", "--good", "release-1", "--output", folder.to_str().unwrap()];
        job.run_step("push", &json!({}), &[&words[..], more].concat())
    };
    let output = search(&["--reports", "missing"]);
    assert_succeeded(&output);
    assert!(output.stdout.contains("build/test-results, missing.\n"), "{}", output.stdout);
    assert!(output.stdout.contains("folders of their reports with --reports"), "{}", output.stdout);
    for outside in ["/tmp", "out/../../junit"] {
        let message = format!("the report folder {outside} is outside ");
        search(&["--reports", outside, "--test", "TillTest"])
            .assert_exit_and_stderr(2, &[&message, "give a path in the repository"]);
    }
    fs::remove_file(job.file("output")).unwrap();
    let output = search(&["--reports=missing", "--reports", "out/junit"]);
    assert_succeeded(&output);
    assert_eq!(job.output("status"), "found");
    let command = fs::read_to_string(job.file("run").join("result.json")).unwrap();
    assert!(command.contains("TillTest#main") && !command.contains("--reports"), "{command}");
}

/// Publishes a run after each kind of event that could notify users, and asserts that it is reported as flaky without a
/// notification.
fn assert_reported_as_flaky(job: &Job, (number, proposed): (u64, Value), run: &Path) {
    let base = git(job.dir(), &["rev-parse", "release-1"]);
    let queue = format!("refs/heads/gh-readonly-queue/main/pr-{number}-{base}");
    let queued = json!({ "merge_group": { "base_sha": base, "head_ref": queue } });
    for (event, payload) in
        [("push", json!({})), ("pull_request", proposed), ("merge_group", queued)]
    {
        job.clear_step_files();
        let output = job.publish(event, &payload, run);
        assert_succeeded(&output);
        let outputs = ["status", "culprit", "patch", "pull-request"].map(|name| job.output(name));
        assert_eq!(outputs, ["flaky", "", "", ""], "{event}");
        assert_eq!(output.stdout, "", "{event}");

        let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
        let end = "flaky, no culprit";
        assert!(check.title.ends_with(end), "{event}: {}", check.title);
        assert_eq!((check.conclusion.as_deref(), check.annotations.len()), (Some("neutral"), 0));
        let why = "`the tests pass when run again`";
        assert!(check.summary.contains(why), "{event}: {}", check.summary);
        for blaming in ["### Culprit", "### Fix", "git apply"] {
            assert!(!check.summary.contains(blaming), "{event}: {}", check.summary);
        }
        assert_eq!(check.summary, job.summary());

        let called = (job.repo().comments(number).len(), job.repo().reviews(number).len());
        assert_eq!((called, job.repo().pulls().len()), ((0, 0), 1), "{event}");
        assert_eq!(fix_branches(job), "", "{event}");
    }
}

#[test]
fn test_passing_on_rerun_is_reported_as_flaky() {
    let (job, number, event) = with_pull_request(job_with_failed_build(["1 + 2", "2 + 1"]));
    let run = search_failed_build(&job, &[]);
    assert_eq!(job.output("status"), "flaky");
    assert_reported_as_flaky(&job, (number, event), &run);
}

#[test]
fn named_test_that_passes_is_not_reported_as_flaky() {
    let job = job_with_failed_build(["1 + 2", "2 + 1"]);
    let run = search_failed_build(&job, &["--test", "TillTest"]);
    assert_ne!(job.output("status"), "flaky");
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
    assert_eq!(check.title, "TillTest: no culprit, baseline check failed");
}

#[test]
fn test_with_another_message_in_each_run_is_not_reported_as_flaky() {
    let dir = repository();
    let test = "public class TillTest { public static void main(String[] a) { \
                if (new Till().sum() != 3) throw new AssertionError(\"at \" + java.util.UUID.randomUUID()\
                + Long.toString(System.nanoTime(), 36)); } }";
    let test = ("src/test/java/TillTest.java", test.to_owned());
    commit(dir.path(), "one", &[("src/main/java/Till.java", till_source("1 + 2")), test]);
    git(dir.path(), &["tag", "release-1"]);
    commit(dir.path(), "two", &[("src/main/java/Till.java", till_source("1 - 2"))]);
    write(dir.path(), SUREFIRE_REPORT.0, SUREFIRE_REPORT.1);
    let job = Job::new(dir);
    let run = search_failed_build(&job, &[]);
    assert_eq!(job.output("status"), "found");
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [pull] = job.repo().pulls().try_into().unwrap();
    let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
    for text in [check.title, check.summary, pull.body] {
        assert!(!text.contains("flaky"), "{text}");
    }
}

#[test]
fn flaky_claim_suppresses_culprit_and_fix() {
    let (job, number, event) = job_with_pull_request();
    let run = job.run_folder();
    let claims = json!({ "schema": "git-mend/ci/1", "tests": ["a.B"],
        "flaky": "the tests pass when run again", "not_checked": [] });
    fs::write(run.join("ci.json"), claims.to_string()).unwrap();
    assert_reported_as_flaky(&job, (number, event), &run);
}

#[test]
fn search_over_budget_is_published_as_incomplete() {
    let job = job_with_failed_build(["1 + 2", "1 - 2"]);
    let run = search_failed_build(&job, &["--budget", "1ms"]);
    assert_eq!(job.output("status"), "interrupted");
    job.clear_step_files();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let outputs = ["status", "culprit", "patch", "pull-request"].map(|name| job.output(name));
    assert_eq!(outputs, ["interrupted", "", "", ""]);
    let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
    assert_eq!(check.title, "TillTest#main: search did not complete");
    let unchecked_note = "Not checked: `results beyond the time limit of ";
    assert!(check.summary.contains(unchecked_note), "{}", check.summary);
    assert!(job.repo().pulls().is_empty());
}

/// Generator that leaves a file behind, and offers one patch of the till.
const TILL_GENERATOR: &str = r#"
: > "$1"
cat <<'END'
{"candidates": [{"patch": "--- a/src/main/java/Till.java\n+++ b/src/main/java/Till.java\n@@ -2,3 +2,3 @@\n     int sum() {\n-        return 1 - 2;\n+        return 3;\n     }\n", "reason": "always 3"}]}
{"candidates": []}
END
"#;

#[test]
fn generator_works_on_own_commits_and_never_on_those_of_forks() {
    let job = job_with_failed_build(["1 + 2", "1 - 2"]);
    let (script, marker, run) = (job.file("generate.sh"), job.file("started"), job.file("run"));
    fs::write(&script, TILL_GENERATOR).unwrap();
    let generator = format!("--generator=sh {} {}", script.display(), marker.display());
    let words = ["ci", "search", "--good", "release-1", "--output", run.to_str().unwrap()];
    let search = [&words[..], &[&generator, "--trust-generator"]].concat();
    let head = |repo: Value| json!({ "sha": job.head(), "repo": repo });
    let pull = |repo| json!({ "pull_request": { "number": 1, "head": head(repo), "base": { "sha": job.head() } } });
    let read_json = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(run.join(name)).unwrap()).unwrap()
    };
    for repo in [json!({ "full_name": "fork/till" }), Value::Null] {
        assert_succeeded(&job.run_step("pull_request", &pull(repo), &search));
        assert!(!marker.exists());
        assert_eq!(read_json("result.json")["generator"], Value::Null);
        let note = "it is started only for commits of the repository itself";
        assert!(read_json("ci.json")["not_checked"].to_string().contains(note));
        fs::remove_dir_all(&run).unwrap();
    }
    let own = pull(json!({ "full_name": REPO_NAME }));
    assert_succeeded(&job.run_step("pull_request", &own, &search));
    assert!(marker.exists());
    assert_eq!(job.output("status"), "found");
    let result = read_json("result.json");
    assert_eq!(result["culprit_commit"], job.head());
    assert_eq!(result["culprit"]["patch"], "culprit.patch", "{result:#}");
    assert_eq!(result["generator"]["patches"][0]["verdict"], "pass", "{result:#}");
    let fixes = result["fixes"].as_array().unwrap();
    let offered: Vec<_> = fixes.iter().filter(|fix| fix["technique"] == "generator").collect();
    let [offered] = offered[..] else { panic!("{result:#}") };
    assert_eq!(offered["confidence_reason"], "it only makes the result constant");
    assert!(result["reproduce"].as_str().unwrap().contains("--generator"), "{result:#}");
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [pull] = job.repo().pulls().try_into().unwrap();
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
    // Its confidence is low, so it is not shown beside the revert.
    for text in [pull.body, job.summary()] {
        assert!(!text.contains("always 3") && !text.contains("candidate-1"), "{text}");
    }
}
