//! Tests of `git mend explore` on tests as people write them: with executors, futures, streams and libraries.

use crate::support::{
    CommandOutput, JUPITER, commit, repository, run_mend, run_mend_keeping_repository,
};
use serde_json::Value;
use std::path::Path;

const ACCOUNT: &str = "package bank;\n\npublic class Account {\n    private int balance;\n\n    \
    public void deposit(int amount) {\n        balance += amount;\n    }\n\n    \
    public int getBalance() {\n        return balance;\n    }\n}\n";

/// Explores a test method that deposits into `account`, with these imports.
fn explore_test(imports: &[&str], body: &str, class_path: &str) -> CommandOutput {
    explore_some(imports, body, class_path, "200")
}

/// Explores a test method as [`explore_test`] does, with a number of schedules.
fn explore_some(imports: &[&str], body: &str, class_path: &str, schedules: &str) -> CommandOutput {
    let dir = repository();
    let imports: String = imports.iter().map(|one| ["import ", one, ";\n"].concat()).collect();
    let test = format!(
        "package bank;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n{imports}\
         import org.junit.jupiter.api.Test;\n\nclass AccountTest {{\n    @Test\n    \
         void depositsAddUp() throws Exception {{\n        Account account = new Account();\n{body}\n    }}\n}}\n"
    );
    let files = [
        ("src/main/java/bank/Account.java", ACCOUNT),
        ("src/test/java/bank/AccountTest.java", test.as_str()),
    ];
    commit(dir.path(), "one", &files);
    let arguments = ["explore", "--test", "bank.AccountTest", "--format", "json"];
    run_mend(
        dir.path(),
        &[&arguments[..], &["--schedules", schedules, "--classpath", class_path]].concat(),
    )
}

/// Asserts that a lost deposit is found and explained.
fn assert_lost_deposit(output: &CommandOutput) -> Value {
    assert_eq!(output.code, 1, "{}\n{}", output.stdout, output.stderr);
    let result = output.json();
    assert_ne!(result["schedules"]["failing"], 0, "{result:#}");
    assert_eq!(result["schedules"]["inconclusive"], 0, "{result:#}");
    let why = result["schedules"]["patterns"][0]["why"].as_str().unwrap();
    assert!(why.contains("Account.balance"), "{why}");
    result
}

#[test]
fn executors_and_futures_are_controlled() {
    let pool = "        ExecutorService pool = Executors.newFixedThreadPool(2);\n        \
        pool.submit(() -> account.deposit(1));\n        pool.submit(() -> account.deposit(1));\n        \
        pool.shutdown();\n        pool.awaitTermination(1, TimeUnit.SECONDS);\n        \
        assertEquals(2, account.getBalance());";
    assert_lost_deposit(&explore_test(&["java.util.concurrent.*"], pool, JUPITER));
    let futures = "        CompletableFuture<Void> one = CompletableFuture.runAsync(() -> account.deposit(1));\n        \
        CompletableFuture<Void> two = CompletableFuture.runAsync(() -> account.deposit(1));\n        \
        CompletableFuture.allOf(one, two).get(5, TimeUnit.SECONDS);\n        \
        assertEquals(2, account.getBalance());";
    assert_lost_deposit(&explore_test(&["java.util.concurrent.*"], futures, JUPITER));
}

#[test]
fn latches_with_timeouts_are_controlled() {
    let body = "        CountDownLatch done = new CountDownLatch(2);\n        \
        for (int i = 0; i < 2; i++) {\n            new Thread(() -> {\n                \
        account.deposit(1);\n                done.countDown();\n            }).start();\n        }\n        \
        assertEquals(true, done.await(1, TimeUnit.SECONDS));\n        \
        assertEquals(2, account.getBalance());";
    assert_lost_deposit(&explore_test(&["java.util.concurrent.*"], body, JUPITER));
}

