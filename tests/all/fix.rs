//! Tests of `git mend fix`, from a failing test to verified fixes.

use crate::support::{
    CommandOutput, JUNIT, JUPITER, assert_report_contains, commit, git, repository, run_folder,
    run_mend, run_mend_keeping_repository,
};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

pub(crate) const SHELF_FILE: &str = "src/main/java/shop/Shelf.java";

/// Returns the source of a shelf. `condition` decides which items stay on it.
pub(crate) fn shelf_source(condition: &str) -> String {
    format!(
        "package shop;\n\nimport java.util.ArrayList;\nimport java.util.List;\n\nclass Shelf {{\n    \
         private final List<Integer> ages = new ArrayList<>();\n\n    void put(int age) {{\n        \
         ages.add(age);\n    }}\n\n    /** Those that are at most so old. */\n    int fresh(int oldest) {{\n        \
         int count = 0;\n        for (int age : ages) {{\n            if ({condition}) {{\n                \
         count++;\n            }}\n        }}\n        return count;\n    }}\n}}\n"
    )
}

fn test_source(name: &str, check: &str) -> String {
    format!(
        "package shop;\n\nclass {name} {{\n    public static void main(String[] x) {{\n        \
         Shelf shelf = new Shelf();\n        shelf.put(1);\n        shelf.put(3);\n        shelf.put(7);\n        \
         if (!({check})) throw new IllegalStateException(\"wrong\");\n    }}\n}}\n"
    )
}

/// Creates a repository with two commits. All tests pass on the first, and one fails on the second.
pub(crate) fn broken_repository() -> TempDir {
    let dir = repository();
    let files = [
        (SHELF_FILE, shelf_source("age <= oldest")),
        ("src/test/java/shop/EdgeTest.java", test_source("EdgeTest", "shelf.fresh(3) == 2")),
        ("src/test/java/shop/InsideTest.java", test_source("InsideTest", "shelf.fresh(5) == 2")),
        ("src/test/java/shop/NoneTest.java", test_source("NoneTest", "shelf.fresh(0) == 0")),
    ];
    commit(dir.path(), "one", &files);
    commit(
        dir.path(),
        "two",
        &[(SHELF_FILE, shelf_source("age < oldest")), ("notes.txt", "x\n".to_owned())],
    );
    dir
}

const APPLY_OPTIONS: [&str; 8] =
    ["fix", "--test", "shop.*Test", "--candidates", "60", "--apply", "--top", "1"];

fn fix(dir: &TempDir, more: &[&str]) -> CommandOutput {
    let default_arguments =
        ["fix", "--test", "shop.*Test", "--candidates", "60", "--format", "json"];
    run_mend_keeping_repository(dir.path(), &[&default_arguments, more].concat())
}

fn fix_messages(fix: &Value) -> Vec<&str> {
    ["technique", "operator", "patch", "location"]
        .iter()
        .map(|key| fix[key].as_str().unwrap())
        .collect()
}

