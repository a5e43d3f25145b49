//! Tests of `git mend hook`, with hooks that git runs.

use crate::hostile::{assert_harmless, hostile_text, java_string};
use crate::support::{
    CommandOutput, RepositorySnapshot, commit, git, isolate_git, program, repository, run_mend,
    write,
};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const TILL_FILE: &str = "src/main/java/Till.java";

const TILL_TEST: &str = "public class TillTest { public static void main(String[] a) { \
                    if (new Till().sum() != 3) throw new AssertionError(\"sum\"); } }";

/// Test that always fails and that only its own change affects.
const UNRELATED_FAILING_TEST: &str =
    "public class OtherTest { public static void main(String[] a) { throw new Error(); } }";

fn till_source(sum: &str) -> String {
    format!("public class Till {{\n    int sum() {{\n        return {sum};\n    }}\n}}\n")
}

/// Repository with the hooks installed, and a remote that has its first commit.
struct Shop {
    dir: TempDir,
    remote: TempDir,
}

impl Shop {
    fn new() -> Self {
        let (dir, remote) = (repository(), tempfile::tempdir().unwrap());
        git(remote.path(), &["init", "-q", "--bare"]);
        git(dir.path(), &["remote", "add", "origin", remote.path().to_str().unwrap()]);
        let shop = Self { dir, remote };
        let tests = ["TillTest", "OtherTest"].map(|name| format!("src/test/java/{name}.java"));
        let texts = [TILL_TEST, UNRELATED_FAILING_TEST].map(str::to_owned);
        let files = [
            (TILL_FILE, till_source("1 + 2")),
            (&*tests[0], texts[0].clone()),
            (&*tests[1], texts[1].clone()),
        ];
        commit(shop.path(), "one", &files);
        git(shop.path(), &["push", "-q", "origin", "main"]);
        assert_eq!(run_mend(shop.path(), &["hook", "install"]).code, 0);
        // The budget suffices even on a busy machine.
        git(shop.path(), &["config", "mend.budget", "1h"]);
        shop
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn commit(&self, message: &str, file: &str, text: &str) {
        commit(self.path(), message, &[(file, text)]);
    }

    fn push(&self, arguments: &[&str]) -> CommandOutput {
        git_with_program(self.path(), &[&["push", "-q", "origin"], arguments].concat())
    }
}

/// Runs git with the program on its `PATH`.
fn git_with_program(dir: &Path, arguments: &[&str]) -> CommandOutput {
    let program = Path::new(env!("CARGO_BIN_EXE_git-mend")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
    isolate_git(command.current_dir(dir)).args(arguments).env("PATH", path).output().unwrap().into()
}

fn assert_prints(output: &CommandOutput, words: &[&str]) {
    for word in words {
        let is_said = output.stdout.contains(word) || output.stderr.contains(word);
        assert!(is_said, "no `{word}` in:\n{}\n{}", output.stdout, output.stderr);
    }
}

#[test]
fn push_breaking_a_test_is_blocked_with_culprit() {
    let shop = Shop::new();
    shop.commit("two", TILL_FILE, &till_source("2 + 1"));
    shop.commit("three", TILL_FILE, &till_source("2 - 1"));
    shop.commit("four", "README.md", "read me\n");
    let before = RepositorySnapshot::take(shop.path());
    let output = shop.push(&["main"]);
    before.assert_unchanged(shop.path());
    assert_ne!(output.code, 0);
    let three = git(shop.path(), &["rev-parse", "--short=10", "HEAD~1"]);
    let broken = format!("Culprit: {three} three (first bad commit)");
    assert_prints(
        &output,
        &[
            "TillTest#main: AssertionError: sum",
            &broken,
            "return 2 {+-+} 1",
            "git push --no-verify",
        ],
    );
    assert!(!output.stdout.contains("OtherTest"), "{}", output.stdout);
    let runs = fs::read_dir(shop.path().join(".git/mend/runs")).unwrap().count();
    assert_eq!(runs, 1, "only the search leaves a folder");
    assert_eq!(shop.push(&["--no-verify", "main"]).code, 0);
}

/// Replaces the parts of the output that differ between runs.
fn normalise_output(output: &str, dir: &Path) -> String {
    let output = output.replace(&dir.display().to_string(), "SHOP");
    let each = [
        (r"\b[0-9a-f]{10}\b", "COMMIT"),
        (r"\d{4}-\d\d-\d\dT[0-9-]+", "TIME"),
        (r"\d{4}-\d\d-\d\d", "DAY"),
        (r"(\d+ min )?\d+(\.\d)? s\b", "SOME s"),
    ];
    each.iter().fold(output, |output, (pattern, word)| {
        regex::Regex::new(pattern).unwrap().replace_all(&output, *word).into_owned()
    })
}

#[test]
fn blocked_push_prints_culprit_and_next_steps() {
    let shop = Shop::new();
    shop.commit("two", TILL_FILE, &till_source("2 + 1"));
    shop.commit("three", TILL_FILE, &till_source("1 + 1"));
    let output = shop.push(&["main"]);
    assert_ne!(output.code, 0);
    let printed = format!("{}=== the answer\n{}", output.stderr, output.stdout);
    let printed = printed.replace(&shop.remote.path().display().to_string(), "REMOTE");
    insta::assert_snapshot!(normalise_output(&printed, &fs::canonicalize(shop.path()).unwrap()), @r"
    git-mend: 1 of 2 test classes are affected by this change
    git-mend: a test fails; checking whether it failed before the change
    git-mend: searching for the culprit of TillTest#main
    checking that good passes and bad fails
    symptom: TillTest#main throws java.lang.AssertionError: sum
    searching for the culprit commit
      pass       COMMIT two (SOME s)
      pass       COMMIT again (cached)
      fail       COMMIT again (cached)
      pass       COMMIT with COMMIT reverted (cached)
    searching the diff COMMIT..COMMIT: 1 file, 1 component, 2 tokens
    searching for the minimal culprit
      fail       culprit.patch on a clean checkout (SOME s)
    git-mend: ran 1 of 2 test classes in SOME s
    error: failed to push some refs to 'REMOTE'
    === the answer
    git-mend: 1 test fails because of this change
      TillTest#main: AssertionError: sum

    Test:    TillTest#main throws java.lang.AssertionError: sum
    Culprit: COMMIT three (first bad commit)
             A <a@example.org>, DAY
    Revert:  reverting it on bad makes the test pass

    Minimal culprit (2 tokens)  src/main/java/Till.java:3
        -         return [-2-] + 1;
        +         return {+1+} + 1;
    Verified on a clean checkout with a full build and a fresh JVM
    Not checked: tests not selected with --test

    Searched 1 commit and 1 component (2 tokens) in 4 test runs (3 cached), SOME s
    Next:       git apply -R SHOP/.git/mend/runs/TIME/culprit.patch
    Run folder: SHOP/.git/mend/runs/TIME

    To push anyway: git push --no-verify
    ");
}

#[test]
fn blocked_push_output_is_sanitised() {
    let shop = Shop::new();
    let test = TILL_TEST.replace("\"sum\"", &java_string(&hostile_text()));
    shop.commit("two", "src/test/java/TillTest.java", &test);
    assert_eq!(shop.push(&["--no-verify", "main"]).code, 0);
    shop.commit(&hostile_text(), TILL_FILE, &till_source("1 + 1"));
    let output = shop.push(&["main"]);
    assert_ne!(output.code, 0);
    assert_prints(&output, &["octocat", "Culprit: ", "git push --no-verify"]);
    assert_harmless(&output.stdout, false);
    assert_harmless(&output.stderr, false);
}

#[test]
fn push_without_affected_tests_needs_no_jdk() {
    let shop = Shop::new();
    shop.commit("two", "README.md", "read me\n");
    shop.commit("three", TILL_FILE, &format!("// A till.\n{}", till_source("1 + 2")));
    git(shop.path(), &["tag", "v1"]);
    let refs = format!(
        "refs/heads/main {} refs/heads/main {}\n",
        git(shop.path(), &["rev-parse", "HEAD"]),
        git(shop.path(), &["rev-parse", "HEAD~2"])
    );
    let mut command = program(shop.path());
    command.args(["hook", "run", "pre-push", "origin"]).env("JAVA_HOME", "/nowhere");
    let output = run_with_input(command.env("PATH", path_with_only_git(&shop)), &refs);
    assert_eq!((output.code, &*output.stderr, &*output.stdout), (0, "", ""));
    assert_eq!(shop.push(&["main", "v1", "main:refs/heads/new"]).code, 0);
    assert_eq!(shop.push(&["--delete", "new"]).code, 0);
}

/// Returns a `PATH` with git and without Java.
fn path_with_only_git(shop: &Shop) -> PathBuf {
    let bin = shop.path().join(".git/bin");
    fs::create_dir_all(&bin).unwrap();
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|file| file.exists());
    if !bin.join("git").exists() {
        std::os::unix::fs::symlink(git.unwrap(), bin.join("git")).unwrap();
    }
    bin
}

fn run_with_input(command: &mut Command, input: &str) -> CommandOutput {
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, input.as_bytes()).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    command.stdin(Stdio::from(file)).output().unwrap().into()
}

#[test]
fn uncheckable_push_is_allowed_with_a_note() {
    let shop = Shop::new();
    shop.commit("two", TILL_FILE, "public class Till { int sum() { return missing; } }");
    git(shop.path(), &["push", "-q", "--no-verify", "origin", "main"]);
    shop.commit("three", TILL_FILE, "public class Till { int sum() { return 2 - missing; } }");
    let output = shop.push(&["main"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_prints(
        &output,
        &[
            "git-mend: Not checked: tests: the code does not compile, and did not compile before the change",
        ],
    );
    let refs = |bad: &str| format!("x {bad} refs/heads/x {}\n", "0".repeat(40));
    let mut command = program(shop.path());
    let output =
        run_with_input(command.args(["hook", "run", "pre-push", "elsewhere"]), &refs("HEAD"));
    assert_eq!(output.code, 0);
    assert_prints(&output, &["there is no commit of elsewhere here to compare it with"]);
}

#[test]
fn push_breaking_the_build_is_blocked_with_compile_error() {
    let shop = Shop::new();
    shop.commit("two", TILL_FILE, "public class Till { int sum() { return missing; } }");
    let output = shop.push(&["main"]);
    assert_ne!(output.code, 0);
    assert_prints(
        &output,
        &["the change breaks the build", "Till.java:1: error: cannot find symbol"],
    );
}

#[test]
fn only_new_failures_block_a_push() {
    let shop = Shop::new();
    shop.commit(
        "two",
        "src/test/java/OtherTest.java",
        &UNRELATED_FAILING_TEST.replace("Error()", "Error(\"again\")"),
    );
    let output = shop.push(&["main:refs/heads/new"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_prints(&output, &["failed before too: OtherTest#main"]);
    shop.commit(
        "three",
        "src/test/java/NewTest.java",
        &UNRELATED_FAILING_TEST.replace("OtherTest", "NewTest"),
    );
    let output = shop.push(&["main"]);
    assert_ne!(output.code, 0);
    assert_prints(&output, &["NewTest#main (a new test): Error"]);
}

#[test]
fn merge_breaking_a_test_is_blocked_in_linked_work_trees() {
    let shop = Shop::new();
    let linked = tempfile::tempdir().unwrap();
    let linked = linked.path().join("linked");
    git(shop.path(), &["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    write(&linked, TILL_FILE, till_source("2 - 1"));
    git(&linked, &["commit", "-q", "-a", "-m", "side"]);
    let (head, side) = ("main", git(&linked, &["rev-parse", "--short=10", "side"]));
    shop.commit("two", "README.md", "read me\n");
    git(&linked, &["checkout", "-q", "--detach", head]);
    for dir in [shop.path(), &linked] {
        let output = git_with_program(dir, &["merge", "-q", "--no-ff", "-m", "merged", "side"]);
        assert_ne!(output.code, 0);
        let broken = format!("Culprit: {side} side (first bad commit)");
        assert_prints(
            &output,
            &[
                "TillTest#main: AssertionError: sum",
                &broken,
                "return {+2+} + 2",
                "git merge --no-verify",
            ],
        );
        assert_eq!(git(dir, &["rev-parse", "HEAD"]), git(dir, &["rev-parse", head]));
    }
}

#[test]
fn existing_hook_is_kept_and_gets_its_input() {
    let shop = Shop::new();
    assert_eq!(run_mend(shop.path(), &["hook", "uninstall"]).code, 0);
    git(shop.path(), &["config", "core.hooksPath", ".husky"]);
    let own = "#!/bin/sh\ncat > .git/seen\nexec true";
    write(shop.path(), ".husky/pre-push", own);
    let hook = shop.path().join(".husky/pre-push");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let output = run_mend(shop.path(), &["hook", "install", "pre-push"]);
    output.assert_exit_and_stderr(0, &["core.hooksPath is ", "in the work tree"]);
    shop.commit("two", "README.md", "read me\n");
    assert_eq!(shop.push(&["main"]).code, 0);
    let hook_input = fs::read_to_string(shop.path().join(".git/seen")).unwrap();
    assert!(
        hook_input.starts_with("refs/heads/main ")
            && hook_input.ends_with('\n')
            && hook_input.lines().count() == 1
    );
    assert_eq!(run_mend(shop.path(), &["hook", "uninstall"]).code, 0);
    assert_eq!(fs::read_to_string(&hook).unwrap(), own);
}

#[test]
fn post_checkout_hook_is_silent() {
    let shop = Shop::new();
    fs::remove_file(shop.path().join(".git/mend/runtime")).unwrap();
    assert!(!shop.path().join(".git/hooks/post-checkout").exists());
    assert_eq!(run_mend(shop.path(), &["hook", "install", "post-checkout"]).code, 0);
    let output = run_mend(shop.path(), &["hook", "run", "post-checkout", "HEAD", "HEAD", "1"]);
    assert_eq!((output.code, &*output.stdout, &*output.stderr), (0, "", ""));
    assert!(shop.path().join(".git/mend/runtime").is_dir());
    let output = git_with_program(shop.path(), &["checkout", "-q", "-b", "new"]);
    assert_eq!((output.code, &*output.stdout, &*output.stderr), (0, "", ""));
}

#[test]
fn hooks_are_silent_without_the_program() {
    let shop = Shop::new();
    shop.commit("two", TILL_FILE, &till_source("2 - 1"));
    git(shop.path(), &["push", "-q", "origin", "main"]);
}

#[test]
fn push_over_budget_is_allowed_with_a_note() {
    let shop = Shop::new();
    shop.commit("two", TILL_FILE, &till_source("2 - 1"));
    git(shop.path(), &["config", "mend.budget", "1ms"]);
    let output = shop.push(&["main"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_prints(
        &output,
        &["git-mend: Not checked: tests: the time limit was reached while they were compiled"],
    );
}

/// Returns the arguments in the entry of a hook for pre-commit.
fn pre_commit_entry(id: &str) -> Vec<String> {
    let text = include_str!("../../.pre-commit-hooks.yaml");
    let (_, hook) = text.split_once(&format!("- id: {id}\n")).unwrap();
    let entry = hook.lines().find_map(|line| line.strip_prefix("  entry: git-mend ")).unwrap();
    entry.split(' ').map(str::to_owned).collect()
}

#[test]
fn pre_commit_push_variables_are_read() {
    let shop = Shop::new();
    shop.commit("two", TILL_FILE, &till_source("2 + 1"));
    shop.commit("three", TILL_FILE, &till_source("2 - 1"));
    let id = |name: &str| git(shop.path(), &["rev-parse", name]);
    let pushed = |from: Option<&str>, to: &str| {
        let mut command = program(shop.path());
        command.args(pre_commit_entry("git-mend-push")).env("PRE_COMMIT_TO_REF", id(to));
        command.env("PRE_COMMIT_REMOTE_NAME", "origin");
        if let Some(from) = from {
            command.env("PRE_COMMIT_FROM_REF", id(from));
        }
        // pre-commit passes nothing on standard input.
        run_with_input(&mut command, "")
    };
    assert_eq!(pushed(Some("HEAD~2"), "HEAD~1").code, 0);
    // An unpushed commit is compared with the newest ancestor that the remote has.
    for from in [Some("HEAD~1"), None] {
        let output = pushed(from, "HEAD");
        assert_eq!(output.code, 1, "{}", output.stderr);
        assert_prints(
            &output,
            &["TillTest#main: AssertionError: sum", "src/main/java/Till.java:3"],
        );
    }
}

#[test]
fn pre_commit_blocks_merge_breaking_a_test() {
    let shop = Shop::new();
    git(shop.path(), &["checkout", "-q", "-b", "side"]);
    shop.commit("side", TILL_FILE, &till_source("2 - 1"));
    git(shop.path(), &["checkout", "-q", "main"]);
    shop.commit("two", "README.md", "read me\n");
    git(shop.path(), &["merge", "-q", "--no-ff", "--no-commit", "--no-verify", "side"]);
    let output = run_with_input(program(shop.path()).args(pre_commit_entry("git-mend-merge")), "");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_prints(&output, &["TillTest#main: AssertionError: sum", "return {+2+} + 2"]);
}