#[test]
fn parallel_streams_are_controlled() {
    let each = "        IntStream.range(0, 3).parallel().forEach(i -> account.deposit(1));\n        \
        assertEquals(3, account.getBalance());";
    let result = assert_lost_deposit(&explore_test(&["java.util.stream.IntStream"], each, JUPITER));
    let picture = result["schedules"]["picture"].as_str().unwrap();
    assert!(picture.contains("stream-worker-1"), "{picture}");
    let mapped = "        List<Integer> all = List.of(1, 2, 3).parallelStream().map(amount -> {\n            \
        account.deposit(amount);\n            return amount;\n        }).collect(Collectors.toList());\n        \
        assertEquals(List.of(1, 2, 3), all);\n        assertEquals(6, account.getBalance());";
    let imports = ["java.util.List", "java.util.stream.Collectors"];
    assert_lost_deposit(&explore_test(&imports, mapped, JUPITER));
}

#[test]
fn results_of_parallel_streams_are_those_of_the_jdk() {
    let body = "        assertEquals(45, IntStream.range(0, 10).parallel().sum());\n        \
        assertEquals(4.5, LongStream.range(0, 10).parallel().average().getAsDouble());\n        \
        assertEquals(6.0, DoubleStream.of(1, 2, 3).parallel().reduce(0, Double::sum));\n        \
        assertEquals(\"abc\", Stream.of(\"a\", \"b\", \"c\").parallel().reduce(\"\", String::concat));\n        \
        assertEquals(2, Stream.iterate(1, i -> i + 1).parallel().filter(i -> i > 1).findFirst().get());\n        \
        assertEquals(3, Stream.of(1, 2, 3).parallel().peek(i -> { synchronized (account) { account.deposit(1); } })\n\
        .toArray().length);\n        assertEquals(3, account.getBalance());\n        int caught = 0;\n        \
        try {\n            Stream.of(1, 2, 3).parallel().forEach(i -> { throw new IllegalStateException(); });\n        \
        } catch (IllegalStateException e) {\n            caught++;\n        }\n        assertEquals(1, caught);";
    let output = explore_test(&["java.util.stream.*"], body, JUPITER);
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    let schedules = &output.json()["schedules"];
    assert_eq!(schedules["failing"], 0, "{schedules:#}");
    // The JDK may split a source into other parts.
    assert_ne!(schedules["certificate"]["exhaustive"], true, "{schedules:#}");
}

#[test]
fn tests_that_junit_runs_at_the_same_time_are_listed() {
    let dir = repository();
    let test = "package bank;\n\nimport org.junit.jupiter.api.Test;\n\
        import org.junit.jupiter.api.parallel.*;\n\n@Execution(ExecutionMode.CONCURRENT)\nclass AccountTest {\n    \
        @Test\n    void depositsAddUp() throws Exception {\n        Account account = new Account();\n        \
        Thread one = new Thread(() -> account.deposit(1));\n        one.start();\n        one.join();\n    }\n\n    \
        @Test\n    void other() {}\n}\n";
    let settings = "junit.jupiter.execution.parallel.enabled=true\n";
    let files = [
        ("src/main/java/bank/Account.java", ACCOUNT),
        ("src/test/java/bank/AccountTest.java", test),
        ("src/test/resources/junit-platform.properties", settings),
        (
            "pom.xml",
            "<project><modelVersion>4.0.0</modelVersion><groupId>b</groupId><artifactId>b</artifactId>\
            <version>1</version></project>",
        ),
    ];
    commit(dir.path(), "one", &files);
    let arguments =
        ["explore", "--test", "bank.AccountTest", "--classpath", JUPITER, "--model", "files"];
    let output = run_mend(dir.path(), &arguments);
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    let note = "tests that JUnit runs at the same time: here, each test runs alone";
    assert!(output.stdout.contains(note), "{}", output.stdout);
    let alone = "tests with only one thread (run once): bank.AccountTest#other";
    assert!(output.stdout.contains(alone), "{}", output.stdout);
}

/// A test that fails in two ways, each under few schedules.
const TWO_FAILURES: &str = "package bank;\n\npublic class AccountTest {\n    static boolean isOpen;\n\n    \
    static void check(Account account) {\n        \
    if (account.getBalance() != 2) throw new IllegalStateException(\"lost 7 of 9\");\n    }\n\n    \
    public static void main(String[] arguments) throws Exception {\n        isOpen = false;\n        \
    Account account = new Account();\n        Thread other = new Thread(() -> {\n            isOpen = true;\n            \
    account.deposit(1);\n        });\n        other.start();\n        \
    if (!isOpen) throw new IllegalArgumentException(\"closed\");\n        account.deposit(1);\n        other.join();\n        \
    check(account);\n    }\n}\n";