#[test]
fn best_fix_is_what_a_maintainer_would_write() {
    let dir = broken_repository();
    let output = fix(&dir, &[]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let result = output.json();
    assert_eq!((&result["command"], &result["status"]), (&"fix".into(), &"found".into()));
    assert_eq!(
        result["symptom"],
        "shop.EdgeTest#main throws java.lang.IllegalStateException: wrong"
    );
    let best = &result["fixes"][0];
    let line = "src/main/java/shop/Shelf.java:17";
    assert_eq!(fix_messages(best), ["contract", "operator", "fix-1.patch", line]);
    assert_eq!((&best["rank"], &best["tokens"]), (&1.into(), &2.into()));
    assert_eq!(best["validated"]["failing_pass"], 1);
    assert_eq!(best["validated"]["passing_kept"], 2);
    assert_eq!(result["confirmed"]["fresh_build"], true);
    assert_report_contains(
        dir.path(),
        &[
            "<h2 id=\"fixes\">Fix",
            "<p class=\"confidence\">Confidence: ",
            "Values at src/main/java/shop/Shelf.java:17 before the fix",
            "<code>age</code>",
            "data-copy=\"fix-1-raw\"",
            "Execution modes",
        ],
    );
    let patch = run_folder(dir.path()).join("fix-1.patch");
    git(dir.path(), &["apply", patch.to_str().unwrap()]);
    assert_eq!(
        fs::read_to_string(dir.path().join(SHELF_FILE)).unwrap(),
        shelf_source("age <= oldest")
    );
}

#[test]
fn revert_ranks_first_and_is_not_repeated() {
    let dir = broken_repository();
    let result = fix(&dir, &["--good", "HEAD~1", "--top", "3"]).json();
    let fixes = result["fixes"].as_array().unwrap();
    assert_eq!(fixes[0]["technique"], "regression", "{result}");
    assert_eq!(fixes[0]["tokens"], 2);
    assert_eq!(result["fix"], Value::Null);
    let text = |fix: &Value| {
        fs::read_to_string(run_folder(dir.path()).join(fix["patch"].as_str().unwrap())).unwrap()
    };
    assert!(text(&fixes[0]).contains("+            if (age <= oldest)"));
    assert!(fixes[1..].iter().all(|other| text(other) != text(&fixes[0])));
    let unchecked = result["not_checked"].as_array().unwrap();
    let is_said = |what: &&Value| **what == "tests not selected with --test";
    assert_eq!(unchecked.iter().filter(is_said).count(), 1);
}

#[test]
fn generated_tests_rank_behaviour_preserving_fix_first() {
    let dir = tempfile::tempdir().unwrap();
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/contracts/open/leader-board");
    let words = ["fix", "--bad", case, "--test", "*", "--budget", "4m", "--output", "run"];
    let more = ["--format", "json", "--classpath", JUNIT];
    let output = run_mend(dir.path(), &[&words[..], &more].concat());
    let result = output.json();
    // Another method has the same results in the existing tests, but not in generated tests.
    let best = &result["fixes"][0];
    assert_eq!(best["location"], "src/main/java/leaderboard/Race.java:29", "{}", output.stderr);
    assert!(best["validated"]["generated"].as_u64().unwrap() > 50, "{best}");
}

/// Ring buffer that overwrites its oldest element. The tests observe only its final content.
const RING_SOURCE: &str = "package shop;

public class Ring {
    private final int[] slots = new int[3];
    private int next = 0;
    private int sum = 0;

    void put(int value) {
        if (next > slots.length) {
            next = 0;
        }
        slots[next] = value;
        next++;
        sum += value;
    }

    static int sum(int... values) {
        Ring ring = new Ring();
        for (int value : values) {
            ring.put(value);
        }
        return ring.sum;
    }
}
";

const RING_TEST: &str = "package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class RingTest {
    @Test
    public void few() {
        assertEquals(3, Ring.sum(1, 2));
        assertEquals(0, Ring.sum());
    }

    @Test
    public void three() {
        assertEquals(6, Ring.sum(3, 2, 1));
        assertEquals(9, Ring.sum(3, 6));
    }

    @Test
    public void many() {
        assertEquals(15, Ring.sum(1, 2, 3, 4, 5));
    }
}
";

#[test]
fn fix_changing_unobserved_state_ranks_lower() {
    let dir = repository();
    let files = [
        ("src/main/java/shop/Ring.java", RING_SOURCE.to_owned()),
        ("src/test/java/shop/RingTest.java", RING_TEST.to_owned()),
    ];
    commit(dir.path(), "one", &files);
    let fix_options = ["fix", "--test", "shop.*Test", "--candidates", "120", "--budget", "15m"];
    let more = ["--top", "20", "--format", "json", "--classpath", JUNIT];
    let result =
        run_mend_keeping_repository(dir.path(), &[&fix_options[..], &more].concat()).json();
    let fixes = result["fixes"].as_array().unwrap();
    let changed = |fix: &Value| fix["validated"]["generated_different"].as_u64().unwrap_or(0);
    let position_of = |why: &str| {
        let has_reason = |fix: &Value| fix["why"].as_str().unwrap().starts_with(why);
        fixes.iter().position(has_reason).unwrap_or_else(|| panic!("{why}: {result:#}"))
    };
    // Both fixes keep the sum, but they store the values in different slots.
    let (keeps, changes) = (position_of("`>` becomes `>=`"), position_of("`next` becomes `0`"));
    assert!(keeps < changes, "{result:#}");
    assert_eq!([changed(&fixes[0]), changed(&fixes[keeps])], [0, 0], "{result:#}");
    assert!(changed(&fixes[changes]) > 0, "{result:#}");
}

/// Till whose `addAll` lacks the null check of `add`. The check of `add` contains more than the necessary statement.
const TILL_SOURCE: &str = "package shop;

import java.util.*;

public class Till {
    private final List<Integer> prices = new ArrayList<>();
    private boolean isClosed = false;

