//! `--expect-output` of `git mend explore` and `git mend fix`: tests that assert nothing, and print what they should.

use crate::support::{
    CommandOutput, JUNIT, commit, mend, mend_untouched, page_has, repository, run_folder,
};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

const GREETER: &str = "package shop;\n\nclass Greeter {\n    void greet() throws InterruptedException {\n        \
    Thread hello = new Thread(() -> System.out.println(\"hello\"));\n        hello.start();\n        \
    System.out.println(\"world\");\n        hello.join();\n    }\n}\n";
const TEST: &str = "package shop;\n\nclass GreeterTest {\n    public static void main(String[] x) throws Exception {\n        \
    new Greeter().greet();\n    }\n}\n";

/// A repository with a program and its test, and beside it the file with what the test is to print.
fn with_greeter(expected: &str) -> TempDir {
    let dir = repository();
    let files = [
        ("src/main/java/shop/Greeter.java", GREETER),
        ("src/test/java/shop/GreeterTest.java", TEST),
    ];
    commit(dir.path(), "one", &files);
    fs::write(dir.path().join(".git/expected.txt"), expected).unwrap();
    dir
}

fn run(dir: &TempDir, words: &[&str]) -> CommandOutput {
    let usual = ["--test", "shop.GreeterTest", "--expect-output", ".git/expected.txt"];
    mend_untouched(dir.path(), &[words, &usual].concat())
}

