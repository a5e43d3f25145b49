//! Tests of `--executor`: the program itself runs as a worker of a fake server.

use crate::fix::broken_repository;
use crate::maven::{generator_repository, local_repository};
use crate::support::{
    CommandOutput, bisect_arguments, commit, git, program, repository, run_mend, words_repository,
    write,
};
use mend_remote::test_support::{FakeFault, FakeServer, WorkerKind};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Starts a server whose blobs are kept between tests, because the program is large.
fn start_server() -> FakeServer {
    let storage = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("remote-storage");
    FakeServer::start_with_storage(WorkerKind::Process, 2, Some(storage))
}

/// Returns the `JAVA_HOME` of this machine as an option: workers inherit no variables.
fn java_home_option() -> Vec<String> {
    let home = std::env::var("JAVA_HOME").ok();
    home.map(|home| format!("--executor-env=JAVA_HOME={home}")).into_iter().collect()
}

fn run_on(server: &FakeServer, dir: &Path, arguments: &[&str]) -> CommandOutput {
    let command_at = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
    let (options, command) = arguments.split_at(command_at);
    program(dir)
        .args(options)
        .args(["--executor", server.address()])
        .args(java_home_option())
        .args(command)
        .output()
        .unwrap()
        .into()
}

/// Creates a repository with four commits, of which the second does not compile and the third breaks a test.
fn adder_repository() -> TempDir {
    let dir = repository();
    let adder = |body: &str, number: usize| {
        format!(
            "package shop;\n\nclass Adder {{\n    int add(int a, int b) {{\n        return {body};\n    }}\n\n    \
             int number() {{\n        return {number};\n    }}\n}}\n"
        )
    };
    let test = "package shop;\n\nclass AdderTest {\n    public static void main(String[] x) {\n        \
                int sum = new Adder().add(2, 3);\n        \
                if (sum != 5) throw new IllegalStateException(\"sum is \" + sum);\n    }\n}\n";
    write(dir.path(), "src/test/java/shop/AdderTest.java", test);
    for (number, body) in (1..).zip(["a + b", "a + + ;", "a - b", "a - b"]) {
        let source = adder(body, number);
        commit(
            dir.path(),
            &format!("Change {number}"),
            &[("src/main/java/shop/Adder.java", source)],
        );
    }
    dir
}

/// Returns what a run found, without times and places.
fn findings(result: &Value) -> Value {
    let keys = ["status", "message", "culprit_commit", "suspects", "culprit", "fix", "patches"];
    let mut findings: Value =
        keys.iter().map(|key| ((*key).to_owned(), result[*key].clone())).collect();
    for patch in findings["patches"].as_array_mut().into_iter().flatten() {
        patch["seconds"] = Value::Null;
    }
    findings
}

/// Returns name, verdict and phase of the trials, in alphabetical order.
fn verdicts(run: &Path) -> Vec<String> {
    let lines = std::fs::read_to_string(run.join("trials.jsonl")).unwrap();
    let verdict = |line: &str| {
        let trial: Value = serde_json::from_str(line).unwrap();
        format!("{} {} {}", trial["what"], trial["verdict"], trial["phase"])
    };
    let mut verdicts: Vec<String> = lines.lines().map(verdict).collect();
    verdicts.sort();
    verdicts
}

#[test]
fn bisection_on_workers_finds_what_a_local_one_finds() {
    let server = start_server();
    let (dir, runs) = (adder_repository(), tempfile::tempdir().unwrap());
    let arguments = ["bisect", "--good", "HEAD~3", "--test", "shop.AdderTest"];
    let [local_run, remote_run] = ["local", "remote"].map(|name| runs.path().join(name));
    let with_output = |run: &Path| {
        let output = run.to_str().unwrap();
        let more = ["--goal", "culprit", "--jobs", "2", "--format", "json", "--output", output];
        let more = more.map(str::to_owned);
        [&arguments.map(str::to_owned)[..], &more].concat()
    };
    let local = run_mend(dir.path(), &with_output(&local_run));
    let remote_arguments = with_output(&remote_run);
    let words: Vec<&str> = remote_arguments.iter().map(String::as_str).collect();
    let remote = run_on(&server, dir.path(), &words);
    remote.assert_exit_and_stderr(0, &[]);
    assert_eq!(findings(&remote.json()), findings(&local.json()));
    assert_eq!(verdicts(&remote_run), verdicts(&local_run));
    assert!(server.action_count() > 2, "{}", server.action_count());
    let unchecked = remote.json()["not_checked"].to_string();
    assert!(!unchecked.contains("this machine"), "{unchecked}");
}

