//! `git mend fix`, from a failing test to repairs that are proved.

use crate::support::{
    CommandOutput, JUNIT, JUPITER, commit, git, mend, mend_untouched, page_has, repository,
    run_folder,
};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

const SHELF: &str = "src/main/java/shop/Shelf.java";

/// `kept` decides what stays on the shelf.
fn shelf(kept: &str) -> String {
    format!(
        "package shop;\n\nimport java.util.ArrayList;\nimport java.util.List;\n\nclass Shelf {{\n    \
         private final List<Integer> ages = new ArrayList<>();\n\n    void put(int age) {{\n        \
         ages.add(age);\n    }}\n\n    /** Those that are at most so old. */\n    int fresh(int oldest) {{\n        \
         int count = 0;\n        for (int age : ages) {{\n            if ({kept}) {{\n                \
         count++;\n            }}\n        }}\n        return count;\n    }}\n}}\n"
    )
}

fn test(name: &str, check: &str) -> String {
    format!(
        "package shop;\n\nclass {name} {{\n    public static void main(String[] x) {{\n        \
         Shelf shelf = new Shelf();\n        shelf.put(1);\n        shelf.put(3);\n        shelf.put(7);\n        \
         if (!({check})) throw new IllegalStateException(\"wrong\");\n    }}\n}}\n"
    )
}

/// Two commits: with the first one all tests pass, with the second one one fails.
pub(crate) fn broken() -> TempDir {
    let dir = repository();
    let files = [
        (SHELF, shelf("age <= oldest")),
        ("src/test/java/shop/EdgeTest.java", test("EdgeTest", "shelf.fresh(3) == 2")),
        ("src/test/java/shop/InsideTest.java", test("InsideTest", "shelf.fresh(5) == 2")),
        ("src/test/java/shop/NoneTest.java", test("NoneTest", "shelf.fresh(0) == 0")),
    ];
    commit(dir.path(), "one", &files);
    commit(dir.path(), "two", &[(SHELF, shelf("age < oldest")), ("notes.txt", "x\n".to_owned())]);
    dir
}

const APPLY: [&str; 8] =
    ["fix", "--test", "shop.*Test", "--candidates", "60", "--apply", "--top", "1"];

fn fix(dir: &TempDir, more: &[&str]) -> CommandOutput {
    let usual = ["fix", "--test", "shop.*Test", "--candidates", "60", "--format", "json"];
    mend_untouched(dir.path(), &[&usual, more].concat())
}

fn fix_messages(fix: &Value) -> Vec<&str> {
    ["technique", "operator", "patch", "location"]
        .iter()
        .map(|key| fix[key].as_str().unwrap())
        .collect()
}