#[test]
fn failure_of_a_log_is_reproduced() {
    let dir = repository();
    let files = [
        ("src/main/java/bank/Account.java", ACCOUNT),
        ("src/test/java/bank/AccountTest.java", TWO_FAILURES),
    ];
    commit(dir.path(), "one", &files);
    let log = "Running bank.AccountTest\njava.lang.IllegalStateException: lost 1 of 2\n\
        \tat bank.AccountTest.check(AccountTest.java:7)\n\tat bank.AccountTest.main(AccountTest.java:20)\n";
    std::fs::write(dir.path().join("ci.log"), log).unwrap();
    let explore = |log: &str| {
        let arguments = ["explore", "--test", "bank.AccountTest", "--symptom", log];
        run_mend_keeping_repository(dir.path(), &arguments)
    };
    let output = explore("ci.log");
    assert_eq!(output.code, 1, "{}\n{}", output.stdout, output.stderr);
    assert!(output.stdout.contains(", first in schedule "), "{}", output.stdout);
    assert!(
        output.stdout.contains("java.lang.IllegalStateException: lost 7 of 9"),
        "{}",
        output.stdout
    );
    let others = "in another way, first: java.lang.IllegalArgumentException: closed";
    assert!(output.stdout.contains(others), "{}", output.stdout);
    std::fs::write(
        dir.path().join("other.log"),
        log.replace("AccountTest.check", "AccountTest.main"),
    )
    .unwrap();
    let output = explore("other.log");
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("schedules fails like this"), "{}", output.stdout);
    assert!(!output.stdout.contains("95 % confidence"), "{}", output.stdout);
    std::fs::write(dir.path().join("empty.log"), "BUILD FAILURE\n").unwrap();
    explore("empty.log").assert_exit_and_stderr(2, &["no stack trace found in", "empty.log"]);
}

/// Returns the class path of a library in `tests/libraries`, or `None`, which it reports, if it was not downloaded.
#[expect(clippy::print_stderr, reason = "whoever reads the log sees what was not tested")]
fn library_class_path(names: &[&str]) -> Option<String> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/libraries/target/jars"));
    let mut class_path = JUPITER.to_owned();
    for name in names {
        let mut jars = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        let jar = jars.find(|jar| jar.to_string_lossy().contains(&format!("/{name}-")));
        let Some(jar) = jar else {
            eprintln!("not tested, as scripts/setup did not download it: {name}");
            return None;
        };
        class_path = format!("{class_path}:{}", jar.display());
    }
    Some(class_path)
}

#[test]
fn mocks_are_controlled() {
    let names = ["mockito-core", "byte-buddy", "byte-buddy-agent", "objenesis"];
    let Some(class_path) = library_class_path(&names) else { return };
    let body = "        Runnable bell = Mockito.mock(Runnable.class);\n        \
        Thread other = new Thread(() -> {\n            account.deposit(1);\n            bell.run();\n        });\n        \
        other.start();\n        account.deposit(1);\n        bell.run();\n        other.join();\n        \
        Mockito.verify(bell, Mockito.times(2)).run();\n        assertEquals(2, account.getBalance());";
    // Mockito defines classes in each schedule, which is slow.
    assert_lost_deposit(&explore_some(&["org.mockito.Mockito"], body, &class_path, "6"));
}

#[test]
fn awaitility_is_controlled() {
    let Some(class_path) = library_class_path(&["awaitility", "hamcrest"]) else { return };
    let body = "        AtomicInteger done = new AtomicInteger();\n        \
        for (int i = 0; i < 2; i++) {\n            new Thread(() -> {\n                \
        account.deposit(1);\n                done.incrementAndGet();\n            }).start();\n        }\n        \
        Awaitility.await().atMost(Duration.ofSeconds(2)).until(() -> done.get() == 2);\n        \
        assertEquals(2, account.getBalance());";
    let imports = [
        "java.time.Duration",
        "java.util.concurrent.atomic.AtomicInteger",
        "org.awaitility.Awaitility",
    ];
    assert_lost_deposit(&explore_test(&imports, body, &class_path));
}