    public void add(Integer price) {
        if (price == null) {
            price = 0;
            isClosed = false;
        }
        prices.add(price);
    }

    public void addAll(int count, Integer price) {
        for (int i = 0; i < count; i++) {
            prices.add(price + 0);
        }
    }

    public int sum() {
        int sum = 0;
        for (int price : prices) {
            sum += price;
        }
        return sum;
    }
}
";

const TILL_TEST: &str = "package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class TillTest {
    @Test
    public void one() {
        Till till = new Till();
        till.add(3);
        till.add(null);
        till.add(4);
        assertEquals(7, till.sum());
    }

    @Test
    public void many() {
        Till till = new Till();
        till.addAll(2, 5);
        till.addAll(1, 6);
        till.add(7);
        till.addAll(3, 8);
        assertEquals(47, till.sum());
    }

    @Test
    public void none() {
        Till till = new Till();
        till.add(9);
        till.addAll(2, null);
        till.addAll(1, 4);
        assertEquals(13, till.sum());
    }
}
";

/// Returns the patches of all fixes for a till.
fn fixes_of_till(till: String) -> Vec<String> {
    let dir = repository();
    let files = [
        ("src/main/java/shop/Till.java", till),
        ("src/test/java/shop/TillTest.java", TILL_TEST.to_owned()),
    ];
    commit(dir.path(), "one", &files);
    let fix_options = ["fix", "--test", "shop.*Test", "--candidates", "150", "--budget", "15m"];
    let more = ["--top", "20", "--format", "json", "--classpath", JUNIT];
    let output = run_mend_keeping_repository(dir.path(), &[&fix_options[..], &more].concat());
    let result = output.json();
    let text = |fix: &Value| {
        fs::read_to_string(run_folder(dir.path()).join(fix["patch"].as_str().unwrap())).unwrap()
    };
    result["fixes"].as_array().unwrap().iter().map(text).collect()
}

/// Returns the number of generated tests with the same result under the best fix. The test uses the framework in these
/// libraries.
fn count_compared_tests(test: &str, selector: &str, libraries: &str) -> u64 {
    let dir = repository();
    let till = TILL_SOURCE.replace("price + 0", "price");
    let files = [
        ("src/main/java/shop/Till.java", till),
        ("src/test/java/shop/TillTest.java", test.to_owned()),
        ("src/test/java/shop/HeirTest.java", INHERITING_TEST.to_owned()),
    ];
    commit(dir.path(), "one", &files);
    let default_arguments =
        ["fix", "--test", selector, "--candidates", "20", "--top", "1", "--format", "json"];
    let output = run_mend_keeping_repository(
        dir.path(),
        &[&default_arguments[..], &["--classpath", libraries]].concat(),
    );
    let result = output.json();
    result["fixes"][0]["validated"]["generated"].as_u64().unwrap()
}

/// Test class that only inherits tests.
const INHERITING_TEST: &str = "package shop;\n\npublic class HeirTest extends TillTest { }\n";

#[test]
fn inherited_test_is_used_for_generated_tests() {
    // Most generated tests throw the exception of the test itself, and do not show which result is right.
    assert!(count_compared_tests(TILL_TEST, "shop.HeirTest#none", JUNIT) >= 3);
}

#[test]
fn parameterised_test_is_used_for_generated_tests() {
    let test = "package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

public class TillTest {
    static Object[][] rows() {
        return new Object[][] {{2, 5, 10}, {1, null, 0}, {3, 8, 24}, {0, 1, 0}};
    }

    @ParameterizedTest
    @MethodSource(\"rows\")
    void many(int count, Integer price, int sum) {
        Till till = new Till();
        till.addAll(count, price);
        assertEquals(sum, till.sum());
    }
}
";
    assert!(count_compared_tests(test, "shop.TillTest#many", JUPITER) > 6);
}

#[test]
fn unobservable_parts_are_removed_from_a_fix() {
    let patches = fixes_of_till(TILL_SOURCE.to_owned());
    let has = |part: &str| patches.iter().any(|patch| patch.contains(part));
    assert!(
        has("+                price = 0;\n+            }\n             prices.add(price + 0);"),
        "{patches:#?}"
    );
    assert!(!has("+                isClosed = false;"), "{patches:#?}");
}

#[test]
fn minimised_fix_has_no_empty_block() {
    // Of this replacement for `prices.add(price + 0)`, only the second branch is necessary.
    let add = "        if (price == null) {
            isClosed = false;
        } else {
            prices.add(price);
        }
    }
