//! Variants whose tests change what outlives their classes, and those that come after them.

use super::*;
use crate::TestTimeouts;
use mend_model::{Outcome, TestResult, TestStatus};
use std::time::Duration;

const TEST: (&str, &str) = (
    "test/a/T.java",
    r#"package a;
import java.util.*;
class T {
    public static void main(String[] x) throws Exception {
        need(System.getProperty("polluted") == null, "property");
        need(!Locale.getDefault().getLanguage().equals("tr"), "locale");
        need(!TimeZone.getDefault().getID().equals("Pacific/Apia"), "time zone");
        need(Use.times == 0, "static");
        need(!System.out.checkError(), "closed stream");
        need(java.util.logging.Logger.getLogger("").getLevel() != java.util.logging.Level.OFF, "logging");
        need(java.security.Security.getProvider("Polluted") == null, "provider");
        need(Thread.getDefaultUncaughtExceptionHandler() == null, "handler");
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            need(!thread.getName().equals("left"), "thread");
        }
        java.net.URL.setURLStreamHandlerFactory(null);
        need(!"7".equals(java.security.Security.getProperty("networkaddress.cache.ttl")), "security property");
        // What a thread has for itself, its locals among them, goes with it.
        need(Thread.currentThread().getPriority() == Thread.NORM_PRIORITY, "priority of the thread");
        need(!Thread.currentThread().isInterrupted(), "interrupt of the thread");
        need(new java.io.File(System.getProperty("java.io.tmpdir")).list().length == 0, "temporary file");
        need(!ProcessHandle.current().children().findAny().isPresent(), "child process");
        Use.times++;
        Use.it();
    }
    static void need(boolean isClean, String what) {
        if (!isClean) throw new IllegalStateException("polluted by " + what);
    }
}"#,
);

fn using(body: &str) -> String {
    format!(
        "package a; class Use {{ static int times; static void it() throws Exception {{ {body} }} }}"
    )
}

fn pair() -> EnginePair {
    EnginePair::new("a.T", &[("src/a/Use.java", &using("")), TEST])
}

#[test]
fn whatever_tests_change_in_the_jvm_the_next_variant_finds_it_clean() {
    let pair = pair();
    for body in [
        "System.setProperty(\"polluted\", \"yes\"); System.setProperties(new java.util.Properties());",
        "java.util.Locale.setDefault(new java.util.Locale(\"tr\", \"TR\"));\
         java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(\"Pacific/Apia\"));",
        "System.out.close(); System.err.close(); System.out.println(1); System.in.close();",
        "java.util.logging.Logger.getLogger(\"\").setLevel(java.util.logging.Level.OFF);",
        "java.security.Security.addProvider(new java.security.Provider(\"Polluted\", 1.0, \"\") {});",
        "Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {});",
        "Thread left = new Thread(() -> { while (true) try { Thread.sleep(1000); } catch (Exception e) {} },\
         \"left\"); left.start();",
        "java.net.URL.setURLStreamHandlerFactory(protocol -> null);",
        "java.security.Security.setProperty(\"networkaddress.cache.ttl\", \"7\");",
        "Thread.currentThread().setPriority(1); Thread.currentThread().interrupt();",
        "java.nio.file.Files.createDirectories(java.nio.file.Files.createTempDirectory(\"left\").resolve(\"in/it\"));",
        "new ProcessBuilder(\"sleep\", \"30\").start();",
    ] {
        let judged = pair.judge_with("src/a/Use.java", &using(body));
        assert!(judged.outcome.is_pass(), "{body}: {:?}", judged.outcome);
        // A worker whose tests leave state behind three times in a row is skipped for a while.
        let next = pair.judge_with("src/a/Use.java", &using("times++;"));
        assert!(next.outcome.is_pass(), "after {body}: {:?}", next.outcome);
        assert_eq!(next.rung, ExecutionMode::Loader, "after {body}");
    }
}

#[test]
fn what_tests_always_leave_is_believed_to_mean_nothing_once_a_fresh_jvm_has_said_so() {
    let mut pair = pair();
    let leaving = |what: &str, times: usize| using(&format!("{what} times += {times};"));
    let property = "System.setProperty(\"polluted\", \"yes\");";
    let judge = |pair: &EnginePair, what, times| {
        let judged = pair.judge_with("src/a/Use.java", &leaving(what, times));
        assert!(judged.outcome.is_pass(), "{:?}", judged.outcome);
        judged.rung
    };
    let rungs = [1, 2, 3, 4, 5].map(|times| judge(&pair, property, times));
    assert_eq!(
        rungs,
        [
            ExecutionMode::Jvm,
            ExecutionMode::Loader,
            ExecutionMode::Loader,
            ExecutionMode::Loader,
            ExecutionMode::Loader
        ]
    );
    let more = format!("{property} System.setProperty(\"more\", \"yes\");");
    assert_eq!(
        [judge(&pair, &more, 1), judge(&pair, &more, 2)],
        [ExecutionMode::Jvm, ExecutionMode::Loader]
    );
    // The check that comes first says so as well.
    pair.resident.trust = Mutex::new(CrossCheck::new(1));
    let zone = "java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(\"Pacific/Apia\"));";
    assert_eq!(judge(&pair, zone, 1), ExecutionMode::Process);
    pair.resident.trust = Mutex::new(CrossCheck::never_doubting());
    assert_eq!(judge(&pair, zone, 2), ExecutionMode::Loader);
}

