//! Tests of `git mend explore`, from a multi-threaded test to the failing schedule.

use crate::support::{
    CommandOutput, JUNIT, JUPITER, assert_report_contains, commit, repository, run_folder,
    run_mend, run_mend_keeping_repository,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use walkdir::WalkDir;

const CASES_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/concurrency");
/// Returns the names of all programs in `fixtures/concurrency`.
fn case_names() -> Vec<String> {
    let entries = fs::read_dir(CASES_DIR).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Creates a repository with the sources of some programs.
fn cases_repository(cases: &[String]) -> TempDir {
    let dir = repository();
    let mut files = Vec::new();
    for case in cases {
        let root = Path::new(CASES_DIR).join(case);
        for entry in WalkDir::new(root.join("src")).into_iter().map(Result::unwrap) {
            if entry.file_type().is_file() {
                let name = entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                files.push((name, fs::read(entry.path()).unwrap()));
            }
        }
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text)).collect();
    commit(dir.path(), "one", &files);
    dir
}

/// Creates a repository with a test class that has a `main` method.
pub(crate) fn main_test_repository(body: &str) -> TempDir {
    let dir = repository();
    let text = format!("package shop;\n\nclass TillTest {{\n{body}\n}}\n");
    commit(dir.path(), "one", &[("src/test/java/shop/TillTest.java", text)]);
    dir
}

fn explore(dir: &TempDir, more: &[&str]) -> CommandOutput {
    let default_arguments = ["explore", "--classpath", JUNIT, "--format", "json"];
    run_mend(dir.path(), &[&default_arguments, more].concat())
}

/// Explores a `main` method.
pub(crate) fn explore_main(body: &str, more: &[&str]) -> (CommandOutput, Value) {
    let dir = main_test_repository(body);
    let default_arguments = ["explore", "--test", "shop.TillTest", "--format", "json"];
    let few = ["--schedules", "60"];
    let many = if more.contains(&"--schedules") { &[][..] } else { &few[..] };
    let output =
        run_mend_keeping_repository(dir.path(), &[&default_arguments, many, more].concat());
    let json = output.json();
    (output, json)
}

/// Returns the packages with a failure, data race or lock-order cycle.
fn faulty_packages(result: &Value, folder: &Path) -> BTreeSet<String> {
    let package = |name: &str| name.split('.').next().unwrap().to_owned();
    let schedules = &result["schedules"];
    let mut packages = BTreeSet::new();
    for failure in schedules["failures"].as_array().unwrap() {
        let text = fs::read(folder.join(failure["schedule"].as_str().unwrap())).unwrap();
        let file: Value = serde_json::from_slice(&text).unwrap();
        packages.insert(package(file["schedule"]["test"].as_str().unwrap()));
    }
    for kind in ["races", "lock_cycles"] {
        for one in schedules[kind].as_array().unwrap() {
            packages.insert(package(one["sites"][0].as_str().unwrap()));
        }
    }
    packages
}

/// Returns the names and contents of the schedule files of a run.
fn schedule_files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_schedule = |path: &PathBuf| path.to_str().unwrap().contains("schedule-");
    let mut files: Vec<_> = entries
        .filter(is_schedule)
        .map(|path| (path.file_name().unwrap().into(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn every_faulty_program_is_detected() {
    let cases = case_names();
    assert!(cases.len() >= 40);
    for case in &cases {
        let text = fs::read_to_string(Path::new(CASES_DIR).join(case).join("README.md")).unwrap();
        for line in ["Kind: ", "Fault: ", "Fix: "] {
            assert!(text.contains(&format!("\n{line}")), "{case} has no {line}");
        }
    }
    // A run reports at most 50 different failures.
    let mut packages = BTreeSet::new();
    for part in cases.chunks(30) {
        let dir = cases_repository(part);
        let schedules = (60 * part.len()).to_string();
        let output =
            explore(&dir, &["--test", "*.*Test", "--schedules", &schedules, "--seed", "0"]);
        assert_eq!(output.code, 1, "{}", output.stderr);
        packages.extend(faulty_packages(&output.json(), &run_folder(dir.path())));
    }
    let all: BTreeSet<String> = cases.iter().map(|case| case.replace('-', "")).collect();
    assert_eq!(all.difference(&packages).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn same_seed_gives_same_schedules_and_files_replay() {
    let cases = case_names();
    let dir = cases_repository(&cases);
    let schedules = (25 * cases.len()).to_string();
    let options = ["--test", "*.*Test", "--schedules", &schedules, "--seed", "7"];
    let run = |name: &str| {
        let folder = dir.path().join(name);
        let output = ["--output", folder.to_str().unwrap()];
        let command_output = explore(&dir, &[&options[..], &output].concat());
        assert_eq!(command_output.code, 1, "{}", command_output.stderr);
        (command_output.json()["schedules"].clone(), folder)
    };
    let (first, second) = (run("first"), run("second"));
    assert_eq!(first.0, second.0);
    let files = schedule_files(&first.1);
    assert!(files.len() >= cases.len() / 2);
    assert_eq!(files, schedule_files(&second.1));
    // Each replay starts its own JVM.
    for (name, _) in files.into_iter().step_by(8) {
        let file = first.1.join(name);
        let replayed = explore(&dir, &["--test", "*.*Test", "--replay", file.to_str().unwrap()]);
        assert_eq!(replayed.code, 1, "{}", replayed.stderr);
        let message = replayed.json()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("the schedule fails again"), "{message}");
        assert!(!message.contains("followed"), "{message}");
    }
}

const LOST_UPDATE_TEST: &str = "    static int sum;\n    static void add() {\n        sum++;\n    }\n    \
    public static void main(String[] x) throws Exception {\n        \
    Thread one = new Thread(TillTest::add);\n        one.start();\n        add();\n        \
    one.join();\n        if (sum != 2) throw new IllegalStateException(\"lost\");\n    }";

#[test]
fn lost_update_is_explained_drawn_and_replayable() {
    let dir = main_test_repository(LOST_UPDATE_TEST);
    let output = run_mend_keeping_repository(dir.path(), &["explore", "--test", "shop.TillTest"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    for words in [
        "java.lang.IllegalStateException: lost",
        "Why: ",
        "that write is lost",
        "> ",
        "reads sum",
        "Data race: unordered accesses to TillTest.sum at TillTest.add:6",
        "--replay ",
        "Next:       git mend fix --test shop.TillTest --technique concurrency\n",
    ] {
        assert!(output.stdout.contains(words), "no `{words}` in:\n{}", output.stdout);
    }
    assert_report_contains(
        dir.path(),
        &[
            "Thread schedules",
            "aria-label=\"Sequence diagram of a schedule\"",
            "class=\"step hot\"",
            "Pattern: ",
            "that write is lost",
            "Step by step",
            "explore --test shop.TillTest --replay ",
            "Locks by variable",
        ],
    );
    let next =
        output.stdout.lines().find_map(|line| line.strip_prefix("Replay:     git mend ")).unwrap();
    let words = next.split(' ').collect::<Vec<_>>();
    let replayed = run_mend(dir.path(), &words);
    assert_eq!(replayed.code, 1, "{}", replayed.stderr);
    assert!(replayed.stdout.starts_with("the schedule fails again"), "{}", replayed.stdout);
}

/// Explores a program in `fixtures/concurrency` and returns the result.
fn explore_case(case: &str) -> Value {
    let dir = cases_repository(&[case.to_owned()]);
    let output = explore(&dir, &["--test", "*.*Test", "--schedules", "300"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    output.json()
}

#[test]
fn product_accesses_whose_order_decides_are_explained() {
    let result = explore_case("codec-cache");
    let pattern = &result["schedules"]["patterns"][0];
    let target = "codeccache.Codecs$ForwardCodec.target";
    assert_eq!(pattern["variables"], json!([target, target]), "{pattern}");
    assert_eq!(pattern["decisive"], true);
    let why = pattern["why"].as_str().unwrap();
    assert!(why.contains("(value null, called at Codecs."), "{why}");
    assert!(why.contains(". The schedule passes if Codecs.ForwardCodec.setTarget:20"), "{why}");
}

#[test]
fn lock_subclass_is_not_an_explanation() {
    let result = explore_case("boat-rental");
    for pattern in result["schedules"]["patterns"].as_array().unwrap() {
        let variables = pattern["variables"].to_string();
        assert!(!variables.contains("FairLock"), "{pattern}");
    }
    let why = result["schedules"]["patterns"][0]["why"].as_str().unwrap();
    assert!(why.contains("Boat.state at Boat."), "{why}");
    assert!(why.contains("called at Rental."), "{why}");
}

#[test]
fn class_that_acquires_and_releases_is_shown_as_a_lock() {
    let (_, result) = explore_main(
        r#"    static final class Gate {
        private boolean isHeld;
        synchronized void acquire() throws InterruptedException {
            while (isHeld) {
                wait();
            }
            isHeld = true;
        }
        synchronized void release() {
            isHeld = false;
            notifyAll();
        }
    }
    static final Gate gate = new Gate();
    static int sum;
    static void add() {
        try {
            gate.acquire();
            int before = sum;
            gate.release();
            gate.acquire();
            sum = before + 1;
            gate.release();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(TillTest::add);
        other.start();
        add();
        other.join();
        if (sum != 2) {
            throw new IllegalStateException("lost");
        }
    }"#,
        &[],
    );
    let pattern = &result["schedules"]["patterns"][0];
    assert_eq!(pattern["variables"][0], "shop.TillTest.sum", "{pattern}");
    assert_eq!(pattern["decisive"], true, "{pattern}");
    let picture = result["schedules"]["picture"].as_str().unwrap();
    for operation in ["takes TillTest.gate", "releases TillTest.gate"] {
        let rows = picture.lines().filter(|line| line.contains(operation));
        assert!(rows.clone().count() > 1, "{picture}");
        assert!(rows.clone().all(|row| row.contains("TillTest.add:")), "{picture}");
    }
    assert!(!picture.contains("isHeld"), "{picture}");
}

#[test]
fn lock_object_is_named_by_its_class() {
    let (_, result) = explore_main(
        r"    static final class Item {}
    static final class Box {
        Item item = new Item();
        int count;
    }
    static void add(Box box) {
        Item item = box.item;
        synchronized (item) {
            box.count++;
        }
    }
    public static void main(String[] args) throws InterruptedException {
        Box box = new Box();
        Thread other = new Thread(() -> add(box));
        other.start();
        add(box);
        other.join();
    }",
        &[],
    );
    let policy = result["schedules"]["policy"].as_array().unwrap();
    let count = policy.iter().find(|one| one["variable"] == "TillTest.Box.count").unwrap();
    assert_eq!(count["lock"], "the monitor of TillTest.Item", "{count}");
}

#[test]
fn accesses_of_a_race_are_marked_if_no_schedule_fails() {
    let result = explore_case("unit-names");
    let picture = result["schedules"]["picture"].as_str().unwrap();
    let marked: Vec<&str> = picture.lines().filter(|line| line.starts_with('>')).collect();
    assert_eq!(marked.len(), 2, "{picture}");
    assert!(marked.iter().all(|line| line.ends_with("Units.define:14")), "{picture}");
}

#[test]
fn schedule_steps_have_stack_traces() {
    let dir = main_test_repository(LOST_UPDATE_TEST);
    assert_eq!(explore(&dir, &["--test", "shop.TillTest", "--output", "run"]).code, 1);
    let text = fs::read(dir.path().join("run/schedule-1.json")).unwrap();
    let example = &serde_json::from_slice::<Value>(&text).unwrap()["example"];
    let stack_of = |thread: u64| {
        let mut steps = example["steps"].as_array().unwrap().iter();
        let step = steps.find(|step| step["thread"] == thread && step["what"] == "write").unwrap();
        example["stacks"][usize::try_from(step["stack"].as_u64().unwrap()).unwrap()].clone()
    };
    assert_eq!(stack_of(0), json!(["shop.TillTest.add:6", "shop.TillTest.main:11"]));
    assert_eq!(stack_of(1), json!(["shop.TillTest.add:6"]));
}

#[test]
fn fixed_program_gets_a_failure_rate_bound() {
    let fixed = LOST_UPDATE_TEST.replace("static void add", "static synchronized void add");
    let (output, json) = explore_main(&fixed, &["--scheduler", "pos,random,pct"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let schedules = &json["schedules"];
    assert_eq!((&schedules["run"], &schedules["failing"]), (&60.into(), &0.into()));
    let bound = schedules["certificate"]["failure_rate_bound"].as_f64().unwrap();
    assert!((bound - 0.048).abs() < 0.002, "{bound}");
    let policy = &schedules["policy"][0];
    assert_eq!(policy["variable"], "TillTest.sum");
    assert_eq!(policy["lock"], "TillTest.class");
}

#[test]
fn exhaustive_exploration_gives_a_certificate() {
    let fixed = LOST_UPDATE_TEST.replace("static void add", "static synchronized void add");
    let (output, json) = explore_main(&fixed, &[]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let certificate = &json["schedules"]["certificate"];
    assert_eq!(
        (&certificate["exhaustive"], &certificate["time_dependent"]),
        (&true.into(), &false.into())
    );
    // Only the order of lock acquisitions affects the result.
    assert_eq!(certificate["schedules"], 2);
    let waits = "java.util.concurrent.CountDownLatch all = new java.util.concurrent.CountDownLatch(1);\n\
        Thread one = new Thread(all::countDown);\none.start();\n\
        if (!all.await(1, java.util.concurrent.TimeUnit.SECONDS)) throw new IllegalStateException();\none.join(); }";
    let (output, json) = explore_main(
        &format!("public static void main(String[] x) throws Exception {{\n{waits}"),
        &[],
    );
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(json["schedules"]["certificate"]["time_dependent"], true);
    let spins = "static volatile boolean ready;\npublic static void main(String[] x) throws Exception {\n\
        Thread one = new Thread(() -> { ready = true; });\none.start();\nwhile (!ready) { }\none.join(); }";
    let (output, json) = explore_main(spins, &[]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(json["schedules"]["certificate"]["exhaustive"], false);
}

/// Litmus tests of memory models: the statements of each thread, and the outcomes that sequential consistency forbids.
const LITMUS_TESTS: [(&str, &[&str], &[&str]); 4] = [
    ("Buffers", &["a = 1; r = b;", "b = 1; s = a;"], &["00"]),
    ("Message", &["a = 1; b = 1;", "r = b; s = a;"], &["10"]),
    ("Loads", &["r = a; b = 1;", "s = b; a = 1;"], &["11"]),
    ("Readers", &["a = 1;", "b = 1;", "r = 10 * a + b;", "s = 10 * b + a;"], &["1010"]),
];

#[test]
fn dpor_reaches_exactly_the_possible_litmus_outcomes() {
    let (mut methods, mut reachable, mut never) = (String::new(), BTreeSet::new(), Vec::new());
    for (name, threads, impossible) in LITMUS_TESTS {
        let all: &[&str] =
            if threads.len() == 2 { &["00", "01", "10", "11"] } else { &["1010", "1111", "0110"] };
        for outcome in all {
            let (r, s) = outcome.split_at(outcome.len() / 2);
            let test = format!("{}{outcome}", name.to_lowercase());
            let bodies = threads.iter().map(|steps| format!("() -> {{ {steps} }}"));
            let bodies = bodies.collect::<Vec<_>>().join(", ");
            let _ = write!(
                methods,
                "@org.junit.Test public void {test}() throws Exception {{ run({bodies});\n\
                 org.junit.Assert.assertFalse(\"{test}\", r == Integer.parseInt(\"{r}\") && s == Integer.parseInt(\"{s}\")); }}\n"
            );
            if impossible.contains(outcome) {
                never.push(format!("shop.LitmusTest#{test}"));
            } else {
                reachable.insert(format!("java.lang.AssertionError: {test}"));
            }
        }
    }
    let text = format!(
        "package shop;\npublic class LitmusTest {{\nvolatile int a, b, r, s;\n\
         void run(Runnable... all) throws Exception {{ Thread[] threads = new Thread[all.length];\n\
         for (int i = 0; i < all.length; i++) threads[i] = new Thread(all[i]);\n\
         for (Thread one : threads) one.start();\nfor (Thread one : threads) one.join(); }}\n{methods}}}\n"
    );
    let dir = repository();
    commit(dir.path(), "one", &[("src/test/java/shop/LitmusTest.java", text)]);
    let all = ["--scheduler", "dpor", "--schedules", "4000"];
    let output = explore(&dir, &[&["--test", "shop.LitmusTest"], &all[..]].concat());
    let failures = output.json()["schedules"]["failures"].clone();
    let failure_messages =
        failures.as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap().to_owned());
    assert_eq!(failure_messages.collect::<BTreeSet<_>>(), reachable);
    let tests = never.iter().flat_map(|test| ["--test", test]).collect::<Vec<_>>();
    let output = explore(&dir, &[&tests[..], &all[..]].concat());
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.json()["schedules"]["certificate"]["exhaustive"], true, "{}", output.stdout);
}

#[test]
fn non_atomic_operations_get_no_exhaustive_certificate() {
    let main = |fields: &str, first: &str, second: &str| {
        format!(
            "{fields}\npublic static void main(String[] x) throws Exception {{\n\
             Thread one = new Thread(() -> {{ {first} }});\nThread two = new Thread(() -> {{ {second} }});\n\
             one.start();\ntwo.start();\none.join();\ntwo.join(); }}"
        )
    };
    let fail = "throw new IllegalStateException();";
    let updater = "static volatile TillTest it = new TillTest();\nvolatile int n;\n\
        static final java.util.concurrent.atomic.AtomicIntegerFieldUpdater<TillTest> ALL =\n\
        java.util.concurrent.atomic.AtomicIntegerFieldUpdater.newUpdater(TillTest.class, \"n\");";
    let interrupted = "static volatile int n;\nstatic boolean ready;\nstatic final Object M = new Object();\n\
        static Thread first;";
    let waits = format!(
        "first = Thread.currentThread(); synchronized (M) {{ ready = true; M.notifyAll();\n\
         try {{ M.wait(); }} catch (InterruptedException e) {{ if (n == 0) {fail} }} }}"
    );
    let wakes = "try { synchronized (M) { while (!ready) M.wait(); }\nfirst.interrupt();\n\
        synchronized (M) { n = 1; } } catch (InterruptedException e) { }";
    for body in [
        main(
            "static volatile int n;\nstatic class Late { static final int N = n; }",
            &format!("if (Late.N == 1) {fail}"),
            "n = 1;",
        ),
        main(updater, &format!("if (it.n == 1) {fail}"), "ALL.incrementAndGet(it);"),
        main(
            "static final Thread LATE = new Thread(() -> { if (Thread.interrupted()) throw new IllegalStateException(); });",
            "LATE.interrupt();",
            "LATE.start();",
        ),
        main(interrupted, &waits, wakes),
        main(
            "static volatile int[] all = new int[100];",
            &format!("if (all[80] == 1) {fail}"),
            "java.util.Arrays.fill(all, 1);",
        ),
        main(
            "static volatile int n;\nstatic final Object A = new Object();",
            &format!(
                "A.hashCode(); if (n == 1 && System.identityHashCode(new Object()) % 2 == 0) {fail}"
            ),
            "new Object().hashCode(); n = 1;",
        ),
    ] {
        let (output, json) = explore_main(&body, &["--scheduler", "dpor", "--schedules", "400"]);
        let certificate = &json["schedules"]["certificate"];
        assert_ne!(
            (output.code, &certificate["exhaustive"]),
            (0, &true.into()),
            "{body}\n{}",
            output.stdout
        );
    }
}

#[test]
fn sampling_gets_half_the_time_if_dpor_is_slow() {
    let long = "static volatile int steps;\n    public static void main(String[] x) throws Exception {\n        \
        Runnable walk = () -> { for (int i = 0; i < 50; i++) steps = i; };\n        \
        Thread left = new Thread(walk), right = new Thread(walk);\n        left.start();\n        right.start();\n        \
        left.join();\n        right.join();\n    }";
    let (output, json) = explore_main(long, &["--schedules", "900000", "--timeout", "4s"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let strategies = &json["schedules"]["schedulers"];
    for name in ["dpor", "pos", "random", "pct"] {
        assert!(strategies[name][0].as_u64().is_some_and(|run| run > 0), "{name}: {strategies}");
    }
}

#[test]
fn lock_cycles_beyond_the_limit_are_noted() {
    let has_limit_note = |locks: usize| {
        let gated = format!(
            "static final Object GATE = new Object();\n    static int passed;\n    \
             public static void main(String[] x) throws Exception {{\n        \
             Object[] locks = new Object[{locks}];\n        \
             for (int i = 0; i < locks.length; i++) locks[i] = new Object();\n        Runnable all = () -> {{\n            \
             for (Object one : locks) for (Object other : locks) synchronized (GATE) {{\n                \
             synchronized (one) {{ synchronized (other) {{ passed++; }} }}\n            }}\n        }};\n        \
             Thread left = new Thread(all), right = new Thread(all);\n        left.start();\n        right.start();\n        \
             left.join();\n        right.join();\n    }}"
        );
        let (output, json) = explore_main(&gated, &["--scheduler", "random", "--schedules", "1"]);
        assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
        let notes = json["not_checked"].as_array().unwrap().clone();
        notes.iter().any(|note| {
            note.as_str().unwrap().starts_with("lock-order cycles beyond the search limit")
        })
    };
    assert_eq!((has_limit_note(3), has_limit_note(15)), (false, true));
}

#[test]
fn long_lock_cycle_is_found_without_deadlock() {
    let ring = "static final Object GATE = new Object();\n    static int passed;\n    \
        public static void main(String[] x) throws Exception {\n        \
        Object[] forks = new Object[12];\n        Thread[] all = new Thread[forks.length];\n        \
        for (int i = 0; i < all.length; i++) forks[i] = new Object();\n        \
        for (int i = 0; i < all.length; i++) {\n            \
        Object left = forks[i], right = forks[(i + 1) % all.length];\n            \
        all[i] = new Thread(() -> { synchronized (left) { synchronized (right) { x.getClass(); } }\n            \
        synchronized (GATE) { passed++; } });\n        }\n        \
        for (Thread one : all) one.start();\n        for (Thread one : all) one.join();\n    }";
    let (output, json) = explore_main(ring, &["--schedules", "2"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let schedules = &json["schedules"];
    assert_eq!((&schedules["failing"], &schedules["certificate"]), (&0.into(), &Value::Null));
    assert_eq!(schedules["lock_cycles"].as_array().unwrap().len(), 1, "{schedules}");
    let policy = &schedules["policy"][0];
    assert_eq!(
        (&policy["variable"], &policy["lock"]),
        (&"TillTest.passed".into(), &"TillTest.GATE".into())
    );
}

#[test]
fn lock_acquisition_order_is_not_a_pattern() {
    let guarded =
        |name: &str, what: &str| format!("A.lock();\n{what};\nA.unlock();\n").replace('X', name);
    let body = format!(
        "static final java.util.concurrent.locks.ReentrantLock A = new java.util.concurrent.locks.ReentrantLock();\n\
         static int low, high;\nstatic void set() {{\n{}{}}}\npublic static void main(String[] x) throws Exception {{\n\
         Thread one = new Thread(TillTest::set);\none.start();\n{}{}one.join();\n\
         if (l > h) throw new IllegalStateException(); }}",
        guarded("low", "X = 1"),
        guarded("high", "X = 1"),
        guarded("low", "int l = X"),
        guarded("high", "int h = X"),
    );
    let (output, json) = explore_main(&body, &[]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let patterns = &json["schedules"]["patterns"];
    assert!(patterns[0]["why"].as_str().unwrap().contains("TillTest.low"), "{patterns}");
    assert!(!patterns.to_string().contains("ReentrantLock"), "{patterns}");
}

#[test]
fn replay_on_changed_code_does_not_fail() {
    let dir = main_test_repository(LOST_UPDATE_TEST);
    assert_eq!(run_mend(dir.path(), &["explore", "--test", "shop.TillTest"]).code, 1);
    let file = run_folder(dir.path()).join("schedule-1.json");
    let fixed = LOST_UPDATE_TEST.replace("static void add", "static synchronized void add");
    let text = format!("package shop;\n\nclass TillTest {{\n{fixed}\n}}\n");
    commit(dir.path(), "two", &[("src/test/java/shop/TillTest.java", text)]);
    let replay = ["explore", "--test", "shop.TillTest", "--replay", file.to_str().unwrap()];
    let output = run_mend(dir.path(), &replay);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.starts_with("the schedule does not fail"), "{}", output.stdout);
}

#[test]
fn single_threaded_test_has_one_schedule() {
    let body = "    public static void main(String[] x) {}";
    let (output, json) = explore_main(body, &[]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(json["message"].as_str().unwrap().contains("only one schedule"));
    assert_eq!(json["schedules"]["certificate"], Value::Null);
}

#[test]
fn exit_or_dying_thread_is_a_failure() {
    for (what, kind) in [("System.exit(0)", "exit"), ("x.notify()", "exception")] {
        let body = format!(
            "    public static void main(String[] x) throws Exception {{\n        \
             Thread one = new Thread(() -> {{ {what}; }});\n        one.start();\n        \
             one.join();\n    }}"
        );
        let (output, json) = explore_main(&body, &[]);
        assert_eq!(output.code, 1, "{}", output.stderr);
        assert_eq!(json["schedules"]["failures"][0]["kind"], kind);
        let symptom = json["symptom"].as_str().unwrap();
        assert!(symptom.starts_with("shop.TillTest"), "{symptom}");
        // The replacement of the JDK class throws it, but is not part of the stack trace.
        assert!(kind == "exit" || symptom.contains(" at shop.TillTest."), "{symptom}");
    }
}

#[test]
fn tests_see_the_real_processor_count() {
    let cores = std::thread::available_parallelism().unwrap();
    let body = format!(
        "    public static void main(String[] x) throws Exception {{\n        \
         Thread one = new Thread(() -> {{ }});\n        one.start();\n        one.join();\n        \
         if (Runtime.getRuntime().availableProcessors() != {cores}) throw new IllegalStateException();\n    }}"
    );
    let (output, json) = explore_main(&body, &[]);
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    assert_eq!(json["schedules"]["failing"], 0);
}

#[test]
fn leftover_threads_do_not_fail_a_schedule() {
    let body = "    public static void main(String[] x) throws Exception {\n        \
        java.util.concurrent.Executors.newFixedThreadPool(2).submit(() -> 1).get();\n        \
        Thread daemon = new Thread(() -> { while (true) { Thread.yield(); } });\n        \
        daemon.setDaemon(true);\n        daemon.start();\n    }";
    let (output, json) = explore_main(body, &[]);
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    assert_eq!(json["schedules"]["failing"], 0);
}

#[test]
fn synchronized_map_and_class_initialiser_give_happens_before() {
    let (output, json) = explore_main(
        "static final java.util.Map<String, String> NAMES = new java.util.HashMap<>();\n\
         static { fill(\"a\"); fill(\"b\"); }\n\
         static void fill(String name) { NAMES.put(name, name); }\n\
         static class Made { int[] value; Made(int size) { value = new int[size]; value[0] = size; } }\n\
         public static void main(String[] words) throws Exception {\n\
         java.util.Map<String, Made> known = java.util.Collections.synchronizedMap(new java.util.HashMap<>());\n\
         Runnable work = () -> { for (String name : new String[] {\"a\", \"b\"}) {\n\
         Made made = known.get(name);\n\
         if (made == null) { made = new Made(NAMES.size()); known.put(name, made); }\n\
         if (made.value[0] != 2) throw new IllegalStateException(); } };\n\
         Thread one = new Thread(work); Thread two = new Thread(work);\n\
         one.start(); two.start(); one.join(); two.join(); }",
        &["--schedules", "200"],
    );
    assert_eq!(json["schedules"]["races"], Value::Array(Vec::new()), "{}", output.stderr);
    assert_eq!(output.code, 0, "{}", output.stderr);
}

#[test]
fn collection_calls_are_scheduling_points() {
    for (type_name, made) in [
        ("synchronizedMap", "java.util.Collections.synchronizedMap(new java.util.HashMap<>())"),
        (
            "a map in an array",
            "((java.util.Map<String, Object>[]) new java.util.Map[] { new java.util.Hashtable<>() })[0]",
        ),
    ] {
        let (output, json) = explore_main(
            &format!(
                "static final java.util.Map<String, Object> KNOWN = {made};\n\
                 static Object open(String name) {{\n\
                 if (!KNOWN.containsKey(name)) {{\n\
                 KNOWN.put(name, new Object());\n\
                 }}\n\
                 return KNOWN.get(name); }}\n\
                 public static void main(String[] words) throws Exception {{\n\
                 Object[] got = new Object[2];\n\
                 Thread one = new Thread(() -> got[0] = open(\"a\"));\n\
                 Thread two = new Thread(() -> got[1] = open(\"a\"));\n\
                 one.start(); two.start(); one.join(); two.join();\n\
                 if (got[0] != got[1]) throw new IllegalStateException(); }}"
            ),
            &["--schedules", "200"],
        );
        assert_eq!(output.code, 1, "{type_name}: {}{}", output.stdout, output.stderr);
        assert_ne!(json["schedules"]["failing"], 0, "{type_name}");
    }
}

#[test]
fn yielding_thread_may_continue() {
    let (output, json) = explore_main(
        "static volatile int n;\n\
         public static void main(String[] words) throws Exception {\n\
         Thread other = new Thread(() -> { n = 1; Thread.yield(); n = 2; });\n\
         other.start(); int seen = n; other.join();\n\
         if (seen == 2) throw new IllegalStateException(); }",
        &["--schedules", "100", "--scheduler", "random"],
    );
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
    let schedules = &json["schedules"];
    assert!(schedules["failing"].as_u64() < schedules["run"].as_u64(), "{schedules}");
    let replay = "schedule-1.json";
    assert_eq!(schedules["failures"][0]["schedule"], replay);
}

#[test]
fn nested_locks_of_one_class_count_once() {
    let (output, json) = explore_main(
        "static class Key {}\nstatic final Key ONE = new Key(); static final Key TWO = new Key();\n\
         static int n;\n\
         static void add(Key a, Key b) { synchronized (a) { synchronized (b) { n++; } } }\n\
         public static void main(String[] words) throws Exception {\n\
         Thread other = new Thread(() -> add(ONE, TWO)); other.start(); add(ONE, TWO); other.join(); }",
        &[],
    );
    let policy = json["schedules"]["policy"].as_array().unwrap();
    assert!(!policy.is_empty(), "{}", output.stderr);
    for one in policy {
        assert!(one["held"].as_u64() <= one["accesses"].as_u64(), "{one}");
    }
}

#[test]
fn uncontrolled_wait_is_not_a_pass() {
    let body = "    public static void main(String[] x) throws Exception {\n        \
        java.io.PipedInputStream in = new java.io.PipedInputStream();\n        \
        java.io.PipedOutputStream out = new java.io.PipedOutputStream(in);\n        \
        Thread one = new Thread(() -> {\n            try {\n                in.read();\n            \
        } catch (java.io.IOException e) {\n                throw new IllegalStateException(e);\n            \
        }\n        });\n        one.start();\n        Thread.yield();\n        out.write(1);\n        \
        out.flush();\n        one.join();\n    }";
    let dir = main_test_repository(body);
    let output =
        run_mend(dir.path(), &["explore", "--test", "shop.TillTest", "--scheduler", "random"]);
    output.assert_exit_and_stderr(
        4,
        &["cannot control the threads of these tests", "help: narrow --test"],
    );
}

#[test]
fn repeated_tests_run_one_method_at_a_time() {
    let text = "package shop;\n\nimport org.junit.jupiter.api.*;\n\
        import org.junit.jupiter.params.ParameterizedTest;\n\
        import org.junit.jupiter.params.provider.ValueSource;\n\nclass TillTest {\n    int sum;\n\n    \
        void twice(String lost) throws Exception {\n        Thread one = new Thread(() -> sum++);\n        \
        one.start();\n        sum++;\n        one.join();\n        Assertions.assertEquals(2, sum, lost);\n    \
        }\n\n    @RepeatedTest(2)\n    void again() throws Exception {\n        twice(\"repeated\");\n    }\n\n    \
        @ParameterizedTest\n    @ValueSource(ints = {1, 2})\n    void each(int n) throws Exception {\n        \
        twice(\"parameter\");\n    }\n\n    @Test\n    void once() {}\n}\n";
    let dir = repository();
    commit(dir.path(), "one", &[("src/test/java/shop/TillTest.java", text)]);
    let default_arguments =
        ["explore", "--classpath", JUPITER, "--format", "json", "--schedules", "100"];
    let output =
        run_mend(dir.path(), &[&default_arguments[..], &["--test", "shop.TillTest"]].concat());
    assert_eq!(output.code, 1, "{}\n{}", output.stdout, output.stderr);
    let json = output.json();
    let failures = json["schedules"]["failures"].to_string();
    assert!(failures.contains("repeated") && failures.contains("parameter"), "{failures}");
    assert!(
        output.stdout.contains("tests with only one thread (run once): shop.TillTest#once"),
        "{}",
        output.stdout
    );
}

#[test]
fn endless_spinning_is_a_livelock() {
    let livelock = |fields: &str, first: &str, second: &str| {
        let body = format!(
            "static volatile boolean {fields};\npublic static void main(String[] x) throws Exception {{\n\
             Thread one = new Thread(() -> {{ {first} }});\nThread two = new Thread(() -> {{ {second} }});\n\
             one.start();\ntwo.start();\none.join();\ntwo.join(); }}"
        );
        let (output, json) = explore_main(&body, &["--schedules", "8", "--scheduler", "random"]);
        assert_eq!(output.code, 1, "{}\n{}", output.stdout, output.stderr);
        let schedules = &json["schedules"];
        assert!(schedules["failing"].as_u64() < schedules["run"].as_u64(), "{schedules}");
        let failure = &schedules["failures"][0];
        assert_eq!(failure["kind"], "livelock");
        assert!(json["message"].as_str().unwrap().starts_with("livelock in "), "{json}");
        failure["message"].as_str().unwrap().to_owned()
    };
    // A thread that arrives too late waits forever.
    let message = livelock("open", "open = true; open = false;", "while (!open) { }");
    assert_eq!(message, "no thread makes progress");
    // Each thread yields to the other one, and writes a variable in each iteration.
    let polite = |own: &str, other: &str| {
        format!("while ({other}) {{ {own} = false; {own} = true; }} {own} = false;")
    };
    let message = livelock("a = true, b = true", &polite("a", "b"), &polite("b", "a"));
    assert_eq!(message, "still running after 1000000 steps");
}

#[test]
fn polling_thread_yields_to_others() {
    let looks = [
        "static volatile boolean ready;\npublic static void main(String[] x) throws Exception {\n\
         Thread one = new Thread(() -> { ready = true; });\none.start();\nwhile (!ready) { }\none.join(); }",
        "public static void main(String[] x) throws Exception {\nThread one = new Thread(() -> {\n\
         long turns = 0; while (!Thread.interrupted()) { turns++; } });\none.start();\none.interrupt();\n\
         one.join(); }",
        "public static void main(String[] x) throws Exception {\nThread one = new Thread(() -> {\n\
         while (!Thread.currentThread().isInterrupted()) { } });\none.start();\none.interrupt();\none.join(); }",
        "public static void main(String[] x) throws Exception {\nThread one = new Thread(() -> {\n\
         for (int turn = 0; turn < 300_000; turn++) { if (Thread.interrupted()) return; } });\n\
         one.start();\none.join(); }",
    ];
    for body in looks {
        let (output, json) = explore_main(body, &["--schedules", "30"]);
        assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
        assert_eq!(json["schedules"]["inconclusive"], 0);
    }
}

#[test]
fn thread_ends_with_its_overriding_run() {
    let (output, json) = explore_main(
        "static int ended;\nstatic class Worker extends Thread {\nWorker(Runnable work) { super(work); }\n\
         @Override public void run() {\ntry { super.run(); } catch (IllegalStateException e) { ended++; }\n\
         finally { ended++; } } }\npublic static void main(String[] x) throws Exception {\n\
         Thread one = new Worker(() -> { throw new IllegalStateException(); });\none.start();\none.join();\n\
         if (ended != 2) throw new IllegalStateException(\"ended \" + ended); }",
        &[],
    );
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    assert_eq!(json["schedules"]["failing"], 0);
}

#[test]
fn uncontrolled_thread_invalidates_the_schedule() {
    let body = "static int sum;\nstatic synchronized void add() { sum++; }\n\
        public static void main(String[] x) throws Exception {\nThread hidden = new Thread(() -> add());\n\
        Thread.class.getMethod(\"start\").invoke(hidden);\nThread.class.getMethod(\"join\").invoke(hidden);\n\
        Thread one = new Thread(() -> add());\none.start();\none.join(); }";
    let dir = main_test_repository(body);
    let output = run_mend(dir.path(), &["explore", "--test", "shop.TillTest"]);
    let words = "Thread-0 runs instrumented code, but the scheduler does not control it";
    output.assert_exit_and_stderr(4, &["cannot control the threads of these tests", words]);
}

#[test]
fn interrupt_gives_happens_before() {
    let (output, json) = explore_main(
        "static int result;\npublic static void main(String[] x) throws Exception {\n\
         Thread one = new Thread(() -> {\ntry { Thread.sleep(1000); } catch (InterruptedException e) {\n\
         if (result != 5) throw new IllegalStateException(); } });\none.start();\nresult = 5;\n\
         one.interrupt();\none.join(); }",
        &[],
    );
    assert_eq!(json["schedules"]["races"], Value::Array(Vec::new()));
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
}

#[test]
fn volatile_reads_alone_give_no_happens_before() {
    let body = "static volatile boolean isOn;\nstatic int sum;\n\
        static void work() { boolean was = isOn; sum++; was = isOn; }\n\
        public static void main(String[] x) throws Exception {\nisOn = true;\n\
        Thread one = new Thread(() -> work()); Thread two = new Thread(() -> work());\none.start();\n\
        two.start();\none.join();\ntwo.join(); }";
    let (output, json) = explore_main(body, &["--schedules", "1"]);
    assert_eq!(output.code, 1, "{}\n{}", output.stdout, output.stderr);
    assert_eq!(json["schedules"]["races"][0]["variable"], "shop.TillTest.sum");
}

#[test]
fn overridden_start_and_interrupt_are_supported() {
    let (output, json) = explore_main(
        "static class Reader extends Thread {\nvolatile boolean isOpen; volatile boolean isClosed;\n\
         @Override public void start() { isOpen = true; super.start(); }\n\
         @Override public void interrupt() { isClosed = true; super.interrupt(); }\n\
         @Override public void run() {\nif (!isOpen) throw new IllegalStateException();\n\
         while (!isClosed) { Thread.yield(); } } }\n\
         public static void main(String[] x) throws Exception {\nThread one = new Reader();\none.start();\n\
         one.interrupt();\none.join(); }",
        &[],
    );
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    assert_eq!(json["schedules"]["inconclusive"], 0);
}

#[test]
fn related_static_variables_form_one_pattern() {
    let body = "static int low = 1, high = 2;\nstatic void move() {\nlow = 11;\nhigh = 12; }\n\
        public static void main(String[] x) throws Exception {\nThread one = new Thread(() -> move());\n\
        one.start();\nint from = low;\nint to = high;\none.join();\n\
        if (from > to) throw new IllegalStateException(\"torn\"); }";
    let (output, json) = explore_main(body, &[]);
    assert_eq!(output.code, 1, "{}\n{}", output.stdout, output.stderr);
    let patterns = json["schedules"]["patterns"].as_array().unwrap();
    let variables = serde_json::json!(
        ["low", "low", "high", "high"].map(|name| format!("shop.TillTest.{name}"))
    );
    assert!(patterns.iter().any(|one| one["variables"] == variables), "{patterns:?}");
}

#[test]
fn jdk_calls_access_only_traversed_arguments() {
    let racing = |body: &str| {
        let (output, json) = explore_main(body, &["--schedules", "40"]);
        let races = json["schedules"]["races"].as_array().unwrap();
        let names = races.iter().map(|race| race["variable"].as_str().unwrap().to_owned());
        assert_eq!(
            output.code,
            i32::from(!races.is_empty()),
            "{}\n{}",
            output.stdout,
            output.stderr
        );
        names.collect::<Vec<_>>()
    };
    let list = "static final java.util.List<Integer> LIST = new java.util.ArrayList<>();\n\
        public static void main(String[] x) throws Exception {\nThread one = new Thread(() -> LIST.add(1));\n\
        one.start();\n";
    let copied_list = format!(
        "{list}java.util.List<Integer> copy = new java.util.ArrayList<>(LIST);\none.join(); }}"
    );
    assert!(racing(&copied_list).iter().any(|name| name.starts_with("contents of ")));
    let boxed_list = format!(
        "{list}java.util.List<Object> box = new java.util.ArrayList<>();\nbox.add(LIST);\none.join(); }}"
    );
    assert_eq!(racing(&boxed_list), Vec::<String>::new());
    let array = "static int[] all = {4, 3, 2, 1, 4, 3, 2, 1};\n\
        public static void main(String[] x) throws Exception {\n";
    let cloned_array = format!(
        "{array}Thread one = new Thread(() -> {{ all[2] = 5; }});\none.start();\nint[] copy = all.clone();\n\
         one.join(); }}"
    );
    assert_eq!(racing(&cloned_array), ["[]"]);
    let halves = format!(
        "{array}Thread one = new Thread(() -> {{ java.util.Arrays.sort(all, 0, 4); System.arraycopy(all, 0, all, 2, 2); }});\n\
         one.start();\njava.util.Arrays.sort(all, 4, 8);\nint[] half = java.util.Arrays.copyOfRange(all, 4, 8);\n\
         one.join(); }}"
    );
    assert_eq!(racing(&halves), Vec::<String>::new());
    let parts = format!(
        "static int[] other = {{4, 3, 2, 1, 4, 3, 2, 1}};\n{array}Thread one = new Thread(() -> {{ other[%] = 5; }});\n\
         one.start();\nboolean same = java.util.Arrays.equals(all, 0, 2, other, 4, 6);\none.join(); }}"
    );
    assert_eq!(racing(&parts.replace('%', "0")), Vec::<String>::new());
    assert_eq!(racing(&parts.replace('%', "4")), ["[]"]);
}

#[test]
fn shuffle_is_followed_by_a_scheduling_point() {
    let (output, json) = explore_main(
        "static final java.util.List<Integer> LIST = new java.util.ArrayList<>();\nstatic int sum;\n\
         static void work() { java.util.Collections.shuffle(LIST); sum++; }\n\
         public static void main(String[] x) throws Exception {\n\
         Thread one = new Thread(() -> work()); Thread two = new Thread(() -> work());\none.start();\n\
         two.start();\none.join();\ntwo.join();\nif (sum != 2) throw new IllegalStateException(); }",
        &[],
    );
    assert_eq!(output.code, 1, "{}\n{}", output.stdout, output.stderr);
    assert!(json["schedules"]["failing"].as_u64().unwrap() > 0);
}

#[test]
fn collection_and_lock_subclasses_are_instrumented() {
    let explore_members = |members: &str, main: &str, last: &str| {
        let body = format!(
            "{members}\npublic static void main(String[] x) throws Exception {{\n\
             Thread one = new Thread(() -> {{ {main} }});\none.start();\n{main}\none.join();\n{last} }}"
        );
        let (output, json) = explore_main(&body, &["--schedules", "60"]);
        (
            output.code,
            json["schedules"]["races"].as_array().unwrap().len(),
            json["schedules"]["failing"].clone(),
        )
    };
    let map = "static class Lru extends java.util.LinkedHashMap<String, String> { %\n\
        @Override protected boolean removeEldestEntry(java.util.Map.Entry<String, String> e) { return size() > 3; } }\n\
        static final java.util.Map<String, String> LRU = new Lru();";
    let (code, races, _) = explore_members(&map.replace('%', ""), "LRU.put(\"a\", \"b\");", "");
    assert!(code == 1 && races > 0);
    let own =
        "@Override public synchronized String put(String a, String b) { return super.put(a, b); }";
    let (code, races, _) = explore_members(&map.replace('%', own), "LRU.put(\"a\", \"b\");", "");
    assert_eq!((code, races), (0, 0));
    let overload = "void put(java.util.List<String> all) { for (String one : all) put(one, one); }";
    let (code, races, _) =
        explore_members(&map.replace('%', overload), "LRU.put(\"a\", \"b\");", "");
    assert!(code == 1 && races > 0);
    let guarded = "static class Model extends java.util.Observable { }\nstatic final Model MODEL = new Model();\n\
        static final java.util.Random RANDOM = new java.security.SecureRandom();";
    let calls = "MODEL.addObserver((who, what) -> { }); RANDOM.nextInt();";
    assert_eq!(explore_members(guarded, calls, "").1, 0);
    let lock = "static class Own extends java.util.concurrent.locks.AbstractQueuedSynchronizer {\n\
        @Override protected boolean tryAcquire(int n) { return compareAndSetState(0, 1); }\n\
        @Override protected boolean tryRelease(int n) { setState(0); return true; } }\n\
        static final Own OWN = new Own();\nstatic int sum;";
    let guarded_increment = "OWN.acquire(1); sum++; OWN.release(1);";
    let (code, races, _) = explore_members(
        lock,
        guarded_increment,
        "if (sum != 2) throw new IllegalStateException();",
    );
    assert_eq!((code, races), (0, 0));
    let counts = "static class Counts extends java.util.concurrent.ConcurrentHashMap<String, Integer> { }\n\
        static final Counts COUNTS = new Counts();\nstatic void add() {\nInteger n = COUNTS.get(\"a\");\n\
        COUNTS.put(\"a\", n == null ? 1 : n + 1); }";
    let (code, _, failing) = explore_members(
        counts,
        "add();",
        "if (COUNTS.get(\"a\") != 2) throw new IllegalStateException();",
    );
    assert!(code == 1 && failing.as_u64().unwrap() > 0);
}

#[test]
fn all_clocks_show_virtual_time() {
    let (output, _) = explore_main(
        "public static void main(String[] x) throws Exception {\nlong start = System.currentTimeMillis();\n\
         Thread one = new Thread(() -> {\ntry { java.util.concurrent.TimeUnit.SECONDS.sleep(5); }\n\
         catch (InterruptedException e) { throw new IllegalStateException(e); } });\none.start();\none.join();\n\
         long[] now = {java.time.Instant.now().toEpochMilli(), new java.util.Date().getTime(),\n\
         java.time.Clock.systemUTC().millis(), java.time.LocalDateTime.now().atZone(\n\
         java.time.ZoneId.systemDefault()).toInstant().toEpochMilli()};\n\
         for (long at : now) {\nif (at - start < 5000 || at - start > 6000) throw new IllegalStateException(); }\n\
         Object lock = new Object();\n\
         synchronized (lock) { java.util.concurrent.TimeUnit.SECONDS.timedWait(lock, 1); } }",
        &[],
    );
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
}

#[test]
fn invalid_explore_options_are_rejected() {
    let dir = main_test_repository(LOST_UPDATE_TEST);
    let run = |more: &[&str]| run_mend(dir.path(), &[&["explore"], more].concat());
    run(&[]).assert_exit_and_stderr(2, &["no test given", "add `--test pkg.Class`"]);
    let test = ["--test", "shop.TillTest"];
    run(&[&test[..], &["--scheduler", "best"]].concat())
        .assert_exit_and_stderr(2, &["write pos, pct, random or dpor"]);
    run(&[&test[..], &["--schedules", "0"]].concat()).assert_exit_and_stderr(2, &["0 is not in"]);
    run(&["--test", "shop.Tll"]).assert_exit_and_stderr(2, &["help: use --test pkg.Class"]);
    let elsewhere = run(&[&test[..], &["--replay", "no.json"]].concat());
    elsewhere.assert_exit_and_stderr(
        2,
        &["--replay", "schedule-N.json from the run folder of an earlier"],
    );
}