#[test]
fn patches_are_validated_on_workers() {
    let server = start_server();
    let case = || {
        let (dir, pool) = (adder_repository(), tempfile::tempdir().unwrap());
        let source = "src/main/java/shop/Adder.java";
        let bad = std::fs::read_to_string(dir.path().join(source)).unwrap();
        for (name, body) in [("1", "a + b"), ("2", "a * b"), ("3", "a + ;")] {
            write(dir.path(), source, bad.replace("a - b", body));
            write(pool.path(), &format!("{name}.patch"), git(dir.path(), &["diff"]) + "\n");
        }
        git(dir.path(), &["reset", "-q", "--hard"]);
        (dir, pool)
    };
    let run = |server: Option<&FakeServer>| {
        let (dir, pool) = case();
        let pool = pool.path().to_str().unwrap();
        let arguments =
            ["validate", "--pool", pool, "--test", "shop.AdderTest", "--format", "json"];
        let output = match server {
            Some(server) => run_on(server, dir.path(), &arguments),
            None => run_mend(dir.path(), &arguments),
        };
        assert_eq!(output.code, 0, "{}", output.stderr);
        findings(&output.json())
    };
    let remote = run(Some(&server));
    let without_patch_files = |findings: &Value| {
        let rows = findings["patches"].as_array().unwrap().iter();
        rows.map(|row| ["name", "verdict", "phase", "reason"].map(|key| row[key].to_string()))
            .collect::<Vec<_>>()
    };
    assert_eq!(without_patch_files(&remote), without_patch_files(&run(None)));
    assert!(server.trial_count() >= 4, "{}", server.trial_count());
}

/// Returns where and how fixes change a version, and what was checked.
fn fix_facts(result: &Value) -> Vec<Value> {
    let fact = |fix: &Value| {
        let keys = ["technique", "operator", "location", "tokens", "confidence"];
        keys.iter().map(|key| fix[*key].clone()).collect()
    };
    result["fixes"].as_array().unwrap().iter().map(fact).collect()
}

#[test]
fn fixes_found_on_workers_are_those_of_a_local_run() {
    let server = start_server();
    let dir = broken_repository();
    let options = ["fix", "--test", "shop.*Test", "--technique", "contract", "--candidates", "10"];
    // A busy machine must not end the search or a test.
    let limits = ["--budget", "1h", "--timeout", "2m"];
    let more = [&limits[..], &["--top", "1", "--jobs", "2", "--format", "json"]].concat();
    let options = [&options[..], &more].concat();
    let run = |server: Option<&FakeServer>| {
        drop(std::fs::remove_file(dir.path().join(".git/mend/cache.sqlite")));
        let output = match server {
            Some(server) => run_on(server, dir.path(), &options),
            None => run_mend(dir.path(), &options),
        };
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(!output.stderr.contains("on this machine"), "{}", output.stderr);
        output.json()
    };
    let local = run(None);
    let remote = run(Some(&server));
    assert_eq!(fix_facts(&remote), fix_facts(&local));
    assert!(!fix_facts(&remote).is_empty());
    // The baseline check, the candidates, and the verification.
    assert!(server.trial_count() > 5, "{}", server.trial_count());
}

#[test]
fn generated_sources_are_sent_to_workers() {
    let Some(libraries) = local_repository() else { return };
    let server = start_server();
    let dir = generator_repository();
    let options = ["bisect", "--good", "HEAD~3", "--test", "T", "--goal", "culprit", "--offline"];
    let output: CommandOutput = program(dir.path())
        .env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.path().display()))
        .args(options)
        .args(["--model", "tool", "--format", "json", "--executor", server.address()])
        .args(java_home_option())
        .output()
        .unwrap()
        .into();
    output.assert_exit_and_stderr(0, &["gen-maven-plugin:generate"]);
    assert!(!output.stderr.contains("on this machine"), "{}", output.stderr);
    let result = output.json();
    assert_eq!(result["culprit"]["files"][0], "src/main/java/Code.java");
    assert_eq!(result["culprit"]["tokens"], 2, "{result:#}");
    assert!(server.trial_count() > 3, "{}", server.trial_count());
}

#[test]
fn command_runs_on_workers_and_credentials_are_not_shown() {
    let server = start_server();
    let dir = words_repository();
    let options = ["bisect", "--good", "release-1", "--no-history", "--goal", "culprit"];
    let output: CommandOutput = program(dir.path())
        .args(options)
        .args(["--format", "json", "--executor", server.address(), "--", "sh", "check.sh"])
        .env("GIT_MEND_EXECUTOR_CREDENTIALS", "Authorization: Bearer hunter2hunter2")
        .output()
        .unwrap()
        .into();
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
    assert!(server.action_count() > 2);
    let header = server.last_header("authorization");
    assert_eq!(header.as_deref(), Some("Bearer hunter2hunter2"));
    assert!(!format!("{}{}", output.stdout, output.stderr).contains("hunter2"));
}

