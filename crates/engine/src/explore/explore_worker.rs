//! JVM that runs the schedules of some tests.

use super::{ExploreConfig, FailureGoal, ScheduleListener};
use crate::Jdk;
use crate::compile::javac::join_class_path;
use crate::jvm::cpu_affinity::start_on_one_core;
use crate::jvm::java_program::{JavaProgram, program_sources};
use crate::jvm::jvm_process::{Jvm, JvmResponse};
use crate::jvm::request_encoding::{write_length, write_paths, write_text};
use crate::test_execution::test_order::TestRequest;
use crate::test_execution::test_run::TestRun;
use anyhow::Context as _;
use mend_model::schedules::{Findings, Schedule};
use mend_model::{Problem, Result};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Java packages of the program.
const PROGRAM_PACKAGES: [&str; 9] = [
    "wire",
    "classfile",
    "framework",
    "schedule",
    "schedule/control",
    "schedule/report",
    "schedule/run",
    "schedule/strategy",
    "schedule/weave",
];

/// Packages of the JDK that the copies of its classes access, as the originals do.
const EXPORTED_JDK_PACKAGES: [&str; 9] = [
    "jdk.internal.access",
    "jdk.internal.invoke",
    "jdk.internal.misc",
    "jdk.internal.ref",
    "jdk.internal.reflect",
    "jdk.internal.util",
    "jdk.internal.util.random",
    "jdk.internal.vm",
    "jdk.internal.vm.annotation",
];

/// Packages of the JDK with private fields that are read: the task of a thread, and the collection of an iterator.
const OPENED_JDK_PACKAGES: [&str; 2] = ["java.lang", "java.util"];

/// First release whose `java.util.concurrent` needs no code that only the JDK's own class loader may call.
const MIN_JDK_VERSION: u32 = 9;

/// First release with an option for the number of cores.
const MIN_JDK_WITH_CORES_OPTION: u32 = 10;

/// Sizes of thread-local allocation buffers. Each thread of each schedule gets a new buffer and uses little of it, so
/// small buffers make garbage collections ten times rarer.
const TLAB_OPTIONS: [&str; 2] = ["-XX:TLABSize=32k", "-XX:-ResizeTLAB"];

/// Interval between two progress messages, in milliseconds.
const PROGRESS_INTERVAL_MILLIS: i32 = 500;

/// Time limit of a response. The JVM abandons a blocked schedule long before that.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(120);

/// A JVM that runs the schedules of some tests.
pub(super) struct ExploreWorker {
    jvm: Jvm,
    start_config: StartConfig,
}

/// What a JVM was started with.
#[derive(PartialEq, Eq)]
struct StartConfig {
    cwd: PathBuf,
    options: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
}

impl StartConfig {
    fn new(run: &TestRun<'_>) -> Self {
        let variables = run.jvm.environment();
        Self { cwd: run.cwd.to_owned(), options: run.jvm_flags(), variables }
    }
}

#[derive(Deserialize)]
struct ExploreProgress {
    run: usize,
    failing: usize,
    /// Number of tests.
    tests: usize,
    done: bool,
}

impl ExploreWorker {
    pub(super) fn start(run: &TestRun<'_>) -> Result<Self> {
        let tools = run.tools;
        check_jdk_version(&tools.jdk)?;
        let classes = JavaProgram {
            sources: &program_sources(&PROGRAM_PACKAGES),
            options: &[],
            class_path: &[],
            tools,
        }
        .compile_cached("scheduler")?;
        let cores_option = cores(tools.jdk.version);
        let has_cores_option = cores_option.is_some();
        let mut options: Vec<_> = cores_option.into_iter().chain(run.jvm_flags()).collect();
        options.extend(TLAB_OPTIONS.map(OsString::from));
        options.extend(EXPORTED_JDK_PACKAGES.map(|name| module_option("exports", name)));
        options.extend(OPENED_JDK_PACKAGES.map(|name| module_option("opens", name)));
        options.extend(["-cp".into(), join_class_path(&[classes]).into()]);
        let start = || run.start_jvm(options, "gitmend.schedule.ExploreServer");
        let jvm = if has_cores_option { start_on_one_core(start)? } else { start()? };
        Ok(Self { jvm, start_config: StartConfig::new(run) })
    }

    /// Returns true if a run can use this JVM: its working directory, options and variables are the same.
    pub(super) fn can_run(&self, run: &TestRun<'_>) -> bool {
        self.start_config == StartConfig::new(run)
    }

    /// Runs the schedules of these tests. Failures that differ from `goal` are only counted.
    ///
    /// # Errors
    /// [`Problem::UncontrolledThreads`] if the scheduler cannot control the tests, [`Problem::Usage`] if an
    /// output is expected and there are several tests.
    pub(super) fn explore(
        &mut self,
        run: &TestRun<'_>,
        config: &ExploreConfig,
        goal: Option<&FailureGoal>,
        listener: &mut ScheduleListener<'_>,
    ) -> Result<Findings> {
        let start = Instant::now();
        self.send_and_receive(&encode_open_request(run, config, goal)?)?;
        if let Some(schedule) = &config.replay {
            let report = self.send_and_receive(&encode_replay_request(schedule)?)?;
            return parse_findings(&report);
        }
        let mut report = self.request_progress(&encode_command("begin")?)?;
        if config.expected_output.is_some() && report.tests > 1 {
            return Err(Problem::Usage {
                message: format!(
                    "the expected output needs exactly one test, but {} are selected",
                    report.tests
                ),
                remedy: "select one test: --test pkg.Class#method".to_owned(),
            });
        }
        while !report.done && run.time_limit.is_none_or(|limit| start.elapsed() < limit) {
            listener(report.run, report.failing);
            let mut request = encode_command("go")?;
            request.extend(PROGRESS_INTERVAL_MILLIS.to_be_bytes());
            report = self.request_progress(&request)?;
        }
        parse_findings(&self.send_and_receive(&encode_command("report")?)?)
    }

