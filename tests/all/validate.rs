//! Tests of `git mend validate`, from a pool of patches to the run folder.

use crate::support::{
    CommandOutput, JUNIT, commit, git, program, repository, run_mend, run_mend_keeping_repository,
    wait_until, write,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const CART_FILE: &str = "src/main/java/shop/Cart.java";

/// Returns the source of a cart. `start_index` is the faulty expression.
fn cart_source(start_index: &str, more: &str) -> String {
    format!(
        "package shop;\n\nclass Cart {{\n    private int[] prices = new int[0];\n\n    \
         void add(int price) {{\n        prices = java.util.Arrays.copyOf(prices, prices.length + 1);\n        \
         prices[prices.length - 1] = price;\n    }}\n\n    int total() {{\n        int sum = 0;\n{more}        \
         for (int i = {start_index}; i < prices.length; i++) {{\n            sum += prices[i];\n        }}\n        \
         return sum;\n    }}\n\n    int count() {{\n        return prices.length;\n    }}\n}}\n"
    )
}

fn test_source(name: &str, check: &str) -> String {
    format!(
        "package shop;\n\nclass {name} {{\n    public static void main(String[] x) {{\n        \
         Cart cart = new Cart();\n        cart.add(2);\n        cart.add(3);\n        \
         if (!({check})) throw new IllegalStateException(\"wrong\");\n    }}\n}}\n"
    )
}

/// Repository with a failing and a passing test, and a pool beside it.
struct PoolCase {
    dir: TempDir,
    pool: TempDir,
    outside: TempDir,
}

impl PoolCase {
    fn new() -> Self {
        let dir = repository();
        let total = test_source("TotalTest", "cart.total() == 5");
        let count = test_source("CountTest", "cart.count() == 2");
        let files = [
            (CART_FILE, cart_source("1", "")),
            ("src/test/java/shop/TotalTest.java", total),
            ("src/test/java/shop/CountTest.java", count),
        ];
        commit(dir.path(), "one", &files);
        Self { dir, pool: tempfile::tempdir().unwrap(), outside: tempfile::tempdir().unwrap() }
    }

    /// Adds a patch of a change, created by `git diff`.
    fn add_diff(&self, name: &str, path: &str, text: &str) {
        write(self.dir.path(), path, text);
        git(self.dir.path(), &["add", "-A"]);
        let patch = git(self.dir.path(), &["diff", "--cached"]) + "\n";
        git(self.dir.path(), &["reset", "-q", "--hard"]);
        write(self.pool.path(), name, patch);
    }

    fn validate_arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let pool = self.pool.path().to_str().unwrap();
        let default_arguments =
            ["validate", "--pool", pool, "--test", "shop.*Test", "--format", "json"];
        [&default_arguments, more].concat()
    }

    fn validate(&self, more: &[&str]) -> CommandOutput {
        run_mend_keeping_repository(self.dir.path(), &self.validate_arguments(more))
    }

    /// Returns the path of a run folder outside the repository.
    fn outside_run_folder(&self, name: &str) -> PathBuf {
        self.outside.path().join(name)
    }

    fn run_folder(&self) -> PathBuf {
        crate::support::run_folder(self.dir.path())
    }
}

/// Returns name, verdict and phase of every patch.
fn patch_verdicts(result: &Value) -> Vec<String> {
    let rows = result["patches"].as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    rows.map(|row| ["name", "verdict", "phase"].map(|key| word(&row[key])).join(" ")).collect()
}