#[test]
fn what_cannot_be_restored_is_never_believed_to_mean_nothing() {
    let pair = pair();
    let level = "java.util.logging.Logger.getLogger(\"\").setLevel(java.util.logging.Level.OFF);";
    for times in 1..3 {
        let body = using(&format!("{level} times += {times};"));
        assert_eq!(pair.judge_with("src/a/Use.java", &body).rung, ExecutionMode::Jvm);
    }
}

#[test]
fn a_native_library_is_there_for_every_variant_that_asks_for_it() {
    let pair = pair();
    for times in 1..3 {
        // What makes do without it where it is refused must not be judged as if it had been there.
        let body = format!(
            "String library = System.getProperty(\"java.io.tmpdir\") + \"/../libown.so\";\
             java.io.File copy = new java.io.File(library).getCanonicalFile();\
             if (!copy.exists()) java.nio.file.Files.copy(java.nio.file.Paths.get(\
                 System.getProperty(\"java.home\"), \"lib\", \"libprefs.so\"), copy.toPath());\
             try {{ System.load(copy.getPath()); }} catch (UnsatisfiedLinkError e) {{\
                 throw new IllegalStateException(\"does without it\"); }}\
             times += {times};"
        );
        let judged = pair.judge_with("src/a/Use.java", &using(&body));
        assert_eq!(
            (judged.outcome.is_pass(), judged.rung),
            (true, ExecutionMode::Jvm),
            "{:?}",
            judged.outcome
        );
    }
}

#[test]
fn a_factory_of_sockets_ends_with_its_variant() {
    let pair = pair();
    let sets = "class Own extends javax.net.ssl.SSLSocketFactory {\
             public String[] getDefaultCipherSuites() { return null; }\
             public String[] getSupportedCipherSuites() { return null; }\
             public java.net.Socket createSocket(java.net.Socket s, String h, int p, boolean b) { return null; }\
             public java.net.Socket createSocket(String h, int p) { return null; }\
             public java.net.Socket createSocket(java.net.InetAddress h, int p) { return null; }\
             public java.net.Socket createSocket(String h, int p, java.net.InetAddress l, int q) { return null; }\
             public java.net.Socket createSocket(java.net.InetAddress h, int p, java.net.InetAddress l, int q) {\
                 return null; } }\
         javax.net.ssl.HttpsURLConnection.setDefaultSSLSocketFactory(new Own());";
    let asks = "if (javax.net.ssl.HttpsURLConnection.getDefaultSSLSocketFactory().getClass().getName()\
         .contains(\"Own\")) throw new IllegalStateException(\"polluted\");";
    for body in [sets, asks] {
        let judged = pair.judge_with("src/a/Use.java", &using(body));
        assert!(judged.outcome.is_pass(), "{:?}", judged.outcome);
    }
    // Neither is anything that could not be put back.
    let next = pair.judge_with("src/a/Use.java", &using("times++;"));
    assert_eq!((next.rung, next.jvms), (ExecutionMode::Loader, 0));
}

#[test]
fn shutdown_hooks_end_with_their_variant() {
    let pair = pair();
    let folder = pair.bench.tree.path().to_owned();
    let body = |times: usize| {
        let mark = folder.join(format!("hooked-{times}")).display().to_string();
        using(&format!(
            "Runtime.getRuntime().addShutdownHook(new Thread(() -> {{\
                 try {{ new java.io.File({mark:?}).createNewFile(); }} catch (java.io.IOException e) {{ }} }}));\
             times += {times};"
        ))
    };
    // A fresh JVM says what it means to leave one.
    assert_eq!(pair.judge_with("src/a/Use.java", &body(1)).rung, ExecutionMode::Jvm);
    pair.bench.write("src/a/Use.java", &body(2));
    let judged = pair.resident.run(&RunRequest::quick(&folder, &Limits::default())).unwrap();
    assert_eq!((judged.outcome.is_pass(), judged.rung), (true, ExecutionMode::Loader));
    drop(pair.resident);
    assert!(!folder.join("hooked-2").exists());
}