#[test]
fn a_schedule_that_passes_and_prints_something_else_fails() {
    let dir = with_greeter("hello\nworld\n");
    let ran = run(&dir, &["explore"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let told = "line 1 of the output is `world` instead of `hello`";
    for words in ["different output in ", told, "calls PrintStream.println", "Greeter.greet:7"] {
        assert!(ran.stdout.contains(words), "no `{words}` in:\n{}", ran.stdout);
    }
    page_has(dir.path(), &[told, "class=\"step hot\"", "--expect-output .git/expected.txt"]);
    let folder = run_folder(dir.path());
    let result: Value =
        serde_json::from_slice(&fs::read(folder.join("result.json")).unwrap()).unwrap();
    let failure = &result["schedules"]["failures"][0];
    assert_eq!((&failure["kind"], &failure["message"]), (&"output".into(), &told.into()));
    let symptom = result["symptom"].as_str().unwrap();
    assert_eq!(symptom, format!("shop.GreeterTest fails under some schedules: {told}"));
    assert_eq!(result["schedules"]["races"], Value::Array(Vec::new()));
    assert!(
        !ran.stdout.contains("Guarded: System.out"),
        "a stream always does that: {}",
        ran.stdout
    );
    let file = folder.join("schedule-1.json");
    let schedule: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(schedule["kind"], "output");
    let again = run(&dir, &["explore", "--replay", file.to_str().unwrap()]);
    assert_eq!(again.code, 1, "{}", again.stderr);
    assert!(
        again.stdout.starts_with(&format!("the schedule fails again: {told}")),
        "{}",
        again.stdout
    );
    // Nobody asked what it prints.
    let file = ["--replay", file.to_str().unwrap()];
    let again = mend(dir.path(), &[&["explore", "--test", "shop.GreeterTest"], &file[..]].concat());
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
}

#[test]
fn what_prints_in_the_wrong_order_is_mended_and_audited() {
    let dir = with_greeter("hello\nworld\n");
    let ran = run(&dir, &["fix", "--top", "1", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let best = &ran.json()["fixes"][0];
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
    let audit = run(&dir, &["explore", "--audit", patch.to_str().unwrap()]);
    assert_eq!(audit.code, 0, "{}{}", audit.stdout, audit.stderr);
    // To offer others to go first keeps nothing in order.
    let offered = format!("\n+        Thread.yield();\n {world}         hello.join();\n");
    let other = text.replace(&moved, &offered).replace("+4,7", "+4,8");
    let file = dir.path().join(".git/other.patch");
    fs::write(&file, other).unwrap();
    let audit = run(&dir, &["explore", "--audit", file.to_str().unwrap()]);
    assert_eq!(audit.code, 1, "{}{}", audit.stdout, audit.stderr);
    let words = "the patch fails the audit: different output in schedule ";
    assert!(audit.stdout.starts_with(words), "{}", audit.stdout);
}

#[test]
fn a_thread_that_prints_too_early_is_started_once_the_other_one_is_done() {
    let dir = with_greeter("hello\nworld\n");
    let greeter = "package shop;\n\nclass Greeter {\n    void greet() throws InterruptedException {\n        \
        Thread hello = new Thread(() -> System.out.println(\"hello\"));\n        \
        Thread world = new Thread(() -> System.out.println(\"world\"));\n        hello.start();\n        \
        world.start();\n        hello.join();\n        world.join();\n    }\n}\n";
    commit(dir.path(), "two", &[("src/main/java/shop/Greeter.java", greeter)]);
    let ran = run(&dir, &["fix", "--top", "1", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let best = &ran.json()["fixes"][0];
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

/// What an exploration of a `main` comes to that prints in one thread beside another one.
fn printing(statements: &str, expected: &str) -> (i32, Value) {
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
    let ran = run(&dir, &["explore", "--schedules", "4", "--format", "json"]);
    (ran.code, ran.json()["schedules"]["failures"][0]["message"].clone())
}

#[test]
fn lines_are_compared_to_their_end_but_for_white_space_there() {
    let same = "System.out.print(\"é 1 \\r\\n\\n 2\\n\\n\\n\");";
    assert_eq!(printing(same, "é 1\n\n 2").0, 0);
    assert_eq!(
        printing("System.out.println(1);", "").1,
        "line 1 of the output is `1`, but the output should end here"
    );
    assert_eq!(
        printing("System.out.println(1);", "1\n2\n").1,
        "line 2 of the output is missing: `2`"
    );
    assert_eq!(
        printing("System.out.println(\" 1\");", "1\n").1,
        "line 1 of the output is ` 1` instead of `1`"
    );
}

#[test]
fn a_long_output_is_compared_to_its_last_line() {
    let long = |last: &str| {
        format!(
            "for (int i = 0; i < 3000; i++) System.out.println(i);\nSystem.out.println(\"{last}\");"
        )
    };
    let lines = (0..3000).map(|line| line.to_string()).collect::<Vec<_>>();
    let expected = format!("{}\nend\n", lines.join("\n"));
    assert_eq!(printing(&long("end"), &expected).0, 0);
    let (code, message) = printing(&long("and"), &expected);
    assert_eq!((code, message), (1, "line 3001 of the output is `and` instead of `end`".into()));
    let blank = "System.out.println(1);\nfor (int i = 0; i < 40; i++) System.out.print(\" \".repeat(100_000));";
    let (code, message) = printing(blank, "1\n");
    assert_eq!((code, message), (1, "the output continues after 1048578 bytes".into()));
}

#[test]
fn prints_that_no_hook_sees_are_never_called_proved() {
    let hidden = "java.io.PrintWriter out = new java.io.PrintWriter(System.out, true);\n\
        Thread two = new Thread(() -> out.println(1));\ntwo.start();\ntwo.join();";
    let dir = repository();
    let text = format!(
        "package shop;\n\nclass GreeterTest {{\n    public static void main(String[] x) throws Exception {{\n        \
         {hidden}\n    }}\n}}\n"
    );
    commit(dir.path(), "one", &[("src/test/java/shop/GreeterTest.java", text)]);
    fs::write(dir.path().join(".git/expected.txt"), "1\n").unwrap();
    let ran = run(&dir, &["explore", "--schedules", "40", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.json()["schedules"]["certificate"]["exhaustive"], false, "{}", ran.stdout);
}

#[test]
fn what_cannot_be_expected_is_refused_with_a_remedy() {
    let dir = with_greeter("hello\nworld\n");
    fs::remove_file(dir.path().join(".git/expected.txt")).unwrap();
    for command in ["explore", "fix"] {
        let remedy = "give a text file with the output that the test should print";
        let ran = run(&dir, &[command]);
        let message = "--expect-output .git/expected.txt: No such file or directory\n";
        ran.says(2, &[message, remedy]);
    }
    fs::write(dir.path().join(".git/expected.txt"), "hello\n").unwrap();
    run(&dir, &["fix", "--technique", "contract"]).says(2, &["add `concurrency` to --technique"]);
    let tests = "package shop;\n\npublic class GreeterTest {\n    @org.junit.Test public void one() throws Exception {\n        \
        new Greeter().greet();\n    }\n\n    @org.junit.Test public void two() {}\n}\n";
    commit(dir.path(), "two", &[("src/test/java/shop/GreeterTest.java", tests)]);
    let several = run(&dir, &["explore", "--classpath", JUNIT]);
    several.says(
        2,
        &["the expected output needs exactly one test, but 2 are selected", "pkg.Class#method"],
    );
}
