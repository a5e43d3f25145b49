//! Tests of the setting `generator` on the server: the search of an own commit uses it, that of a fork never does.

use super::jobs::{
    comment_event, installed_server, report_skipped, run_local_search, send_queued, wait_for_jobs,
};
use crate::github::{Access, FakeGithub};
use crate::github_client::REPO_NAME;
use crate::support::{commit, git, repository};
use tempfile::TempDir;

const TILL_FILE: &str = "src/main/java/Till.java";
const TEST_FILE: &str = "src/test/java/TillTest.java";
const TILL_TEST: &str = "public class TillTest { public static void main(String[] a) { \
                         if (new Till().sum() != 3) throw new AssertionError(\"sum\"); } }";

/// Generator in the repository, which offers one patch of the till.
const GENERATOR: &str = r#"read -r request
cat <<'END'
{"candidates": [{"patch": "--- a/src/main/java/Till.java\n+++ b/src/main/java/Till.java\n@@ -2,3 +2,3 @@\n     int sum() {\n-        return 1 - 2;\n+        return 2 + 1;\n     }\n", "reason": "adds in another order"}]}
{"candidates": []}
END
"#;

fn till(sum: &str) -> String {
    format!("public class Till {{\n    int sum() {{\n        return {sum};\n    }}\n}}\n")
}

/// Creates a repository whose settings name the generator.
fn repository_with_generator() -> TempDir {
    let source = repository();
    let settings = "[github]\ngenerator = \"sh tools/generate.sh\"\n".to_owned();
    let files = [
        (TILL_FILE, till("1 + 2")),
        (TEST_FILE, TILL_TEST.to_owned()),
        (".git-mend.toml", settings),
        ("tools/generate.sh", GENERATOR.to_owned()),
    ];
    commit(source.path(), "one", &files);
    source
}

#[test]
fn fix_of_a_generator_is_published_with_its_origin() {
    let source = repository_with_generator();
    commit(source.path(), "two", &[(TILL_FILE, till("1 - 2"))]);
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, source.path());
    let repo = github.repo(REPO_NAME);
    let head = repo.branch("main").unwrap();
    repo.add_failed_check(&head, TEST_FILE);
    let Some((_, output)) = run_local_search(&github) else { return };
    let checks = repo.check_runs(&head);
    let check = checks.iter().find(|check| check.name == "git-mend");
    let summary = &check.unwrap_or_else(|| panic!("{}", output.stderr)).summary;
    let [pull] = repo.pulls().try_into().unwrap_or_else(|_| panic!("{summary}"));
    for text in [&pull.body, summary] {
        assert!(text.contains("`adds in another order (from the generator)`"), "{text}");
        assert!(text.contains("`generator, candidate-1`"), "{text}");
    }
    assert!(summary.contains("--generator"), "{summary}");
}

#[test]
fn pull_request_of_a_fork_never_runs_the_generator() {
    let source = repository_with_generator();
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, source.path());
    git(source.path(), &["checkout", "-q", "-b", "topic"]);
    commit(source.path(), "two", &[(TILL_FILE, till("1 - 2"))]);
    github.add_repo("mallory/till", source.path());
    let [alice, mallory] = [("alice", Access::Write), ("mallory", Access::Read)]
        .map(|(login, access)| github.user(login, access));
    let (repo, fork) = (github.repo(REPO_NAME), github.repo("mallory/till"));
    let pull = repo.open_pull_from(&fork, &mallory, "theirs", "topic", "main");
    let head = fork.branch("topic").unwrap();
    repo.add_failed_check(&head, TEST_FILE);
    let (home, installation) = installed_server(&github);
    let server = home.start();
    let id = repo.add_comment(&alice, pull, "/mend fix");
    send_queued(
        &server,
        installation,
        "d-1",
        "issue_comment",
        comment_event("/mend fix", "alice", pull, id),
    );
    wait_for_jobs(&server, "done", 1);
    if server.stop().stderr.contains("no sandbox works on this machine") {
        return report_skipped();
    }
    let checks = repo.check_runs(&head);
    let summary = &checks.iter().find(|check| check.name == "git-mend").unwrap().summary;
    assert!(summary.contains("### Culprit"), "{summary}");
    let comments = repo.comments(pull).into_iter().map(|comment| comment.body);
    let reviews = repo.reviews(pull).into_iter().map(|review| review.body);
    for text in comments.chain(reviews).chain([summary.clone()]) {
        assert!(!text.contains("generator"), "{text}");
    }
}
