//! Tests of `git mend fix --technique concurrency` and `git mend explore --audit` on the programs in
//! `fixtures/concurrency`.

use crate::generator::{diff_of, write_answer};
use crate::support::{
    CommandOutput, JUNIT, commit, git, repository, run_folder, run_mend,
    run_mend_keeping_repository,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use walkdir::WalkDir;

const CASES_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/concurrency");
/// Creates a repository with the sources of a program in `fixtures/concurrency`.
pub(crate) fn case_repository(case: &str) -> TempDir {
    let dir = repository();
    let root = Path::new(CASES_DIR).join(case);
    let walk = WalkDir::new(root.join("src")).into_iter().map(Result::unwrap);
    let files: Vec<(String, Vec<u8>)> = walk
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text)).collect();
    commit(dir.path(), "one", &files);
    dir
}

fn fix(dir: &TempDir, more: &[&str]) -> CommandOutput {
    let default_arguments = ["fix", "--test", "*.*Test", "--classpath", JUNIT, "--top", "1"];
    run_mend_keeping_repository(dir.path(), &[&default_arguments, more].concat())
}

/// Returns the best fix of a program, and its patch.
fn best_fix(case: &str) -> (Value, String) {
    let dir = case_repository(case);
    let output = fix(&dir, &["--technique", "concurrency", "--format", "json"]);
    assert_eq!(output.code, 0, "{case}: {}", output.stderr);
    let best = output.json()["fixes"][0].clone();
    let patch = run_folder(dir.path()).join(best["patch"].as_str().unwrap());
    (best, fs::read_to_string(patch).unwrap())
}

/// Returns the operator of the human fix, from the program's README.
fn expected_operator(case: &str) -> String {
    let text = fs::read_to_string(Path::new(CASES_DIR).join(case).join("README.md")).unwrap();
    text.lines().find_map(|line| line.strip_prefix("Operator: ")).unwrap().to_owned()
}

/// Returns the deleted and inserted lines of a patch.
fn changed_lines(patch: &str) -> Vec<&str> {
    let is_change = |line: &&str| {
        (line.starts_with('-') || line.starts_with('+'))
            && !line.starts_with("---")
            && !line.starts_with("+++")
    };
    patch.lines().filter(is_change).collect()
}

