//! Tests with invalid input and unusual repositories.

use crate::support::{
    CommandOutput, JUNIT, bisect_arguments, commit, commit_words, git, repository, run_folder,
    run_mend, run_mend_keeping_repository, words_repository, write,
};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Counts the occurrences of a text in standard output and standard error.
fn count_occurrences(output: &CommandOutput, words: &str) -> (usize, usize) {
    (output.stdout.matches(words).count(), output.stderr.matches(words).count())
}

/// Applies the fix of the only run to the work tree.
fn apply_fix(dir: &Path) {
    git(dir, &["apply", run_folder(dir).join("fix.patch").to_str().unwrap()]);
}

#[test]
fn failing_good_version_is_reported_with_test_output() {
    let dir = words_repository();
    let command = ["--", "sh", "-c", "echo there is no price; exit 1"];
    let arguments = [&["bisect", "--good", "release-1"][..], &command].concat();
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    let first = "error: baseline check failed: the test does not pass on good (release-1)\n  | there is no price\n";
    output.assert_exit_and_stderr(3, &[first, "help: use an older commit as --good"]);
}

#[test]
fn unknown_setting_suggests_nearest_name() {
    let dir = words_repository();
    write(dir.path(), ".git-mend.toml", "first-parnet = true\n");
    let output =
        run_mend_keeping_repository(dir.path(), &bisect_arguments(&["--good", "release-1"]));
    let error = "error: .git-mend.toml: unknown key `first-parnet`; did you mean `first-parent`?";
    output.assert_exit_and_stderr(2, &[error, "help: valid keys are build, classpath, executor,"]);
}

#[test]
fn git_lfs_files_stay_pointers_and_are_noted_once() {
    let dir = repository();
    let pointer = |digit: &str| {
        let id = digit.repeat(64);
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{id}\nsize 1\n")
    };
    write(dir.path(), "media/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    write(dir.path(), "media/big.bin", pointer("1"));
    commit_words(dir.path());
    commit(dir.path(), "four", &[("media/big.bin", pointer("2"))]);
    let check = "head -1 media/big.bin | grep -q git-lfs && sh check.sh";
    let arguments = ["bisect", "--good", "release-1", "--no-history", "--", "sh", "-c", check];
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    output.assert_exit_and_stderr(
        0,
        &["note: files in Git LFS: every variant contains only their pointers; if the tests need them"],
    );
    assert_eq!(count_occurrences(&output, "Git LFS"), (1, 1), "{}", output.stdout);
    apply_fix(dir.path());
    assert_eq!(fs::read_to_string(dir.path().join("media/big.bin")).unwrap(), pointer("2"));
}

#[test]
fn crlf_line_endings_are_kept_in_the_patch() {
    let dir = repository();
    let check = ("check.sh", "grep -q good words.txt\n");
    commit(dir.path(), "one", &[("words.txt", "a\r\ngood\r\nb\r\nc\r\nd\r\ne\r\n"), check]);
    commit(dir.path(), "two", &[("words.txt", "a\r\nbad\r\nb\r\nc\r\nd\r\nE\r\n")]);
    let output = run_mend_keeping_repository(dir.path(), &bisect_arguments(&["--good", "HEAD~1"]));
    output.assert_exit_and_stderr(0, &[]);
    assert!(!output.stdout.contains('\r'), "{:?}", output.stdout);
    apply_fix(dir.path());
    let fixed = fs::read_to_string(dir.path().join("words.txt")).unwrap();
    assert_eq!(fixed, "a\r\ngood\r\nb\r\nc\r\nd\r\nE\r\n");
}

#[test]
fn crlf_line_endings_of_java_files_are_kept() {
    let dir = repository();
    let shop = |count: &str, name: &str| {
        format!("class Shop {{\r\n    int count = {count};\r\n    String {name};\r\n}}\r\n")
    };
    commit(dir.path(), "one", &[("Shop.java", shop("1", "name"))]);
    commit(dir.path(), "two", &[("Shop.java", shop("2", "title"))]);
    let check = ["--", "grep", "-q", "count = 1", "Shop.java"];
    let arguments = [&["bisect", "--good", "HEAD~1", "--format", "json"][..], &check].concat();
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(output.json()["fix"]["tokens"], 2);
    apply_fix(dir.path());
    let fixed = fs::read_to_string(dir.path().join("Shop.java")).unwrap();
    assert_eq!(fixed, shop("1", "title"));
}

#[test]
fn non_utf8_bytes_survive_in_the_patch() {
    let dir = repository();
    let shop = |city: &[u8], count: &[u8]| {
        let parts: [&[u8]; 5] = [
            b"class Shop {\n  // \xe9t\xe9\n  String c = \"",
            city,
            b"\";\n  int n = ",
            count,
            b";\n}\n",
        ];
        parts.concat()
    };
    commit(dir.path(), "one", &[("Shop.java", shop(b"K\xf6ln", b"1"))]);
    commit(dir.path(), "two", &[("Shop.java", shop(b"Z\xfcrich", b"2"))]);
    let check = "LC_ALL=C grep -q \"$(printf 'K\\366ln')\" Shop.java";
    let arguments = ["bisect", "--good", "HEAD~1", "--", "sh", "-c", check];
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    output.assert_exit_and_stderr(0, &[]);
    apply_fix(dir.path());
    assert_eq!(fs::read(dir.path().join("Shop.java")).unwrap(), shop(b"K\xf6ln", b"2"));
}

#[test]
fn unparsable_java_file_is_split_by_lines() {
    let valid = "class Shop {\n  int count = 1;\n\n  int price = 2;\n}\n";
    let broken = "class Shop {\n  int count = (((;\n\n  int price = 3;\n}\n";
    for (before, after) in [(valid, broken), (broken, valid)] {
        let dir = repository();
        commit(dir.path(), "before", &[("Shop.java", before)]);
        commit(dir.path(), "after", &[("Shop.java", after)]);
        let price = if after == valid { "price = 3" } else { "price = 2" };
        let check = ["--", "grep", "-q", price, "Shop.java"];
        let arguments = [&["bisect", "--good", "HEAD~1", "--format", "json"][..], &check].concat();
        let output = run_mend_keeping_repository(dir.path(), &arguments);
        let note =
            "the syntax of Shop.java: it does not parse as Java, so its diff is split by lines";
        output.assert_exit_and_stderr(0, &[note]);
        let result = output.json();
        assert_eq!(result["culprit"]["tokens"], 2);
        assert_eq!(result["not_checked"][0], json!(note));
    }
}

#[test]
fn missing_java_sources_error_names_the_revision() {
    let dir = words_repository();
    let arguments = ["bisect", "--good", "release-1", "--test", "a.BTest"];
    let output = run_mend(dir.path(), &arguments);
    output.assert_exit_and_stderr(
        4,
        &["error: no Java sources found in bad (HEAD)\n", "help: name the source folder"],
    );
}

#[test]
fn invalid_paths_are_rejected_before_the_search() {
    let dir = words_repository();
    write(dir.path(), "locked.sh", "");
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "four"]);
    let good = ["bisect", "--good", "release-1"];
    let cases: [(&[&str], i32, [&str; 2]); 5] = [
        (&["--log", "none", "--", "true"], 2, ["error: cannot read ", "help: create it with `git"]),
        (
            &["--classpath", "none.jar", "--test", "a.B"],
            2,
            ["none.jar does not exist", "help: give jars"],
        ),
        (&["--output", "/dev/null/x", "--", "true"], 2, ["cannot make the run folder", "--output"]),
        (&["--", "./locked.sh"], 4, ["cannot run `./locked.sh`", "committed and executable"]),
        (
            &["--", "sh", "-c", "exit 125"],
            3,
            ["exited with code 125 and printed nothing", "help: use an older"],
        ),
    ];
    for (more, code, words) in cases {
        run_mend_keeping_repository(dir.path(), &[&good[..], more].concat())
            .assert_exit_and_stderr(code, &words);
    }
}

