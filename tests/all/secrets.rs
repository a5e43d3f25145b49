//! Tests that secrets in the environment do not appear in any output or file, even if tests print them.

use crate::support::{CommandOutput, JUNIT, commit, program, repository};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// Secret in a variable whose name indicates a secret.
const SECRET_PASSWORD: &str = "hunter22-of-the-shop";

/// Secret in another variable, recognisable by its form.
const SECRET_TOKEN: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

fn bisect_with_secrets(dir: &Path, more: &[&str]) -> CommandOutput {
    let mut command = program(dir);
    command.args(["bisect", "--good", "HEAD~1"]).args(more);
    command.env("DB_PASSWORD", SECRET_PASSWORD).env("GREETING", SECRET_TOKEN);
    CommandOutput::from(command.output().unwrap())
}

/// Asserts that neither the output nor the run folder contains a secret.
fn assert_hidden(dir: &Path, output: &CommandOutput) {
    assert_absent(dir, output, &[SECRET_PASSWORD, SECRET_TOKEN]);
}

fn assert_absent(dir: &Path, output: &CommandOutput, secrets: &[&str]) {
    let contains_secret = |text: &[u8]| {
        secrets
            .iter()
            .any(|secret| text.windows(secret.len()).any(|window| window == secret.as_bytes()))
    };
    assert!(!contains_secret(output.stdout.as_bytes()), "{}", output.stdout);
    assert!(!contains_secret(output.stderr.as_bytes()), "{}", output.stderr);
    for entry in WalkDir::new(dir.join(".git/mend")).into_iter().map(Result::unwrap) {
        if entry.file_type().is_file() {
            assert!(
                !contains_secret(&fs::read(entry.path()).unwrap()),
                "{}",
                entry.path().display()
            );
        }
    }
}

#[test]
fn secrets_in_test_output_are_hidden() {
    let dir = repository();
    let test = "import org.junit.*;\npublic class TillTest {\n    @Test public void opens() {\n        \
                String told = \"no till for \" + System.getenv(\"DB_PASSWORD\") + \" \" + System.getenv(\"GREETING\");\n        \
                System.err.println(told);\n        if (new Till().count() > 1) throw new IllegalStateException(told);\n    }\n}\n";
    let till = |count: u32| format!("class Till {{ int count() {{ return {count}; }} }}\n");
    let (file, test) = ("src/Till.java", ("test/TillTest.java", test.to_owned()));
    commit(dir.path(), "one", &[(file, till(1)), test]);
    commit(dir.path(), "two", &[(file, till(2))]);
    let output = bisect_with_secrets(dir.path(), &["--test", "TillTest", "--classpath", JUNIT]);
    output.assert_exit_and_stderr(0, &["no till for (hidden: DB_PASSWORD) (hidden: a token)"]);
    assert_hidden(dir.path(), &output);
    let page = CommandOutput::from(program(dir.path()).arg("report").output().unwrap());
    page.assert_exit_and_stderr(0, &[]);
    assert!(fs::read_to_string(page.stdout.trim()).unwrap().contains("(hidden: DB_PASSWORD)"));
    assert_hidden(dir.path(), &page);
}

#[test]
fn truncated_output_keeps_no_partial_secret() {
    let dir = repository();
    let test = "import org.junit.*;\npublic class TillTest {\n    @Test public void opens() {\n        \
                String told = \"x\".repeat(19_989) + \" \" + System.getenv(\"DB_PASSWORD\");\n        \
                if (new Till().count() > 1) throw new IllegalStateException(told);\n    }\n}\n";
    let till = |count: u32| format!("class Till {{ int count() {{ return {count}; }} }}\n");
    let (file, test) = ("src/Till.java", ("test/TillTest.java", test.to_owned()));
    commit(dir.path(), "one", &[(file, till(1)), test]);
    commit(dir.path(), "two", &[(file, till(2))]);
    let output = bisect_with_secrets(dir.path(), &["--test", "TillTest", "--classpath", JUNIT]);
    output.assert_exit_and_stderr(0, &["xxx"]);
    assert_absent(dir.path(), &output, &[&SECRET_PASSWORD[..8]]);
}

#[test]
fn secrets_in_command_output_are_hidden() {
    let dir = repository();
    commit(dir.path(), "one", &[("a.txt", "a\n")]);
    commit(dir.path(), "two", &[("a.txt", "b\n")]);
    let output = bisect_with_secrets(
        dir.path(),
        &["--", "sh", "-c", "echo $DB_PASSWORD; echo $GREETING; exit 1"],
    );
    output.assert_exit_and_stderr(3, &["(hidden: DB_PASSWORD)", "(hidden: a token)"]);
    assert_hidden(dir.path(), &output);
}
