//! The JVM that runs schedules.

use super::{ExploreConfig, ScheduleListener};
use crate::Jdk;
use crate::compile::javac::joined;
use crate::jvm::cpu_affinity::on_one_core;
use crate::jvm::java_program::{JavaProgram, sources};
use crate::jvm::jvm_process::{Jvm, JvmResponse};
use crate::jvm::request_encoding::{length, paths, text};
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
const PACKAGES: [&str; 9] = [
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

/// Packages of the JDK that copies of its classes need, as their originals do.
const EXPORTED: [&str; 9] = [
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

/// Packages of the JDK with private variables that are looked into: what a thread runs, and what an iterator is of.
const OPENED: [&str; 2] = ["java.lang", "java.util"];

/// The first release whose `java.util.concurrent` does without what only the JDK's own class loader may call.
const OLDEST: u32 = 9;

/// The first release with an option for the number of cores.
const FIRST_TOLD_CORES: u32 = 10;

/// Each thread of each schedule takes a buffer of its own from the heap and leaves most of it: with buffers of this size
/// the heap is full a tenth as often.
const BUFFERS: [&str; 2] = ["-XX:TLABSize=32k", "-XX:-ResizeTLAB"];

/// Interval between two progress messages, in milliseconds.
const PACE: i32 = 500;

/// Time limit of a response. The JVM abandons a blocked schedule long before that.
const PATIENCE: Duration = Duration::from_secs(120);

/// A JVM that runs the schedules of some tests.
pub(super) struct ExploreWorker {
    jvm: Jvm,
    /// Working directory and options of the JVM.
    origin: (PathBuf, Vec<OsString>),
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
        check(&tools.jdk)?;
        let classes = JavaProgram { sources: &sources(&PACKAGES), class_path: &[], tools }
            .kept("scheduler")?;
        let cores = cores(tools.jdk.version);
        let is_told_cores = cores.is_some();
        let mut options: Vec<_> = cores.into_iter().chain(run.flags()).collect();
        options.extend(BUFFERS.map(OsString::from));
        options.extend(EXPORTED.map(|name| access("exports", name)));
        options.extend(OPENED.map(|name| access("opens", name)));
        options.extend(["-cp".into(), joined(&[classes]).into()]);
        let start = || tools.start_jvm(run.cwd, options, "gitmend.schedule.ExploreServer");
        let jvm = if is_told_cores { on_one_core(start)? } else { start()? };
        Ok(Self { jvm, origin: (run.cwd.to_owned(), run.flags()) })
    }

    /// Returns true if a run can use this JVM: its working directory and options are the same.
    pub(super) fn fits(&self, run: &TestRun<'_>) -> bool {
        self.origin.0 == run.cwd && self.origin.1 == run.flags()
    }

    /// Runs the schedules of these tests.
    ///
    /// # Errors
    /// [`Problem::UncontrolledThreads`] if the scheduler cannot control the tests, [`Problem::Usage`] if an
    /// output is expected and there are several tests.
    pub(super) fn explore(
        &mut self,
        run: &TestRun<'_>,
        order: &ExploreConfig,
        listener: &mut ScheduleListener<'_>,
    ) -> Result<Findings> {
        let begun = Instant::now();
        self.ask(&opening(run, order)?)?;
        if let Some(schedule) = &order.replay {
            let told = self.ask(&replay(schedule)?)?;
            return findings(&told);
        }
        let mut told = self.progress(&command("begin")?)?;
        if order.expected.is_some() && told.tests > 1 {
            return Err(Problem::Usage {
                message: format!(
                    "the expected output needs exactly one test, but {} are selected",
                    told.tests
                ),
                remedy: "select one test: --test pkg.Class#method".to_owned(),
            });
        }
        while !told.done && run.limit.is_none_or(|limit| begun.elapsed() < limit) {
            listener(told.run, told.failing);
            let mut go = command("go")?;
            go.extend(PACE.to_be_bytes());
            told = self.progress(&go)?;
        }
        findings(&self.ask(&command("report")?)?)
    }

    fn progress(&mut self, request: &[u8]) -> Result<ExploreProgress> {
        let told = self.ask(request)?;
        Ok(serde_json::from_str(&told).context("reading what the scheduler says")?)
    }

    fn ask(&mut self, request: &[u8]) -> Result<String> {
        let reply = self.jvm.ask(request.to_vec(), Some(PATIENCE))?;
        let why = match reply {
            JvmResponse::Answer(answer) => return Ok(String::from_utf8_lossy(&answer).into_owned()),
            JvmResponse::Failed(said) => said,
            JvmResponse::Died => "the JVM ended".to_owned(),
            JvmResponse::TimedOut => "the JVM stopped responding".to_owned(),
        };
        Err(Problem::UncontrolledThreads { why, output: self.jvm.end() })
    }
}

/// Returns the option that sets the number of cores for a JVM pinned to one core, because tests
/// read it; `None` for a JVM without that option.
fn cores(version: u32) -> Option<OsString> {
    let cores = std::thread::available_parallelism().ok()?;
    (version >= FIRST_TOLD_CORES).then(|| format!("-XX:ActiveProcessorCount={cores}").into())
}

fn check(jdk: &Jdk) -> Result<()> {
    if jdk.version >= OLDEST {
        return Ok(());
    }
    let (what, found) = ("exploring schedules", jdk.full.clone());
    Err(Problem::JdkTooOld { what, needed: OLDEST, found })
}

fn access(kind: &str, package: &str) -> OsString {
    format!("--add-{kind}=java.base/{package}=ALL-UNNAMED").into()
}

/// Copies of the JDK's classes are called what their originals are.
fn findings(told: &str) -> Result<Findings> {
    let told = told.replace("gitmend.copy.", "java.util.").replace("gitmend/copy/", "java/util/");
    Ok(serde_json::from_str(&told).context("reading what the scheduler found")?)
}

fn command(word: &str) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    text(&mut out, word)?;
    Ok(out)
}

