//! Tests of `--expect-output` of `git mend explore` and `git mend fix`, for tests that print their result without an
//! assertion.

use crate::support::{
    CommandOutput, JUNIT, assert_report_contains, commit, repository, run_folder, run_mend,
    run_mend_keeping_repository,
};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

const GREETER_SOURCE: &str = "package shop;\n\nclass Greeter {\n    void greet() throws InterruptedException {\n        \
    Thread hello = new Thread(() -> System.out.println(\"hello\"));\n        hello.start();\n        \
    System.out.println(\"world\");\n        hello.join();\n    }\n}\n";
const GREETER_TEST: &str = "package shop;\n\nclass GreeterTest {\n    public static void main(String[] x) throws Exception {\n        \
    new Greeter().greet();\n    }\n}\n";

/// Creates a repository with a program and its test, and a file with the expected output beside it.
fn greeter_repository(expected: &str) -> TempDir {
    let dir = repository();
    let files = [
        ("src/main/java/shop/Greeter.java", GREETER_SOURCE),
        ("src/test/java/shop/GreeterTest.java", GREETER_TEST),
    ];
    commit(dir.path(), "one", &files);
    fs::write(dir.path().join(".git/expected.txt"), expected).unwrap();
    dir
}

fn run_with_expected_output(dir: &TempDir, words: &[&str]) -> CommandOutput {
    let default_arguments = ["--test", "shop.GreeterTest", "--expect-output", ".git/expected.txt"];
    run_mend_keeping_repository(dir.path(), &[words, &default_arguments].concat())
}

