//! `hooks/pre-push`, called by git itself.

use crate::support::{commit, git, hermetic, repository};
use std::fs;
use std::path::Path;
use std::process::Command;

const GOOD: &str = "public class TillTest { public static void main(String[] a) { \
                    if (new Till().sum() != 3) throw new AssertionError(\"sum\"); } }";

fn till(sum: &str) -> String {
    format!("public class Till {{\n    int sum() {{\n        return {sum};\n    }}\n}}\n")
}

/// Pushes, and gives whether it went through and what was said.
fn push(dir: &Path) -> (bool, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_git-mend")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("git");
    hermetic(command.current_dir(dir)).args(["push", "-q", "origin", "main"]).env("PATH", path);
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn a_push_that_breaks_the_test_is_held_back_with_the_change_that_breaks_it() {
    let (dir, remote) = (repository(), tempfile::tempdir().unwrap());
    git(remote.path(), &["init", "-q", "--bare"]);
    git(dir.path(), &["remote", "add", "origin", remote.path().to_str().unwrap()]);
    let hook = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/pre-push");
    fs::copy(hook, dir.path().join(".git/hooks/pre-push")).unwrap();
    git(dir.path(), &["config", "mend.prePushTest", "TillTest"]);
    let test = ("src/test/java/TillTest.java", GOOD.to_owned());
    commit(dir.path(), "one", &[("src/main/java/Till.java", till("1 + 2")), test]);
    assert!(push(dir.path()).0, "a branch that comes has nothing to be compared with");
    commit(dir.path(), "two", &[("src/main/java/Till.java", till("2 + 1"))]);
    let (went, said) = push(dir.path());
    assert!(went, "{said}");
    commit(dir.path(), "three", &[("src/main/java/Till.java", till("2 - 1"))]);
    let (went, said) = push(dir.path());
    assert!(!went && said.contains("return 2 - 1"), "{said}");
    git(dir.path(), &["config", "--unset", "mend.prePushTest"]);
    assert!(push(dir.path()).0, "without a test's name the hook does nothing");
}
