//! Tests of the promises in `docs/github.md`, as far as no other file has them.

use crate::ci_and_pr::{
    Job, REPO_NAME, WORKFLOW_FILE, assert_succeeded, edit_result, job_with_failed_build,
    job_with_pull_request, workflow_run_event,
};
use crate::github::{FakePullState, WorkflowRun};
use crate::support::{commit, commit_words, git, repository, words_repository};
use regex::Regex;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Number of promises.
const PROMISE_COUNT: usize = 12;

#[test]
fn each_promise_has_existing_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("docs/github.md")).unwrap();
    let (_, section) = guide.split_once("\n## Promises\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let promises: Vec<&str> = section.split("\n- ").skip(1).collect();
    assert_eq!(promises.len(), PROMISE_COUNT);
    let test_name = Regex::new(r"`([a-z_:]+)::([a-z_]+)`").unwrap();
    for promise in promises {
        let named: Vec<_> = test_name.captures_iter(promise).collect();
        assert!(!named.is_empty(), "no test in: {promise}");
        for name in named {
            let file = format!("tests/all/{}.rs", name[1].replace("::", "/"));
            let source = fs::read_to_string(root.join(&file)).unwrap_or_default();
            let test = format!("#[test]\nfn {}() {{", &name[2]);
            assert!(source.contains(&test), "{file} has no test {}", &name[2]);
        }
    }
}

#[test]
fn changed_result_edits_the_comment() {
    let (job, number, event) = job_with_pull_request();
    let run = job.run_folder();
    assert_succeeded(&job.publish("pull_request", &event, &run));
    let [first] = job.repo().comments(number).try_into().unwrap();
    edit_result(&run, |result| result["culprit_commit"] = Value::Null);
    assert_succeeded(&job.publish("pull_request", &event, &run));
    let [second] = job.repo().comments(number).try_into().unwrap();
    assert_eq!(second.id, first.id);
    assert!(first.body.contains("The culprit is") && !second.body.contains("The culprit is"));
    assert_eq!(job.repo().reviews(number).len(), 1);
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

#[test]
fn fix_pull_request_that_a_person_closed_stays_closed() {
    let job = Job::new(words_repository());
    let run = job.run_folder();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [pull] = job.repo().pulls().try_into().unwrap();
    job.repo().set_state(pull.number, FakePullState::Closed);
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [pull] = job.repo().pulls().try_into().unwrap();
    assert_eq!(pull.state, FakePullState::Closed);
    assert!(job.summary().contains(&format!("#{} with this fix was closed", pull.number)));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

#[test]
fn green_build_gets_no_output() {
    let (job, number, _) = job_with_pull_request();
    let green = workflow_run_event(&job, "success", Some(WORKFLOW_FILE));
    assert_succeeded(&job.run_step("workflow_run", &green, &["ci", "publish"]));
    assert!(job.repo().comments(number).is_empty() && job.repo().reviews(number).is_empty());
    assert!(job.repo().check_runs(&job.head()).is_empty());
    assert_eq!(job.repo().pulls().len(), 1);
    assert!(!job.file("summary").exists());
}

#[test]
fn tests_are_changed_only_if_allowed() {
    let dir = repository();
    commit(dir.path(), "zero", &[("src/test/java/ATest.java", "a\n")]);
    commit_words(dir.path());
    let job = Job::new(dir);
    let run = job.run_folder();
    let patch = "diff --git a/src/test/java/ATest.java b/src/test/java/ATest.java\n\
                 --- a/src/test/java/ATest.java\n+++ b/src/test/java/ATest.java\n@@ -1 +1 @@\n-a\n+b\n";
    fs::write(run.join("fix.patch"), patch).unwrap();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    assert!(job.repo().pulls().is_empty());
    assert!(job.summary().contains("No fix pull request: the fix changes a test."));
    let allowed = ["ci", "publish", "--allow-tests", run.to_str().unwrap()];
    assert_succeeded(&job.run_step("push", &json!({}), &allowed));
    let [pull] = job.repo().pulls().try_into().unwrap();
    assert!(pull.body.contains("**This fix changes tests**"), "{}", pull.body);
    assert!(job.summary().contains("**This fix changes tests**"));
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

#[test]
fn fix_branch_differs_only_in_the_fixed_bytes() {
    let dir = repository();
    let words = |word: &str, last: &str| format!("a\r\n\t{word} \r\nb\u{a0}\n\n{last}");
    let check = ("check.sh", "grep -q good words.txt\n".to_owned());
    commit(dir.path(), "one", &[("words.txt", words("good", "e")), check]);
    git(dir.path(), &["tag", "release-1"]);
    commit(dir.path(), "two", &[("words.txt", words("bad", "E"))]);
    let job = Job::new(dir);
    let run = job.run_folder();
    assert_succeeded(&job.publish("push", &json!({}), &run));
    let [pull] = job.repo().pulls().try_into().unwrap();
    let remote = job.repo().path();
    let changed = git(&remote, &["diff", "--numstat", &job.head(), &pull.head_branch]);
    assert_eq!(changed, "1\t1\twords.txt");
    let file = format!("{}:words.txt", pull.head_branch);
    let mut read = Command::new("git");
    let output = read.arg("-C").arg(&remote).args(["cat-file", "blob", &file]).output();
    assert_eq!(output.unwrap().stdout, words("good", "E").into_bytes());
    assert_eq!(job.repo().check_runs(&job.head()).len(), 1);
}

#[test]
fn search_sends_nothing_to_github() {
    let job = job_with_failed_build(["1 + 2", "1 - 2"]);
    let run =
        job.repo().add_workflow_run(WorkflowRun::completed(7, "main", &job.head(), "failure"));
    fs::write(job.file("run-id"), run.to_string()).unwrap();
    let folder = job.file("run");
    let search = ["ci", "search", "--output", folder.to_str().unwrap()];
    assert_succeeded(&job.run_step("push", &json!({}), &search));
    let operations = job.github.operations();
    assert!(!operations.is_empty());
    for operation in operations {
        let words = ["/get", "/list", "/compare"];
        assert!(words.iter().any(|word| operation.contains(word)), "{REPO_NAME}: {operation}");
    }
    // Without a token, it sends no request at all.
    let job = job_with_failed_build(["1 + 2", "1 - 2"]);
    let mut step = job.step_command("push", &json!({}), &["ci", "search", "--good", "release-1"]);
    assert_succeeded(&step.env_remove("GITHUB_TOKEN").output().unwrap().into());
    assert!(job.github.operations().is_empty());
}
