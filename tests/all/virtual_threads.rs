//! Tests of schedule exploration with virtual threads.

use crate::explore::{explore_main, main_test_repository};
use crate::support::run_mend;
use std::path::Path;
use std::process::Command;

/// Returns the release of the JDK that runs the tests.
fn jdk_release() -> u32 {
    let home = std::env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin/javac"));
    let javac = home.unwrap_or_else(|| "javac".into());
    let output = Command::new(javac).arg("-version").output().unwrap();
    let words =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let release = words.trim().rsplit(' ').next().unwrap().trim_start_matches("1.").to_owned();
    release.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// Test programs with virtual threads: name, statements, and part of the expected message.
const VIRTUAL_THREAD_CASES: [(&str, &str, &str); 7] = [
    ("started", "lost(Thread.startVirtualThread(() -> sum++));", "lost"),
    ("built", "lost(Thread.ofVirtual().name(\"it\").start(() -> sum++));", "lost"),
    (
        "made",
        "Thread one = Thread.ofVirtual().factory().newThread(() -> sum++);\none.start();\nlost(one);",
        "lost",
    ),
    (
        "pooled",
        "try (java.util.concurrent.ExecutorService all =\n\
         java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor()) {\n\
         java.util.concurrent.Future<?> one = all.submit(() -> { sum++; });\nsum++;\none.get(); }\n\
         if (sum != 2) throw new IllegalStateException(\"lost\");",
        "lost",
    ),
    (
        "dying",
        "Thread.startVirtualThread(() -> { throw new IllegalStateException(\"dead\"); }).join();",
        "dead",
    ),
    (
        "blocked",
        "Object a = new Object(), b = new Object();\n\
         Thread one = Thread.startVirtualThread(() -> { synchronized (a) { synchronized (b) { } } });\n\
         synchronized (b) { synchronized (a) { } }\none.join();",
        "main waits for Object#",
    ),
    (
        "asked",
        "boolean[] is = new boolean[3];\nThread one = Thread.startVirtualThread(() -> {\n\
         Thread me = Thread.currentThread();\nis[0] = me.isVirtual(); is[1] = me.isDaemon();\n\
         is[2] = me.getName().isEmpty(); });\none.join();\n\
         if (!is[0] || !is[1] || !is[2] || !one.isVirtual() || Thread.currentThread().isVirtual())\n\
         throw new IllegalStateException(java.util.Arrays.toString(is));",
        "",
    ),
];

/// Older JDKs have no virtual threads. On them, the test checks only the error message, and reports that.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the log sees what was not looked at")]
fn virtual_threads_are_explored_if_supported() {
    let lost = "static volatile int sum;\nstatic void lost(Thread one) throws Exception {\n\
        sum++;\none.join();\nif (sum != 2) throw new IllegalStateException(\"lost\"); }";
    let (release, first) = (jdk_release(), 21);
    for (name, body, told) in VIRTUAL_THREAD_CASES {
        let text =
            format!("{lost}\npublic static void main(String[] x) throws Exception {{\n{body} }}");
        if release < first {
            eprintln!(
                "not explored: JDK {release} has no virtual threads, and JDK {first} is needed"
            );
            let dir = main_test_repository(&text);
            let output = run_mend(dir.path(), &["explore", "--test", "shop.TillTest"]);
            output.assert_exit_and_stderr(4, &["does not build", "cannot find symbol"]);
            return;
        }
        let (output, json) = explore_main(&text, &["--schedules", "200"]);
        assert_eq!(
            output.code,
            i32::from(!told.is_empty()),
            "{name}: {}{}",
            output.stdout,
            output.stderr
        );
        let failures = json["schedules"]["failures"].to_string();
        assert!(failures.contains(told), "{name}: {failures}");
        assert_eq!(json["schedules"]["inconclusive"], 0, "{name}");
        let stranger = "threads that the scheduler does not control";
        assert!(!json["not_checked"].to_string().contains(stranger), "{name}: {json}");
    }
}
