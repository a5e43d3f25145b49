#![allow(clippy::print_stderr, reason = "what could not be tested is never passed over in silence")]

use super::*;
use mend_model::Interrupt;
use std::fs;
use std::net::TcpListener;

/// Reports a skipped test, or fails in CI, where the message would be missed.
fn report_untested(reason: &str) {
    assert!(std::env::var_os("CI").is_none_or(|word| word != "true"), "{reason}");
    eprintln!("NOT TESTED: {reason} on this machine");
}

/// Resource limits of test scripts.
const TEST_LIMITS: ResourceLimits = ResourceLimits {
    time_limit: Duration::from_secs(5),
    max_memory: 256 << 20,
    max_processes: 64,
    max_file_size: 1 << 20,
};

/// Runs a script in each sandbox that works on this machine. Reports if none works.
fn run_in_each_sandbox(script: &str, check: impl Fn(&ProcessEnd, &str, &Path)) {
    run_in_each_sandbox_within(TEST_LIMITS.time_limit, TEST_LIMITS, script, check);
}

/// Runs a script like [`run_in_each_sandbox`], with another time limit and other resource limits.
fn run_in_each_sandbox_within(
    time: Duration,
    limits: ResourceLimits,
    script: &str,
    check: impl Fn(&ProcessEnd, &str, &Path),
) {
    let supervisor = Supervisor::without_watchdog(Interrupt::default());
    let mut count = 0;
    for sandbox in [Sandbox::Bubblewrap, Sandbox::Namespaces] {
        if !sandbox.works(&supervisor) {
            report_untested(&format!("{sandbox:?} does not work"));
            continue;
        }
        count += 1;
        let dir = tempfile::tempdir().unwrap();
        let environment = [("GIVEN", OsString::from("given"))];
        let program = UntrustedProgram {
            writable_folder: dir.path(),
            working_directory: dir.path(),
            readable_paths: &[],
            environment: &environment,
            limits,
        };
        let process = sandbox.process(&program, ["sh", "-c", script], &supervisor);
        let finished = process.time_limit(time).run().unwrap();
        check(&finished.end, &finished.output.text(), dir.path());
    }
    if count == 0 {
        report_untested("no sandbox works");
    }
}

#[test]
fn permitted_actions_work() {
    run_in_each_sandbox(
        "echo x > file; cat file; echo $GIVEN; pwd; git --version; kill -0 $$",
        |end, said, folder| {
            let expected = format!("x\ngiven\n{}\ngit version", folder.display());
            assert!(*end == ProcessEnd::Exited(0) && said.starts_with(&expected), "{said}");
            assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "x\n");
        },
    );
}

#[test]
fn network_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script =
        format!("git ls-remote http://127.0.0.1:{port}/x; git ls-remote http://192.0.2.1/x");
    run_in_each_sandbox(&script, |end, said, _| {
        assert!(*end != ProcessEnd::Exited(0) && said.matches("fatal").count() == 2, "{said}");
    });
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "a connection got through");
}

#[test]
fn secrets_are_not_visible() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    fs::write(secret.path(), "the secret").unwrap();
    let script = format!(
        "env; cat {}; cat /proc/*/environ | tr '\\0' '\\n'; cat /etc/shadow; ls /root /home; cat {}/Cargo.toml",
        secret.path().display(),
        env!("CARGO_MANIFEST_DIR")
    );
    run_in_each_sandbox(&script, |_, said, _| {
        for word in ["the secret", "CARGO_MANIFEST_DIR=", "root:", "[package]"] {
            assert!(!said.contains(word), "{said}");
        }
    });
}

#[test]
fn other_folders_are_read_only_and_privileges_dropped() {
    let script = "for place in / /usr /etc /bin; do touch $place/written && echo WROTE $place; done; \
                  mount -o remount,rw /usr && echo WROTE; mount -t tmpfs x /usr && echo WROTE; \
                  unshare --user --map-root-user --mount sh -c 'mount -o remount,rw,bind /usr && touch /usr/written' && echo WROTE; \
                  kill -9 1 2> /dev/null; echo over";
    run_in_each_sandbox(script, |_, said, _| assert!(!said.contains("WROTE"), "{said}"));
    assert!(!Path::new("/usr/written").exists());
}

#[test]
fn memory_file_systems_are_limited_and_killed_first() {
    let script = "for place in /tmp /dev/shm; do test -d $place && df -Pk $place | tail -n 1; done; \
                  touch /dev/written && echo WROTE; echo adjusted $(cat /proc/self/oom_score_adj)";
    run_in_each_sandbox(script, |_, said, _| {
        let sizes: Vec<u64> = said
            .lines()
            .filter(|line| line.starts_with("tmpfs"))
            .map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
            .collect();
        assert!(!sizes.is_empty() && sizes.iter().all(|size| *size <= 1 << 20), "{said}");
        assert!(!said.contains("WROTE") && said.contains("adjusted 1000"), "{said}");
    });
}

/// Returns a script whose processes leave their session and sleep. No other process sleeps this long.
fn endless_script(seconds: u64) -> String {
    format!(
        "trap '' TERM; setsid sh -c \"trap '' TERM; echo > begun; sleep {seconds}; sleep {seconds}\" & \
         while :; do sleep {seconds}; done"
    )
}

/// Returns a sleep duration that only this test in this process uses.
fn unique_sleep_seconds(number: u64) -> u64 {
    1_000_000_000 + u64::from(std::process::id()) * 10 + number
}