";
    let (head, rest) = TILL_SOURCE.split_once("        if (price == null)").unwrap();
    let (_, tail) = rest.split_once("        prices.add(price);\n    }\n").unwrap();
    let patches = fixes_of_till(format!("{head}{add}{tail}"));
    assert!(patches.iter().any(|patch| patch.contains("if (price != null)")), "{patches:#?}");
    let empty = "{\n+            }";
    assert!(!patches.iter().any(|patch| patch.contains(empty)), "{patches:#?}");
}

#[test]
fn fix_breaking_unselected_tests_is_not_shown() {
    let dir = broken_repository();
    let fix_options = ["fix", "--test", "shop.EdgeTest", "--candidates", "60", "--top", "2"];
    let output = run_mend_keeping_repository(
        dir.path(),
        &[&fix_options[..], &["--format", "json"]].concat(),
    );
    let result = output.json();
    let fixes = result["fixes"].as_array().unwrap();
    assert!(!fixes.is_empty(), "{result}");
    assert!(fixes.iter().all(|fix| fix["validated"]["affected_tests"] == 2), "{result}");
    let message = result["message"].as_str().unwrap();
    assert!(
        message.contains("rejected by other tests: shop.")
            && message.contains("fails with the patch"),
        "{message}"
    );
    let unchecked = result["not_checked"].to_string();
    assert!(
        unchecked.contains("tests that a name-based dependency analysis found unaffected"),
        "{unchecked}"
    );
}

#[test]
fn test_class_that_does_not_compile_does_not_silence_the_others() {
    let dir = broken_repository();
    let uncompilable = test_source("GoneTest", "shelf.gone()");
    commit(dir.path(), "three", &[("src/test/java/shop/GoneTest.java", uncompilable)]);
    let fix_options = ["fix", "--test", "shop.EdgeTest", "--candidates", "60", "--top", "1"];
    let output = run_mend_keeping_repository(
        dir.path(),
        &[&fix_options[..], &["--format", "json"]].concat(),
    );
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    assert_eq!(result["fixes"][0]["validated"]["affected_tests"], 2, "{result}");
    let unchecked = result["not_checked"].to_string();
    let note = "other tests affected by the fix: they do not compile: shop.GoneTest";
    assert!(unchecked.contains(note), "{unchecked}");
}