/// A `BuildGrid` server with workers, if `scripts/run_buildgrid.py --install` installed it.
struct BuildGrid {
    process: Child,
    address: String,
}

impl BuildGrid {
    fn start() -> Option<Self> {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let python = target.join("buildgrid/bin/python");
        if !python.exists() {
            return None;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/run_buildgrid.py");
        let mut process = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("grpc://"), "BuildGrid does not start");
        Some(Self { process, address: address.trim().to_owned() })
    }
}

impl Drop for BuildGrid {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        drop(self.process.wait());
    }
}

#[test]
fn bisection_on_buildgrid_finds_the_culprit() {
    let Some(server) = BuildGrid::start() else { return };
    let dir = adder_repository();
    let arguments = ["--good", "HEAD~3", "--test", "shop.AdderTest", "--goal", "culprit"];
    let output: CommandOutput = program(dir.path())
        .arg("bisect")
        .args(arguments)
        .args(["--executor", &server.address, "--executor-platform", "OSFamily=Linux"])
        .args(java_home_option())
        .args(["--format", "json"])
        .output()
        .unwrap()
        .into();
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    assert_eq!(result["culprit"]["tokens"], 2);
    let unchecked = result["not_checked"].to_string();
    assert!(!unchecked.contains("this machine"), "{unchecked}");
}

#[test]
fn search_ends_here_if_the_server_dies() {
    let server = start_server();
    let dir = words_repository();
    server.faults().add(FakeFault::Death);
    let options = ["--good", "release-1", "--executor-timeout", "1", "--format", "json"];
    let output = run_on(&server, dir.path(), &bisect_arguments(&options));
    let words = ["trials ran on this machine, because the executor grpc://127.0.0.1:"];
    output.assert_exit_and_stderr(0, &words);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
    assert_eq!(output.stderr.matches(words[0]).count(), 1, "{}", output.stderr);
}

#[test]
fn unreachable_executor_is_an_environment_error() {
    let dir = words_repository();
    let address = start_server().address().to_owned();
    let options = ["--good", "release-1", "--executor", &address, "--executor-timeout", "1"];
    let output = run_mend(dir.path(), &bisect_arguments(&options));
    output.assert_exit_and_stderr(4, &["cannot use the executor grpc://127.0.0.1:", "help: "]);
}

#[test]
fn executor_of_the_settings_gets_no_credentials() {
    let server = start_server();
    let dir = words_repository();
    let settings = format!("executor = \"{}\"\n", server.address());
    write(dir.path(), ".git-mend.toml", settings);
    let options = ["bisect", "--good", "release-1", "--dry-run"];
    let output: CommandOutput = program(dir.path())
        .args(options)
        .args(["--", "sh", "check.sh"])
        .env("GIT_MEND_EXECUTOR_CREDENTIALS", "Authorization: Bearer hunter2hunter2")
        .output()
        .unwrap()
        .into();
    output.assert_exit_and_stderr(0, &[]);
    assert!(server.action_count() > 0);
    assert_eq!(server.last_header("authorization"), None);
    let arguments = [&options[..], &["--executor-headers", "h", "--", "true"]].concat();
    run_mend(dir.path(), &arguments).assert_exit_and_stderr(2, &["needs an address"]);
}

#[test]
fn explore_refuses_an_executor() {
    let dir = words_repository();
    let arguments = ["explore", "--test", "a.B", "--executor", "grpc://localhost:1"];
    let words = ["explore runs its schedules on this machine", "omit --executor"];
    run_mend(dir.path(), &arguments).assert_exit_and_stderr(2, &words);
}

#[test]
fn invalid_executor_is_a_usage_error() {
    let dir = words_repository();
    for (option, value, words) in [
        ("--executor", "http://a:1", "write local, grpc://HOST:PORT or grpcs://HOST:PORT"),
        ("--executor-env", "x", "write NAME=VALUE"),
        ("--executor-headers", "none.txt", "No such file"),
    ] {
        let options = ["--good", "release-1", "--executor", "grpc://localhost:1", option, value];
        let options = if option == "--executor" { &options[..2] } else { &options[..4] };
        let arguments = [options, &[option, value]].concat();
        let output = run_mend(dir.path(), &bisect_arguments(&arguments));
        output.assert_exit_and_stderr(2, &[words]);
    }
}