    fn request_progress(&mut self, request: &[u8]) -> Result<ExploreProgress> {
        let answer = self.send_and_receive(request)?;
        Ok(serde_json::from_str(&answer).context("reading what the scheduler says")?)
    }

    fn send_and_receive(&mut self, request: &[u8]) -> Result<String> {
        let response = self.jvm.send_and_receive(request.to_vec(), Some(RESPONSE_TIMEOUT))?;
        let reason = match response {
            JvmResponse::Answer(answer) => return Ok(String::from_utf8_lossy(&answer).into_owned()),
            JvmResponse::Failed(message) => message,
            JvmResponse::Died => "the JVM ended".to_owned(),
            JvmResponse::TimedOut => "the JVM stopped responding".to_owned(),
        };
        Err(Problem::UncontrolledThreads { why: reason, output: self.jvm.stop() })
    }
}

/// Returns the option that sets the number of cores for a JVM pinned to one core, because tests
/// read it; `None` for a JVM without that option.
fn cores(version: u32) -> Option<OsString> {
    let cores = std::thread::available_parallelism().ok()?;
    (version >= MIN_JDK_WITH_CORES_OPTION)
        .then(|| format!("-XX:ActiveProcessorCount={cores}").into())
}

fn check_jdk_version(jdk: &Jdk) -> Result<()> {
    if jdk.version >= MIN_JDK_VERSION {
        return Ok(());
    }
    let (feature, actual) = ("exploring schedules", jdk.full_version.clone());
    Err(Problem::JdkTooOld { what: feature, needed: MIN_JDK_VERSION, found: actual })
}

fn module_option(kind: &str, package: &str) -> OsString {
    format!("--add-{kind}=java.base/{package}=ALL-UNNAMED").into()
}

/// Parses the findings, and restores the original names of the JDK's copied classes.
fn parse_findings(report: &str) -> Result<Findings> {
    let report =
        report.replace("gitmend.copy.", "java.util.").replace("gitmend/copy/", "java/util/");
    Ok(serde_json::from_str(&report).context("reading what the scheduler found")?)
}

fn encode_command(name: &str) -> Result<Vec<u8>> {
    let mut request = Vec::new();
    write_text(&mut request, name)?;
    Ok(request)
}

fn write_texts<'a>(
    request: &mut Vec<u8>,
    texts: impl ExactSizeIterator<Item = &'a str>,
) -> Result<()> {
    write_length(request, texts.len())?;
    texts.into_iter().try_for_each(|one| write_text(request, one))
}

/// Encodes the request that opens an exploration: runner, tests, class path, project classes and parameters.
fn encode_open_request(
    run: &TestRun<'_>,
    config: &ExploreConfig,
    goal: Option<&FailureGoal>,
) -> Result<Vec<u8>> {
    let mut request = encode_command("open")?;
    write_text(&mut request, run.runner.main_class())?;
    let test_lines: Vec<String> = run.requests.iter().map(TestRequest::encode_line).collect();
    write_texts(&mut request, test_lines.iter().map(|line| line.trim_end()))?;
    write_paths(&mut request, &run.full_class_path())?;
    write_paths(&mut request, &[run.exchange_dir.to_owned()])?;
    write_texts(&mut request, config.schedulers.iter().map(|one| one.name()))?;
    write_texts(&mut request, config.targets.iter().map(String::as_str))?;
    request.extend(config.seed.to_be_bytes());
    let max_schedules = i32::try_from(config.schedules).unwrap_or(i32::MAX);
    request.extend(max_schedules.to_be_bytes());
    request.extend(i32::from(config.is_fail_fast).to_be_bytes());
    let limit = run.time_limit.map_or(0, |limit| i64::try_from(limit.as_millis()).unwrap_or(0));
    request.extend(limit.to_be_bytes());
    write_texts(&mut request, config.expected_output.as_deref().into_iter())?;
    let goal = goal.map_or_else(Vec::new, FailureGoal::to_texts);
    write_texts(&mut request, goal.into_iter())?;
    Ok(request)
}

fn encode_replay_request(schedule: &Schedule) -> Result<Vec<u8>> {
    let mut request = encode_command("replay")?;
    write_text(&mut request, &schedule.test)?;
    write_texts(&mut request, schedule.shared.iter().map(String::as_str))?;
    write_length(&mut request, schedule.choices.len())?;
    schedule.choices.iter().for_each(|choice| request.extend(choice.to_be_bytes()));
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_old_jdk_is_reported_with_the_required_version() {
        let jdk =
            |version, full: &str| Jdk { home: "/".into(), version, full_version: full.into() };
        let problem = check_jdk_version(&jdk(8, "1.8.0_292")).unwrap_err();
        let expected = "exploring schedules needs JDK 9 or newer, but this is JDK 1.8.0_292";
        assert_eq!(problem.to_string(), expected);
        assert!(check_jdk_version(&jdk(11, "11.0.2")).is_ok());
    }
}