#[test]
fn the_best_repair_is_the_one_that_a_maintainer_would_write() {
    let dir = broken();
    let ran = fix(&dir, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let result = ran.json();
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
    page_has(
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
    assert_eq!(fs::read_to_string(dir.path().join(SHELF)).unwrap(), shelf("age <= oldest"));
}

#[test]
fn with_a_good_version_undoing_what_broke_it_comes_first_and_is_not_shown_twice() {
    let dir = broken();
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
fn generated_tests_put_the_repair_first_that_changes_nothing_that_was_right() {
    let dir = tempfile::tempdir().unwrap();
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/contracts/open/leader-board");
    let words = ["fix", "--bad", case, "--test", "*", "--budget", "4m", "--output", "run"];
    let more = ["--format", "json", "--classpath", JUNIT];
    let ran = mend(dir.path(), &[&words[..], &more].concat());
    let result = ran.json();
    // Another method that gives the same for the tests at hand gives something else beside them.
    let best = &result["fixes"][0];
    assert_eq!(best["location"], "src/main/java/leaderboard/Race.java:29", "{}", ran.stderr);
    assert!(best["validated"]["generated"].as_u64().unwrap() > 50, "{best}");
}

/// A ring that overwrites the oldest; tests see no ring, but what is kept of it in the end.
const RING: &str = "package shop;

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
fn a_repair_that_changes_what_no_test_sees_comes_after_one_that_does_not() {
    let dir = repository();
    let files = [
        ("src/main/java/shop/Ring.java", RING.to_owned()),
        ("src/test/java/shop/RingTest.java", RING_TEST.to_owned()),
    ];
    commit(dir.path(), "one", &files);
    let wish = ["fix", "--test", "shop.*Test", "--candidates", "120", "--budget", "15m"];
    let more = ["--top", "20", "--format", "json", "--classpath", JUNIT];
    let result = mend_untouched(dir.path(), &[&wish[..], &more].concat()).json();
    let fixes = result["fixes"].as_array().unwrap();
    let changed = |fix: &Value| fix["validated"]["generated_different"].as_u64().unwrap_or(0);
    let at = |why: &str| {
        let is_it = |fix: &Value| fix["why"].as_str().unwrap().starts_with(why);
        fixes.iter().position(is_it).unwrap_or_else(|| panic!("{why}: {result:#}"))
    };
    // The sum is the same with both; where the values are put is not.
    let (keeps, changes) = (at("`>` becomes `>=`"), at("`next` becomes `0`"));
    assert!(keeps < changes, "{result:#}");
    assert_eq!([changed(&fixes[0]), changed(&fixes[keeps])], [0, 0], "{result:#}");
    assert!(changed(&fixes[changes]) > 0, "{result:#}");
}

/// A till of which `addAll` lacks what `add` does with no price, and that does more than what is missing.
const TILL: &str = "package shop;

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

/// The patches of all repairs that are found for a till.
fn repairs_of(till: String) -> Vec<String> {
    let dir = repository();
    let files = [
        ("src/main/java/shop/Till.java", till),
        ("src/test/java/shop/TillTest.java", TILL_TEST.to_owned()),
    ];
    commit(dir.path(), "one", &files);
    let wish = ["fix", "--test", "shop.*Test", "--candidates", "150", "--budget", "15m"];
    let more = ["--top", "20", "--format", "json", "--classpath", JUNIT];
    let ran = mend_untouched(dir.path(), &[&wish[..], &more].concat());
    let result = ran.json();
    let text = |fix: &Value| {
        fs::read_to_string(run_folder(dir.path()).join(fix["patch"].as_str().unwrap())).unwrap()
    };
    result["fixes"].as_array().unwrap().iter().map(text).collect()
}

/// In how many generated tests the best repair does what it should, for a test of a framework whose libraries these are.
fn compared(test: &str, wish: &str, libraries: &str) -> u64 {
    let dir = repository();
    let till = TILL.replace("price + 0", "price");
    let files = [
        ("src/main/java/shop/Till.java", till),
        ("src/test/java/shop/TillTest.java", test.to_owned()),
        ("src/test/java/shop/HeirTest.java", HEIR_TEST.to_owned()),
    ];
    commit(dir.path(), "one", &files);
    let usual = ["fix", "--test", wish, "--candidates", "20", "--top", "1", "--format", "json"];
    let ran = mend_untouched(dir.path(), &[&usual[..], &["--classpath", libraries]].concat());
    let result = ran.json();
    result["fixes"][0]["validated"]["generated"].as_u64().unwrap()
}

/// It has no test of its own.
const HEIR_TEST: &str = "package shop;\n\npublic class HeirTest extends TillTest { }\n";

#[test]
fn repairs_are_compared_in_copies_of_one_inherited_test_that_is_asked_for_by_its_name() {
    // Most of them throw what the test itself does, and tell nothing of what is right.
    assert!(compared(TILL_TEST, "shop.HeirTest#none", JUNIT) >= 3);
}

#[test]
fn repairs_are_compared_in_copies_of_a_test_with_each_row_that_it_is_given() {
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
    assert!(compared(test, "shop.TillTest#many", JUPITER) > 6);
}

#[test]
fn what_no_test_can_tell_is_left_out_of_a_repair() {
    let patches = repairs_of(TILL.to_owned());
    let has = |part: &str| patches.iter().any(|patch| patch.contains(part));
    assert!(
        has("+                price = 0;\n+            }\n             prices.add(price + 0);"),
        "{patches:#?}"
    );
    assert!(!has("+                isClosed = false;"), "{patches:#?}");
}

#[test]
fn a_repair_without_what_is_superfluous_has_no_empty_block() {
    // In place of `prices.add(price + 0)`, only the second branch of this is needed.
    let add = "        if (price == null) {
            isClosed = false;
        } else {
            prices.add(price);
        }
    }
";
    let (head, rest) = TILL.split_once("        if (price == null)").unwrap();
    let (_, tail) = rest.split_once("        prices.add(price);\n    }\n").unwrap();
    let patches = repairs_of(format!("{head}{add}{tail}"));
    assert!(patches.iter().any(|patch| patch.contains("if (price != null)")), "{patches:#?}");
    let empty = "{\n+            }";
    assert!(!patches.iter().any(|patch| patch.contains(empty)), "{patches:#?}");
}

#[test]
fn a_repair_with_which_tests_fail_that_were_not_asked_for_is_not_shown() {
    let dir = broken();
    let wish = ["fix", "--test", "shop.EdgeTest", "--candidates", "60", "--top", "2"];
    let ran = mend_untouched(dir.path(), &[&wish[..], &["--format", "json"]].concat());
    let result = ran.json();
    let fixes = result["fixes"].as_array().unwrap();
    assert!(!fixes.is_empty(), "{result}");
    assert!(fixes.iter().all(|fix| fix["validated"]["affected_tests"] == 2), "{result}");
    let said = result["message"].as_str().unwrap();
    assert!(
        said.contains("rejected by other tests: shop.") && said.contains("fails with the patch"),
        "{said}"
    );
    let unchecked = result["not_checked"].to_string();
    assert!(
        unchecked.contains("tests that a name-based dependency analysis found unaffected"),
        "{unchecked}"
    );
}

#[test]
fn two_faults_are_mended_together_and_what_cannot_be_is_named() {
    let dir = repository();
    let half = "package shop;\n\nclass Half {\n    static int of(int all) {\n        \
                return all / 3;\n    }\n}\n";
    let halves = "package shop;\n\nclass HalfTest {\n    public static void main(String[] x) {\n        \
                  if (Half.of(8) != 4) throw new IllegalStateException(\"wrong\");\n    }\n}\n";
    let files = [
        (SHELF, shelf("age < oldest")),
        ("src/main/java/shop/Half.java", half.to_owned()),
        ("src/test/java/shop/EdgeTest.java", test("EdgeTest", "shelf.fresh(3) == 2")),
        ("src/test/java/shop/HalfTest.java", halves.to_owned()),
        ("src/test/java/shop/InsideTest.java", test("InsideTest", "shelf.fresh(5) == 2")),
    ];
    commit(dir.path(), "one", &files);
    let ran = fix(&dir, &["--top", "1"]);
    let result = ran.json();
    let best = &result["fixes"][0];
    assert_eq!(best["files"], Value::from(vec!["src/main/java/shop/Half.java", SHELF]), "{result}");
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
fn only_what_was_asked_for_is_tried() {
    let dir = broken();
    let undo = fix(&dir, &["--good", "HEAD~1", "--technique", "regression"]).json();
    let techniques = |result: &Value| -> Vec<String> {
        let fixes = result["fixes"].as_array().unwrap().iter();
        fixes.map(|fix| fix["technique"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(techniques(&undo), ["regression"]);
    fix(&dir, &["--technique", "regression"]).says(2, &["needs a good version", "--good"]);
    mend_untouched(dir.path(), &["fix"]).says(2, &["no test given", "--test"]);
    fix(&dir, &["--technique", "magic"]).says(2, &["write regression, contract or concurrency"]);
}

#[test]
fn the_best_repair_is_applied_if_that_is_wished() {
    let dir = broken();
    let ran = mend(dir.path(), &APPLY);
    ran.says(0, &["applied fix-1.patch to the work tree"]);
    assert!(ran.stdout.contains("\nNext:       git diff\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Fix 1 (2 tokens): `<` becomes `<=`"), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(dir.path().join(SHELF)).unwrap(), shelf("age <= oldest"));
    assert_eq!(git(dir.path(), &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn the_best_repair_becomes_a_branch_if_that_is_wished() {
    let dir = broken();
    let head = git(dir.path(), &["rev-parse", "HEAD"]);
    let wish = ["fix", "--test", "shop.*Test", "--candidates", "60", "--top", "1", "--branch"];
    let ran = mend(dir.path(), &[&wish[..], &["mended"]].concat());
    ran.says(0, &["created branch mended with fix-1.patch as a commit"]);
    assert!(ran.stdout.contains("\nNext:       git show mended\n"), "{}", ran.stdout);
    assert_eq!(git(dir.path(), &["rev-parse", "HEAD", "mended~1"]), format!("{head}\n{head}"));
    let mended = git(dir.path(), &["show", &format!("mended:{SHELF}")]);
    assert_eq!(mended, shelf("age <= oldest").trim_end());
    let said = git(dir.path(), &["log", "-1", "--format=%s", "mended"]);
    assert_eq!(said, "Fix src/main/java/shop/Shelf.java:17");
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "");
    mend(dir.path(), &[&wish[..], &["mended"]].concat())
        .says(2, &["a branch named `mended` already exists"]);
    mend(dir.path(), &[&wish[..], &["a..b"]].concat())
        .says(2, &["`a..b` is not a valid branch name"]);
}

#[test]
fn a_repair_that_does_not_fit_the_work_tree_changes_nothing() {
    let dir = broken();
    let other = shelf("age == oldest");
    fs::write(dir.path().join(SHELF), &other).unwrap();
    let ran = mend(dir.path(), &APPLY);
    ran.says(2, &["the fix does not apply to the work tree", "git apply"]);
    assert_eq!(fs::read_to_string(dir.path().join(SHELF)).unwrap(), other);
}

/// Tests of which two come to no end, and which write down by what they were ended.
fn endless(ends: &str) -> String {
    let of = |name: &str, bits: u32, number: u32| {
        format!(
            "    @Test(timeout = 5000)\n    public void {name}() {{\n        \
             Assert.assertEquals({bits}, Bits.count({number}));\n    }}\n\n"
        )
    };
    let tests = [of("eight", 1, 8), of("ten", 2, 10), of("zero", 0, 0)].concat();
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
fn what_comes_to_no_end_is_awaited_before_the_search_alone_and_once_more_to_check_it() {
    let (dir, outside) = (repository(), tempfile::tempdir().unwrap());
    let ends = outside.path().join("ends");
    let bits = "package shop;\n\nclass Bits {\n    static int count(int n) {\n        \
                int count = 0;\n        while (n != 0) {\n            n = n | (n - 1);\n            \
                count++;\n        }\n        return count;\n    }\n}\n";
    let files = [
        ("src/main/java/shop/Bits.java", bits.to_owned()),
        ("src/test/java/shop/BitsTest.java", endless(ends.to_str().unwrap())),
    ];
    commit(dir.path(), "one", &files);
    let more = ["--candidates", "1", "--classpath", JUNIT];
    let ran = mend_untouched(dir.path(), &[&["fix", "--test", "shop.*Test"], &more[..]].concat());
    let ends = fs::read_to_string(&ends).unwrap();
    let count = |how: &str| ends.lines().filter(|line| *line == how).count();
    // By the resident engine and by a fresh build; then probes end both tests, for statements and for values.
    assert_eq!(count("TestTimedOutException"), 4, "{ends}{}", ran.stderr);
    assert_eq!(count("Endless"), 4, "{ends}{}", ran.stderr);
}

#[test]
fn where_nothing_fails_there_is_nothing_to_repair() {
    let dir = broken();
    let arguments = ["fix", "--test", "shop.NoneTest"];
    mend_untouched(dir.path(), &arguments).says(3, &["does not fail on bad (HEAD)"]);
}

#[test]
fn what_nothing_mends_is_said_so() {
    let dir = broken();
    let never = test("EdgeTest", "shelf.fresh(3) == 2 && shelf.toString().equals(\"a shelf\")");
    commit(dir.path(), "three", &[("src/test/java/shop/EdgeTest.java", never)]);
    let ran = fix(&dir, &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let result = ran.json();
    assert_eq!((&result["status"], &result["fixes"]), (&"none".into(), &Value::Array(Vec::new())));
    assert!(result["message"].as_str().unwrap().starts_with("none of "), "{result}");
}
