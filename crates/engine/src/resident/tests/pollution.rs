//! Variants whose tests change global state, and the variants that run after them.

use super::*;
use crate::TestTimeouts;
use mend_model::{Outcome, TestResult, TestStatus};
use std::time::Duration;

const TEST_SOURCE: (&str, &str) = (
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
        // Thread-local state ends with its thread.
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

fn new_pair() -> EnginePair {
    EnginePair::new("a.T", &[("src/a/Use.java", &using("")), TEST_SOURCE])
}

#[test]
fn jvm_state_is_clean_for_the_next_variant() {
    let pair = new_pair();
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
        let execution = pair.write_and_judge("src/a/Use.java", &using(body));
        assert!(execution.outcome.is_pass(), "{body}: {:?}", execution.outcome);
        // A worker whose tests leave state behind three times in a row is skipped for a while.
        let next = pair.write_and_judge("src/a/Use.java", &using("times++;"));
        assert!(next.outcome.is_pass(), "after {body}: {:?}", next.outcome);
        assert_eq!(next.mode, ExecutionMode::Loader, "after {body}");
    }
}

#[test]
fn confirmed_leftovers_need_no_second_fresh_jvm() {
    let mut pair = new_pair();
    let class_leaving = |what: &str, times: usize| using(&format!("{what} times += {times};"));
    let property = "System.setProperty(\"polluted\", \"yes\");";
    let judge = |pair: &EnginePair, what, times| {
        let execution = pair.write_and_judge("src/a/Use.java", &class_leaving(what, times));
        assert!(execution.outcome.is_pass(), "{:?}", execution.outcome);
        execution.mode
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
    // The initial cross-check also reports it.
    pair.resident.cross_check = Mutex::new(CrossCheck::new(1));
    let set_time_zone =
        "java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(\"Pacific/Apia\"));";
    assert_eq!(judge(&pair, set_time_zone, 1), ExecutionMode::Process);
    pair.resident.cross_check = Mutex::new(CrossCheck::without_sampling());
    assert_eq!(judge(&pair, set_time_zone, 2), ExecutionMode::Loader);
}

#[test]
fn unrestorable_state_always_needs_a_fresh_jvm() {
    let pair = new_pair();
    let factory = "java.net.URL.setURLStreamHandlerFactory(protocol -> null);";
    for times in 1..3 {
        let body = using(&format!("{factory} times += {times};"));
        assert_eq!(pair.write_and_judge("src/a/Use.java", &body).mode, ExecutionMode::Jvm);
    }
}

#[test]
fn native_library_loads_for_every_variant() {
    let pair = new_pair();
    for times in 1..3 {
        // A test that works around an unloadable library must not be judged as if the library were loaded.
        let body = format!(
            "String library = System.getProperty(\"java.io.tmpdir\") + \"/../libown.so\";\
             java.io.File copy = new java.io.File(library).getCanonicalFile();\
             if (!copy.exists()) java.nio.file.Files.copy(java.nio.file.Paths.get(\
                 System.getProperty(\"java.home\"), \"lib\", \"libprefs.so\"), copy.toPath());\
             try {{ System.load(copy.getPath()); }} catch (UnsatisfiedLinkError e) {{\
                 throw new IllegalStateException(\"does without it\"); }}\
             times += {times};"
        );
        let execution = pair.write_and_judge("src/a/Use.java", &using(&body));
        assert_eq!(
            (execution.outcome.is_pass(), execution.mode),
            (true, ExecutionMode::Jvm),
            "{:?}",
            execution.outcome
        );
    }
}

#[test]
fn socket_factory_does_not_outlive_its_variant() {
    let pair = new_pair();
    let set_factory = "class Own extends javax.net.ssl.SSLSocketFactory {\
             public String[] getDefaultCipherSuites() { return null; }\
             public String[] getSupportedCipherSuites() { return null; }\
             public java.net.Socket createSocket(java.net.Socket s, String h, int p, boolean b) { return null; }\
             public java.net.Socket createSocket(String h, int p) { return null; }\
             public java.net.Socket createSocket(java.net.InetAddress h, int p) { return null; }\
             public java.net.Socket createSocket(String h, int p, java.net.InetAddress l, int q) { return null; }\
             public java.net.Socket createSocket(java.net.InetAddress h, int p, java.net.InetAddress l, int q) {\
                 return null; } }\
         javax.net.ssl.HttpsURLConnection.setDefaultSSLSocketFactory(new Own());";
    let check_factory = "if (javax.net.ssl.HttpsURLConnection.getDefaultSSLSocketFactory().getClass().getName()\
         .contains(\"Own\")) throw new IllegalStateException(\"polluted\");";
    for body in [set_factory, check_factory] {
        let execution = pair.write_and_judge("src/a/Use.java", &using(body));
        assert!(execution.outcome.is_pass(), "{:?}", execution.outcome);
    }
    // Nor is any other state that could not be restored.
    let next = pair.write_and_judge("src/a/Use.java", &using("times++;"));
    assert_eq!((next.mode, next.jvms), (ExecutionMode::Loader, 0));
}

#[test]
fn shutdown_hooks_run_at_the_end_of_their_variant() {
    let pair = new_pair();
    let folder = pair.fixture.tree.path().to_owned();
    let body = |times: usize| {
        let marker_file = folder.join(format!("hooked-{times}")).display().to_string();
        using(&format!(
            "Runtime.getRuntime().addShutdownHook(new Thread(() -> {{\
                 try {{ new java.io.File({marker_file:?}).createNewFile(); }} catch (java.io.IOException e) {{ }} }}));\
             times += {times};"
        ))
    };
    // The run in the fresh JVM names the leftover hook.
    assert_eq!(pair.write_and_judge("src/a/Use.java", &body(1)).mode, ExecutionMode::Jvm);
    pair.fixture.write("src/a/Use.java", &body(2));
    let execution = pair.resident.run(&RunRequest::quick(&folder, &Limits::default())).unwrap();
    assert_eq!((execution.outcome.is_pass(), execution.mode), (true, ExecutionMode::Loader));
    assert!(folder.join("hooked-2").exists());
}

#[test]
fn recording_runs_execute_once_despite_leftovers() {
    let pair = new_pair();
    let pollute_and_count = "System.getProperties().setProperty(\"polluted\", \"yes\");\
        java.io.FileWriter out = new java.io.FileWriter(\"runs\", true); out.write(\"run \"); out.close();";
    pair.fixture.write("src/a/Use.java", &using(pollute_and_count));
    let execution = {
        let (tree, limits) = (pair.fixture.tree.path(), &Limits::default());
        pair.resident.run(&RunRequest { tree, limits, mode: RunMode::Recording }).unwrap()
    };
    assert_eq!(execution.mode, ExecutionMode::Loader);
    let runs = std::fs::read_to_string(pair.fixture.tree.path().join("runs")).unwrap();
    assert_eq!(runs, "run ");
    assert!(pair.write_and_judge("src/a/Use.java", &using("times++;")).outcome.is_pass());
}

#[test]
fn cross_checked_run_needs_no_extra_fresh_jvm() {
    let mut pair = new_pair();
    pair.resident.cross_check = Mutex::new(CrossCheck::new(1));
    let pollute_and_count = "System.getProperties().setProperty(\"polluted\", \"yes\");\
        java.io.FileWriter out = new java.io.FileWriter(\"runs\", true); out.write(\"run \"); out.close();";
    pair.fixture.write("src/a/Use.java", &using(pollute_and_count));
    let execution = pair.fixture.execute(&pair.resident);
    assert_eq!((execution.outcome.is_pass(), execution.mode), (true, ExecutionMode::Process));
    let runs = std::fs::read_to_string(pair.fixture.tree.path().join("runs")).unwrap();
    assert_eq!(runs, "run run ");
}

#[test]
fn test_that_exits_the_jvm_costs_one_worker() {
    let pair = new_pair();
    for body in ["System.exit(0);", "Runtime.getRuntime().halt(3);"] {
        let execution = pair.write_and_judge("src/a/Use.java", &using(body));
        assert!(matches!(execution.outcome, Outcome::Crashed { .. }), "{:?}", execution.outcome);
        let next = pair.write_and_judge("src/a/Use.java", &using(""));
        assert_eq!((next.outcome.is_pass(), next.mode), (true, ExecutionMode::Loader));
        // The next worker started when the previous one had ended.
        assert_eq!(next.jvms, 0);
    }
}

#[test]
fn idle_common_pool_threads_are_not_leftovers() {
    let pair = new_pair();
    let body = "java.util.stream.IntStream.range(0, 1000000).parallel().map(x -> x % 7).sum();";
    for _ in 0..2 {
        assert_eq!(
            pair.write_and_judge("src/a/Use.java", &using(body)).mode,
            ExecutionMode::Loader
        );
    }
    let busy_pool = "java.util.concurrent.ForkJoinPool.commonPool().execute(() -> {\
                while (true) try { Thread.sleep(100); } catch (Exception e) {} });";
    assert_eq!(pair.write_and_judge("src/a/Use.java", &using(busy_pool)).mode, ExecutionMode::Jvm);
}

#[test]
fn deep_recursion_fails_and_large_output_passes() {
    let pair = new_pair();
    let deep = pair.write_and_judge("src/a/Use.java", &using("it();"));
    assert_eq!((deep.outcome.is_pass(), deep.mode), (false, ExecutionMode::Jvm));
    let loud = "byte[] line = new byte[1 << 20]; for (int i = 0; i < 300; i++) System.out.write(line, 0, line.length);";
    let loud = pair.write_and_judge("src/a/Use.java", &using(loud));
    assert_eq!((loud.outcome.is_pass(), loud.mode), (true, ExecutionMode::Loader));
}

#[test]
fn endless_test_is_reported_with_its_output() {
    let pair = new_pair();
    assert!(
        pair.write_and_judge("src/a/Use.java", &using("System.out.println(\"before\");"))
            .outcome
            .is_pass()
    );
    pair.fixture.write(
        "src/a/Use.java",
        &using("System.out.println(\"on it\"); while (true) Thread.sleep(1000);"),
    );
    let limits = Limits { test: Some(Duration::from_secs(10)), ..Limits::default() };
    let execution = pair.fixture.execute_within(&pair.resident, &limits);
    let Outcome::TimedOut { test, output } = execution.outcome else {
        panic!("{:?}", execution.outcome)
    };
    assert_eq!(test.as_deref(), Some("a.T#main"));
    assert_eq!(output, "on it\n");
    assert!(pair.write_and_judge("src/a/Use.java", &using("")).outcome.is_pass());
}

#[test]
fn per_test_limit_stops_a_slow_test_early() {
    let pair = new_pair();
    let earlier_results = [TestResult::new("a.T#main", TestStatus::Passed)];
    let per_test = TestTimeouts::from_results(&earlier_results, 4, Duration::from_secs(3));
    let limits = Limits { test: Some(Duration::from_secs(600)), per_test, ..Limits::default() };
    let endless = using("System.out.println(\"on it\"); while (true) Thread.sleep(1000);");
    pair.fixture.write("src/a/Use.java", &endless);
    let process_engine = pair.fixture.engine(&["a.T"]);
    for engine in [&pair.resident as &dyn Engine, &process_engine] {
        let execution = pair.fixture.execute_within(engine, &limits);
        assert!(execution.test < Duration::from_secs(300));
        let Outcome::TimedOut { test, output } = execution.outcome else {
            panic!("{:?}", execution.outcome)
        };
        assert_eq!((test.as_deref(), &*output), (Some("a.T#main"), "on it\n"));
    }
}

#[test]
fn failure_of_a_worn_jvm_is_repeated_in_a_restarted_one() {
    // The JDK counts its thread factories, and tests cannot observe that count.
    let fail_in_worn_jvm = "Thread thread = java.util.concurrent.Executors.defaultThreadFactory().newThread(() -> {});\
                if (!thread.getName().startsWith(\"pool-1-\")) throw new LinkageError();";
    let pair = new_pair();
    let rungs = [1, 2, 3].map(|number| {
        let execution = pair.write_and_judge(
            "src/a/Use.java",
            &using(&format!("{fail_in_worn_jvm} times = {number};")),
        );
        assert!(execution.outcome.is_pass(), "{:?}", execution.outcome);
        execution.mode
    });
    assert_eq!(rungs, [ExecutionMode::Loader, ExecutionMode::Recycled, ExecutionMode::Recycled]);
}

/// Returns the process ids of the test servers of a project.
#[cfg(target_os = "linux")]
fn test_server_pids(pair: &EnginePair) -> Vec<String> {
    let work_dir = pair.fixture.work_dir.path().to_str().unwrap();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let is_ours = |entry: &std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains(work_dir) && line.ends_with("gitmend.testserver.TestServer\0")
    };
    entries.filter(is_ours).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn spare_worker_is_started_after_a_loss_and_stopped_with_the_others() {
    let pair = new_pair();
    let run = |body: &str| {
        pair.fixture.write("src/a/Use.java", &using(body));
        pair.fixture.execute(&pair.resident)
    };
    run("");
    let first_pids = test_server_pids(&pair);
    run("times++;");
    assert_eq!((first_pids.len(), test_server_pids(&pair)), (1, first_pids.clone()));
    run("System.exit(1);");
    assert_eq!(run("times += 2;").jvms, 0);
    let pids_with_spare = test_server_pids(&pair);
    assert_eq!(pids_with_spare.len(), 2);
    assert!(!pids_with_spare.contains(&first_pids[0]));
    assert_eq!(run("times += 4;").jvms, 0);
    assert_eq!(test_server_pids(&pair), pids_with_spare);
    run("System.exit(1);");
    let remaining_pids = test_server_pids(&pair);
    assert!(
        remaining_pids.len() == 1 && pids_with_spare.contains(&remaining_pids[0]),
        "{pids_with_spare:?} {remaining_pids:?}"
    );
    let next_execution = run("times += 3;");
    assert!(next_execution.outcome.is_pass());
    assert_eq!((next_execution.mode, next_execution.jvms), (ExecutionMode::Loader, 0));
    lock(&pair.resident.tree_workers).clear();
    assert_eq!(test_server_pids(&pair).len(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn killed_worker_is_replaced_without_losing_a_verdict() {
    let pair = new_pair();
    let dir = tempfile::tempdir().unwrap();
    let killed = dir.path().join("killed");
    // Only the first JVM that gets here is killed.
    let kill_jvm_once = format!(
        "if (new java.io.File(\"{}\").createNewFile()) {{\n\
         new ProcessBuilder(\"sh\", \"-c\", \"kill -9 $PPID\").start().waitFor(); Thread.sleep(60000); }}",
        killed.display()
    );
    let execution = pair.write_and_judge("src/a/Use.java", &using(&kill_jvm_once));
    assert_eq!((execution.outcome.is_pass(), execution.mode), (true, ExecutionMode::Jvm));
    assert!(killed.exists());
    for pid in test_server_pids(&pair) {
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
    }
    assert!(pair.write_and_judge("src/a/Use.java", &using("")).outcome.is_pass());
}

#[test]
#[cfg(target_os = "linux")]
fn open_port_is_released_for_the_next_variant() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen = format!(
        "kept = new java.net.ServerSocket({port}, 1, java.net.InetAddress.getLoopbackAddress());"
    );
    let pair = EnginePair::new("a.T", &[("src/a/Use.java", &using("")), TEST_SOURCE]);
    let using = |body: &str| {
        using(body)
            .replace("static int times;", "static int times; static java.net.ServerSocket kept;")
    };
    for number in 0..3 {
        let execution =
            pair.write_and_judge("src/a/Use.java", &using(&format!("{listen} int i = {number};")));
        assert!(execution.outcome.is_pass(), "{:?}", execution.outcome);
    }
}
