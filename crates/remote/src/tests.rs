//! Tests of the engine against the fake server: faults never lose or change an outcome.

use crate::test_support::{FakeFault, FakeServer, WorkerKind};
use crate::{Headers, RemoteEngine, RemoteExecutor, RemoteOptions, Repetition, Timing};
use mend_engine::{
    Engine, Environment, Execution, Limits, RemoteTests, RunMode, RunRequest, TestOrder,
};
use mend_model::{Interrupt, Outcome, Problem, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Exit code of the local engine, so that tests see where a trial ran.
const LOCAL_CODE: i32 = 99;

/// Number of workers of a server.
const WORKERS: usize = 4;

/// Engine that stands for this machine.
#[derive(Clone, Default)]
struct LocalEngine(Arc<AtomicUsize>);

impl Engine for LocalEngine {
    fn run(&self, _: &RunRequest<'_>) -> Result<Execution> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let outcome = Outcome::Exited { code: LOCAL_CODE, output: String::new() };
        Ok(Execution::from_outcome(outcome))
    }

    fn with_test_order(self: Box<Self>, _: TestOrder) -> Box<dyn Engine> {
        self
    }

    fn fingerprint(&self) -> String {
        "local".to_owned()
    }
}

/// A server, and an engine that uses it for the command `sh test.sh`.
struct Case {
    server: FakeServer,
    engine: RemoteEngine,
    executor: Arc<RemoteExecutor>,
    trees: TempDir,
    /// Time limit of the tests.
    limit: Duration,
}

/// Returns short pauses. No result depends on them: a busy machine does not make workers slow or servers dead.
fn timing() -> Timing {
    let straggler = Duration::from_secs(3600);
    Timing { first_pause: Duration::from_millis(10), straggler, ..Timing::default() }
}

/// Returns times for servers that never answer.
fn impatient_timing() -> Timing {
    Timing { patience: Duration::from_millis(300), ..timing() }
}

fn options(address: &str, timing: Timing) -> RemoteOptions {
    RemoteOptions {
        address: address.to_owned(),
        instance: String::new(),
        platform: BTreeMap::from([("OSFamily".to_owned(), "Linux".to_owned())]),
        variables: BTreeMap::new(),
        headers: Headers::parse("x-key: k").unwrap(),
        workers: WORKERS,
        program: std::env::current_exe().unwrap(),
        timing,
    }
}

impl Case {
    fn new() -> Self {
        Self::with_timing(timing())
    }

    fn with_timing(timing: Timing) -> Self {
        let server = FakeServer::start(WorkerKind::InProcess, WORKERS);
        // A short program, because each server gets a copy.
        let options =
            RemoteOptions { program: "/bin/true".into(), ..options(server.address(), timing) };
        let executor = RemoteExecutor::connect(&options, Interrupt::default(), 2).unwrap();
        let executor = Arc::new(executor);
        let tests = RemoteTests::Command(vec!["sh".to_owned(), "test.sh".to_owned()]);
        let local = Box::new(LocalEngine::default());
        let environment = Environment::default();
        let engine = RemoteEngine::new(
            Arc::clone(&executor),
            tests,
            local,
            environment,
            Repetition::SlowAndTimedOut,
        );
        let (trees, limit) = (tempfile::tempdir().unwrap(), Duration::from_secs(60));
        Self { server, engine, executor, trees, limit }
    }

    /// Creates a variant whose test is this script.
    fn tree(&self, name: &str, script: &str) -> PathBuf {
        let tree = self.trees.path().join(name);
        std::fs::create_dir_all(tree.join("common")).unwrap();
        std::fs::write(tree.join("common/file"), "same").unwrap();
        std::fs::write(tree.join("test.sh"), script).unwrap();
        tree
    }

    fn run(&self, tree: &Path) -> Execution {
        self.run_mode(tree, RunMode::Quick)
    }

    fn run_mode(&self, tree: &Path, mode: RunMode<'_>) -> Execution {
        let limits = Limits { test: Some(self.limit), ..Limits::default() };
        self.engine.run(&RunRequest { tree, limits: &limits, mode }).unwrap()
    }

    /// Runs variants at the same time, each of which exits with its number.
    fn run_all(&self, numbers: std::ops::Range<i32>) -> Vec<(i32, i32)> {
        let trees: Vec<(i32, PathBuf)> = numbers
            .map(|number| (number, self.tree(&number.to_string(), &format!("exit {number}"))))
            .collect();
        thread::scope(|scope| {
            let run = |(number, tree): &(i32, PathBuf)| (*number, exit_code(&self.run(tree)));
            let threads: Vec<_> = trees.iter().map(|tree| scope.spawn(move || run(tree))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }
}

/// Waits until a condition is true, with a generous limit.
fn wait_until(mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if condition() {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

fn exit_code(execution: &Execution) -> i32 {
    match execution.outcome {
        Outcome::Exited { code, .. } => code,
        _ => panic!("{execution:?}"),
    }
}

#[test]
fn outcome_of_the_worker_is_returned() {
    let case = Case::new();
    let tree = case.tree("1", "echo $0; cat common/file; exit 7");
    let execution = case.run(&tree);
    let output = "test.sh\nsame".to_owned();
    assert_eq!(execution.outcome, Outcome::Exited { code: 7, output });
    assert_eq!(execution.notes, Vec::<String>::new());
    assert_eq!(case.server.last_header("x-key").as_deref(), Some("k"));
}

#[test]
fn concurrent_trials_share_actions_and_keep_their_outcomes() {
    let case = Case::with_timing(Timing { gathering: Duration::from_millis(300), ..timing() });
    let results = case.run_all(1..33);
    assert!(results.iter().all(|(number, code)| number == code), "{results:?}");
    assert_eq!(case.server.trial_count(), 32);
    assert!(case.server.action_count() < 32, "{}", case.server.action_count());
}

#[test]
fn batches_are_small_enough_for_the_longest_action() {
    let gathering = Duration::from_millis(300);
    let mut case = Case::with_timing(Timing { gathering, ..timing() });
    case.limit = Duration::from_secs(3000);
    let results = case.run_all(1..9);
    assert!(results.iter().all(|(number, code)| number == code), "{results:?}");
    assert_eq!(case.server.action_count(), 8);
}

#[test]
fn only_changed_files_are_uploaded() {
    let case = Case::new();
    let tree = case.tree("1", "exit 1");
    std::fs::write(tree.join("large"), vec![7; 5 << 20]).unwrap();
    assert_eq!(exit_code(&case.run(&tree)), 1);
    let first = case.server.written_bytes();
    std::fs::write(tree.join("test.sh"), "exit 2").unwrap();
    assert_eq!(exit_code(&case.run(&tree)), 2);
    let second = case.server.written_bytes() - first;
    assert!(first > 5 << 20 && second < 5000, "{first} {second}");
    assert_eq!(case.executor.uploaded_bytes() / 10_000, case.server.written_bytes() / 10_000);
}

#[test]
fn every_fault_is_retried() {
    for fault in [
        FakeFault::StorageUnavailable,
        FakeFault::ExecutionUnavailable,
        FakeFault::Eviction,
        FakeFault::OutdatedIndex,
        FakeFault::BrokenStream,
        FakeFault::LostWorker,
        FakeFault::FailedWorker(1),
        FakeFault::IncompleteResult,
        FakeFault::ForgedResult,
        FakeFault::ActionTimeout,
    ] {
        let case = Case::new();
        case.server.faults().add(fault.clone());
        let execution = case.run(&case.tree("1", "exit 5"));
        assert_eq!(exit_code(&execution), 5, "{fault:?}");
        assert_eq!(execution.notes, Vec::<String>::new(), "{fault:?}");
        assert!(case.server.faults().is_empty(), "{fault:?}");
    }
}

#[test]
fn batch_that_ends_its_workers_is_divided() {
    let case = Case::with_timing(Timing { gathering: Duration::from_millis(300), ..timing() });
    case.server.faults().add(FakeFault::LostBatches);
    let results = case.run_all(1..33);
    assert!(results.iter().all(|(number, code)| number == code), "{results:?}");
    // The single trials take turns.
    assert!(case.server.max_open_actions() <= WORKERS, "{}", case.server.max_open_actions());
}

#[test]
fn trial_that_no_worker_finishes_runs_here() {
    let case = Case::new();
    for _ in 0..3 {
        case.server.faults().add(FakeFault::FailedWorker(1));
    }
    let execution = case.run(&case.tree("1", "exit 5"));
    assert_eq!(exit_code(&execution), LOCAL_CODE);
    let note = "some trials ran on this machine, because no worker could finish them: no JDK here";
    assert_eq!(execution.notes, [note]);
    assert_eq!(exit_code(&case.run(&case.tree("2", "exit 6"))), 6);
}

#[test]
fn workers_that_always_fail_are_given_up() {
    let case = Case::new();
    for _ in 0..9 {
        case.server.faults().add(FakeFault::FailedWorker(1));
    }
    for number in 0..5 {
        let execution = case.run(&case.tree(&number.to_string(), "exit 5"));
        assert_eq!(exit_code(&execution), LOCAL_CODE);
    }
    assert!(case.server.faults().is_empty());
}

#[test]
fn slow_worker_is_overtaken_unless_runs_are_samples() {
    let straggler = Duration::from_millis(200);
    let mut case = Case::with_timing(Timing { straggler, ..timing() });
    let tree = case.tree("1", "exit 5");
    case.run(&tree);
    case.server.faults().add(FakeFault::SlowWorker(Duration::from_secs(300)));
    let start = Instant::now();
    assert_eq!(exit_code(&case.run(&tree)), 5);
    assert!(start.elapsed() < Duration::from_secs(150), "{:?}", start.elapsed());
    assert!(wait_until(|| case.server.cancelled_count() == 1));
    case.engine.set_repetition(Repetition::Never);
    let start = Instant::now();
    case.server.faults().add(FakeFault::SlowWorker(Duration::from_secs(2)));
    assert_eq!(exit_code(&case.run(&tree)), 5);
    assert!(start.elapsed() > Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn trials_of_a_dead_server_run_here() {
    let case = Case::with_timing(impatient_timing());
    assert_eq!(exit_code(&case.run(&case.tree("1", "exit 5"))), 5);
    case.server.faults().add(FakeFault::Death);
    for number in 2..4 {
        let execution = case.run(&case.tree(&number.to_string(), "exit 5"));
        assert_eq!(exit_code(&execution), LOCAL_CODE);
        let note = &execution.notes[0];
        assert!(
            note.starts_with("trials ran on this machine, because the executor grpc://"),
            "{note}"
        );
        assert!(note.contains("the server is dead"), "{note}");
    }
}

#[test]
fn trials_of_a_stopped_server_run_here() {
    let case = Case::with_timing(impatient_timing());
    let tree = case.tree("1", "exit 5");
    assert_eq!(exit_code(&case.run(&tree)), 5);
    let Case { server, engine, trees, .. } = case;
    drop(server);
    let limits = Limits::default();
    let execution = engine.run(&RunRequest::quick(&tree, &limits)).unwrap();
    assert_eq!(exit_code(&execution), LOCAL_CODE);
    drop(trees);
}

#[test]
fn refused_connection_is_a_problem() {
    let server = FakeServer::start(WorkerKind::InProcess, 1);
    server.faults().add(FakeFault::Unauthenticated);
    let connect = |address: &str| {
        let options =
            RemoteOptions { program: "/bin/true".into(), ..options(address, impatient_timing()) };
        RemoteExecutor::connect(&options, Interrupt::default(), 1).map(drop).unwrap_err()
    };
    let problem = connect(server.address());
    assert!(matches!(problem, Problem::ExecutorFailed { .. }), "{problem}");
    assert!(problem.to_string().contains("who are you?"), "{problem}");
    let address = server.address().to_owned();
    drop(server);
    assert!(matches!(connect(&address), Problem::ExecutorFailed { .. }));
}

#[test]
fn timeout_is_repeated_with_the_same_limits_unless_the_user_chose_them() {
    let mut case = Case::new();
    let limits = Limits { test: Some(Duration::from_secs(1)), ..Limits::default() };
    let tree = case.tree("1", "sleep 60");
    let mut run = |repetition| {
        let before = case.server.trial_count();
        case.engine.set_repetition(repetition);
        let start = Instant::now();
        let execution = case.engine.run(&RunRequest::quick(&tree, &limits)).unwrap();
        assert!(matches!(execution.outcome, Outcome::TimedOut { .. }), "{execution:?}");
        assert!(start.elapsed() < Duration::from_secs(60));
        case.server.trial_count() - before
    };
    assert_eq!(run(Repetition::SlowAndTimedOut), 2);
    assert_eq!(run(Repetition::Slow), 1);
    assert_eq!(run(Repetition::Never), 1);
}

#[test]
fn many_small_files_are_uploaded_within_the_limit_of_messages() {
    let case = Case::new();
    let tree = case.tree("1", "exit 5");
    for number in 0..3000 {
        std::fs::write(tree.join(number.to_string()), format!("{number:01300}")).unwrap();
    }
    let execution = case.run(&tree);
    assert_eq!((exit_code(&execution), execution.notes), (5, Vec::new()));
}

#[test]
fn tree_with_odd_files_is_tested_here() {
    let case = Case::new();
    let tree = case.tree("1", "exit 5");
    let socket = std::os::unix::net::UnixListener::bind(tree.join("socket")).unwrap();
    let execution = case.run(&tree);
    assert_eq!(exit_code(&execution), LOCAL_CODE);
    assert!(execution.is_substitute);
    let note = &execution.notes[0];
    assert!(note.contains("cannot be sent to workers") && note.contains("socket"), "{note}");
    drop(socket);
    std::fs::remove_file(tree.join("socket")).unwrap();
    let execution = case.run(&tree);
    assert_eq!((exit_code(&execution), execution.is_substitute), (5, false));
    let name = std::os::unix::ffi::OsStrExt::from_bytes(&b"\xff"[..]);
    std::fs::write(tree.join::<&std::ffi::OsStr>(name), "").unwrap();
    assert_eq!(exit_code(&case.run(&tree)), LOCAL_CODE);
}

#[test]
fn headers_are_sent_only_with_encryption_or_to_this_machine() {
    let connect = |address: &str| {
        let options =
            RemoteOptions { program: "/bin/true".into(), ..options(address, impatient_timing()) };
        RemoteExecutor::connect(&options, Interrupt::default(), 1).map(drop).unwrap_err()
    };
    for address in ["grpc://executor.invalid:1", "grpc://192.0.2.1:1", "grpc://[2001:db8::1]:1"] {
        let problem = connect(address);
        assert!(matches!(problem, Problem::Usage { .. }), "{address}: {problem}");
    }
    for address in ["grpcs://executor.invalid:1", "grpc://localhost:1", "grpc://[::1]:1"] {
        let problem = connect(address);
        assert!(matches!(problem, Problem::ExecutorFailed { .. }), "{address}: {problem}");
    }
}

#[test]
fn tests_that_record_data_run_here() {
    let case = Case::new();
    let execution = case.run_mode(&case.tree("1", "exit 5"), RunMode::Recording);
    assert_eq!(exit_code(&execution), LOCAL_CODE);
    assert_eq!(case.server.action_count(), 0);
    let outcome = Outcome::Exited { code: 5, output: String::new() };
    for mode in [RunMode::Clean, RunMode::Confirm(&outcome)] {
        assert_eq!(exit_code(&case.run_mode(&case.tree("1", "exit 5"), mode)), 5);
    }
}

#[test]
fn interrupt_ends_the_wait() {
    let server = FakeServer::start(WorkerKind::InProcess, 1);
    let interrupt = Interrupt::default();
    let options =
        RemoteOptions { program: "/bin/true".into(), ..options(server.address(), timing()) };
    let executor = RemoteExecutor::connect(&options, interrupt.clone(), 1).unwrap();
    let tests = RemoteTests::Command(vec!["true".to_owned()]);
    let local = Box::new(LocalEngine::default());
    let (environment, repetition) = (Environment::default(), Repetition::SlowAndTimedOut);
    let engine = RemoteEngine::new(Arc::new(executor), tests, local, environment, repetition);
    server.faults().add(FakeFault::SlowWorker(Duration::from_secs(60)));
    let tree = tempfile::tempdir().unwrap();
    let limits = Limits::default();
    thread::scope(|scope| {
        let run = scope.spawn(|| engine.run(&RunRequest::quick(tree.path(), &limits)));
        thread::sleep(Duration::from_millis(200));
        interrupt.request();
        assert!(matches!(run.join().unwrap(), Err(Problem::Interrupted)));
    });
    assert_eq!(server.cancelled_count(), 0);
    drop(engine);
    assert!(wait_until(|| server.cancelled_count() == 1));
}

#[test]
fn finished_actions_are_not_cancelled() {
    let case = Case::new();
    assert_eq!(exit_code(&case.run(&case.tree("1", "exit 5"))), 5);
    case.server.faults().add(FakeFault::BrokenStream);
    assert_eq!(exit_code(&case.run(&case.tree("2", "exit 6"))), 6);
    let Case { server, engine, executor, .. } = case;
    drop((engine, executor));
    assert_eq!(server.cancelled_count(), 0);
}

#[test]
fn headers_are_not_shown_if_a_failed_action_repeats_them() {
    let server = FakeServer::start(WorkerKind::InProcess, 1);
    let headers = Headers::parse("x-key: Bearer hunter2hunter2").unwrap();
    let program = "/bin/true".into();
    let options = RemoteOptions { headers, program, ..options(server.address(), timing()) };
    let executor = Arc::new(RemoteExecutor::connect(&options, Interrupt::default(), 1).unwrap());
    let tests = RemoteTests::Command(vec!["true".to_owned()]);
    let local = Box::new(LocalEngine::default());
    let (environment, repetition) = (Environment::default(), Repetition::SlowAndTimedOut);
    let engine = RemoteEngine::new(executor, tests, local, environment, repetition);
    for _ in 0..3 {
        server.faults().add(FakeFault::RepeatedHeader("x-key".to_owned()));
    }
    let tree = tempfile::tempdir().unwrap();
    let execution = engine.run(&RunRequest::quick(tree.path(), &Limits::default())).unwrap();
    let note = &execution.notes[0];
    assert!(note.contains("what is") && !note.contains("hunter2"), "{note}");
}