/// Returns true if any process of this machine, in any sandbox, sleeps this long.
fn is_process_sleeping(seconds: u64) -> bool {
    let sleeps = format!("sleep\0{seconds}\0");
    let processes = fs::read_dir("/proc").unwrap().map(Result::unwrap);
    let command_line =
        |place: std::path::PathBuf| fs::read(place.join("cmdline")).unwrap_or_default();
    processes.into_iter().any(|process| command_line(process.path()) == sleeps.as_bytes())
}

/// Waits until a condition is true, with a generous limit: the system ends the processes of a namespace one after the
/// other.
fn becomes_true(condition: impl Fn() -> bool) -> bool {
    let start = std::time::Instant::now();
    while !condition() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    condition()
}

#[test]
fn time_limit_kills_all_processes() {
    let seconds = unique_sleep_seconds(1);
    run_in_each_sandbox(&endless_script(seconds), |end, _, _| {
        assert_eq!(*end, ProcessEnd::TimedOut);
        assert!(becomes_true(|| !is_process_sleeping(seconds)), "something goes on");
    });
}

#[test]
fn interrupt_kills_all_processes() {
    let seconds = unique_sleep_seconds(2);
    for sandbox in [Sandbox::Bubblewrap, Sandbox::Namespaces] {
        let interrupt = Interrupt::default();
        let supervisor = Supervisor::without_watchdog(interrupt.clone());
        if !sandbox.works(&supervisor) {
            report_untested(&format!("{sandbox:?} does not work"));
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let quota = ResourceLimits { time_limit: Duration::from_secs(600), ..TEST_LIMITS };
        let program = UntrustedProgram {
            writable_folder: dir.path(),
            working_directory: dir.path(),
            readable_paths: &[],
            environment: &[],
            limits: quota,
        };
        let process =
            sandbox.process(&program, ["sh", "-c", &endless_script(seconds)], &supervisor);
        let begun = dir.path().join("begun");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let is_begun = becomes_true(|| begun.exists() && is_process_sleeping(seconds));
                interrupt.request();
                assert!(is_begun, "it did not begin");
            });
            assert!(process.run().is_err());
        });
        assert!(becomes_true(|| !is_process_sleeping(seconds)), "something goes on");
    }
}

#[test]
fn memory_and_file_size_are_limited() {
    let script = "head -c 100000000 /dev/zero > large; wc -c < large; head -c 600000000 /dev/zero | tail -c 600000000 | wc -c";
    run_in_each_sandbox(script, |_, said, folder| {
        assert!(fs::metadata(folder.join("large")).unwrap().len() <= 1 << 20);
        assert!(!said.contains("600000000"), "{said}");
    });
}

/// Runs one of these tests again as a user other than root. Returns true if that was necessary.
fn was_run_as_nobody(test: &str) -> bool {
    if !rustix::process::getuid().is_root() {
        return false;
    }
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
    command.arg(std::env::current_exe().unwrap()).current_dir("/").env("TMPDIR", "/tmp");
    let module = module_path!().split_once("::").map_or("", |(_, module)| module);
    command.args(["--exact", "--nocapture", &format!("{module}::{test}")]);
    let output = command.output().unwrap();
    let output_text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    if output_text.contains("running 1 test") {
        assert!(output.status.success(), "{output_text}");
        eprintln!("{output_text}");
    } else {
        report_untested("a user other than root cannot run this program");
    }
    true
}

#[test]
fn process_limit_is_enforced() {
    // The process limit does not apply to root.
    if was_run_as_nobody("process_limit_is_enforced") {
        return;
    }
    let script = "count=0; while [ $count -lt 200 ]; do sleep 1000 & count=$((count + 1)); echo at $count; done; \
                  echo ALL; kill $(jobs -p)";
    run_in_each_sandbox(script, |end, said, _| {
        assert!(*end != ProcessEnd::Exited(0) && *end != ProcessEnd::TimedOut, "{end:?}: {said}");
        assert!(said.contains("at 10\n") && !said.contains("at 64\n"), "{said}");
    });
}

#[test]
fn cpu_limit_kills_endless_loop() {
    let quota = ResourceLimits { time_limit: Duration::from_secs(1), ..TEST_LIMITS };
    let script = "trap '' TERM; echo begun; while :; do :; done";
    run_in_each_sandbox_within(Duration::from_secs(600), quota, script, |end, said, _| {
        // Bubblewrap and `unshare` report death by SIGKILL differently. A process that git-mend kills has timed out.
        let is_by_system = ![ProcessEnd::TimedOut, ProcessEnd::Exited(0)].contains(end);
        assert!(is_by_system && said.starts_with("begun\n"), "{end:?}: {said}");
    });
}

#[test]
fn working_folder_may_be_a_readable_one() {
    let supervisor = Supervisor::without_watchdog(Interrupt::default());
    let (writable, readable) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(readable.path().join("given"), "read\n").unwrap();
    let script =
        format!("cat given; touch written || echo refused; touch {}/x", writable.path().display());
    for sandbox in [Sandbox::Bubblewrap, Sandbox::Namespaces] {
        if !sandbox.works(&supervisor) {
            report_untested(&format!("{sandbox:?} does not work"));
            continue;
        }
        let program = UntrustedProgram {
            writable_folder: writable.path(),
            working_directory: readable.path(),
            readable_paths: &[readable.path().to_owned(), readable.path().join("given")],
            environment: &[],
            limits: TEST_LIMITS,
        };
        let finished = sandbox.process(&program, ["sh", "-c", &script], &supervisor).run().unwrap();
        let said = finished.output.text().into_owned();
        assert!(said.starts_with("read\n") && said.ends_with("refused\n"), "{said}");
        assert!(!readable.path().join("written").exists());
        fs::remove_file(writable.path().join("x")).unwrap();
    }
}