#[test]
fn command_timeout_covers_the_whole_command() {
    let dir = words_repository();
    let check = ["--", "sh", "-c", "grep -q good words.txt || sleep 1000"];
    let arguments = ["bisect", "--good", "release-1", "--timeout", "3s", "--dry-run"];
    let output = run_mend_keeping_repository(dir.path(), &[&arguments[..], &check].concat());
    output.assert_exit_and_stderr(0, &["symptom: the tests time out"]);
}

#[test]
fn good_version_timeout_names_limit_and_remedy() {
    let dir = repository();
    let test = "class T { public static void main(String[] x) {\n\
        System.out.println(\"waiting\"); while (Code.LEFT > 0) Thread.yield(); } }\n";
    let code = |left: u32| format!("class Code {{ static int LEFT = {left}; }}\n");
    let files = [("src/main/java/Code.java", code(1)), ("src/test/java/T.java", test.to_owned())];
    commit(dir.path(), "good", &files);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", code(2))]);
    let good = ["bisect", "--good", "HEAD~1", "--timeout", "2s"];
    let tests = run_mend_keeping_repository(dir.path(), &[&good[..], &["--test", "T"]].concat());
    let error =
        "error: baseline check failed: the test on good (HEAD~1) timed out after 2 seconds\n";
    tests.assert_exit_and_stderr(
        3,
        &[
            error,
            "T#main timed out",
            "waiting",
            "help: raise the limit, for example with --timeout",
        ],
    );
    let command = ["--", "sh", "-c", "sleep 1000"];
    let command = run_mend_keeping_repository(dir.path(), &[&good[..], &command].concat());
    command
        .assert_exit_and_stderr(3, &[error, "help: raise the limit, for example with --timeout"]);
}

fn junit_test_file(class: &str, tests: &[(&str, &str)]) -> (String, String) {
    let test = |(name, body): &(&str, &str)| {
        format!(" @org.junit.Test public void {name}() throws Exception {{ {body} }}\n")
    };
    let tests: String = tests.iter().map(test).collect();
    (format!("test/{class}.java"), format!("public class {class} {{\n{tests}}}\n"))
}

