//! Red pull requests of update bots: the Action searches their updates.

use crate::ci_and_pr::{Job, assert_succeeded};
use crate::github::Access;
use crate::support::{commit, git};
use crate::upgrade::{libraries, library_repository, pom_with_dependencies, project};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A job on a pull request of an update bot, whose search has been run.
struct UpdateJob {
    job: Job,
    /// Number of the pull request.
    number: u64,
    event: Value,
    run: PathBuf,
}

impl UpdateJob {
    /// Opens the pull request on a branch and searches its updates. `arguments` are further ones of the search.
    fn search(dir: TempDir, libraries: &Path, branch: &str, arguments: &[&str]) -> Self {
        let job = Job::new(dir);
        git(job.dir(), &["branch", "-f", branch]);
        job.push(&[branch, "+HEAD~1:refs/heads/main"]);
        let updater = job.github.user("updater", Access::Write);
        let number = job.repo().open_pull(&updater, "Bump all", branch, "main");
        let head = json!({ "sha": job.head(), "ref": branch });
        let event = json!({ "pull_request": { "number": number, "head": head } });
        let run = job.file("run");
        let search = ["ci", "search", "--test", "T", "--good", "HEAD~1", "--offline"];
        let output = ["--model", "files", "--output", run.to_str().unwrap()];
        let search = [&search[..], &output, arguments].concat();
        let mut step = job.step_command("pull_request", &event, &search);
        step.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.display()));
        assert_succeeded(&step.output().unwrap().into());
        Self { job, number, event, run }
    }

    fn publish(&self) {
        assert_succeeded(&self.job.publish("pull_request", &self.event, &self.run));
    }
}

#[test]
fn red_pull_request_of_an_update_bot_gets_a_suggestion_that_keeps_the_other_updates() {
    let libraries = libraries(&["a", "b"]);
    let dir = project(&["a:1", "b:1"], &["a:4", "b:4"], "B.number() >= 3");
    let update = UpdateJob::search(dir, libraries.path(), "dependabot/maven/all-4", &[]);
    update.publish();
    let UpdateJob { job, number, .. } = update;
    let [comment] = job.repo().comments(number).try_into().unwrap();
    for part in [
        "`T` fails. The update of `g:b` breaks it.",
        "The fix is suggested on the changed lines.",
        "- `g:b` from `1` to `4`: `2` passes, `3` fails",
        "keeps the other updates",
        "git mend upgrade --",
    ] {
        assert!(comment.body.contains(part), "no {part} in {}", comment.body);
    }
    let [review] = job.repo().reviews(number).try_into().unwrap();
    let [suggestion] = &review.comments[..] else { panic!("{:?}", review.comments) };
    let body = suggestion["body"].as_str().unwrap();
    assert!(body.contains("```suggestion\n      <version>2</version>\n```"), "{body}");
    let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
    assert!(check.summary.contains("### Dependency updates"), "{}", check.summary);
}

#[test]
fn red_pull_request_of_an_update_bot_gets_a_fix_pull_request_if_suggestions_are_disabled() {
    let libraries = libraries(&["a", "b"]);
    let dir = project(&["b:1"], &[], "B.number() >= 3");
    let settings = (".git-mend.toml", "[github]\nsuggestions = false\n".to_owned());
    let pom = |version: &str| {
        let needs = [format!("a:{version}"), format!("b:{version}")];
        ("pom.xml", pom_with_dependencies("app", "1", &needs.each_ref().map(String::as_str)))
    };
    commit(dir.path(), "old versions", &[settings, pom("1")]);
    commit(dir.path(), "new versions", &[pom("4")]);
    let branch = "renovate/all";
    let update = UpdateJob::search(dir, libraries.path(), branch, &[]);
    update.publish();
    let UpdateJob { job, number, .. } = &update;
    let number = *number;
    assert!(job.repo().reviews(number).is_empty());
    let pulls = || job.repo().pulls().into_iter().filter(|pull| pull.number != number);
    let [fix] = pulls().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(fix.base_branch, branch);
    let repository = job.repo().path();
    let changes = git(&repository, &["diff", branch, &fix.head_branch]);
    let changed: Vec<&str> =
        changes.lines().filter(|line| line.starts_with("-  ") || line.starts_with("+  ")).collect();
    assert_eq!(changed, ["-      <version>4</version>", "+      <version>2</version>"]);
    let [comment] = job.repo().comments(number).try_into().unwrap();
    assert!(comment.body.contains("keeps the other updates"), "{}", comment.body);
    let [check] = job.repo().check_runs(&job.head()).try_into().unwrap();
    let pull = format!("The fix is in #{}.", fix.number);
    assert!(check.summary.contains(&pull), "{}", check.summary);
    // Another attempt finds the pull request.
    update.publish();
    assert_eq!(pulls().count(), 1);
}

#[test]
fn search_in_ci_goes_on_in_the_history_of_a_library() {
    let libraries = libraries(&["a", "b"]);
    let sources = library_repository();
    let dir = project(&["a:1", "b:1"], &["a:4", "b:4"], "B.number() >= 3");
    let source = format!("g:b={}", sources.path().display());
    let arguments = ["--library-source", &source];
    let update = UpdateJob::search(dir, libraries.path(), "dependabot/maven/all-4", &arguments);
    let result = fs::read(update.run.join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&result).unwrap();
    let history = &result["upgrades"][0]["library_history"];
    assert_eq!(history["culprit_info"]["summary"], "count on", "{result:#}");
}
