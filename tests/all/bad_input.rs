//! Input that is wrong, or unlike what a small tidy repository holds.

use crate::support::{
    CommandOutput, JUNIT, bisect, commit, git, mend, mend_untouched, repository, run_folder,
    words_in, words_repository, write,
};
use serde_json::json;
use std::fs;
use std::path::Path;

/// How often the user reads these words on either stream.
fn times_told(ran: &CommandOutput, words: &str) -> (usize, usize) {
    (ran.stdout.matches(words).count(), ran.stderr.matches(words).count())
}

/// Takes the fix of the only run into the work tree.
fn apply_fix(dir: &Path) {
    git(dir, &["apply", run_folder(dir).join("fix.patch").to_str().unwrap()]);
}

#[test]
fn a_good_version_that_fails_is_told_with_what_the_test_said() {
    let dir = words_repository();
    let command = ["--", "sh", "-c", "echo there is no price; exit 1"];
    let arguments = [&["bisect", "--good", "release-1"][..], &command].concat();
    let ran = mend_untouched(dir.path(), &arguments);
    let first = "error: baseline check failed: the test does not pass on good (release-1)\n  | there is no price\n";
    ran.says(3, &[first, "help: use an older commit as --good"]);
}

#[test]
fn an_unknown_setting_is_refused_with_the_nearest_one() {
    let dir = words_repository();
    write(dir.path(), ".git-mend.toml", "first-parnet = true\n");
    let ran = mend_untouched(dir.path(), &bisect(&["--good", "release-1"]));
    let error = "error: .git-mend.toml: unknown key `first-parnet`; did you mean `first-parent`?";
    ran.says(2, &[error, "help: valid keys are build, classpath, first-parent,"]);
}

#[test]
fn submodules_are_left_as_they_are_and_said_once() {
    let (dir, library) = (repository(), words_repository());
    let url = library.path().to_str().unwrap().to_owned();
    git(dir.path(), &["submodule", "--quiet", "add", &url, "lib"]);
    words_in(dir.path());
    let check = "test -d lib && test ! -e lib/words.txt && sh check.sh";
    let arguments = ["bisect", "--good", "release-1", "--", "sh", "-c", check];
    let ran = mend_untouched(dir.path(), &arguments);
    ran.says(0, &["note: submodules: their folders are empty in every variant\n"]);
    assert_eq!(times_told(&ran, "submodules"), (1, 1), "{}", ran.stdout);
    apply_fix(dir.path());
    assert!(dir.path().join("lib/words.txt").exists());
}

