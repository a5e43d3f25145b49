//! `git mend fix --technique concurrency` and `git mend explore --audit`, from faults of threads to what mends them.

use crate::support::{
    CommandOutput, JUNIT, commit, git, mend, mend_untouched, repository, run_folder,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use walkdir::WalkDir;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/concurrency");
/// A repository with the sources of a program in `fixtures/concurrency`.
fn with_case(case: &str) -> TempDir {
    let dir = repository();
    let root = Path::new(CASES).join(case);
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
    let usual = ["fix", "--test", "*.*Test", "--classpath", JUNIT, "--top", "1"];
    mend_untouched(dir.path(), &[&usual, more].concat())
}

/// The best repair of a program, and its patch.
fn best(case: &str) -> (Value, String) {
    let dir = with_case(case);
    let ran = fix(&dir, &["--technique", "concurrency", "--format", "json"]);
    assert_eq!(ran.code, 0, "{case}: {}", ran.stderr);
    let best = ran.json()["fixes"][0].clone();
    let patch = run_folder(dir.path()).join(best["patch"].as_str().unwrap());
    (best, fs::read_to_string(patch).unwrap())
}

/// What a person would do, as the program's README has it.
fn human(case: &str) -> String {
    let text = fs::read_to_string(Path::new(CASES).join(case).join("README.md")).unwrap();
    text.lines().find_map(|line| line.strip_prefix("Operator: ")).unwrap().to_owned()
}

/// The lines that a patch takes away and puts in.
fn changes(patch: &str) -> Vec<&str> {
    let is_change = |line: &&str| {
        (line.starts_with('-') || line.starts_with('+'))
            && !line.starts_with("---")
            && !line.starts_with("+++")
    };
    patch.lines().filter(is_change).collect()
}

#[test]
fn a_lost_update_is_mended_by_the_lock_that_others_take() {
    let (best, patch) = best("coin-transfer");
    assert_eq!(best["operator"], human("coin-transfer"));
    assert_eq!(best["technique"], "concurrency");
    let wanted =
        ["-    public void add(int amount) {", "+    public synchronized void add(int amount) {"];
    assert_eq!(changes(&patch), wanted);
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
fn a_thread_that_nobody_waits_for_is_joined() {
    let (best, patch) = best("merge-sort");
    assert_eq!(best["operator"], human("merge-sort"));
    assert_eq!(changes(&patch), ["+        half.join();"]);
}

#[test]
fn locks_that_block_each_other_are_taken_in_one_order() {
    let (best, patch) = best("two-drawers");
    assert_eq!(best["operator"], human("two-drawers"));
    assert!(patch.contains("identityHashCode"), "{patch}");
}

#[test]
fn a_lock_is_given_back_before_others_are_waited_for_who_need_it() {
    let (best, patch) = best("bread-box");
    assert_eq!(best["operator"], human("bread-box"));
    assert!(
        changes(&patch).contains(
            &"-    public synchronized void put(String loaf) throws InterruptedException {"
        )
    );
    assert_eq!(best["validated"]["exhaustive"], true, "{best}");
}

#[test]
fn accounts_that_pay_each_other_take_their_locks_in_one_order() {
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
    let ran = fix(&dir, &["--technique", "concurrency"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let why = "Account.pay acquires both locks in a fixed order, by identity hash code";
    assert!(ran.stdout.contains(why), "{}", ran.stdout);
}

/// Lanes of which one is asked for and taken in two steps, and a thread that is waited for then.
const LANES: &str = r"package shop;

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
fn what_is_asked_and_taken_is_one_step_and_threads_are_waited_for_without_the_lock() {
    let dir = repository();
    let files = [
        ("src/main/java/shop/Lanes.java", LANES),
        ("src/test/java/shop/LanesTest.java", LANES_TEST),
    ];
    commit(dir.path(), "one", &files);
    let ran = fix(&dir, &["--technique", "concurrency"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let patch = fs::read_to_string(run_folder(dir.path()).join("fix-1.patch")).unwrap();
    let wanted = [
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
    assert_eq!(changes(&patch), wanted);
}

#[test]
fn a_signal_that_came_before_is_not_missed() {
    let (best, patch) = best("lost-notify");
    assert_eq!(best["operator"], human("lost-notify"));
    assert!(patch.contains("+        while (letter == null) {"), "{patch}");
}

#[test]
fn a_flag_that_may_never_be_seen_becomes_volatile() {
    let (best, patch) = best("stop-flag");
    assert_eq!(best["operator"], human("stop-flag"));
    assert!(patch.contains("+    private volatile boolean isStopped;"), "{patch}");
}

#[test]
fn a_test_that_sleeps_waits_instead() {
    let (best, patch) = best("sleepy-test");
    assert_eq!(best["operator"], human("sleepy-test"));
    let wanted =
        ["-        kettle.heat();", "-        Thread.sleep(50);", "+        kettle.heat().join();"];
    assert_eq!(changes(&patch), wanted);
}

const COUNTED: &str = "package shop;\n\nclass TillTest {\n    static int sum;\n    static void add() {\n        \
    sum++;\n    }\n    public static void main(String[] x) throws Exception {\n        \
    Thread one = new Thread(TillTest::add);\n        one.start();\n        add();\n        \
    one.join();\n        if (sum != 2) throw new IllegalStateException(\"lost\");\n    }\n}\n";

/// A counter in a file of its own, and a test that passes on most days.
fn flaky() -> TempDir {
    let dir = repository();
    let till = "package shop;\n\nclass Till {\n    private static int sum;\n\n    static void add() {\n        sum++;\n    \
                }\n\n    static synchronized int sum() {\n        return sum;\n    }\n}\n";
    let test = COUNTED
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
fn a_test_that_passes_on_most_days_is_mended_without_being_told_how() {
    let dir = flaky();
    let ran = fix(&dir, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for words in [
        "static {+synchronized+} void add",
        "Fix 1 (1 token): Till.add holds the lock of the class Till",
        "no failure in ",
        "Why: ",
        "Apply:      git apply ",
    ] {
        assert!(ran.stdout.contains(words), "no `{words}` in:\n{}", ran.stdout);
    }
}

#[test]
fn what_only_a_failure_leads_to_need_not_be_done_any_more() {
    let dir = flaky();
    let path = "src/test/java/shop/TillTest.java";
    let test = fs::read_to_string(dir.path().join(path)).unwrap();
    let told = "        Audit audit = new Audit();\n        audit.start();\n        audit.join();\n        if (audit.isWrong)";
    let audit = "package shop;\n\nclass Audit extends Thread {\n    boolean isWrong;\n\n    @Override\n    public void run() {\n        \
        if (Till.sum() != 2) isWrong = true;\n    }\n}\n";
    let files = [
        (path, test.replace("        if (Till.sum() != 2)", told)),
        ("src/main/java/shop/Audit.java", audit.to_owned()),
    ];
    commit(dir.path(), "two", &files);
    let ran = fix(&dir, &["--technique", "concurrency"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("static {+synchronized+} void add"), "{}", ran.stdout);
    // It is a consequence, and not what went wrong.
    assert!(!ran.stdout.contains("Audit.isWrong"), "{}", ran.stdout);
}

#[test]
fn where_no_schedule_fails_the_premise_is_false() {
    let dir = flaky();
    let mended = "package shop;\n\nclass Till {\n    private static int sum;\n\n    static synchronized void add() {\n        \
                  sum++;\n    }\n\n    static synchronized int sum() {\n        return sum;\n    }\n}\n";
    commit(dir.path(), "two", &[("src/main/java/shop/Till.java", mended)]);
    let ran = fix(&dir, &["--technique", "concurrency"]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("schedules fails, has a data race"), "{}", ran.stderr);
}

#[test]
fn what_is_not_under_control_is_not_said_to_pass() {
    let dir = repository();
    let text = "package shop;\n\nclass TillTest {\n    static synchronized void add() {}\n\n    \
        public static void main(String[] x) throws Exception {\n        \
        Thread hidden = new Thread(() -> add());\n        \
        Thread.class.getMethod(\"start\").invoke(hidden);\n        \
        Thread.class.getMethod(\"join\").invoke(hidden);\n    }\n}\n";
    commit(dir.path(), "one", &[("src/test/java/shop/TillTest.java", text)]);
    let ran = fix(&dir, &["--technique", "concurrency"]);
    ran.says(
        4,
        &["cannot control the threads of these tests", "the scheduler does not control it"],
    );
}

/// A patch that makes one file of `src/main` another one.
fn patch(dir: &TempDir, file: &str, change: impl Fn(&str) -> String) -> String {
    let path = dir.path().join(file);
    let before = fs::read_to_string(&path).unwrap();
    fs::write(&path, change(&before)).unwrap();
    let file = dir.path().join(".git/a.patch");
    git(dir.path(), &["diff", &format!("--output={}", file.display())]);
    fs::write(&path, before).unwrap();
    file.to_str().unwrap().to_owned()
}

fn audit(dir: &TempDir, patch: &str) -> CommandOutput {
    let usual = ["explore", "--test", "*.*Test", "--classpath", JUNIT, "--schedules", "150"];
    mend(dir.path(), &[&usual[..], &["--audit", patch]].concat())
}

const PURSE: &str = "src/main/java/cointransfer/Purse.java";

#[test]
fn a_patch_that_holds_comes_with_a_proof() {
    let dir = with_case("coin-transfer");
    let good = patch(&dir, PURSE, |text| text.replace("void add", "synchronized void add"));
    let ran = audit(&dir, &good);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.starts_with("the patch passes the audit: none of "), "{}", ran.stdout);
    assert!(ran.stdout.contains(
        "\nExhaustive under sequential consistency: none of the 3 inequivalent schedules fails"
    ));
    assert!(ran.stdout.contains("Apply:      git apply "), "{}", ran.stdout);
}

#[test]
fn a_patch_that_makes_passing_runs_print_something_else_is_told_of() {
    let dir = with_case("coin-transfer");
    let loud = patch(&dir, PURSE, |text| {
        let add = "synchronized void add(int amount) {";
        text.replace(
            "void add(int amount) {",
            &format!("{add}\n        System.out.println(\"added\");"),
        )
    });
    let ran = audit(&dir, &loud);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let told = "with the patch, passing runs print `added` instead of `nothing`";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
}

#[test]
fn a_repair_that_makes_passing_runs_print_something_else_is_refused() {
    let mended = |said: &str| {
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
        let ran = fix(&dir, &["--technique", "concurrency", "--format", "json"]);
        (ran.code, ran.json()["fixes"][0]["operator"].as_str().map(str::to_owned))
    };
    assert_eq!(mended("\"opens\""), (0, Some("move".to_owned())));
    // Where the clerk starts behind that, nobody has begun yet.
    assert_eq!(mended("clerk.isAlive()"), (1, None));
}

#[test]
fn a_patch_that_mends_nothing_or_adds_a_deadlock_is_refused_with_a_schedule() {
    let dir = with_case("coin-transfer");
    let idle =
        patch(&dir, PURSE, |text| text.replace("int before = sum;", "int before = this.sum;"));
    let ran = audit(&dir, &idle);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.starts_with("the patch fails the audit: a failure in schedule "),
        "{}",
        ran.stdout
    );
    let dir = with_case("coin-transfer");
    let circular = patch(&dir, PURSE, |text| {
        text.replace("void add", "synchronized void add")
            .replace("void move", "synchronized void move")
    });
    let ran = audit(&dir, &circular);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.starts_with("the patch fails the audit: a deadlock in schedule "),
        "{}",
        ran.stdout
    );
    assert!(run_folder(dir.path()).join("schedule-1.json").is_file());
}

#[test]
fn a_patch_that_schedules_say_nothing_about_is_not_said_to_hold() {
    let dir = with_case("coin-transfer");
    let file = "src/test/java/cointransfer/PurseTest.java";
    let alone = patch(&dir, file, |text| text.replace(".start()", ".run()"));
    let ran = audit(&dir, &alone);
    ran.says(
        4,
        &["cannot check this patch by exploring schedules", "no longer starts a second thread"],
    );
}

#[test]
fn a_patch_that_does_not_fit_is_a_mistake_of_the_user() {
    let dir = with_case("coin-transfer");
    let file = dir.path().join(".git/a.patch");
    fs::write(&file, "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
    assert_eq!(audit(&dir, file.to_str().unwrap()).code, 2);
    assert_eq!(audit(&dir, "nowhere.patch").code, 2);
}

/// Two threads that walk a long way with a lost update somewhere on it, which schedules seldom come to.
const FAR: &str = "package shop;\n\nclass TillTest {\n    static volatile int steps;\n    static int sold;\n\n    \
    static void sell() {\n        walk();\n        int before = sold;\n        sold = before + 1;\n        \
    walk();\n    }\n\n    static void walk() {\n        for (int i = 0; i < 30; i++) steps = i;\n    }\n\n    \
    public static void main(String[] x) throws Exception {\n        Thread one = new Thread(TillTest::sell);\n        \
    one.start();\n        sell();\n        one.join();\n        \
    if (sold != 2) throw new IllegalStateException(\"lost\");\n    }\n}\n";

#[test]
fn an_audit_directs_schedules_at_what_the_fault_was_about() {
    let dir = repository();
    let test = "src/test/java/shop/TillTest.java";
    commit(dir.path(), "one", &[(test, FAR)]);
    let idle = patch(&dir, test, |text| text.replace("before + 1", "1 + before"));
    let order = ["explore", "--test", "shop.TillTest", "--schedules", "100", "--format", "json"];
    let ran = mend(dir.path(), &[&order[..], &["--audit", &idle]].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let strategies = &ran.json()["schedules"]["schedulers"];
    let share = |name: &str| {
        let number = |at: usize| strategies[name][at].as_f64().unwrap();
        number(1) / number(0)
    };
    let others = ["pos", "random", "pct"].map(share);
    assert!(others.into_iter().all(|other| share("directed") > 2.0 * other), "{strategies}");
}

/// A test of the purse that nobody asks for. It passes without a repair, and with one as long as `holds` does.
fn neighbour(dir: &TempDir, holds: &str) {
    let text = format!(
        "package cointransfer;\n\nimport java.lang.reflect.Modifier;\nimport org.junit.Assert;\n\n\
         public class HabitsTest {{\n    @org.junit.Test\n    public void add() throws Exception {{\n        \
         int how = Purse.class.getMethod(\"add\", int.class).getModifiers();\n        \
         Assert.assertTrue({holds});\n    }}\n}}\n"
    );
    commit(dir.path(), "two", &[("src/test/java/cointransfer/HabitsTest.java", text)]);
}

/// The test of the purse that fails.
const ASKED: [&str; 4] = ["--test", "cointransfer.PurseTest", "--classpath", JUNIT];

#[test]
fn a_repair_leaves_other_tests_of_the_project_as_they_are() {
    let repaired = |holds: &str, more: &[&str]| {
        let dir = with_case("coin-transfer");
        neighbour(&dir, holds);
        let usual = ["fix", "--technique", "concurrency", "--top", "1", "--format", "json"];
        let ran = mend_untouched(dir.path(), &[&usual[..], &ASKED, more].concat());
        (ran.code, ran.json())
    };
    let (code, kept) = repaired("Modifier.isPublic(how)", &[]);
    assert_eq!(
        (code, &kept["fixes"][0]["validated"]["affected_tests"]),
        (0, &Value::from(1)),
        "{kept}"
    );
    let (code, refused) = repaired("!Modifier.isSynchronized(how)", &["--candidates", "1"]);
    let why = "cointransfer.HabitsTest#add fails with the patch and passes without it";
    let said = refused["message"].as_str().unwrap();
    assert_eq!(code, 1, "{refused}");
    assert!(said.contains(&format!("rejected by the final check: {why}")), "{said}");
    // Behind what was refused, more is tried.
    let (code, other) = repaired("!Modifier.isSynchronized(how)", &[]);
    let said = other["message"].as_str().unwrap();
    assert_eq!(code, 0, "{said}");
    let told = format!("1 candidate rejected by the final check: {why}; 1 fix");
    assert!(said.contains(&told), "{said}");
    assert_eq!(other["fixes"][0]["validated"]["affected_tests"], 1);
}

#[test]
fn a_patch_that_breaks_another_test_does_not_hold() {
    let audited = |holds: &str| {
        let dir = with_case("coin-transfer");
        neighbour(&dir, holds);
        let good = patch(&dir, PURSE, |text| text.replace("void add", "synchronized void add"));
        let usual = ["explore", "--schedules", "150", "--audit", &good];
        mend(dir.path(), &[&usual[..], &ASKED].concat())
    };
    let kept = audited("Modifier.isPublic(how)");
    assert_eq!(kept.code, 0, "{}{}", kept.stdout, kept.stderr);
    assert!(kept.stdout.contains("\n1 other affected test passes\n"), "{}", kept.stdout);
    let broken = audited("!Modifier.isSynchronized(how)");
    let why = "cointransfer.HabitsTest#add fails with the patch and passes without it";
    assert_eq!(broken.code, 1, "{}{}", broken.stdout, broken.stderr);
    let told = format!("the patch fails the audit: {why}");
    assert!(broken.stdout.starts_with(&told), "{}", broken.stdout);
}