#[test]
fn schedule_with_unexpected_output_fails() {
    let dir = greeter_repository("hello\nworld\n");
    let output = run_with_expected_output(&dir, &["explore"]);
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
    let difference = "line 1 of the output is `world` instead of `hello`";
    for words in
        ["different output in ", difference, "calls PrintStream.println", "Greeter.greet:7"]
    {
        assert!(output.stdout.contains(words), "no `{words}` in:\n{}", output.stdout);
    }
    assert_report_contains(
        dir.path(),
        &[difference, "class=\"step hot\"", "--expect-output .git/expected.txt"],
    );
    let folder = run_folder(dir.path());
    let result: Value =
        serde_json::from_slice(&fs::read(folder.join("result.json")).unwrap()).unwrap();
    let failure = &result["schedules"]["failures"][0];
    assert_eq!((&failure["kind"], &failure["message"]), (&"output".into(), &difference.into()));
    let symptom = result["symptom"].as_str().unwrap();
    assert_eq!(symptom, format!("shop.GreeterTest fails under some schedules: {difference}"));
    assert_eq!(result["schedules"]["races"], Value::Array(Vec::new()));
    assert!(
        !output.stdout.contains("Guarded: System.out"),
        "a stream always does that: {}",
        output.stdout
    );
    let file = folder.join("schedule-1.json");
    let schedule: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(schedule["kind"], "output");
    let replayed = run_with_expected_output(&dir, &["explore", "--replay", file.to_str().unwrap()]);
    assert_eq!(replayed.code, 1, "{}", replayed.stderr);
    assert!(
        replayed.stdout.starts_with(&format!("the schedule fails again: {difference}")),
        "{}",
        replayed.stdout
    );
    // Without `--expect-output`, the output is not compared.
    let file = ["--replay", file.to_str().unwrap()];
    let replayed =
        run_mend(dir.path(), &[&["explore", "--test", "shop.GreeterTest"], &file[..]].concat());
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn wrong_print_order_is_fixed_and_audited() {
    let dir = greeter_repository("hello\nworld\n");
    let output = run_with_expected_output(&dir, &["fix", "--top", "1", "--format", "json"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let best = &output.json()["fixes"][0];
    assert_eq!(best["technique"], "concurrency");
    assert_eq!(best["validated"]["exhaustive"], true, "{best}");
    assert!(
        best["validated"].to_string().contains("each schedule prints the expected output"),
        "{best}"
    );
    let patch = run_folder(dir.path()).join(best["patch"].as_str().unwrap());
    let text = fs::read_to_string(&patch).unwrap();
    let world = "        System.out.println(\"world\");\n";
    let moved = [format!("\n-{world}"), format!("         hello.join();\n+{world}")].concat();
    assert!(text.contains(&moved), "{text}");
    let audit = run_with_expected_output(&dir, &["explore", "--audit", patch.to_str().unwrap()]);
    assert_eq!(audit.code, 0, "{}{}", audit.stdout, audit.stderr);
    // `Thread.yield` does not enforce an order.
    let offered = format!("\n+        Thread.yield();\n {world}         hello.join();\n");
    let other = text.replace(&moved, &offered).replace("+4,7", "+4,8");
    let file = dir.path().join(".git/other.patch");
    fs::write(&file, other).unwrap();
    let audit = run_with_expected_output(&dir, &["explore", "--audit", file.to_str().unwrap()]);
    assert_eq!(audit.code, 1, "{}{}", audit.stdout, audit.stderr);
    let words = "the patch fails the audit: different output in schedule ";
    assert!(audit.stdout.starts_with(words), "{}", audit.stdout);
}

#[test]
fn thread_start_is_moved_after_join() {
    let dir = greeter_repository("hello\nworld\n");
    let greeter = "package shop;\n\nclass Greeter {\n    void greet() throws InterruptedException {\n        \
        Thread hello = new Thread(() -> System.out.println(\"hello\"));\n        \
        Thread world = new Thread(() -> System.out.println(\"world\"));\n        hello.start();\n        \
        world.start();\n        hello.join();\n        world.join();\n    }\n}\n";
    commit(dir.path(), "two", &[("src/main/java/shop/Greeter.java", greeter)]);
    let output = run_with_expected_output(&dir, &["fix", "--top", "1", "--format", "json"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let best = &output.json()["fixes"][0];
    assert_eq!(
        (&best["operator"], &best["validated"]["exhaustive"]),
        (&"move".into(), &true.into())
    );
    let why = "world starts only after hello has ended, as it needs the results of hello";
    assert_eq!(best["why"], why);
    let patch = run_folder(dir.path()).join(best["patch"].as_str().unwrap());
    let text = fs::read_to_string(patch).unwrap();
    let moved = "-        world.start();\n         hello.join();\n+        world.start();\n";
    assert!(text.contains(moved), "{text}");
}

/// Explores a `main` that prints beside another thread. Returns the exit code and the message of the first failure.
fn explore_printing(statements: &str, expected: &str) -> (i32, Value) {
    let dir = repository();
    let body = format!(
        "Thread one = new Thread(() -> {{ }});\n        one.start();\n        one.join();\n        {statements}"
    );
    let text = format!(
        "package shop;\n\nclass GreeterTest {{\n    public static void main(String[] x) throws Exception {{\n        \
         {body}\n    }}\n}}\n"
    );
    commit(dir.path(), "one", &[("src/test/java/shop/GreeterTest.java", text)]);
    fs::write(dir.path().join(".git/expected.txt"), expected).unwrap();
    let output =
        run_with_expected_output(&dir, &["explore", "--schedules", "4", "--format", "json"]);
    (output.code, output.json()["schedules"]["failures"][0]["message"].clone())
}

#[test]
fn trailing_whitespace_is_ignored_in_output() {
    let same = "System.out.print(\"é 1 \\r\\n\\n 2\\n\\n\\n\");";
    assert_eq!(explore_printing(same, "é 1\n\n 2").0, 0);
    assert_eq!(
        explore_printing("System.out.println(1);", "").1,
        "line 1 of the output is `1`, but the output should end here"
    );
    assert_eq!(
        explore_printing("System.out.println(1);", "1\n2\n").1,
        "line 2 of the output is missing: `2`"
    );
    assert_eq!(
        explore_printing("System.out.println(\" 1\");", "1\n").1,
        "line 1 of the output is ` 1` instead of `1`"
    );
}

#[test]
fn long_output_is_compared_completely() {
    let long = |last: &str| {
        format!(
            "for (int i = 0; i < 3000; i++) System.out.println(i);\nSystem.out.println(\"{last}\");"
        )
    };
    let lines = (0..3000).map(|line| line.to_string()).collect::<Vec<_>>();
    let expected = format!("{}\nend\n", lines.join("\n"));
    assert_eq!(explore_printing(&long("end"), &expected).0, 0);
    let (code, message) = explore_printing(&long("and"), &expected);
    assert_eq!((code, message), (1, "line 3001 of the output is `and` instead of `end`".into()));
    let blank = "System.out.println(1);\nfor (int i = 0; i < 40; i++) System.out.print(\" \".repeat(100_000));";
    let (code, message) = explore_printing(blank, "1\n");
    assert_eq!((code, message), (1, "the output continues after 1048578 bytes".into()));
}

#[test]
fn unhooked_prints_get_no_exhaustive_certificate() {
    let hidden = "java.io.PrintWriter out = new java.io.PrintWriter(System.out, true);\n\
        Thread two = new Thread(() -> out.println(1));\ntwo.start();\ntwo.join();";
    let dir = repository();
    let text = format!(
        "package shop;\n\nclass GreeterTest {{\n    public static void main(String[] x) throws Exception {{\n        \
         {hidden}\n    }}\n}}\n"
    );
    commit(dir.path(), "one", &[("src/test/java/shop/GreeterTest.java", text)]);
    fs::write(dir.path().join(".git/expected.txt"), "1\n").unwrap();
    let output =
        run_with_expected_output(&dir, &["explore", "--schedules", "40", "--format", "json"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert_eq!(output.json()["schedules"]["certificate"]["exhaustive"], false, "{}", output.stdout);
}

#[test]
fn invalid_expected_output_is_rejected() {
    let dir = greeter_repository("hello\nworld\n");
    fs::remove_file(dir.path().join(".git/expected.txt")).unwrap();
    for command in ["explore", "fix"] {
        let remedy = "give a text file with the output that the test should print";
        let command_output = run_with_expected_output(&dir, &[command]);
        let message = "--expect-output .git/expected.txt: No such file or directory\n";
        command_output.assert_exit_and_stderr(2, &[message, remedy]);
    }
    fs::write(dir.path().join(".git/expected.txt"), "hello\n").unwrap();
    run_with_expected_output(&dir, &["fix", "--technique", "contract"])
        .assert_exit_and_stderr(2, &["add `concurrency` to --technique"]);
    let tests = "package shop;\n\npublic class GreeterTest {\n    @org.junit.Test public void one() throws Exception {\n        \
        new Greeter().greet();\n    }\n\n    @org.junit.Test public void two() {}\n}\n";
    commit(dir.path(), "two", &[("src/test/java/shop/GreeterTest.java", tests)]);
    let several = run_with_expected_output(&dir, &["explore", "--classpath", JUNIT]);
    several.assert_exit_and_stderr(
        2,
        &["the expected output needs exactly one test, but 2 are selected", "pkg.Class#method"],
    );
}