#[test]
fn two_faults_are_fixed_together_and_unfixable_is_named() {
    let dir = repository();
    let half = "package shop;\n\nclass Half {\n    static int of(int all) {\n        \
                return all / 3;\n    }\n}\n";
    let halves = "package shop;\n\nclass HalfTest {\n    public static void main(String[] x) {\n        \
                  if (Half.of(8) != 4) throw new IllegalStateException(\"wrong\");\n    }\n}\n";
    let files = [
        (SHELF_FILE, shelf_source("age < oldest")),
        ("src/main/java/shop/Half.java", half.to_owned()),
        ("src/test/java/shop/EdgeTest.java", test_source("EdgeTest", "shelf.fresh(3) == 2")),
        ("src/test/java/shop/HalfTest.java", halves.to_owned()),
        ("src/test/java/shop/InsideTest.java", test_source("InsideTest", "shelf.fresh(5) == 2")),
    ];
    commit(dir.path(), "one", &files);
    let output = fix(&dir, &["--top", "1"]);
    let result = output.json();
    let best = &result["fixes"][0];
    assert_eq!(
        best["files"],
        Value::from(vec!["src/main/java/shop/Half.java", SHELF_FILE]),
        "{result}"
    );
    assert_eq!(best["validated"]["failing_pass"], 2);
    assert_eq!(best["validated"]["still_failing"], Value::from(Vec::<String>::new()));

    let never = "package shop;\n\nclass NeverTest {\n    public static void main(String[] x) {\n        \
                 throw new IllegalStateException(\"never\");\n    }\n}\n";
    commit(dir.path(), "two", &[("src/test/java/shop/NeverTest.java", never.to_owned())]);
    let result = fix(&dir, &["--top", "1"]).json();
    let validated = &result["fixes"][0]["validated"];
    assert_eq!(validated["still_failing"][0], "shop.NeverTest#main", "{result}");
    let message = result["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("no fix for all failing tests; "), "{result}");
}

#[test]
fn only_selected_techniques_are_tried() {
    let dir = broken_repository();
    let undo = fix(&dir, &["--good", "HEAD~1", "--technique", "regression"]).json();
    let techniques = |result: &Value| -> Vec<String> {
        let fixes = result["fixes"].as_array().unwrap().iter();
        fixes.map(|fix| fix["technique"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(techniques(&undo), ["regression"]);
    fix(&dir, &["--technique", "regression"])
        .assert_exit_and_stderr(2, &["needs a good version", "--good"]);
    run_mend_keeping_repository(dir.path(), &["fix"])
        .assert_exit_and_stderr(2, &["no test given", "--test"]);
    fix(&dir, &["--technique", "magic"])
        .assert_exit_and_stderr(2, &["write regression, contract or concurrency"]);
}

#[test]
fn apply_option_applies_the_best_fix() {
    let dir = broken_repository();
    let output = run_mend(dir.path(), &APPLY_OPTIONS);
    output.assert_exit_and_stderr(0, &["applied fix-1.patch to the work tree"]);
    assert!(output.stdout.contains("\nNext:       git diff\n"), "{}", output.stdout);
    assert!(output.stdout.contains("Fix 1 (2 tokens): `<` becomes `<=`"), "{}", output.stdout);
    assert_eq!(
        fs::read_to_string(dir.path().join(SHELF_FILE)).unwrap(),
        shelf_source("age <= oldest")
    );
    assert_eq!(git(dir.path(), &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn branch_option_commits_the_best_fix() {
    let dir = broken_repository();
    git(dir.path(), &["config", "user.name", "A"]);
    git(dir.path(), &["config", "user.email", "a@example.org"]);
    let head = git(dir.path(), &["rev-parse", "HEAD"]);
    let fix_options =
        ["fix", "--test", "shop.*Test", "--candidates", "60", "--top", "1", "--branch"];
    let output = run_mend(dir.path(), &[&fix_options[..], &["mended"]].concat());
    output.assert_exit_and_stderr(0, &["created branch mended with fix-1.patch as a commit"]);
    assert!(output.stdout.contains("\nNext:       git show mended\n"), "{}", output.stdout);
    assert_eq!(git(dir.path(), &["rev-parse", "HEAD", "mended~1"]), format!("{head}\n{head}"));
    let fixed_source = git(dir.path(), &["show", &format!("mended:{SHELF_FILE}")]);
    assert_eq!(fixed_source, shelf_source("age <= oldest").trim_end());
    let subject_line = git(dir.path(), &["log", "-1", "--format=%s", "mended"]);
    assert_eq!(subject_line, "Fix src/main/java/shop/Shelf.java:17");
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "");
    run_mend(dir.path(), &[&fix_options[..], &["mended"]].concat())
        .assert_exit_and_stderr(2, &["a branch named `mended` already exists"]);
    run_mend(dir.path(), &[&fix_options[..], &["a..b"]].concat())
        .assert_exit_and_stderr(2, &["`a..b` is not a valid branch name"]);
}

#[test]
fn inapplicable_fix_leaves_the_work_tree_unchanged() {
    let dir = broken_repository();
    let other = shelf_source("age == oldest");
    fs::write(dir.path().join(SHELF_FILE), &other).unwrap();
    let output = run_mend(dir.path(), &APPLY_OPTIONS);
    output.assert_exit_and_stderr(2, &["the fix does not apply to the work tree", "git apply"]);
    assert_eq!(fs::read_to_string(dir.path().join(SHELF_FILE)).unwrap(), other);
}

/// Returns a test class with two hanging tests, which records the exceptions that end its tests.
fn hanging_tests_source(ends: &str) -> String {
    let test_method = |name: &str, bits: u32, number: u32| {
        format!(
            "    @Test(timeout = 5000)\n    public void {name}() {{\n        \
             Assert.assertEquals({bits}, Bits.count({number}));\n    }}\n\n"
        )
    };
    let tests =
        [test_method("eight", 1, 8), test_method("ten", 2, 10), test_method("zero", 0, 0)].concat();
    format!(
        "package shop;\n\nimport org.junit.*;\nimport org.junit.rules.*;\nimport org.junit.runner.Description;\n\n\
         public class BitsTest {{\n{tests}    @Rule\n    public TestWatcher watcher = new TestWatcher() {{\n        \
         @Override\n        protected void failed(Throwable thrown, Description test) {{\n            \
         try (java.io.FileWriter out = new java.io.FileWriter(\"{ends}\", true)) {{\n                \
         out.write(thrown.getClass().getSimpleName() + \"\\n\");\n            \
         }} catch (java.io.IOException e) {{\n                throw new RuntimeException(e);\n            \
         }}\n        }}\n    }};\n}}\n"
    )
}

#[test]
fn hanging_tests_run_only_before_search_and_in_verification() {
    let (dir, outside) = (repository(), tempfile::tempdir().unwrap());
    let ends = outside.path().join("ends");
    let bits = "package shop;\n\nclass Bits {\n    static int count(int n) {\n        \
                int count = 0;\n        while (n != 0) {\n            n = n | (n - 1);\n            \
                count++;\n        }\n        return count;\n    }\n}\n";
    let files = [
        ("src/main/java/shop/Bits.java", bits.to_owned()),
        ("src/test/java/shop/BitsTest.java", hanging_tests_source(ends.to_str().unwrap())),
    ];
    commit(dir.path(), "one", &files);
    let more = ["--candidates", "1", "--classpath", JUNIT];
    let output = run_mend_keeping_repository(
        dir.path(),
        &[&["fix", "--test", "shop.*Test"], &more[..]].concat(),
    );
    let ends = fs::read_to_string(&ends).unwrap();
    let count = |how: &str| ends.lines().filter(|line| *line == how).count();
    // The timeouts are from the resident engine and the clean build, for two tests each. The probes of statements and
    // of values end both tests by `HangError`.
    assert_eq!(count("TestTimedOutException"), 4, "{ends}{}", output.stderr);
    assert_eq!(count("HangError"), 4, "{ends}{}", output.stderr);
}

#[test]
fn passing_tests_are_rejected_by_fix() {
    let dir = broken_repository();
    let arguments = ["fix", "--test", "shop.NoneTest"];
    run_mend_keeping_repository(dir.path(), &arguments)
        .assert_exit_and_stderr(3, &["does not fail on bad (HEAD)"]);
}

#[test]
fn unfixable_failure_is_reported() {
    let dir = broken_repository();
    let never =
        test_source("EdgeTest", "shelf.fresh(3) == 2 && shelf.toString().equals(\"a shelf\")");
    commit(dir.path(), "three", &[("src/test/java/shop/EdgeTest.java", never)]);
    let output = fix(&dir, &[]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let result = output.json();
    assert_eq!((&result["status"], &result["fixes"]), (&"none".into(), &Value::Array(Vec::new())));
    assert!(result["message"].as_str().unwrap().starts_with("none of "), "{result}");
}

/// Returns the trials of the search for a fix, without costs, and the fixes.
fn trials_and_fixes(dir: &TempDir, engine: &str) -> (Vec<Value>, Vec<Value>) {
    let copy = TempDir::new().unwrap();
    git(copy.path(), &["clone", "-q", dir.path().to_str().unwrap(), "."]);
    let arguments =
        ["--test", "shop.*Test", "--candidates", "25", "--top", "2", "--format", "json"];
    let engine_arguments = ["--engine", engine, "--jobs", "1"];
    let all_arguments = [&["fix"][..], &arguments, &engine_arguments].concat();
    let output = run_mend_keeping_repository(copy.path(), &all_arguments);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let trials = fs::read_to_string(run_folder(copy.path()).join("trials.jsonl")).unwrap();
    let trials = trials.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let patch = |fix: &Value| {
        serde_json::json!([fix["location"], fix["operator"], fix["tokens"], fix["confidence"]])
    };
    (trials, output.json()["fixes"].as_array().unwrap().iter().map(patch).collect())
}

#[test]
fn candidates_compiled_together_have_the_verdicts_of_single_ones() {
    let dir = broken_repository();
    let (together, fixes) = trials_and_fixes(&dir, "auto");
    let (alone, fixes_alone) = trials_and_fixes(&dir, "process");
    let count =
        |trials: &[Value]| trials.iter().filter(|trial| trial["rung"] == "mutant-schema").count();
    assert!(count(&together) > 15, "{}", count(&together));
    assert_eq!(count(&alone), 0);
    let facts = |trials: &[Value]| -> Vec<Value> {
        let fact = |trial: &Value| {
            serde_json::json!([trial["variant"], trial["what"], trial["verdict"], trial["phase"]])
        };
        trials.iter().map(fact).collect()
    };
    assert_eq!(facts(&together), facts(&alone));
    assert_eq!(fixes, fixes_alone);
}
