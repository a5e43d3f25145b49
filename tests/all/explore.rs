//! `git mend explore`, from a test with threads to the schedule that makes it fail.

use crate::support::{
    CommandOutput, JUNIT, JUPITER, commit, mend, mend_untouched, page_has, repository, run_folder,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use walkdir::WalkDir;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/concurrency");
/// The names of all programs in `fixtures/concurrency`.
fn cases() -> Vec<String> {
    let entries = fs::read_dir(CASES).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A repository with the sources of some programs.
fn with_cases(cases: &[String]) -> TempDir {
    let dir = repository();
    let mut files = Vec::new();
    for case in cases {
        let root = Path::new(CASES).join(case);
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

/// A program of one class with a test that has a `main`.
pub(crate) fn with_main(body: &str) -> TempDir {
    let dir = repository();
    let text = format!("package shop;\n\nclass TillTest {{\n{body}\n}}\n");
    commit(dir.path(), "one", &[("src/test/java/shop/TillTest.java", text)]);
    dir
}

fn explore(dir: &TempDir, more: &[&str]) -> CommandOutput {
    let usual = ["explore", "--classpath", JUNIT, "--format", "json"];
    mend(dir.path(), &[&usual, more].concat())
}

/// What an exploration of a `main` comes to.
pub(crate) fn of_main(body: &str, more: &[&str]) -> (CommandOutput, Value) {
    let dir = with_main(body);
    let usual = ["explore", "--test", "shop.TillTest", "--format", "json"];
    let few = ["--schedules", "60"];
    let many = if more.contains(&"--schedules") { &[][..] } else { &few[..] };
    let ran = mend_untouched(dir.path(), &[&usual, many, more].concat());
    let json = ran.json();
    (ran, json)
}

/// The packages that a result names as faulty.
fn exposed(result: &Value, folder: &Path) -> BTreeSet<String> {
    let package = |name: &str| name.split('.').next().unwrap().to_owned();
    let schedules = &result["schedules"];
    let mut found = BTreeSet::new();
    for failure in schedules["failures"].as_array().unwrap() {
        let text = fs::read(folder.join(failure["schedule"].as_str().unwrap())).unwrap();
        let file: Value = serde_json::from_slice(&text).unwrap();
        found.insert(package(file["schedule"]["test"].as_str().unwrap()));
    }
    for kind in ["races", "lock_cycles"] {
        for one in schedules[kind].as_array().unwrap() {
            found.insert(package(one["sites"][0].as_str().unwrap()));
        }
    }
    found
}

/// The files of schedules that a run left, by name.
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
fn every_faulty_program_is_exposed() {
    let cases = cases();
    assert!(cases.len() >= 40);
    for case in &cases {
        let text = fs::read_to_string(Path::new(CASES).join(case).join("README.md")).unwrap();
        for line in ["Kind: ", "Fault: ", "Fix: "] {
            assert!(text.contains(&format!("\n{line}")), "{case} has no {line}");
        }
    }
    let dir = with_cases(&cases);
    let (seed, schedules) = ("0", (60 * cases.len()).to_string());
    let asked = ["--test", "*.*Test", "--schedules", &schedules, "--seed", seed];
    let ran = explore(&dir, &asked);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let found = exposed(&ran.json(), &run_folder(dir.path()));
    let all: BTreeSet<String> = cases.iter().map(|case| case.replace('-', "")).collect();
    assert_eq!(all.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn the_same_seed_is_the_same_schedules_and_a_file_runs_one_again() {
    let cases = cases();
    let dir = with_cases(&cases);
    let schedules = (25 * cases.len()).to_string();
    let asked = ["--test", "*.*Test", "--schedules", &schedules, "--seed", "7"];
    let run = |name: &str| {
        let folder = dir.path().join(name);
        let output = ["--output", folder.to_str().unwrap()];
        let ran = explore(&dir, &[&asked[..], &output].concat());
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        (ran.json()["schedules"].clone(), folder)
    };
    let (first, second) = (run("first"), run("second"));
    assert_eq!(first.0, second.0);
    let files = schedule_files(&first.1);
    assert!(files.len() >= cases.len() / 2);
    assert_eq!(files, schedule_files(&second.1));
    // Each takes a JVM of its own.
    for (name, _) in files.into_iter().step_by(8) {
        let file = first.1.join(name);
        let again = explore(&dir, &["--test", "*.*Test", "--replay", file.to_str().unwrap()]);
        assert_eq!(again.code, 1, "{}", again.stderr);
        let message = again.json()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("the schedule fails again"), "{message}");
        assert!(!message.contains("followed"), "{message}");
    }
}

const COUNTED: &str = "    static int sum;\n    static void add() {\n        sum++;\n    }\n    \
    public static void main(String[] x) throws Exception {\n        \
    Thread one = new Thread(TillTest::add);\n        one.start();\n        add();\n        \
    one.join();\n        if (sum != 2) throw new IllegalStateException(\"lost\");\n    }";

#[test]
fn a_lost_update_is_explained_drawn_and_can_be_run_again() {
    let dir = with_main(COUNTED);
    let ran = mend_untouched(dir.path(), &["explore", "--test", "shop.TillTest"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for words in [
        "java.lang.IllegalStateException: lost",
        "Why: ",
        "that write is lost",
        "> ",
        "reads sum",
        "Data race: unordered accesses to shop.TillTest.sum at shop.TillTest.add:6",
        "--replay ",
        "Next:       git mend fix --test shop.TillTest --technique concurrency\n",
    ] {
        assert!(ran.stdout.contains(words), "no `{words}` in:\n{}", ran.stdout);
    }
    page_has(
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
        ran.stdout.lines().find_map(|line| line.strip_prefix("Replay:     git mend ")).unwrap();
    let words = next.split(' ').collect::<Vec<_>>();
    let again = mend(dir.path(), &words);
    assert_eq!(again.code, 1, "{}", again.stderr);
    assert!(again.stdout.starts_with("the schedule fails again"), "{}", again.stdout);
}

#[test]
fn each_step_of_a_schedule_says_how_its_thread_came_there() {
    let dir = with_main(COUNTED);
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
fn what_is_mended_comes_with_a_bound() {
    let mended = COUNTED.replace("static void add", "static synchronized void add");
    let (ran, json) = of_main(&mended, &["--scheduler", "pos,random,pct"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let schedules = &json["schedules"];
    assert_eq!((&schedules["run"], &schedules["failing"]), (&60.into(), &0.into()));
    let bound = schedules["certificate"]["failure_rate_bound"].as_f64().unwrap();
    assert!((bound - 0.048).abs() < 0.002, "{bound}");
    let policy = &schedules["policy"][0];
    assert_eq!(policy["variable"], "TillTest.sum");
    assert_eq!(policy["lock"], "TillTest.class");
}

#[test]
fn what_holds_in_all_orders_that_make_a_difference_is_proved() {
    let mended = COUNTED.replace("static void add", "static synchronized void add");
    let (ran, json) = of_main(&mended, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let certificate = &json["schedules"]["certificate"];
    assert_eq!(
        (&certificate["exhaustive"], &certificate["time_dependent"]),
        (&true.into(), &false.into())
    );
    // Whoever takes the lock first makes the only difference.
    assert_eq!(certificate["schedules"], 2);
    let waits = "java.util.concurrent.CountDownLatch all = new java.util.concurrent.CountDownLatch(1);\n\
        Thread one = new Thread(all::countDown);\none.start();\n\
        if (!all.await(1, java.util.concurrent.TimeUnit.SECONDS)) throw new IllegalStateException();\none.join(); }";
    let (ran, json) =
        of_main(&format!("public static void main(String[] x) throws Exception {{\n{waits}"), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(json["schedules"]["certificate"]["time_dependent"], true);
    let spins = "static volatile boolean ready;\npublic static void main(String[] x) throws Exception {\n\
        Thread one = new Thread(() -> { ready = true; });\none.start();\nwhile (!ready) { }\none.join(); }";
    let (ran, json) = of_main(spins, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(json["schedules"]["certificate"]["exhaustive"], false);
}

/// What threads read in programs that are known from the study of memory models, and what they never read where whole
/// steps follow each other: the steps of each thread, and the outcomes that cannot be.
const LITMUS: [(&str, &[&str], &[&str]); 4] = [
    ("Buffers", &["a = 1; r = b;", "b = 1; s = a;"], &["00"]),
    ("Message", &["a = 1; b = 1;", "r = b; s = a;"], &["10"]),
    ("Loads", &["r = a; b = 1;", "s = b; a = 1;"], &["11"]),
    ("Readers", &["a = 1;", "b = 1;", "r = 10 * a + b;", "s = 10 * b + a;"], &["1010"]),
];

#[test]
fn all_orders_come_to_all_that_can_be_and_to_nothing_else() {
    let (mut methods, mut reachable, mut never) = (String::new(), BTreeSet::new(), Vec::new());
    for (name, threads, impossible) in LITMUS {
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
    let ran = explore(&dir, &[&["--test", "shop.LitmusTest"], &all[..]].concat());
    let failures = ran.json()["schedules"]["failures"].clone();
    let seen =
        failures.as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap().to_owned());
    assert_eq!(seen.collect::<BTreeSet<_>>(), reachable);
    let tests = never.iter().flat_map(|test| ["--test", test]).collect::<Vec<_>>();
    let ran = explore(&dir, &[&tests[..], &all[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["schedules"]["certificate"]["exhaustive"], true, "{}", ran.stdout);
}

#[test]
fn what_is_no_step_of_its_own_is_never_called_proved() {
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
        let (ran, json) = of_main(&body, &["--scheduler", "dpor", "--schedules", "400"]);
        let certificate = &json["schedules"]["certificate"];
        assert_ne!(
            (ran.code, &certificate["exhaustive"]),
            (0, &true.into()),
            "{body}\n{}",
            ran.stdout
        );
    }
}

#[test]
fn schedules_are_sampled_in_half_of_the_time_where_all_orders_take_long() {
    let long = "static volatile int steps;\n    public static void main(String[] x) throws Exception {\n        \
        Runnable walk = () -> { for (int i = 0; i < 50; i++) steps = i; };\n        \
        Thread left = new Thread(walk), right = new Thread(walk);\n        left.start();\n        right.start();\n        \
        left.join();\n        right.join();\n    }";
    let (ran, json) = of_main(long, &["--schedules", "900000", "--timeout", "4s"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let strategies = &json["schedules"]["schedulers"];
    for name in ["dpor", "pos", "random", "pct"] {
        assert!(strategies[name][0].as_u64().is_some_and(|run| run > 0), "{name}: {strategies}");
    }
}

#[test]
fn circles_that_are_not_looked_for_are_told_of() {
    let told = |locks: usize| {
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
        let (ran, json) = of_main(&gated, &["--scheduler", "random", "--schedules", "1"]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let notes = json["not_checked"].as_array().unwrap().clone();
        notes.iter().any(|note| {
            note.as_str().unwrap().starts_with("lock-order cycles beyond the search limit")
        })
    };
    assert_eq!((told(3), told(15)), (false, true));
}

#[test]
fn a_circle_of_many_locks_is_seen_where_nobody_was_blocked() {
    let ring = "static final Object GATE = new Object();\n    static int passed;\n    \
        public static void main(String[] x) throws Exception {\n        \
        Object[] forks = new Object[12];\n        Thread[] all = new Thread[forks.length];\n        \
        for (int i = 0; i < all.length; i++) forks[i] = new Object();\n        \
        for (int i = 0; i < all.length; i++) {\n            \
        Object left = forks[i], right = forks[(i + 1) % all.length];\n            \
        all[i] = new Thread(() -> { synchronized (left) { synchronized (right) { x.getClass(); } }\n            \
        synchronized (GATE) { passed++; } });\n        }\n        \
        for (Thread one : all) one.start();\n        for (Thread one : all) one.join();\n    }";
    let (ran, json) = of_main(ring, &["--schedules", "2"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
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
fn who_takes_a_lock_first_is_no_reason() {
    let of =
        |name: &str, what: &str| format!("A.lock();\n{what};\nA.unlock();\n").replace('X', name);
    let body = format!(
        "static final java.util.concurrent.locks.ReentrantLock A = new java.util.concurrent.locks.ReentrantLock();\n\
         static int low, high;\nstatic void set() {{\n{}{}}}\npublic static void main(String[] x) throws Exception {{\n\
         Thread one = new Thread(TillTest::set);\none.start();\n{}{}one.join();\n\
         if (l > h) throw new IllegalStateException(); }}",
        of("low", "X = 1"),
        of("high", "X = 1"),
        of("low", "int l = X"),
        of("high", "int h = X"),
    );
    let (ran, json) = of_main(&body, &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let patterns = &json["schedules"]["patterns"];
    assert!(patterns[0]["why"].as_str().unwrap().contains("TillTest.low"), "{patterns}");
    assert!(!patterns.to_string().contains("ReentrantLock"), "{patterns}");
}

#[test]
fn a_schedule_that_no_longer_fits_the_code_is_told() {
    let dir = with_main(COUNTED);
    assert_eq!(mend(dir.path(), &["explore", "--test", "shop.TillTest"]).code, 1);
    let file = run_folder(dir.path()).join("schedule-1.json");
    let mended = COUNTED.replace("static void add", "static synchronized void add");
    let text = format!("package shop;\n\nclass TillTest {{\n{mended}\n}}\n");
    commit(dir.path(), "two", &[("src/test/java/shop/TillTest.java", text)]);
    let replay = ["explore", "--test", "shop.TillTest", "--replay", file.to_str().unwrap()];
    let ran = mend(dir.path(), &replay);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("the schedule does not fail"), "{}", ran.stdout);
}

#[test]
fn a_test_with_one_thread_has_one_schedule() {
    let body = "    public static void main(String[] x) {}";
    let (ran, json) = of_main(body, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(json["message"].as_str().unwrap().contains("only one schedule"));
    assert_eq!(json["schedules"]["certificate"], Value::Null);
}

#[test]
fn a_thread_that_ends_the_program_or_dies_is_a_failure() {
    for (what, kind) in [("System.exit(0)", "exit"), ("x.notify()", "exception")] {
        let body = format!(
            "    public static void main(String[] x) throws Exception {{\n        \
             Thread one = new Thread(() -> {{ {what}; }});\n        one.start();\n        \
             one.join();\n    }}"
        );
        let (ran, json) = of_main(&body, &[]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert_eq!(json["schedules"]["failures"][0]["kind"], kind);
        let symptom = json["symptom"].as_str().unwrap();
        assert!(symptom.starts_with("shop.TillTest"), "{symptom}");
        // What stands in for the JDK throws it, and is not told.
        assert!(kind == "exit" || symptom.contains(" at shop.TillTest."), "{symptom}");
    }
}

#[test]
fn tests_are_told_of_all_cores_though_schedules_run_on_one() {
    let cores = std::thread::available_parallelism().unwrap();
    let body = format!(
        "    public static void main(String[] x) throws Exception {{\n        \
         Thread one = new Thread(() -> {{ }});\n        one.start();\n        one.join();\n        \
         if (Runtime.getRuntime().availableProcessors() != {cores}) throw new IllegalStateException();\n    }}"
    );
    let (ran, json) = of_main(&body, &[]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(json["schedules"]["failing"], 0);
}

#[test]
fn threads_that_are_left_running_do_not_matter() {
    let body = "    public static void main(String[] x) throws Exception {\n        \
        java.util.concurrent.Executors.newFixedThreadPool(2).submit(() -> 1).get();\n        \
        Thread daemon = new Thread(() -> { while (true) { Thread.yield(); } });\n        \
        daemon.setDaemon(true);\n        daemon.start();\n    }";
    let (ran, json) = of_main(body, &[]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(json["schedules"]["failing"], 0);
}

#[test]
fn what_a_synchronized_map_or_a_class_initialiser_orders_is_no_race() {
    let (ran, json) = of_main(
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
    assert_eq!(json["schedules"]["races"], Value::Array(Vec::new()), "{}", ran.stderr);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn others_come_between_the_calls_of_a_collection_that_no_variable_holds_itself() {
    for (type_name, made) in [
        ("synchronizedMap", "java.util.Collections.synchronizedMap(new java.util.HashMap<>())"),
        (
            "a map in an array",
            "((java.util.Map<String, Object>[]) new java.util.Map[] { new java.util.Hashtable<>() })[0]",
        ),
    ] {
        let (ran, json) = of_main(
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
        assert_eq!(ran.code, 1, "{type_name}: {}{}", ran.stdout, ran.stderr);
        assert_ne!(json["schedules"]["failing"], 0, "{type_name}");
    }
}

#[test]
fn a_thread_that_offers_others_to_go_first_may_go_on_itself() {
    let (ran, json) = of_main(
        "static volatile int n;\n\
         public static void main(String[] words) throws Exception {\n\
         Thread other = new Thread(() -> { n = 1; Thread.yield(); n = 2; });\n\
         other.start(); int seen = n; other.join();\n\
         if (seen == 2) throw new IllegalStateException(); }",
        &["--schedules", "100", "--scheduler", "random"],
    );
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let schedules = &json["schedules"];
    assert!(schedules["failing"].as_u64() < schedules["run"].as_u64(), "{schedules}");
    let replay = "schedule-1.json";
    assert_eq!(schedules["failures"][0]["schedule"], replay);
}

#[test]
fn two_locks_of_one_kind_guard_an_access_once() {
    let (ran, json) = of_main(
        "static class Key {}\nstatic final Key ONE = new Key(); static final Key TWO = new Key();\n\
         static int n;\n\
         static void add(Key a, Key b) { synchronized (a) { synchronized (b) { n++; } } }\n\
         public static void main(String[] words) throws Exception {\n\
         Thread other = new Thread(() -> add(ONE, TWO)); other.start(); add(ONE, TWO); other.join(); }",
        &[],
    );
    let policy = json["schedules"]["policy"].as_array().unwrap();
    assert!(!policy.is_empty(), "{}", ran.stderr);
    for one in policy {
        assert!(one["held"].as_u64() <= one["accesses"].as_u64(), "{one}");
    }
}

#[test]
fn what_waits_outside_of_control_is_no_pass() {
    let body = "    public static void main(String[] x) throws Exception {\n        \
        java.io.PipedInputStream in = new java.io.PipedInputStream();\n        \
        java.io.PipedOutputStream out = new java.io.PipedOutputStream(in);\n        \
        Thread one = new Thread(() -> {\n            try {\n                in.read();\n            \
        } catch (java.io.IOException e) {\n                throw new IllegalStateException(e);\n            \
        }\n        });\n        one.start();\n        Thread.yield();\n        out.write(1);\n        \
        out.flush();\n        one.join();\n    }";
    let dir = with_main(body);
    let ran = mend(dir.path(), &["explore", "--test", "shop.TillTest", "--scheduler", "random"]);
    ran.says(4, &["cannot control the threads of these tests", "help: narrow --test"]);
}

#[test]
fn tests_that_run_several_times_are_run_one_method_at_a_time() {
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
    let usual = ["explore", "--classpath", JUPITER, "--format", "json", "--schedules", "100"];
    let ran = mend(dir.path(), &[&usual[..], &["--test", "shop.TillTest"]].concat());
    assert_eq!(ran.code, 1, "{}\n{}", ran.stdout, ran.stderr);
    let json = ran.json();
    let failures = json["schedules"]["failures"].to_string();
    assert!(failures.contains("repeated") && failures.contains("parameter"), "{failures}");
    assert!(
        ran.stdout.contains("tests with only one thread (run once): shop.TillTest#once"),
        "{}",
        ran.stdout
    );
}

#[test]
fn threads_that_go_on_and_on_are_a_livelock() {
    let livelock = |fields: &str, first: &str, second: &str| {
        let body = format!(
            "static volatile boolean {fields};\npublic static void main(String[] x) throws Exception {{\n\
             Thread one = new Thread(() -> {{ {first} }});\nThread two = new Thread(() -> {{ {second} }});\n\
             one.start();\ntwo.start();\none.join();\ntwo.join(); }}"
        );
        let (ran, json) = of_main(&body, &["--schedules", "8", "--scheduler", "random"]);
        assert_eq!(ran.code, 1, "{}\n{}", ran.stdout, ran.stderr);
        let schedules = &json["schedules"];
        assert!(schedules["failing"].as_u64() < schedules["run"].as_u64(), "{schedules}");
        let failure = &schedules["failures"][0];
        assert_eq!(failure["kind"], "livelock");
        assert!(json["message"].as_str().unwrap().starts_with("livelock in "), "{json}");
        failure["message"].as_str().unwrap().to_owned()
    };
    // Who comes too late waits for ever.
    let told = livelock("open", "open = true; open = false;", "while (!open) { }");
    assert_eq!(told, "no thread makes progress");
    // Each lets the other one go first, and changes something each time.
    let polite = |own: &str, other: &str| {
        format!("while ({other}) {{ {own} = false; {own} = true; }} {own} = false;")
    };
    let told = livelock("a = true, b = true", &polite("a", "b"), &polite("b", "a"));
    assert_eq!(told, "still running after 1000000 steps");
}

#[test]
fn a_thread_that_only_looks_lets_others_go_on() {
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
        let (ran, json) = of_main(body, &["--schedules", "30"]);
        assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
        assert_eq!(json["schedules"]["inconclusive"], 0);
    }
}

#[test]
fn a_thread_whose_run_calls_that_of_its_superclass_ends_with_its_own() {
    let (ran, json) = of_main(
        "static int ended;\nstatic class Worker extends Thread {\nWorker(Runnable work) { super(work); }\n\
         @Override public void run() {\ntry { super.run(); } catch (IllegalStateException e) { ended++; }\n\
         finally { ended++; } } }\npublic static void main(String[] x) throws Exception {\n\
         Thread one = new Worker(() -> { throw new IllegalStateException(); });\none.start();\none.join();\n\
         if (ended != 2) throw new IllegalStateException(\"ended \" + ended); }",
        &[],
    );
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(json["schedules"]["failing"], 0);
}

#[test]
fn a_thread_that_was_not_started_under_control_makes_a_schedule_worthless() {
    let body = "static int sum;\nstatic synchronized void add() { sum++; }\n\
        public static void main(String[] x) throws Exception {\nThread hidden = new Thread(() -> add());\n\
        Thread.class.getMethod(\"start\").invoke(hidden);\nThread.class.getMethod(\"join\").invoke(hidden);\n\
        Thread one = new Thread(() -> add());\none.start();\none.join(); }";
    let dir = with_main(body);
    let ran = mend(dir.path(), &["explore", "--test", "shop.TillTest"]);
    let words = "Thread-0 runs instrumented code, but the scheduler does not control it";
    ran.says(4, &["cannot control the threads of these tests", words]);
}

#[test]
fn what_comes_before_an_interrupt_comes_before_its_detection() {
    let (ran, json) = of_main(
        "static int result;\npublic static void main(String[] x) throws Exception {\n\
         Thread one = new Thread(() -> {\ntry { Thread.sleep(1000); } catch (InterruptedException e) {\n\
         if (result != 5) throw new IllegalStateException(); } });\none.start();\nresult = 5;\n\
         one.interrupt();\none.join(); }",
        &[],
    );
    assert_eq!(json["schedules"]["races"], Value::Array(Vec::new()));
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
}

#[test]
fn that_two_threads_read_the_same_flag_orders_nothing() {
    let body = "static volatile boolean isOn;\nstatic int sum;\n\
        static void work() { boolean was = isOn; sum++; was = isOn; }\n\
        public static void main(String[] x) throws Exception {\nisOn = true;\n\
        Thread one = new Thread(() -> work()); Thread two = new Thread(() -> work());\none.start();\n\
        two.start();\none.join();\ntwo.join(); }";
    let (ran, json) = of_main(body, &["--schedules", "1"]);
    assert_eq!(ran.code, 1, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(json["schedules"]["races"][0]["variable"], "shop.TillTest.sum");
}

#[test]
fn a_thread_may_be_started_and_interrupted_in_its_own_way() {
    let (ran, json) = of_main(
        "static class Reader extends Thread {\nvolatile boolean isOpen; volatile boolean isClosed;\n\
         @Override public void start() { isOpen = true; super.start(); }\n\
         @Override public void interrupt() { isClosed = true; super.interrupt(); }\n\
         @Override public void run() {\nif (!isOpen) throw new IllegalStateException();\n\
         while (!isClosed) { Thread.yield(); } } }\n\
         public static void main(String[] x) throws Exception {\nThread one = new Reader();\none.start();\n\
         one.interrupt();\none.join(); }",
        &[],
    );
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(json["schedules"]["inconclusive"], 0);
}

#[test]
fn two_static_variables_that_belong_together_are_told_as_such() {
    let body = "static int low = 1, high = 2;\nstatic void move() {\nlow = 11;\nhigh = 12; }\n\
        public static void main(String[] x) throws Exception {\nThread one = new Thread(() -> move());\n\
        one.start();\nint from = low;\nint to = high;\none.join();\n\
        if (from > to) throw new IllegalStateException(\"torn\"); }";
    let (ran, json) = of_main(body, &[]);
    assert_eq!(ran.code, 1, "{}\n{}", ran.stdout, ran.stderr);
    let patterns = json["schedules"]["patterns"].as_array().unwrap();
    let variables = serde_json::json!(
        ["low", "low", "high", "high"].map(|name| format!("shop.TillTest.{name}"))
    );
    assert!(patterns.iter().any(|one| one["variables"] == variables), "{patterns:?}");
}

#[test]
fn what_a_method_of_the_jdk_is_given_is_come_to_if_it_is_gone_through() {
    let racing = |body: &str| {
        let (ran, json) = of_main(body, &["--schedules", "40"]);
        let races = json["schedules"]["races"].as_array().unwrap();
        let names = races.iter().map(|race| race["variable"].as_str().unwrap().to_owned());
        assert_eq!(ran.code, i32::from(!races.is_empty()), "{}\n{}", ran.stdout, ran.stderr);
        names.collect::<Vec<_>>()
    };
    let list = "static final java.util.List<Integer> LIST = new java.util.ArrayList<>();\n\
        public static void main(String[] x) throws Exception {\nThread one = new Thread(() -> LIST.add(1));\n\
        one.start();\n";
    let taken = format!(
        "{list}java.util.List<Integer> copy = new java.util.ArrayList<>(LIST);\none.join(); }}"
    );
    assert!(racing(&taken).iter().any(|name| name.starts_with("contents of ")));
    let kept = format!(
        "{list}java.util.List<Object> box = new java.util.ArrayList<>();\nbox.add(LIST);\none.join(); }}"
    );
    assert_eq!(racing(&kept), Vec::<String>::new());
    let array = "static int[] all = {4, 3, 2, 1, 4, 3, 2, 1};\n\
        public static void main(String[] x) throws Exception {\n";
    let whole = format!(
        "{array}Thread one = new Thread(() -> {{ all[2] = 5; }});\none.start();\nint[] copy = all.clone();\n\
         one.join(); }}"
    );
    assert_eq!(racing(&whole), ["[]"]);
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
fn others_come_between_a_shuffle_and_what_follows() {
    let (ran, json) = of_main(
        "static final java.util.List<Integer> LIST = new java.util.ArrayList<>();\nstatic int sum;\n\
         static void work() { java.util.Collections.shuffle(LIST); sum++; }\n\
         public static void main(String[] x) throws Exception {\n\
         Thread one = new Thread(() -> work()); Thread two = new Thread(() -> work());\none.start();\n\
         two.start();\none.join();\ntwo.join();\nif (sum != 2) throw new IllegalStateException(); }",
        &[],
    );
    assert_eq!(ran.code, 1, "{}\n{}", ran.stdout, ran.stderr);
    assert!(json["schedules"]["failing"].as_u64().unwrap() > 0);
}

#[test]
fn subclasses_of_collections_and_locks_are_seen_as_these_are() {
    let of = |members: &str, main: &str, last: &str| {
        let body = format!(
            "{members}\npublic static void main(String[] x) throws Exception {{\n\
             Thread one = new Thread(() -> {{ {main} }});\none.start();\n{main}\none.join();\n{last} }}"
        );
        let (ran, json) = of_main(&body, &["--schedules", "60"]);
        (
            ran.code,
            json["schedules"]["races"].as_array().unwrap().len(),
            json["schedules"]["failing"].clone(),
        )
    };
    let map = "static class Lru extends java.util.LinkedHashMap<String, String> { %\n\
        @Override protected boolean removeEldestEntry(java.util.Map.Entry<String, String> e) { return size() > 3; } }\n\
        static final java.util.Map<String, String> LRU = new Lru();";
    let (code, races, _) = of(&map.replace('%', ""), "LRU.put(\"a\", \"b\");", "");
    assert!(code == 1 && races > 0);
    let own =
        "@Override public synchronized String put(String a, String b) { return super.put(a, b); }";
    let (code, races, _) = of(&map.replace('%', own), "LRU.put(\"a\", \"b\");", "");
    assert_eq!((code, races), (0, 0));
    let overload = "void put(java.util.List<String> all) { for (String one : all) put(one, one); }";
    let (code, races, _) = of(&map.replace('%', overload), "LRU.put(\"a\", \"b\");", "");
    assert!(code == 1 && races > 0);
    let guarded = "static class Model extends java.util.Observable { }\nstatic final Model MODEL = new Model();\n\
        static final java.util.Random RANDOM = new java.security.SecureRandom();";
    let calls = "MODEL.addObserver((who, what) -> { }); RANDOM.nextInt();";
    assert_eq!(of(guarded, calls, "").1, 0);
    let lock = "static class Own extends java.util.concurrent.locks.AbstractQueuedSynchronizer {\n\
        @Override protected boolean tryAcquire(int n) { return compareAndSetState(0, 1); }\n\
        @Override protected boolean tryRelease(int n) { setState(0); return true; } }\n\
        static final Own OWN = new Own();\nstatic int sum;";
    let taken = "OWN.acquire(1); sum++; OWN.release(1);";
    let (code, races, _) = of(lock, taken, "if (sum != 2) throw new IllegalStateException();");
    assert_eq!((code, races), (0, 0));
    let counts = "static class Counts extends java.util.concurrent.ConcurrentHashMap<String, Integer> { }\n\
        static final Counts COUNTS = new Counts();\nstatic void add() {\nInteger n = COUNTS.get(\"a\");\n\
        COUNTS.put(\"a\", n == null ? 1 : n + 1); }";
    let (code, _, failing) =
        of(counts, "add();", "if (COUNTS.get(\"a\") != 2) throw new IllegalStateException();");
    assert!(code == 1 && failing.as_u64().unwrap() > 0);
}

#[test]
fn all_clocks_show_the_time_of_the_schedule() {
    let (ran, _) = of_main(
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
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
}

#[test]
fn wrong_words_are_refused_with_a_remedy() {
    let dir = with_main(COUNTED);
    let run = |more: &[&str]| mend(dir.path(), &[&["explore"], more].concat());
    run(&[]).says(2, &["no test given", "add `--test pkg.Class`"]);
    let test = ["--test", "shop.TillTest"];
    run(&[&test[..], &["--scheduler", "best"]].concat())
        .says(2, &["write pos, pct, random or dpor"]);
    run(&[&test[..], &["--schedules", "0"]].concat()).says(2, &["0 is not in"]);
    run(&["--test", "shop.Tll"]).says(2, &["help: use --test pkg.Class"]);
    let elsewhere = run(&[&test[..], &["--replay", "no.json"]].concat());
    elsewhere.says(2, &["--replay", "schedule-N.json from the run folder of an earlier"]);
}