fn patch_reason(result: &Value, name: &str) -> String {
    let rows = result["patches"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap()["reason"].as_str().unwrap().to_owned()
}

/// Returns description and execution mode of every trial.
fn judged_trials(run: &Path) -> Vec<(String, String)> {
    let lines = fs::read_to_string(run.join("trials.jsonl")).unwrap();
    let line = |line: &str| {
        let trial: Value = serde_json::from_str(line).unwrap();
        ["what", "rung"].map(|key| trial[key].as_str().unwrap().to_owned()).into()
    };
    lines.lines().map(line).collect()
}

/// Creates a pool with a patch of every kind.
fn mixed_pool() -> PoolCase {
    let case = PoolCase::new();
    case.add_diff("10.patch", CART_FILE, &cart_source("0", ""));
    case.add_diff("9.patch", CART_FILE, &cart_source("2", ""));
    case.add_diff("1.patch", CART_FILE, &cart_source("\"0\"", ""));
    let breaking = cart_source("0", "").replace("return prices.length;", "return 7;");
    case.add_diff("2.diff", CART_FILE, &breaking);
    let stale = fs::read_to_string(case.pool.path().join("10.patch")).unwrap();
    write(case.pool.path(), "3.patch", stale.replace("int sum = 0", "int sum = 7"));
    let escaping = "--- /dev/null\n+++ b/../../../escaped.txt\n@@ -0,0 +1 @@\n+x\n";
    write(case.pool.path(), "4.patch", escaping);
    write(case.pool.path(), "5.patch", "");
    case.add_diff(
        "6.patch",
        "src/test/java/shop/TotalTest.java",
        &test_source("TotalTest", "true"),
    );
    fs::create_dir(case.pool.path().join("7")).unwrap();
    std::os::unix::fs::symlink("nowhere", case.pool.path().join("8.patch")).unwrap();
    write(case.pool.path(), "README", "not a patch");
    case
}

#[test]
fn every_diff_in_a_pool_gets_a_verdict() {
    let case = mixed_pool();
    let output = case.validate(&["--engine", "resident"]);
    output.assert_exit_and_stderr(0, &["files in the pool that are not patches: README"]);
    let result = output.json();
    let expected = [
        "1.patch unresolved not_compiled",
        "2.diff fail -",
        "3.patch unresolved rejected",
        "4.patch unresolved rejected",
        "5.patch unresolved rejected",
        "6.patch unresolved rejected",
        "7 unresolved rejected",
        "8.patch unresolved rejected",
        "9.patch fail -",
        "10.patch pass -",
    ];
    assert_eq!(patch_verdicts(&result), expected);
    for (name, words) in [
        ("1.patch", "incompatible types"),
        ("2.diff", "shop.CountTest#main throws java.lang.IllegalStateException: wrong"),
        ("3.patch", "git cannot apply it"),
        ("4.patch", "invalid path"),
        ("5.patch", "the file is empty"),
        ("6.patch", "it changes only tests"),
        ("7", "it contains no .java, .class, .patch or .diff file"),
        ("8.patch", "cannot read it"),
        ("9.patch", "shop.TotalTest#main still throws"),
    ] {
        assert!(
            patch_reason(&result, name).contains(words),
            "{name}: {}",
            patch_reason(&result, name)
        );
    }
    assert_eq!((&result["status"], &result["cost"]["rejected"]), (&"found".into(), &6.into()));
    let fix = &result["fixes"][0];
    assert_eq!(fix["operator"], "10.patch");
    assert_eq!((&fix["rank"], &fix["tokens"], &fix["lines"]), (&1.into(), &2.into(), &2.into()));
    assert_eq!(fix["location"], format!("{CART_FILE}:13"));
    assert_eq!(result["patches"][5]["edits_tests"], true);
    assert_eq!(result["patches"][9]["fixed_tests"][0], "shop.TotalTest#main");
    // The tests stop at the first failure, so what the patch breaks is not fully known.
    assert_eq!(result["patches"][1]["broken_tests"], Value::Null);
    let validated = &fix["validated"];
    assert_eq!((&validated["failing_pass"], &validated["passing_kept"]), (&1.into(), &1.into()));
    assert_eq!(result["patches"][9]["patch"], "fix-1.patch");
    let trials = judged_trials(&case.run_folder());
    let has_trial = |what: &str, mode: &str| trials.contains(&(what.to_owned(), mode.to_owned()));
    assert!(has_trial("9.patch", "warm-jvm"), "{trials:?}");
    assert!(has_trial("10.patch in a clean build", "clean-build"), "{trials:?}");
    assert_eq!(result["confirmed"]["fresh_build"], true);
    assert!(!case.run_folder().join("work").exists());
    git(case.dir.path(), &["apply", case.run_folder().join("fix-1.patch").to_str().unwrap()]);
    let fixed = fs::read_to_string(case.dir.path().join(CART_FILE)).unwrap();
    assert_eq!(fixed, cart_source("0", ""));
}

#[test]
fn human_output_has_table_and_next_command() {
    let case = mixed_pool();
    let pool = case.pool.path().to_str().unwrap();
    let arguments = ["validate", "--pool", pool, "--test", "shop.*Test"];
    let output = run_mend_keeping_repository(case.dir.path(), &arguments);
    output.assert_exit_and_stderr(0, &["shop.TotalTest#main fails; trying 10 patches"]);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[0], "1 of 10 patches is plausible");
    assert!(lines[4].starts_with("10.patch  plausible"), "{}", output.stdout);
    assert!(output.stdout.contains("Apply:      git apply "), "{}", output.stdout);
}

