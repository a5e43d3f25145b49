//! What is secret in the environment of tests stands nowhere afterwards, whatever tests print.

use crate::support::{CommandOutput, JUNIT, commit, program, repository};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// In a variable that is called like a secret.
const PASSWORD: &str = "hunter22-of-the-shop";

/// In one that is not, but looks like one.
const TOKEN: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

fn search(dir: &Path, more: &[&str]) -> CommandOutput {
    let mut command = program(dir);
    command.args(["bisect", "--good", "HEAD~1"]).args(more);
    command.env("DB_PASSWORD", PASSWORD).env("GREETING", TOKEN);
    CommandOutput::from(command.output().unwrap())
}

/// Asserts that nothing that was said or left has a secret in it.
fn assert_hidden(dir: &Path, ran: &CommandOutput) {
    assert_untold(dir, ran, &[PASSWORD, TOKEN]);
}

fn assert_untold(dir: &Path, ran: &CommandOutput, secrets: &[&str]) {
    let is_told = |text: &[u8]| {
        secrets
            .iter()
            .any(|secret| text.windows(secret.len()).any(|window| window == secret.as_bytes()))
    };
    assert!(!is_told(ran.stdout.as_bytes()), "{}", ran.stdout);
    assert!(!is_told(ran.stderr.as_bytes()), "{}", ran.stderr);
    for entry in WalkDir::new(dir.join(".git/mend")).into_iter().map(Result::unwrap) {
        if entry.file_type().is_file() {
            assert!(!is_told(&fs::read(entry.path()).unwrap()), "{}", entry.path().display());
        }
    }
}

#[test]
fn a_failing_test_that_tells_a_secret_of_its_environment_is_told_without_it() {
    let dir = repository();
    let test = "import org.junit.*;\npublic class TillTest {\n    @Test public void opens() {\n        \
                String told = \"no till for \" + System.getenv(\"DB_PASSWORD\") + \" \" + System.getenv(\"GREETING\");\n        \
                System.err.println(told);\n        if (new Till().count() > 1) throw new IllegalStateException(told);\n    }\n}\n";
    let till = |count: u32| format!("class Till {{ int count() {{ return {count}; }} }}\n");
    let (file, test) = ("src/Till.java", ("test/TillTest.java", test.to_owned()));
    commit(dir.path(), "one", &[(file, till(1)), test]);
    commit(dir.path(), "two", &[(file, till(2))]);
    let ran = search(dir.path(), &["--test", "TillTest", "--classpath", JUNIT]);
    ran.says(0, &["no till for (hidden: DB_PASSWORD) (hidden: a token)"]);
    assert_hidden(dir.path(), &ran);
    let page = CommandOutput::from(program(dir.path()).arg("report").output().unwrap());
    page.says(0, &[]);
    assert!(fs::read_to_string(page.stdout.trim()).unwrap().contains("(hidden: DB_PASSWORD)"));
    assert_hidden(dir.path(), &page);
}

#[test]
fn a_secret_is_not_kept_in_part_where_what_is_told_is_too_long() {
    let dir = repository();
    let test = "import org.junit.*;\npublic class TillTest {\n    @Test public void opens() {\n        \
                String told = \"x\".repeat(19_989) + \" \" + System.getenv(\"DB_PASSWORD\");\n        \
                if (new Till().count() > 1) throw new IllegalStateException(told);\n    }\n}\n";
    let till = |count: u32| format!("class Till {{ int count() {{ return {count}; }} }}\n");
    let (file, test) = ("src/Till.java", ("test/TillTest.java", test.to_owned()));
    commit(dir.path(), "one", &[(file, till(1)), test]);
    commit(dir.path(), "two", &[(file, till(2))]);
    let ran = search(dir.path(), &["--test", "TillTest", "--classpath", JUNIT]);
    ran.says(0, &["xxx"]);
    assert_untold(dir.path(), &ran, &[&PASSWORD[..8]]);
}

#[test]
fn a_command_that_tells_a_secret_is_told_without_it_where_the_run_cannot_go_on() {
    let dir = repository();
    commit(dir.path(), "one", &[("a.txt", "a\n")]);
    commit(dir.path(), "two", &[("a.txt", "b\n")]);
    let ran = search(dir.path(), &["--", "sh", "-c", "echo $DB_PASSWORD; echo $GREETING; exit 1"]);
    ran.says(3, &["(hidden: DB_PASSWORD)", "(hidden: a token)"]);
    assert_hidden(dir.path(), &ran);
}