/// Creates a repository with two commits, in which bad has another number than good, and these test classes.
fn project_with_tests(tests: &[(String, String)]) -> tempfile::TempDir {
    let dir = repository();
    let code = |number: u32, other: u32| {
        let text = format!(
            "class Code {{\n static int number = {number};\n\n static int other = {other};\n}}\n"
        );
        ("src/Code.java".to_owned(), text)
    };
    let write_all = |files: &[(String, String)]| {
        for (name, text) in files {
            write(dir.path(), name, text);
        }
    };
    write_all(tests);
    write_all(&[code(5, 1)]);
    commit::<&str>(dir.path(), "good", &[]);
    write_all(&[code(6, 2)]);
    commit::<&str>(dir.path(), "bad", &[]);
    dir
}

const CHECKS_NUMBER: (&str, &str) = ("number", "org.junit.Assert.assertEquals(5, Code.number);");

/// Bisects with all tests.
fn bisect_all_tests(dir: &Path, more: &[&str]) -> CommandOutput {
    let arguments = ["bisect", "--good", "HEAD~1", "--test", "*Test", "--classpath", JUNIT];
    run_mend_keeping_repository(dir, &[&arguments[..], more].concat())
}

#[test]
fn tests_failing_on_good_are_excluded_and_named() {
    let display = ("display", "new java.awt.Frame();");
    let network = ("network", "new java.net.Socket(\"127.0.0.1\", 1);");
    let dir = project_with_tests(&[
        junit_test_file("ATest", &[display, CHECKS_NUMBER]),
        junit_test_file("BTest", &[network]),
    ]);
    let output = bisect_all_tests(dir.path(), &["--format", "json"]);
    let note = "tests that already fail on good: ATest#display, BTest#network";
    output.assert_exit_and_stderr(0, &[note]);
    let result = output.json();
    assert_eq!(result["culprit"]["tokens"], 2);
    assert_eq!(result["not_checked"].to_string().matches(note).count(), 1, "{result:#}");
    // If no test distinguishes good from bad, the baseline check fails.
    let alone = ["bisect", "--good", "HEAD~1", "--test", "BTest", "--classpath", JUNIT];
    let error = "error: baseline check failed: the test does not pass on good (HEAD~1)";
    run_mend_keeping_repository(dir.path(), &alone)
        .assert_exit_and_stderr(3, &[error, "java.net.ConnectException"]);
}

#[test]
fn order_dependent_tests_find_the_culprit() {
    let first = ("first", "System.setProperty(\"ready\", \"\" + Code.number);");
    let second = ("second", "org.junit.Assert.assertEquals(\"5\", System.getProperty(\"ready\"));");
    let dir = project_with_tests(&[
        junit_test_file("ATest", &[first]),
        junit_test_file("BTest", &[second]),
    ]);
    let output = bisect_all_tests(dir.path(), &["--format", "json"]);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    assert_eq!(result["culprit"]["tokens"], 2);
    assert!(!result["not_checked"].to_string().contains("disagreed"), "{result:#}");
}

#[test]
fn broken_build_names_missing_libraries() {
    let dir = repository();
    let pom = |rest: &str| {
        format!(
            "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version>{rest}</project>"
        )
    };
    let library =
        pom("<dependencies><dependency><groupId>x.gone</groupId><artifactId>absent</artifactId>\
         <version>3</version></dependency></dependencies>");
    let processor = pom(
        "<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
         <annotationProcessorPaths><path><groupId>x.gone</groupId><artifactId>maker</artifactId>\
         <version>3</version></path></annotationProcessorPaths></configuration></plugin></plugins></build>",
    );
    let level = pom("<properties><maven.compiler.release>99</maven.compiler.release></properties>");
    let test = "class T { public static void main(String[] x) {} }\n".to_owned();
    let cases = [
        (library, "gone.Absent.number()", "missing on this machine: x.gone:absent:3;"),
        (processor, "made.Made.number()", "missing on this machine: x.gone:maker:3;"),
        (
            level,
            "5; void m() { of the future }",
            "help: the build needs Java 99: install JDK 99 or newer",
        ),
    ];
    for (number, (pom, value, words)) in cases.into_iter().enumerate() {
        let code =
            |other: u32| format!("class Code {{ int other = {other}; int number = {value}; }}\n");
        let files = [
            ("pom.xml", pom),
            ("src/main/java/Code.java", code(10 * u32::try_from(number).unwrap())),
            ("src/test/java/T.java", test.clone()),
        ];
        commit(dir.path(), "good", &files);
        let bad = code(10 * u32::try_from(number).unwrap() + 1);
        commit(dir.path(), "bad", &[("src/main/java/Code.java", bad)]);
        let output = run_mend_keeping_repository(
            dir.path(),
            &["bisect", "--good", "HEAD~1", "--test", "T", "--model", "files"],
        );
        output.assert_exit_and_stderr(
            4,
            &["error: good (HEAD~1) does not build", "Code.java:1: error: ", words],
        );
    }
}