#[test]
fn files_of_git_lfs_stay_pointers_and_are_said_once() {
    let dir = repository();
    let pointer = |digit: &str| {
        let id = digit.repeat(64);
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{id}\nsize 1\n")
    };
    write(dir.path(), "media/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    write(dir.path(), "media/big.bin", pointer("1"));
    words_in(dir.path());
    commit(dir.path(), "four", &[("media/big.bin", pointer("2"))]);
    let check = "head -1 media/big.bin | grep -q git-lfs && sh check.sh";
    let arguments = ["bisect", "--good", "release-1", "--no-history", "--", "sh", "-c", check];
    let ran = mend_untouched(dir.path(), &arguments);
    ran.says(0, &["note: files in Git LFS: every variant contains only their pointers\n"]);
    assert_eq!(times_told(&ran, "Git LFS"), (1, 1), "{}", ran.stdout);
    apply_fix(dir.path());
    assert_eq!(fs::read_to_string(dir.path().join("media/big.bin")).unwrap(), pointer("2"));
}

#[test]
fn a_partial_clone_is_refused_in_one_line_and_served_after_the_remedy() {
    let origin = words_repository();
    git(origin.path(), &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", origin.path().display());
    let home = tempfile::tempdir().unwrap();
    let error = "error: this partial clone lacks history or files between good and bad";
    for filter in ["blob:none", "tree:0"] {
        let clone = home.path().join(filter);
        let filter = format!("--filter={filter}");
        git(home.path(), &["clone", "-q", "-n", &filter, &url, clone.to_str().unwrap()]);
        let ran = mend_untouched(&clone, &bisect(&["--good", "release-1"]));
        ran.says(4, &[error, "help: git fetch --refetch --no-filter\n"]);
        git(&clone, &["fetch", "-q", "--refetch", "--no-filter"]);
        mend_untouched(&clone, &bisect(&["--good", "release-1"])).says(0, &[]);
    }
}

#[test]
fn windows_line_ends_are_kept_and_the_patch_applies() {
    let dir = repository();
    let check = ("check.sh", "grep -q good words.txt\n");
    commit(dir.path(), "one", &[("words.txt", "a\r\ngood\r\nb\r\nc\r\nd\r\ne\r\n"), check]);
    commit(dir.path(), "two", &[("words.txt", "a\r\nbad\r\nb\r\nc\r\nd\r\nE\r\n")]);
    let ran = mend_untouched(dir.path(), &bisect(&["--good", "HEAD~1"]));
    ran.says(0, &[]);
    assert!(!ran.stdout.contains('\r'), "{:?}", ran.stdout);
    apply_fix(dir.path());
    let mended = fs::read_to_string(dir.path().join("words.txt")).unwrap();
    assert_eq!(mended, "a\r\ngood\r\nb\r\nc\r\nd\r\nE\r\n");
}

#[test]
fn windows_line_ends_of_a_java_file_are_kept() {
    let dir = repository();
    let shop = |count: &str, name: &str| {
        format!("class Shop {{\r\n    int count = {count};\r\n    String {name};\r\n}}\r\n")
    };
    commit(dir.path(), "one", &[("Shop.java", shop("1", "name"))]);
    commit(dir.path(), "two", &[("Shop.java", shop("2", "title"))]);
    let check = ["--", "grep", "-q", "count = 1", "Shop.java"];
    let arguments = [&["bisect", "--good", "HEAD~1", "--format", "json"][..], &check].concat();
    let ran = mend_untouched(dir.path(), &arguments);
    ran.says(0, &[]);
    assert_eq!(ran.json()["fix"]["tokens"], 2);
    apply_fix(dir.path());
    let mended = fs::read_to_string(dir.path().join("Shop.java")).unwrap();
    assert_eq!(mended, shop("1", "title"));
}

#[test]
fn bytes_that_are_not_utf_8_come_through_a_patch_as_they_are() {
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
    let ran = mend_untouched(dir.path(), &arguments);
    ran.says(0, &[]);
    apply_fix(dir.path());
    assert_eq!(fs::read(dir.path().join("Shop.java")).unwrap(), shop(b"K\xf6ln", b"2"));
}

#[test]
fn a_java_file_that_does_not_parse_is_taken_apart_by_lines() {
    let whole = "class Shop {\n  int count = 1;\n\n  int price = 2;\n}\n";
    let broken = "class Shop {\n  int count = (((;\n\n  int price = 3;\n}\n";
    for (before, after) in [(whole, broken), (broken, whole)] {
        let dir = repository();
        commit(dir.path(), "before", &[("Shop.java", before)]);
        commit(dir.path(), "after", &[("Shop.java", after)]);
        let price = if after == whole { "price = 3" } else { "price = 2" };
        let check = ["--", "grep", "-q", price, "Shop.java"];
        let arguments = [&["bisect", "--good", "HEAD~1", "--format", "json"][..], &check].concat();
        let ran = mend_untouched(dir.path(), &arguments);
        let note =
            "the syntax of Shop.java: it does not parse as Java, so its diff is split by lines";
        ran.says(0, &[note]);
        let result = ran.json();
        assert_eq!(result["culprit"]["tokens"], 2);
        assert_eq!(result["not_checked"][0], json!(note));
    }
}

#[test]
fn a_tree_without_java_is_named_by_its_revision() {
    let dir = words_repository();
    let arguments = ["bisect", "--good", "release-1", "--test", "a.BTest"];
    let ran = mend(dir.path(), &arguments);
    ran.says(4, &["error: no Java sources found in bad (HEAD)\n", "help: name the source folder"]);
}

#[test]
fn names_that_lead_nowhere_are_told_before_anything_is_tried() {
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
        mend_untouched(dir.path(), &[&good[..], more].concat()).says(code, &words);
    }
}

#[test]
fn a_time_limit_for_a_command_is_for_all_that_it_does() {
    let dir = words_repository();
    let check = ["--", "sh", "-c", "grep -q good words.txt || sleep 1000"];
    let arguments = ["bisect", "--good", "release-1", "--timeout", "3s", "--dry-run"];
    let ran = mend_untouched(dir.path(), &[&arguments[..], &check].concat());
    ran.says(0, &["symptom: the tests time out"]);
}

#[test]
fn a_good_version_that_does_not_end_is_told_with_the_limit_and_how_to_raise_it() {
    let dir = repository();
    let test = "class T { public static void main(String[] x) {\n\
        System.out.println(\"waiting\"); while (Code.LEFT > 0) Thread.yield(); } }\n";
    let code = |left: u32| format!("class Code {{ static int LEFT = {left}; }}\n");
    let files = [("src/main/java/Code.java", code(1)), ("src/test/java/T.java", test.to_owned())];
    commit(dir.path(), "good", &files);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", code(2))]);
    let good = ["bisect", "--good", "HEAD~1", "--timeout", "2s"];
    let tests = mend_untouched(dir.path(), &[&good[..], &["--test", "T"]].concat());
    let error =
        "error: baseline check failed: the test on good (HEAD~1) timed out after 2 seconds\n";
    tests.says(
        3,
        &[
            error,
            "T#main timed out",
            "waiting",
            "help: raise the limit, for example with --timeout",
        ],
    );
    let command = ["--", "sh", "-c", "sleep 1000"];
    let command = mend_untouched(dir.path(), &[&good[..], &command].concat());
    command.says(3, &[error, "help: raise the limit, for example with --timeout"]);
}

fn junit(class: &str, tests: &[(&str, &str)]) -> (String, String) {
    let test = |(name, body): &(&str, &str)| {
        format!(" @org.junit.Test public void {name}() throws Exception {{ {body} }}\n")
    };
    let tests: String = tests.iter().map(test).collect();
    (format!("test/{class}.java"), format!("public class {class} {{\n{tests}}}\n"))
}

/// Good and bad of a project with some test classes; bad's number is another one.
fn tested(tests: &[(String, String)]) -> tempfile::TempDir {
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

/// A bisection by all tests.
fn by_all_tests(dir: &Path, more: &[&str]) -> CommandOutput {
    let arguments = ["bisect", "--good", "HEAD~1", "--test", "*Test", "--classpath", JUNIT];
    mend_untouched(dir, &[&arguments[..], more].concat())
}

#[test]
fn tests_that_fail_before_any_change_are_left_out_and_named() {
    let display = ("display", "new java.awt.Frame();");
    let network = ("network", "new java.net.Socket(\"127.0.0.1\", 1);");
    let dir = tested(&[junit("ATest", &[display, CHECKS_NUMBER]), junit("BTest", &[network])]);
    let ran = by_all_tests(dir.path(), &["--format", "json"]);
    let note = "tests that already fail on good: ATest#display, BTest#network";
    ran.says(0, &[note]);
    let result = ran.json();
    assert_eq!(result["culprit"]["tokens"], 2);
    assert_eq!(result["not_checked"].to_string().matches(note).count(), 1, "{result:#}");
    // If good and bad do not differ otherwise, the baseline check fails.
    let alone = ["bisect", "--good", "HEAD~1", "--test", "BTest", "--classpath", JUNIT];
    let error = "error: baseline check failed: the test does not pass on good (HEAD~1)";
    mend_untouched(dir.path(), &alone).says(3, &[error, "java.net.ConnectException"]);
}

#[test]
fn tests_that_need_those_before_them_find_the_culprit() {
    let first = ("first", "System.setProperty(\"ready\", \"\" + Code.number);");
    let second = ("second", "org.junit.Assert.assertEquals(\"5\", System.getProperty(\"ready\"));");
    let dir = tested(&[junit("ATest", &[first]), junit("BTest", &[second])]);
    let ran = by_all_tests(dir.path(), &["--format", "json"]);
    ran.says(0, &[]);
    let result = ran.json();
    assert_eq!(result["culprit"]["tokens"], 2);
    assert!(!result["not_checked"].to_string().contains("disagreed"), "{result:#}");
}

#[test]
fn what_a_build_would_download_is_named_where_the_build_breaks() {
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
        (level, "5; void m() { of the future }", "cannot compile for Java 99; Java "),
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
        let ran = mend_untouched(dir.path(), &["bisect", "--good", "HEAD~1", "--test", "T"]);
        ran.says(4, &["error: good (HEAD~1) does not build", "Code.java:1: error: ", words]);
    }
}