fn texts<'a>(out: &mut Vec<u8>, all: impl ExactSizeIterator<Item = &'a str>) -> Result<()> {
    length(out, all.len())?;
    all.into_iter().try_for_each(|one| text(out, one))
}

/// Encodes the request that opens an exploration: runner, tests, class path, project classes and parameters.
fn opening(run: &TestRun<'_>, order: &ExploreConfig) -> Result<Vec<u8>> {
    let mut out = command("open")?;
    text(&mut out, run.runner.main())?;
    let wanted: Vec<String> = run.wanted.iter().map(TestRequest::line).collect();
    texts(&mut out, wanted.iter().map(|line| line.trim_end()))?;
    paths(&mut out, &run.whole_class_path())?;
    paths(&mut out, &[run.exchange.to_owned()])?;
    texts(&mut out, order.samplers.iter().map(|one| one.word()))?;
    texts(&mut out, order.targets.iter().map(String::as_str))?;
    out.extend(order.seed.to_be_bytes());
    let most = i32::try_from(order.schedules).unwrap_or(i32::MAX);
    out.extend(most.to_be_bytes());
    out.extend(i32::from(order.is_trial).to_be_bytes());
    let limit = run.limit.map_or(0, |limit| i64::try_from(limit.as_millis()).unwrap_or(0));
    out.extend(limit.to_be_bytes());
    texts(&mut out, order.expected.as_deref().into_iter())?;
    Ok(out)
}

fn replay(schedule: &Schedule) -> Result<Vec<u8>> {
    let mut out = command("replay")?;
    text(&mut out, &schedule.test)?;
    texts(&mut out, schedule.shared.iter().map(String::as_str))?;
    length(&mut out, schedule.choices.len())?;
    schedule.choices.iter().for_each(|choice| out.extend(choice.to_be_bytes()));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jdk_that_is_too_old_is_told_with_the_one_that_is_needed() {
        let jdk = |version, full: &str| Jdk { home: "/".into(), version, full: full.into() };
        let told = check(&jdk(8, "1.8.0_292")).unwrap_err();
        let words = "exploring schedules needs JDK 9 or newer, but this is JDK 1.8.0_292";
        assert_eq!(told.to_string(), words);
        assert!(check(&jdk(11, "11.0.2")).is_ok());
    }
}