#[test]
fn lost_update_is_fixed_with_the_existing_lock() {
    let (best, patch) = best_fix("coin-transfer");
    assert_eq!(best["operator"], expected_operator("coin-transfer"));
    assert_eq!(best["technique"], "concurrency");
    let expected =
        ["-    public void add(int amount) {", "+    public synchronized void add(int amount) {"];
    assert_eq!(changed_lines(&patch), expected);
    let validated = &best["validated"];
    assert_eq!(validated["failing_pass"], 1);
    assert_eq!(validated["exhaustive"], true, "{validated}");
    assert!(
        validated["bound"]
            .as_str()
            .unwrap()
            .starts_with("exhaustive under sequential consistency: ")
    );
    let asked: Vec<&str> =
        validated["checks"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(asked[0].ends_with(" with the seed that failed"), "{asked:?}");
    assert_eq!(asked.last(), Some(&"passing runs still print the same output"));
}

#[test]
fn object_is_locked_in_all_methods_that_check_and_change_it() {
    let (best, patch) = best_fix("boat-rental");
    assert_eq!(best["operator"], expected_operator("boat-rental"));
    let lines = changed_lines(&patch);
    let locked =
        lines.iter().filter(|line| line.trim_start_matches('+').trim() == "synchronized (boat) {");
    assert_eq!(locked.count(), 2, "{patch}");
}

#[test]
fn state_of_object_is_checked_again_under_its_lock() {
    let (best, patch) = best_fix("costume-rack");
    assert_eq!(best["operator"], expected_operator("costume-rack"));
    let lines = changed_lines(&patch);
    let added: Vec<&str> =
        lines.iter().filter_map(|line| line.strip_prefix('+')).map(str::trim).collect();
    let repeated = [
        "synchronized (costume) {",
        "if (costume.getState() != Costume.State.WORN) {",
        "throw new IllegalStateException(\"The costume is not worn\");",
        "}",
        "costume.setState(Costume.State.HANGING);",
    ];
    assert!(added.windows(repeated.len()).any(|window| window == repeated), "{patch}");
    assert_eq!(added.iter().filter(|line| **line == repeated[0]).count(), 2, "{patch}");
}

#[test]
fn only_outermost_call_publishes_its_result() {
    let (best, patch) = best_fix("codec-cache");
    assert_eq!(best["operator"], expected_operator("codec-cache"));
    let expected = [
        "-            cache.put(type, created);",
        "+            if (isOutermost) {",
        "+                cache.put(type, created);",
        "+            }",
    ];
    assert_eq!(changed_lines(&patch), expected);
}

#[test]
fn collection_with_single_calls_becomes_concurrent() {
    let (best, patch) = best_fix("unit-names");
    assert_eq!(best["operator"], expected_operator("unit-names"));
    assert!(
        patch.contains(
            "+    private static final Map<String, Double> FACTORS = new ConcurrentHashMap<>();"
        ),
        "{patch}"
    );
}

#[test]
fn unjoined_thread_is_joined() {
    let (best, patch) = best_fix("merge-sort");
    assert_eq!(best["operator"], expected_operator("merge-sort"));
    assert_eq!(changed_lines(&patch), ["+        half.join();"]);
}

#[test]
fn deadlock_is_fixed_by_lock_ordering() {
    let (best, patch) = best_fix("two-drawers");
    assert_eq!(best["operator"], expected_operator("two-drawers"));
    assert!(patch.contains("identityHashCode"), "{patch}");
}

#[test]
fn wait_while_holding_lock_is_fixed() {
    let (best, patch) = best_fix("bread-box");
    assert_eq!(best["operator"], expected_operator("bread-box"));
    assert!(
        changed_lines(&patch).contains(
            &"-    public synchronized void put(String loaf) throws InterruptedException {"
        )
    );
    assert_eq!(best["validated"]["exhaustive"], true, "{best}");
}

#[test]
fn mutual_transfers_lock_in_fixed_order() {
    let dir = repository();
    let account = "package shop;\n\nclass Account {\n    private int sum = 9;\n\n    \
        synchronized void pay(Account to) {\n        sum--;\n        to.add();\n    }\n\n    \
        synchronized void add() {\n        sum++;\n    }\n\n    synchronized int sum() {\n        \
        return sum;\n    }\n}\n";
    let test = "package shop;\n\nclass AccountTest {\n    public static void main(String[] x) throws Exception {\n        \
        Account left = new Account();\n        Account right = new Account();\n        \
        Thread one = new Thread(() -> left.pay(right));\n        one.start();\n        right.pay(left);\n        \
        one.join();\n        if (left.sum() != 9) throw new IllegalStateException();\n    }\n}\n";
    let files = [
        ("src/main/java/shop/Account.java", account),
        ("src/test/java/shop/AccountTest.java", test),
    ];
    commit(dir.path(), "one", &files);
    let output = fix(&dir, &["--technique", "concurrency"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let why = "Account.pay acquires both locks in a fixed order, by identity hash code";
    assert!(output.stdout.contains(why), "{}", output.stdout);
}

/// Lanes with a check-then-act fault, whose holder joins a thread.
const LANES_SOURCE: &str = r"package shop;

class Lanes {
    private static int free = 1;

    static synchronized boolean isFree() {
        return free > 0;
    }

    static synchronized void take() {
        free--;
        if (free < 0) {
            throw new IllegalStateException();
        }
    }

    static synchronized void leave() {
        free++;
    }

    static void drive(Runnable car) throws InterruptedException {
        if (isFree()) {
            take();
            Thread helper = new Thread(car);
            helper.start();
            helper.join();
            leave();
        } else {
            car.run();
        }
    }
}
";

const LANES_TEST: &str = r"package shop;

class LanesTest {
    public static void main(String[] x) throws Exception {
        Thread one = new Thread(() -> {
            try {
                Lanes.drive(() -> { });
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        one.start();
        Lanes.drive(() -> { });
        one.join();
    }
}
";

#[test]
fn check_then_act_is_made_atomic_without_holding_lock_in_join() {
    let dir = repository();
    let files = [
        ("src/main/java/shop/Lanes.java", LANES_SOURCE),
        ("src/test/java/shop/LanesTest.java", LANES_TEST),
    ];
    commit(dir.path(), "one", &files);
    let output = fix(&dir, &["--technique", "concurrency"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let patch = fs::read_to_string(run_folder(dir.path()).join("fix-1.patch")).unwrap();
    let expected = [
        "-        if (isFree()) {",
        "-            take();",
        "+        boolean isFree;",
        "+        synchronized (Lanes.class) {",
        "+            isFree = isFree();",
        "+            if (isFree) {",
        "+                take();",
        "+            }",
        "+        }",
        "+        if (isFree) {",
    ];
    assert_eq!(changed_lines(&patch), expected);
}

#[test]
fn lost_signal_is_fixed_with_a_condition_loop() {
    let (best, patch) = best_fix("lost-notify");
    assert_eq!(best["operator"], expected_operator("lost-notify"));
    assert!(patch.contains("+        while (letter == null) {"), "{patch}");
}

#[test]
fn stop_flag_becomes_volatile() {
    let (best, patch) = best_fix("stop-flag");
    assert_eq!(best["operator"], expected_operator("stop-flag"));
    assert!(patch.contains("+    private volatile boolean isStopped;"), "{patch}");
}

#[test]
fn sleep_in_a_test_is_replaced_by_join() {
    let (best, patch) = best_fix("sleepy-test");
    assert_eq!(best["operator"], expected_operator("sleepy-test"));
    let expected =
        ["-        kettle.heat();", "-        Thread.sleep(50);", "+        kettle.heat().join();"];
    assert_eq!(changed_lines(&patch), expected);
}

const LOST_UPDATE_TEST: &str = "package shop;\n\nclass TillTest {\n    static int sum;\n    static void add() {\n        \
    sum++;\n    }\n    public static void main(String[] x) throws Exception {\n        \
    Thread one = new Thread(TillTest::add);\n        one.start();\n        add();\n        \
    one.join();\n        if (sum != 2) throw new IllegalStateException(\"lost\");\n    }\n}\n";

/// Creates a repository with a counter in a separate file, and a test that usually passes.
fn flaky_counter_repository() -> TempDir {
    let dir = repository();
    let till = "package shop;\n\nclass Till {\n    private static int sum;\n\n    static void add() {\n        sum++;\n    \
                }\n\n    static synchronized int sum() {\n        return sum;\n    }\n}\n";
    let test = LOST_UPDATE_TEST
        .replace("    static int sum;\n    static void add() {\n        sum++;\n    }\n", "")
        .replace("TillTest::add", "Till::add")
        .replace("        add();", "        Till.add();")
        .replace("sum != 2", "Till.sum() != 2");
    let files = [
        ("src/main/java/shop/Till.java", till.to_owned()),
        ("src/test/java/shop/TillTest.java", test),
    ];
    commit(dir.path(), "one", &files);
    dir
}

#[test]
fn flaky_test_is_fixed_without_technique_option() {
    let dir = flaky_counter_repository();
    let output = fix(&dir, &[]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    for words in [
        "static {+synchronized+} void add",
        "Fix 1 (1 token): Till.add holds the lock of the class Till",
        "no failure in ",
        "Why: ",
        "Apply:      git apply ",
    ] {
        assert!(output.stdout.contains(words), "no `{words}` in:\n{}", output.stdout);
    }
}

#[test]
fn code_run_only_on_failure_may_disappear() {
    let dir = flaky_counter_repository();
    let path = "src/test/java/shop/TillTest.java";
    let test = fs::read_to_string(dir.path().join(path)).unwrap();
    let audit_statements = "        Audit audit = new Audit();\n        audit.start();\n        audit.join();\n        if (audit.isWrong)";
    let audit = "package shop;\n\nclass Audit extends Thread {\n    boolean isWrong;\n\n    @Override\n    public void run() {\n        \
        if (Till.sum() != 2) isWrong = true;\n    }\n}\n";
    let files = [
        (path, test.replace("        if (Till.sum() != 2)", audit_statements)),
        ("src/main/java/shop/Audit.java", audit.to_owned()),
    ];
    commit(dir.path(), "two", &files);
    let output = fix(&dir, &["--technique", "concurrency"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("static {+synchronized+} void add"), "{}", output.stdout);
    // This race is a consequence of the failure, not its cause.
    assert!(!output.stdout.contains("Audit.isWrong"), "{}", output.stdout);
}

#[test]
fn fix_reports_when_no_schedule_fails() {
    let dir = flaky_counter_repository();
    let fixed = "package shop;\n\nclass Till {\n    private static int sum;\n\n    static synchronized void add() {\n        \
                  sum++;\n    }\n\n    static synchronized int sum() {\n        return sum;\n    }\n}\n";
    commit(dir.path(), "two", &[("src/main/java/shop/Till.java", fixed)]);
    let output = fix(&dir, &["--technique", "concurrency"]);
    assert_eq!(output.code, 3, "{}{}", output.stdout, output.stderr);
    assert!(output.stderr.contains("schedules fails, has a data race"), "{}", output.stderr);
}

#[test]
fn uncontrolled_thread_is_an_environment_error() {
    let dir = repository();
    let text = "package shop;\n\nclass TillTest {\n    static synchronized void add() {}\n\n    \
        public static void main(String[] x) throws Exception {\n        \
        Thread hidden = new Thread(() -> add());\n        \
        Thread.class.getMethod(\"start\").invoke(hidden);\n        \
        Thread.class.getMethod(\"join\").invoke(hidden);\n    }\n}\n";
    commit(dir.path(), "one", &[("src/test/java/shop/TillTest.java", text)]);
    let output = fix(&dir, &["--technique", "concurrency"]);
    output.assert_exit_and_stderr(
        4,
        &["cannot control the threads of these tests", "the scheduler does not control it"],
    );
}

/// Creates a patch that changes one file.
fn create_patch(dir: &TempDir, file: &str, change: impl Fn(&str) -> String) -> String {
    let path = dir.path().join(file);
    let before = fs::read_to_string(&path).unwrap();
    fs::write(&path, change(&before)).unwrap();
    let file = dir.path().join(".git/a.patch");
    git(dir.path(), &["diff", &format!("--output={}", file.display())]);
    fs::write(&path, before).unwrap();
    file.to_str().unwrap().to_owned()
}

fn audit_patch(dir: &TempDir, patch: &str) -> CommandOutput {
    let default_arguments =
        ["explore", "--test", "*.*Test", "--classpath", JUNIT, "--schedules", "150"];
    run_mend(dir.path(), &[&default_arguments[..], &["--audit", patch]].concat())
}

pub(crate) const PURSE_FILE: &str = "src/main/java/cointransfer/Purse.java";

#[test]
fn correct_patch_passes_audit_exhaustively() {
    let dir = case_repository("coin-transfer");
    let good =
        create_patch(&dir, PURSE_FILE, |text| text.replace("void add", "synchronized void add"));
    let output = audit_patch(&dir, &good);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.starts_with("the patch passes the audit: none of "), "{}", output.stdout);
    assert!(output.stdout.contains(
        "\nExhaustive under sequential consistency: none of the 3 inequivalent schedules fails"
    ));
    assert!(output.stdout.contains("Apply:      git apply "), "{}", output.stdout);
}

#[test]
fn audit_reports_changed_output() {
    let dir = case_repository("coin-transfer");
    let loud = create_patch(&dir, PURSE_FILE, |text| {
        let add = "synchronized void add(int amount) {";
        text.replace(
            "void add(int amount) {",
            &format!("{add}\n        System.out.println(\"added\");"),
        )
    });
    let output = audit_patch(&dir, &loud);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let expected_message = "with the patch, passing runs print `added` instead of `nothing`";
    assert!(output.stdout.contains(expected_message), "{}", output.stdout);
}

#[test]
fn fix_that_changes_output_is_rejected() {
    let fix_till = |said: &str| {
        let dir = repository();
        let till = format!(
            "package shop;\n\nclass Till {{\n    private volatile int sum;\n\n    \
             void day() throws InterruptedException {{\n        Thread clerk = new Thread(() -> {{\n            \
             if (sum == 0) throw new IllegalStateException();\n        }});\n        clerk.start();\n        \
             open(clerk);\n        clerk.join();\n    }}\n\n    void open(Thread clerk) {{\n        \
             System.out.println({said});\n        sum = 7;\n    }}\n}}\n"
        );
        let test = "package shop;\n\nclass TillTest {\n    public static void main(String[] x) throws Exception {\n        \
            new Till().day();\n    }\n}\n";
        let files = [
            ("src/main/java/shop/Till.java", till.as_str()),
            ("src/test/java/shop/TillTest.java", test),
        ];
        commit(dir.path(), "one", &files);
        let output = fix(&dir, &["--technique", "concurrency", "--format", "json"]);
        (output.code, output.json()["fixes"][0]["operator"].as_str().map(str::to_owned))
    };
    assert_eq!(fix_till("\"opens\""), (0, Some("move".to_owned())));
    // If the clerk started after this statement, `isAlive` would change its result, so there is no fix.
    assert_eq!(fix_till("clerk.isAlive()"), (1, None));
}

#[test]
fn ineffective_or_deadlocking_patch_fails_the_audit() {
    let dir = case_repository("coin-transfer");
    let idle = create_patch(&dir, PURSE_FILE, |text| {
        text.replace("int before = sum;", "int before = this.sum;")
    });
    let output = audit_patch(&dir, &idle);
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
    assert!(
        output.stdout.starts_with("the patch fails the audit: a failure in schedule "),
        "{}",
        output.stdout
    );
    let dir = case_repository("coin-transfer");
    let circular = create_patch(&dir, PURSE_FILE, |text| {
        text.replace("void add", "synchronized void add")
            .replace("void move", "synchronized void move")
    });
    let output = audit_patch(&dir, &circular);
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
    assert!(
        output.stdout.starts_with("the patch fails the audit: a deadlock in schedule "),
        "{}",
        output.stdout
    );
    assert!(run_folder(dir.path()).join("schedule-1.json").is_file());
}

#[test]
fn patch_removing_threads_cannot_be_audited() {
    let dir = case_repository("coin-transfer");
    let file = "src/test/java/cointransfer/PurseTest.java";
    let alone = create_patch(&dir, file, |text| text.replace(".start()", ".run()"));
    let output = audit_patch(&dir, &alone);
    output.assert_exit_and_stderr(
        4,
        &["cannot check this patch by exploring schedules", "no longer starts a second thread"],
    );
}

#[test]
fn inapplicable_patch_is_a_usage_error() {
    let dir = case_repository("coin-transfer");
    let file = dir.path().join(".git/a.patch");
    fs::write(&file, "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
    assert_eq!(audit_patch(&dir, file.to_str().unwrap()).code, 2);
    assert_eq!(audit_patch(&dir, "nowhere.patch").code, 2);
}

/// Lost update of two threads with many steps around it, which random schedules rarely find.
const DISTANT_LOST_UPDATE_TEST: &str = "package shop;\n\nclass TillTest {\n    static volatile int steps;\n    static int sold;\n\n    \
    static void sell() {\n        walk();\n        int before = sold;\n        sold = before + 1;\n        \
    walk();\n    }\n\n    static void walk() {\n        for (int i = 0; i < 30; i++) steps = i;\n    }\n\n    \
    public static void main(String[] x) throws Exception {\n        Thread one = new Thread(TillTest::sell);\n        \
    one.start();\n        sell();\n        one.join();\n        \
    if (sold != 2) throw new IllegalStateException(\"lost\");\n    }\n}\n";

#[test]
fn audit_directs_schedules_at_the_faulty_variable() {
    let dir = repository();
    let test = "src/test/java/shop/TillTest.java";
    commit(dir.path(), "one", &[(test, DISTANT_LOST_UPDATE_TEST)]);
    let idle = create_patch(&dir, test, |text| text.replace("before + 1", "1 + before"));
    let order = ["explore", "--test", "shop.TillTest", "--schedules", "100", "--format", "json"];
    let output = run_mend(dir.path(), &[&order[..], &["--audit", &idle]].concat());
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
    let strategies = &output.json()["schedules"]["schedulers"];
    let share = |name: &str| {
        let number = |at: usize| strategies[name][at].as_f64().unwrap();
        number(1) / number(0)
    };
    let others = ["pos", "random", "pct"].map(share);
    assert!(others.into_iter().all(|other| share("directed") > 2.0 * other), "{strategies}");
}

/// Commits a test of the purse that is not selected. It passes without a fix, and with a fix if `holds` is true.
fn commit_unselected_test(dir: &TempDir, holds: &str) {
    let text = format!(
        "package cointransfer;\n\nimport java.lang.reflect.Modifier;\nimport org.junit.Assert;\n\n\
         public class HabitsTest {{\n    @org.junit.Test\n    public void add() throws Exception {{\n        \
         int how = Purse.class.getMethod(\"add\", int.class).getModifiers();\n        \
         Assert.assertTrue({holds});\n    }}\n}}\n"
    );
    commit(dir.path(), "two", &[("src/test/java/cointransfer/HabitsTest.java", text)]);
}

/// Options that select the failing test of the purse.
const SELECTED_TEST_OPTIONS: [&str; 4] = ["--test", "cointransfer.PurseTest", "--classpath", JUNIT];

#[test]
fn fix_breaking_unselected_tests_is_rejected() {
    let repaired = |holds: &str, more: &[&str]| {
        let dir = case_repository("coin-transfer");
        commit_unselected_test(&dir, holds);
        let default_arguments =
            ["fix", "--technique", "concurrency", "--top", "1", "--format", "json"];
        let output = run_mend_keeping_repository(
            dir.path(),
            &[&default_arguments[..], &SELECTED_TEST_OPTIONS, more].concat(),
        );
        (output.code, output.json())
    };
    let (code, accepted) = repaired("Modifier.isPublic(how)", &[]);
    assert_eq!(
        (code, &accepted["fixes"][0]["validated"]["affected_tests"]),
        (0, &Value::from(1)),
        "{accepted}"
    );
    let (code, refused) = repaired("!Modifier.isSynchronized(how)", &["--candidates", "1"]);
    let why = "cointransfer.HabitsTest#add fails with the patch and passes without it";
    let message = refused["message"].as_str().unwrap();
    assert_eq!(code, 1, "{refused}");
    assert!(message.contains(&format!("rejected by the final check: {why}")), "{message}");
    // After a rejected fix, further candidates are tried.
    let (code, other) = repaired("!Modifier.isSynchronized(how)", &[]);
    let message = other["message"].as_str().unwrap();
    assert_eq!(code, 0, "{message}");
    let expected_message = format!("1 candidate rejected by the final check: {why}; 1 fix");
    assert!(message.contains(&expected_message), "{message}");
    assert_eq!(other["fixes"][0]["validated"]["affected_tests"], 1);
}

#[test]
fn rejected_fix_does_not_hide_a_larger_patch_of_a_generator() {
    let (dir, folder) = (case_repository("coin-transfer"), tempfile::tempdir().unwrap());
    commit_unselected_test(&dir, "!Modifier.isSynchronized(how)");
    let patch_of = |path: &str, old: &str, new: &str| {
        let text = fs::read_to_string(dir.path().join(path)).unwrap();
        diff_of(dir.path(), path, &text.replace(old, new))
    };
    let body = "int before = sum;\n        sum = before + amount;";
    let locked = "synchronized (this) {\n            sum += amount;\n        }";
    let test = "src/test/java/cointransfer/PurseTest.java";
    let patches = [patch_of(PURSE_FILE, body, locked), patch_of(test, "20", "10 + 10")];
    let generator = write_answer(folder.path(), "", &[patches.join("\n")]);
    let arguments = ["fix", "--technique", "concurrency", "--top", "1", "--candidates", "1"];
    let more = ["--format", "json", "--trust-generator", "--generator", &generator];
    let arguments = [&arguments[..], &SELECTED_TEST_OPTIONS, &more].concat();
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = output.json();
    let message = result["message"].as_str().unwrap();
    assert!(message.contains("1 candidate rejected by the final check"), "{message}");
    let fix = &result["fixes"][0];
    assert_eq!(fix["operator"], "candidate-1", "{result:#}");
    assert!(fix["why"].as_str().unwrap().contains("the generator also changed tests"), "{fix:#}");
}

#[test]
fn patches_of_a_generator_are_tested_under_schedules() {
    let (dir, folder) = (case_repository("coin-transfer"), tempfile::tempdir().unwrap());
    let body = "int before = sum;\n        sum = before + amount;";
    let guard = "if (amount == 0) {\n            throw new IllegalArgumentException();\n        }";
    let purse = fs::read_to_string(dir.path().join(PURSE_FILE)).unwrap();
    let guarded_purse = purse.replace(body, &format!("{guard}\n        {body}"));
    commit(dir.path(), "check the amount", &[(PURSE_FILE, &guarded_purse)]);
    let patch_of =
        |old: &str, new: &str| diff_of(dir.path(), PURSE_FILE, &guarded_purse.replace(old, new));
    let locked = "synchronized (this) {\n            sum += amount;\n        }";
    let patches = [
        ("it is volatile", patch_of("int sum;", "volatile int sum;")),
        ("it does not compile", patch_of("int sum;", "int sum")),
        ("it adds under a lock", patch_of(body, locked)),
        ("it adds under a lock", patch_of(body, locked)),
    ];
    let candidates: Vec<Value> =
        patches.iter().map(|(reason, patch)| json!({"patch": patch, "reason": reason})).collect();
    let [answer, requests] = ["answer", "requests"].map(|name| folder.path().join(name));
    fs::write(&answer, json!({ "candidates": candidates }).to_string() + "\n").unwrap();
    let script = folder.path().join("generate.sh");
    let save = format!("read -r line; printf '%s\\n' \"$line\" >>{}\n", requests.display());
    fs::write(&script, format!("{save}cat {}\n{save}", answer.display())).unwrap();
    let generator = format!("sh {}", script.display());
    let arguments =
        ["fix", "--test", "*.*Test", "--classpath", JUNIT, "--technique", "concurrency"];
    let more = ["--candidates", "1", "--top", "9", "--format", "json", "--trust-generator"];
    let generator = ["--generator", &generator];
    let arguments = [&arguments[..], &more, &generator].concat();
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let result = output.json();
    let verdicts: Vec<&str> = result["generator"]["patches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|patch| patch["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["fail", "unresolved", "pass", "duplicate"], "{result:#}");
    let fixes = result["fixes"].as_array().unwrap();
    let fix = fixes.iter().find(|fix| fix["technique"] == "generator").unwrap();
    assert_eq!(fix["operator"], "candidate-3");
    assert!(fix["validated"]["schedules"].as_u64().unwrap() > 10, "{fix:#}");
    assert_eq!(result["generator"]["patches"][2]["patch"], fix["patch"]);
    let requests = fs::read_to_string(&requests).unwrap();
    let lines = requests.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let [request, answer] = lines.collect::<Vec<_>>().try_into().unwrap();
    let reason = answer["verdicts"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("a failure in schedule"), "{answer:#}");
    let schedules = &request["schedules"];
    assert!(schedules["failing"].as_u64().unwrap() > 0, "{request:#}");
    assert!(!schedules["steps"].as_array().unwrap().is_empty(), "{request:#}");
    let failing_test = &request["failing_tests"][0];
    assert!(failing_test["test"].as_str().unwrap().contains("PurseTest"));
    assert!(failing_test["stack"].to_string().contains("PurseTest.java:"), "{failing_test:#}");
    assert_eq!(request["locations"][0]["path"], PURSE_FILE, "{request:#}");
    assert_eq!(request["sources"][0]["path"], PURSE_FILE);
    let sources = request["sources"].as_array().unwrap();
    let is_test_source = |source: &&Value| {
        source["is_test"] == true && source["path"].as_str().unwrap().ends_with("PurseTest.java")
    };
    assert!(sources.iter().any(|source| is_test_source(&source)), "{request:#}");
    assert_eq!(request["locations"][0].get("passing_tests"), None, "{request:#}");
    assert_eq!(request["contracts"][0]["requires"], json!(["amount != 0"]), "{request:#}");
    let schema = run_mend(dir.path(), &["generate", "generator-schema"]).stdout;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&request), "{request:#}");
}

#[test]
fn patch_breaking_another_test_fails_the_audit() {
    let audited = |holds: &str| {
        let dir = case_repository("coin-transfer");
        commit_unselected_test(&dir, holds);
        let good = create_patch(&dir, PURSE_FILE, |text| {
            text.replace("void add", "synchronized void add")
        });
        let default_arguments = ["explore", "--schedules", "150", "--audit", &good];
        run_mend(dir.path(), &[&default_arguments[..], &SELECTED_TEST_OPTIONS].concat())
    };
    let passed = audited("Modifier.isPublic(how)");
    assert_eq!(passed.code, 0, "{}{}", passed.stdout, passed.stderr);
    assert!(passed.stdout.contains("\n1 other affected test passes\n"), "{}", passed.stdout);
    let broken = audited("!Modifier.isSynchronized(how)");
    let why = "cointransfer.HabitsTest#add fails with the patch and passes without it";
    assert_eq!(broken.code, 1, "{}{}", broken.stdout, broken.stderr);
    let expected_message = format!("the patch fails the audit: {why}");
    assert!(broken.stdout.starts_with(&expected_message), "{}", broken.stdout);
}