#[test]
fn tests_that_are_only_watched_run_once_whatever_they_leave() {
    let pair = pair();
    let leaves = "System.getProperties().setProperty(\"polluted\", \"yes\");\
        java.io.FileWriter out = new java.io.FileWriter(\"runs\", true); out.write(\"run \"); out.close();";
    pair.bench.write("src/a/Use.java", &using(leaves));
    let watched = {
        let (tree, limits) = (pair.bench.tree.path(), &Limits::default());
        pair.resident.run(&RunRequest { tree, limits, mode: RunMode::Recording }).unwrap()
    };
    assert_eq!(watched.rung, ExecutionMode::Loader);
    let runs = std::fs::read_to_string(pair.bench.tree.path().join("runs")).unwrap();
    assert_eq!(runs, "run ");
    assert!(pair.judge_with("src/a/Use.java", &using("times++;")).outcome.is_pass());
}

#[test]
fn where_a_fresh_build_is_asked_anyway_no_other_fresh_jvm_is() {
    let mut pair = pair();
    pair.resident.trust = Mutex::new(CrossCheck::new(1));
    let leaves = "System.getProperties().setProperty(\"polluted\", \"yes\");\
        java.io.FileWriter out = new java.io.FileWriter(\"runs\", true); out.write(\"run \"); out.close();";
    pair.bench.write("src/a/Use.java", &using(leaves));
    let checked = pair.bench.execute(&pair.resident);
    assert_eq!((checked.outcome.is_pass(), checked.rung), (true, ExecutionMode::Process));
    let runs = std::fs::read_to_string(pair.bench.tree.path().join("runs")).unwrap();
    assert_eq!(runs, "run run ");
}

#[test]
fn a_test_that_ends_its_jvm_costs_one_worker_and_is_judged_as_by_a_fresh_jvm() {
    let pair = pair();
    for body in ["System.exit(0);", "Runtime.getRuntime().halt(3);"] {
        let judged = pair.judge_with("src/a/Use.java", &using(body));
        assert!(matches!(judged.outcome, Outcome::Crashed { .. }), "{:?}", judged.outcome);
        let next = pair.judge_with("src/a/Use.java", &using(""));
        assert_eq!((next.outcome.is_pass(), next.rung), (true, ExecutionMode::Loader));
        // The next worker was started when the last one had ended.
        assert_eq!(next.jvms, 0);
    }
}

#[test]
fn the_idle_threads_of_the_pool_that_streams_share_are_nobodys() {
    let pair = pair();
    let body = "java.util.stream.IntStream.range(0, 1000000).parallel().map(x -> x % 7).sum();";
    for _ in 0..2 {
        assert_eq!(pair.judge_with("src/a/Use.java", &using(body)).rung, ExecutionMode::Loader);
    }
    let busy = "java.util.concurrent.ForkJoinPool.commonPool().execute(() -> {\
                while (true) try { Thread.sleep(100); } catch (Exception e) {} });";
    assert_eq!(pair.judge_with("src/a/Use.java", &using(busy)).rung, ExecutionMode::Jvm);
}

#[test]
fn deep_recursion_is_a_failure_and_loud_tests_pass() {
    let pair = pair();
    let deep = pair.judge_with("src/a/Use.java", &using("it();"));
    assert_eq!((deep.outcome.is_pass(), deep.rung), (false, ExecutionMode::Jvm));
    let loud = "byte[] line = new byte[1 << 20]; for (int i = 0; i < 300; i++) System.out.write(line, 0, line.length);";
    let loud = pair.judge_with("src/a/Use.java", &using(loud));
    assert_eq!((loud.outcome.is_pass(), loud.rung), (true, ExecutionMode::Loader));
}

#[test]
fn an_endless_test_is_told_with_its_own_output_and_costs_one_worker() {
    let pair = pair();
    assert!(
        pair.judge_with("src/a/Use.java", &using("System.out.println(\"before\");"))
            .outcome
            .is_pass()
    );
    pair.bench.write(
        "src/a/Use.java",
        &using("System.out.println(\"on it\"); while (true) Thread.sleep(1000);"),
    );
    let limits = Limits { test: Some(Duration::from_secs(10)), ..Limits::default() };
    let judged = pair.bench.execute_within(&pair.resident, &limits);
    let Outcome::TimedOut { test, output } = judged.outcome else { panic!("{:?}", judged.outcome) };
    assert_eq!(test.as_deref(), Some("a.T#main"));
    assert_eq!(output, "on it\n");
    assert!(pair.judge_with("src/a/Use.java", &using("")).outcome.is_pass());
}