#[test]
fn generated_tests_run_although_a_test_without_mutants_fails() {
    let sample = "package shop;\n\nclass Sample {\n    static boolean isRight() {\n        Cart cart = new Cart();\n        \
        cart.add(2);\n        cart.add(3);\n        return cart.total() == 5;\n    }\n}\n";
    let test = |name: &str, body: &str| {
        format!(
            "package shop;\n\npublic class {name} {{\n    @org.junit.Test public void holds() {{\n{body}    }}\n}}\n"
        )
    };
    let count = "        Cart cart = new Cart();\n        cart.add(4);\n        cart.add(6);\n        \
        org.junit.Assert.assertEquals(2, cart.count());\n";
    let dir = repository();
    let files = [
        (CART_FILE, cart_source("1", "")),
        ("src/main/java/shop/Sample.java", sample.to_owned()),
        ("src/test/java/shop/CountTest.java", test("CountTest", count)),
        (
            "src/test/java/shop/SampleTest.java",
            test("SampleTest", "        org.junit.Assert.assertTrue(Sample.isRight());\n"),
        ),
    ];
    commit(dir.path(), "one", &files);
    let (pool, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let case = PoolCase { dir, pool, outside };
    case.add_diff("right.patch", CART_FILE, &cart_source("0", ""));
    let result = case.validate(&["--classpath", JUNIT]).json();
    assert!(result["patches"][0]["generated"].as_u64().is_some_and(|one| one > 0), "{result:#}");
}

const DISCOUNT_FILE: &str = "src/main/java/shop/Discount.java";

fn discount_source(condition: &str) -> String {
    format!(
        "package shop;\n\n/** Percent of a price: from 1 to 100, both included. */\npublic class Discount {{\n    \
         private final int percent;\n\n    public Discount(int percent) {{\n        if ({condition}) {{\n            \
         throw new IllegalArgumentException(\"no discount: \" + percent);\n        }}\n        \
         this.percent = percent;\n    }}\n\n    public int price(int cents) {{\n        \
         return cents * (100 - percent) / 100;\n    }}\n}}\n"
    )
}

const DISCOUNT_TEST: &str = "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\n\
    import org.junit.Test;\n\npublic class DiscountTest {\n    \
    @Test public void all() { assertEquals(0, new Discount(100).price(250)); }\n    \
    @Test public void half() { assertEquals(125, new Discount(50).price(250)); }\n    \
    @Test(expected = IllegalArgumentException.class) public void none() { new Discount(0); }\n}\n";

#[test]
fn plausible_patch_that_bypasses_a_check_gets_low_confidence() {
    let dir = repository();
    let files = [
        (DISCOUNT_FILE, discount_source("percent < 1 || percent >= 100")),
        ("src/test/java/shop/DiscountTest.java", DISCOUNT_TEST.to_owned()),
    ];
    commit(dir.path(), "one", &files);
    let (pool, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let case = PoolCase { dir, pool, outside };
    case.add_diff("bound.patch", DISCOUNT_FILE, &discount_source("percent < 1 || percent > 100"));
    case.add_diff("bypass.patch", DISCOUNT_FILE, &discount_source("percent < 1"));
    let padded = discount_source("percent < 1").replace("public int", "public synchronized int");
    case.add_diff("padded.patch", DISCOUNT_FILE, &padded);
    let output = case.validate(&["--classpath", JUNIT, "--minimise"]);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    let expected = ["bound.patch pass -", "bypass.patch pass -", "padded.patch pass -"];
    assert_eq!(patch_verdicts(&result), expected);
    let [bound, bypass, padded] = [0, 1, 2].map(|at| &result["patches"][at]);
    assert_eq!((&padded["minimal"], &padded["patch"]), (&false.into(), &bypass["patch"]));
    assert_eq!(padded["confidence"], "low", "{result:#}");
    assert_eq!(bound["overfitting_signs"], serde_json::json!([]), "{result:#}");
    assert_eq!(bypass["overfitting_signs"][0], "only bypasses a check", "{result:#}");
    let generated = |patch: &Value| patch["generated"].as_u64().unwrap();
    assert!(generated(bound) > generated(bypass), "{result:#}");
    assert_eq!(bypass["confidence"], "low", "{result:#}");
    assert!(bound["confidence"] != "low", "{result:#}");
    let fixes = result["fixes"].as_array().unwrap();
    let fix = fixes.iter().find(|fix| fix["operator"] == "bypass.patch").unwrap();
    assert_eq!(fix["confidence"], "low");
    assert_eq!(fix["confidence_reason"], "it only bypasses a check");
    assert_eq!(fix["validated"]["generated"], bypass["generated"]);
}

const PURSE_FILE: &str = "src/main/java/shop/Purse.java";

fn purse_source(modifier: &str, operator: &str) -> String {
    format!(
        "package shop;\n\nclass Purse {{\n    private int sum;\n\n    {modifier}void add(int amount) {{\n        \
         int before = sum;\n        sum = before {operator} amount;\n    }}\n\n    {modifier}int sum() {{\n        \
         return sum;\n    }}\n}}\n"
    )
}

const PURSE_TEST: &str = "package shop;\n\nclass PurseTest {\n    \
    public static void main(String[] x) throws Exception {\n        Purse purse = new Purse();\n        \
    Thread other = new Thread(() -> purse.add(1));\n        other.start();\n        purse.add(2);\n        \
    other.join();\n        if (purse.sum() != 3) throw new IllegalStateException(\"sum\");\n    }\n}\n";

#[test]
fn patch_with_a_race_is_rejected_by_schedules() {
    let case = PoolCase::new();
    let files = [
        (PURSE_FILE, purse_source("", "-")),
        ("src/test/java/shop/PurseTest.java", PURSE_TEST.to_owned()),
    ];
    commit(case.dir.path(), "two", &files);
    case.add_diff("locked.patch", PURSE_FILE, &purse_source("synchronized ", "+"));
    case.add_diff("racy.patch", PURSE_FILE, &purse_source("", "+"));
    let pool = case.pool.path().to_str().unwrap();
    let arguments = ["validate", "--pool", pool, "--test", "shop.PurseTest", "--minimise"];
    let output = run_mend_keeping_repository(case.dir.path(), &arguments);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = fs::read(case.run_folder().join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&result).unwrap();
    let [locked, racy] = [0, 1].map(|at| &result["patches"][at]);
    assert!(locked["schedules"].as_u64().unwrap() > 1, "{result:#}");
    assert_eq!(locked["schedule_fault"], Value::Null, "{result:#}");
    assert!(racy["schedule_fault"].is_string(), "{result:#}");
    assert_eq!(racy["verdict"], "fail", "{result:#}");
    // No test calls `sum` concurrently, and yet its lock is needed.
    assert_eq!((&locked["minimal"], &locked["tokens"]), (&Value::Null, &4.into()), "{result:#}");
    assert!(result["not_checked"].to_string().contains("a lock is unnecessary"), "{result:#}");
    let fixes = result["fixes"].as_array().unwrap();
    assert_eq!(fixes.len(), 1, "{result:#}");
    assert_eq!(fixes[0]["operator"], "locked.patch", "{result:#}");
    let summary = "1 patch is racy: the tests pass, but a thread schedule shows a fault";
    assert!(output.stdout.contains(summary), "{}", output.stdout);
    assert!(output.stdout.contains("racy.patch    racy"), "{}", output.stdout);
    assert!(output.stdout.contains("thread schedules show "), "{}", output.stdout);
}

#[test]
fn source_patches_are_located_by_path_or_package() {
    let case = PoolCase::new();
    write(case.pool.path(), &format!("1/{CART_FILE}"), cart_source("0", ""));
    write(case.pool.path(), "2/shop/Cart.java", cart_source("0", ""));
    write(case.pool.path(), "3/Cart.java", cart_source("0", ""));
    let helper =
        "package shop;\n\nclass Helper {\n    static int first() {\n        return 0;\n    }\n}\n";
    write(case.pool.path(), "4/shop/Cart.java", cart_source("Helper.first()", ""));
    write(case.pool.path(), "4/shop/Helper.java", helper);
    write(case.pool.path(), "5/shop/Cart.java", cart_source("2", ""));
    write(case.pool.path(), "6/shop/Cart.java", cart_source("1", ""));
    let output = case.validate(&[]);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    let expected =
        ["1 pass -", "2 pass -", "3 pass -", "4 pass -", "5 fail -", "6 unresolved rejected"];
    assert_eq!(patch_verdicts(&result), expected);
    assert!(patch_reason(&result, "6").contains("it changes nothing"));
    // Three of the patches have the same result.
    assert_eq!(result["fixes"].as_array().unwrap().len(), 2);
    assert_eq!(result["patches"][2]["patch"], "fix-1.patch");
    assert_eq!(result["fixes"][1]["files"][1], "src/main/java/shop/Helper.java");
}

/// Compiles a cart with a nested class into a folder.
fn compile_cart(first: &str, to: &Path) {
    let home = tempfile::tempdir().unwrap();
    let inner = "class Cart {\n    static class First { static int of() { return FIRST; } }\n";
    let text =
        cart_source("First.of()", "").replace("class Cart {\n", inner).replace("FIRST", first);
    write(home.path(), "Cart.java", text);
    fs::create_dir_all(to).unwrap();
    let mut javac = Command::new("javac");
    let status = javac.arg("-d").arg(to).arg(home.path().join("Cart.java")).status().unwrap();
    assert!(status.success());
}

#[test]
fn class_patches_replace_compiled_and_nested_classes() {
    let case = PoolCase::new();
    compile_cart("0", &case.pool.path().join("1"));
    compile_cart("2", &case.pool.path().join("2"));
    write(case.pool.path(), "3/shop/Cart.class", "no class at all");
    // This patch lacks its nested class, which bad does not have either.
    compile_cart("0", &case.pool.path().join("4"));
    fs::remove_file(case.pool.path().join("4/shop/Cart$First.class")).unwrap();
    let output = case.validate(&["--engine", "resident"]);
    output.assert_exit_and_stderr(0, &["that the class files of the pool match sources"]);
    let result = output.json();
    assert_eq!(
        patch_verdicts(&result),
        ["1 pass -", "2 fail -", "3 unresolved rejected", "4 fail -"]
    );
    assert!(patch_reason(&result, "3").contains("is not a class file"));
    assert_eq!(
        (&result["fixes"][0]["operator"], &result["fixes"][0]["patch"]),
        (&"1".into(), &Value::Null)
    );
    assert_eq!(result["confirmed"]["fresh_build"], false);
    let trials = judged_trials(&case.run_folder());
    assert!(trials.contains(&("1".to_owned(), "warm-jvm".to_owned())), "{trials:?}");
    assert!(trials.contains(&("1 in a clean build".to_owned(), "clean-build".to_owned())));
}

#[test]
fn minimise_reduces_a_patch_to_its_needed_part() {
    let case = PoolCase::new();
    let lengthy = cart_source("0", "        String text = \"a\".trim();\n")
        .replace("int count()", "final int count()")
        .replace("void add", "final void add");
    case.add_diff("1.patch", CART_FILE, &lengthy);
    let unminimised =
        case.validate(&["--output", case.outside_run_folder("whole").to_str().unwrap()]);
    unminimised.assert_exit_and_stderr(0, &[]);
    let shrunk = case.outside_run_folder("shrunk");
    let result = case.validate(&["--minimise", "--output", shrunk.to_str().unwrap()]).json();
    let unminimised = unminimised.json();
    assert!(unminimised["fixes"][0]["tokens"].as_u64().unwrap() > 10, "{}", unminimised["fixes"]);
    assert_eq!(result["fixes"][0]["tokens"], 2);
    assert_eq!(result["patches"][0]["minimal"], false);
    assert_eq!(unminimised["patches"][0]["minimal"], Value::Null);
    assert_eq!(result["patches"][0]["tokens"], unminimised["patches"][0]["tokens"]);
    git(case.dir.path(), &["apply", shrunk.join("fix-1.patch").to_str().unwrap()]);
    assert_eq!(fs::read_to_string(case.dir.path().join(CART_FILE)).unwrap(), cart_source("0", ""));
}

#[test]
fn resumed_validation_reuses_verdicts() {
    let case = mixed_pool();
    let mut command = program(case.dir.path());
    command
        .args(case.validate_arguments(&["--jobs", "1"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let runs = case.dir.path().join(".git/mend/runs");
    let has_begun = || {
        let folders = fs::read_dir(&runs).into_iter().flatten().flatten();
        folders.into_iter().any(|run| {
            fs::read_to_string(run.path().join("trials.jsonl"))
                .is_ok_and(|text| text.contains("2.diff"))
        })
    };
    assert!(wait_until(has_begun), "no patch was tried");
    child.kill().unwrap();
    child.wait().unwrap();
    let output = run_mend(case.dir.path(), &["validate", "--resume", "--format", "json"]);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    assert_eq!(
        (&result["status"], &result["patches"][9]["verdict"]),
        (&"found".into(), &"pass".into())
    );
    assert!(result["cost"]["cached"].as_u64().unwrap() >= 4, "{}", result["cost"]);
    assert_eq!(fs::read_dir(runs).unwrap().count(), 1);
    let run = case.run_folder();
    let second_result = case.validate(&["--resume", "--output", run.to_str().unwrap()]).json();
    assert_eq!(
        (&second_result["cost"]["tests"], &second_result["cost"]["builds"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn pool_without_plausible_patch_exits_with_1() {
    let case = PoolCase::new();
    case.add_diff("1.patch", CART_FILE, &cart_source("2", ""));
    let output = case.validate(&[]);
    output.assert_exit_and_stderr(1, &[]);
    let result = output.json();
    assert_eq!((&result["status"], &result["fixes"]), (&"none".into(), &Value::Array(Vec::new())));
    assert_eq!(
        result["message"],
        "0 of 1 patch is plausible; to fix: 1 test; must still pass: 1 test"
    );
}

#[test]
fn parallel_and_repeated_validation_agree() {
    let case = mixed_pool();
    let [one, many] = ["one", "many"].map(|name| case.outside_run_folder(name));
    let one = case.validate(&["--jobs", "1", "--output", one.to_str().unwrap()]).json();
    let many = ["--jobs", "3", "--repeat", "2", "--output", many.to_str().unwrap()];
    let many = case.validate(&many).json();
    assert_eq!(patch_verdicts(&one), patch_verdicts(&many));
    assert_eq!(one["fixes"], many["fixes"]);
}

#[test]
fn invalid_validate_requests_are_rejected() {
    let case = mixed_pool();
    let pool = case.pool.path().to_str().unwrap();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["--pool", pool, "--test", "shop.CountTest"], 3, "does not fail on bad (HEAD)"),
        (&["--pool", pool, "--test", "shop.NoTest"], 2, "no test matches `shop.NoTest`"),
        (&["--pool", pool], 2, "no test given"),
        (&["--test", "shop.TotalTest"], 2, "no patches given"),
        (&["--pool", "nowhere", "--test", "shop.TotalTest"], 2, "cannot read the pool"),
        (&["--pool", "src", "--test", "shop.TotalTest", "--repeat", "auto"], 2, "--repeat auto"),
        (&["--pool", pool, "--test", "shop.TotalTest", "--bad", "v7"], 2, "unknown revision `v7`"),
    ];
    for (arguments, code, words) in cases {
        let output = run_mend(case.dir.path(), &[&["validate"], arguments].concat());
        output.assert_exit_and_stderr(code, &[words, "help: "]);
    }
}

#[test]
fn folder_validation_names_unfixed_tests() {
    let case = mixed_pool();
    let own = test_source("OwnTest", "false");
    write(case.dir.path(), "src/test/java/shop/OwnTest.java", own);
    fs::remove_dir_all(case.dir.path().join(".git")).unwrap();
    let pool = case.pool.path().to_str().unwrap();
    let home = tempfile::tempdir().unwrap();
    let bad = case.dir.path().to_str().unwrap();
    let arguments =
        ["validate", "--bad", bad, "--pool", pool, "--test", "shop.*Test", "--format", "json"];
    let output = run_mend(home.path(), &arguments);
    output.assert_exit_and_stderr(1, &["shop.OwnTest#main, shop.TotalTest#main fail"]);
    let message = output.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("no patch fixes shop.OwnTest#main"), "{message}");
}

/// Returns statements that use the default TLS context, a JVM state that the resident engine does not check
/// (`docs/benchmarks/engine.md`).
fn tls_statements(statements: &str) -> String {
    format!(
        "        try {{\n            {statements}\n        }} catch (java.security.GeneralSecurityException e) {{\n            \
         throw new IllegalStateException(e);\n        }}\n"
    )
}

#[test]
fn warm_jvm_contradiction_switches_the_engine_off() {
    let case = PoolCase::new();
    let changes_default_context = tls_statements(
        "javax.net.ssl.SSLContext own = javax.net.ssl.SSLContext.getInstance(\"TLSv1.2\");
            own.init(null, null, null);
            javax.net.ssl.SSLContext.setDefault(own);",
    );
    case.add_diff("1.patch", CART_FILE, &cart_source("0", &changes_default_context));
    let reads_default_context = tls_statements(
        "if (javax.net.ssl.SSLContext.getDefault().getProtocol().equals(\"TLSv1.2\")) first = 0;",
    );
    case.add_diff(
        "2.patch",
        CART_FILE,
        &cart_source("first", &format!("        int first = 1;\n{reads_default_context}")),
    );
    case.add_diff("3.patch", CART_FILE, &cart_source("0", ""));
    let output = case.validate(&["--engine", "auto", "--jobs", "1"]);
    output.assert_exit_and_stderr(
        0,
        &["the resident engine contradicted fresh processes and was switched off"],
    );
    assert_eq!(
        patch_verdicts(&output.json()),
        ["1.patch pass -", "2.patch fail -", "3.patch pass -"]
    );
    let modes =
        judged_trials(&case.run_folder()).into_iter().map(|(_, mode)| mode).collect::<Vec<_>>();
    assert_eq!(modes.last().map(String::as_str), Some("clean-build"), "{modes:?}");
}
