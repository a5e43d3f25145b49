//! Tests that secrets in the environment do not appear in any output or file, even if tests print them.

use crate::fix::{SHELF_FILE, broken_repository, shelf_source};
use crate::generator::diff_of;
use crate::support::{CommandOutput, JUNIT, commit, program, repository, run_folder};
use serde_json::json;
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
fn secrets_in_texts_of_a_generator_are_hidden() {
    let (dir, folder) = (broken_repository(), tempfile::tempdir().unwrap());
    let patch = diff_of(dir.path(), SHELF_FILE, &shelf_source("!(age > oldest)"));
    // The limit of the length is within the last secret. The second line is no answer.
    let reason = format!("uses \u{1b}[2J SECRET {} SECRET", "x".repeat(150));
    let answer = json!({"candidates": [{"patch": patch, "reason": reason}]}).to_string();
    fs::write(folder.path().join("answers"), format!("{answer}\n\"{}SECRET\"\n", "y".repeat(150)))
        .unwrap();
    let script = format!(
        "sed \"s/SECRET/$DB_PASSWORD/g\" {}/answers; echo \"said $DB_PASSWORD\" >&2; sleep 1000",
        folder.path().display()
    );
    fs::write(folder.path().join("answer.sh"), script).unwrap();
    let generator = format!("sh {}/answer.sh", folder.path().display());
    let mut command = program(dir.path());
    command.args(["fix", "--test", "shop.*Test", "--candidates", "1", "--trust-generator"]);
    command.args(["--generator", &generator, "-v"]).env("DB_PASSWORD", SECRET_PASSWORD);
    let output = CommandOutput::from(command.output().unwrap());
    output.assert_exit_and_stderr(0, &["further patches of the generator"]);
    assert_absent(dir.path(), &output, &[&SECRET_PASSWORD[..8], "\u{1b}[2J"]);
    let trials = fs::read_to_string(run_folder(dir.path()).join("trials.jsonl")).unwrap();
    assert!(trials.contains("(hidden: DB_PASSWORD)"), "{trials}");
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