#[test]
fn a_test_that_takes_much_longer_than_it_did_is_given_up_long_before_the_time_of_all_is_over() {
    let pair = pair();
    let known = [TestResult::new("a.T#main", TestStatus::Passed)];
    let each = TestTimeouts::from_results(&known, 4, Duration::from_secs(3));
    let limits = Limits { test: Some(Duration::from_secs(600)), each, ..Limits::default() };
    let endless = using("System.out.println(\"on it\"); while (true) Thread.sleep(1000);");
    pair.bench.write("src/a/Use.java", &endless);
    let fresh = pair.bench.engine(&["a.T"]);
    for engine in [&pair.resident as &dyn Engine, &fresh] {
        let judged = pair.bench.execute_within(engine, &limits);
        assert!(judged.test < Duration::from_secs(300));
        let Outcome::TimedOut { test, output } = judged.outcome else {
            panic!("{:?}", judged.outcome)
        };
        assert_eq!((test.as_deref(), &*output), (Some("a.T#main"), "on it\n"));
    }
}

#[test]
fn what_a_worn_jvm_may_have_caused_is_judged_by_another_one_that_stays() {
    // The JDK counts its thread factories, and no test can observe that count.
    let worn = "Thread thread = java.util.concurrent.Executors.defaultThreadFactory().newThread(() -> {});\
                if (!thread.getName().startsWith(\"pool-1-\")) throw new LinkageError();";
    let pair = pair();
    let rungs = [1, 2, 3].map(|number| {
        let judged =
            pair.judge_with("src/a/Use.java", &using(&format!("{worn} times = {number};")));
        assert!(judged.outcome.is_pass(), "{:?}", judged.outcome);
        judged.rung
    });
    assert_eq!(rungs, [ExecutionMode::Loader, ExecutionMode::Recycled, ExecutionMode::Recycled]);
}

/// The test servers that were started for a project.
#[cfg(target_os = "linux")]
fn test_servers(pair: &EnginePair) -> Vec<String> {
    let place = pair.bench.work.path().to_str().unwrap();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let is_ours = |entry: &std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains(place) && line.ends_with("gitmend.state.TestServer\0")
    };
    entries.filter(is_ours).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn one_spare_worker_gets_ready_and_goes_with_the_others() {
    let pair = pair();
    let run = |body: &str| {
        pair.bench.write("src/a/Use.java", &using(body));
        pair.bench.execute(&pair.resident)
    };
    run("");
    assert_eq!(test_servers(&pair).len(), 1);
    run("times++;");
    let ready = test_servers(&pair);
    assert_eq!(ready.len(), 2);
    assert_eq!(run("times += 2;").jvms, 0);
    assert_eq!(test_servers(&pair), ready);
    run("System.exit(1);");
    let left = test_servers(&pair);
    assert!(left.len() == 1 && ready.contains(&left[0]), "{ready:?} {left:?}");
    let after = run("times += 3;");
    assert!(after.outcome.is_pass());
    assert_eq!((after.rung, after.jvms), (ExecutionMode::Loader, 0));
    lock(&pair.resident.slots).clear();
    assert_eq!(test_servers(&pair).len(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_that_is_killed_from_outside_loses_no_verdict() {
    let pair = pair();
    let dir = tempfile::tempdir().unwrap();
    let killed = dir.path().join("killed");
    // Only the first JVM that comes here is killed.
    let kill = format!(
        "if (new java.io.File(\"{}\").createNewFile()) {{\n\
         new ProcessBuilder(\"sh\", \"-c\", \"kill -9 $PPID\").start().waitFor(); Thread.sleep(60000); }}",
        killed.display()
    );
    let judged = pair.judge_with("src/a/Use.java", &using(&kill));
    assert_eq!((judged.outcome.is_pass(), judged.rung), (true, ExecutionMode::Jvm));
    assert!(killed.exists());
    for pid in test_servers(&pair) {
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
    }
    assert!(pair.judge_with("src/a/Use.java", &using("")).outcome.is_pass());
}

#[test]
#[cfg(target_os = "linux")]
fn a_port_that_a_test_leaves_open_is_free_for_the_next_variant() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen = format!(
        "kept = new java.net.ServerSocket({port}, 1, java.net.InetAddress.getLoopbackAddress());"
    );
    let pair = EnginePair::new("a.T", &[("src/a/Use.java", &using("")), TEST]);
    let using = |body: &str| {
        using(body)
            .replace("static int times;", "static int times; static java.net.ServerSocket kept;")
    };
    for number in 0..3 {
        let judged =
            pair.judge_with("src/a/Use.java", &using(&format!("{listen} int i = {number};")));
        assert!(judged.outcome.is_pass(), "{:?}", judged.outcome);
    }
}
