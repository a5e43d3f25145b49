//! Engine that has variants tested by remote workers.

use crate::batch::{EngineRequest, JavaEngineRequest, TestExecution, TrialMode};
use crate::executor::RemoteExecutor;
use crate::folder_scan::FileDigests;
use crate::merkle::{Folder, FolderBuilder};
use crate::trial::{Failure, FinishedTrial, PreparedEngine, Runtime, Trial};
use mend_engine::{
    CoverageMeter, CrossCheck, Engine, Environment, Execution, JavaMode, PortableEngine,
    ProcessEngine, RemoteTests, RunMode, RunRequest, TestOrder, compile_java_programs,
};
use mend_model::{Outcome, Problem, Result};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of prepared engines that are kept. Versions with equal build files share one.
const MAX_PREPARED_ENGINES: usize = 32;

/// What may run a second time because its worker may be busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Slow actions run on a second worker too, and trials that time out run once more.
    SlowAndTimedOut,
    /// Slow actions run on a second worker too. The user chose the time limit.
    Slow,
    /// Nothing: each run is a sample, and the faster of two runs would hide those that hang.
    Never,
}

/// Engine whose variants are tested by remote workers. The local engine tests what they cannot.
pub struct RemoteEngine {
    executor: Arc<RemoteExecutor>,
    tests: RemoteTests,
    local: Box<dyn Engine>,
    environment: Environment,
    repetition: Repetition,
    cross_check: Mutex<CrossCheck>,
    /// Engines that were prepared, by project model.
    prepared: Mutex<Vec<(PortableEngine, Arc<PreparedEngine>)>>,
    digests: DigestPool,
}

/// Digests of files, by tree.
#[derive(Default)]
struct DigestPool(Mutex<HashMap<PathBuf, FileDigests>>);

/// Reason why a trial runs on this machine.
enum LocalReason {
    /// It has no project model. The local engine gives the outcome that workers would give.
    NoProjectModel,
    /// Note for the user. The outcome may differ from that of a worker.
    Note(String),
}

impl RemoteEngine {
    /// Creates an engine. `local` does the same on this machine.
    pub fn new(
        executor: Arc<RemoteExecutor>,
        tests: RemoteTests,
        local: Box<dyn Engine>,
        environment: Environment,
        repetition: Repetition,
    ) -> Self {
        let seed = match &tests {
            RemoteTests::Java { mode: JavaMode::Resident { seed, .. }, .. } => *seed,
            RemoteTests::Java { .. } | RemoteTests::Command(_) => 0,
        };
        Self {
            executor,
            tests,
            local,
            environment,
            repetition,
            cross_check: Mutex::new(CrossCheck::new(seed)),
            prepared: Mutex::default(),
            digests: DigestPool::default(),
        }
    }

    /// Changes what may run a second time.
    #[cfg(test)]
    pub(crate) fn set_repetition(&mut self, repetition: Repetition) {
        self.repetition = repetition;
    }

    fn run_local(&self, request: &RunRequest<'_>) -> Result<Execution> {
        self.executor.with_local_slot(|| self.local.run(request))
    }

    /// Has a variant tested by a worker. The error is the reason why this is not possible.
    fn run_remote(
        &self,
        request: &RunRequest<'_>,
        mode: TrialMode,
    ) -> Result<Result<Execution, LocalReason>> {
        let engine = match self.prepare_engine(request.tree)? {
            Ok(engine) => engine,
            Err(reason) => return Ok(Err(reason)),
        };
        let is_kept = matches!(request.mode, RunMode::Quick | RunMode::Checked);
        let folder = match self.digests.scan(request.tree, is_kept) {
            Ok(folder) => folder,
            Err(problem) => return Ok(Err(unsendable(&problem))),
        };
        let first = self.run_trial(&engine, &folder, request, mode.clone())?;
        let Ok(execution) = first else { return Ok(first) };
        let is_timeout = matches!(execution.outcome, Outcome::TimedOut { .. });
        if !is_timeout || self.repetition != Repetition::SlowAndTimedOut {
            return Ok(Ok(execution));
        }
        // The worker may have been busy.
        self.run_trial(&engine, &folder, request, mode)
    }

    fn run_trial(
        &self,
        engine: &Arc<PreparedEngine>,
        folder: &Arc<Folder>,
        request: &RunRequest<'_>,
        mode: TrialMode,
    ) -> Result<Result<Execution, LocalReason>> {
        let (reply, result) = std::sync::mpsc::channel();
        let trial = Trial {
            engine: Arc::clone(engine),
            limits: request.limits.clone(),
            mode,
            is_sample: self.repetition == Repetition::Never,
            folder: Arc::clone(folder),
            place: request.tree.to_owned(),
            reply,
        };
        match self.executor.finish_trial(trial, &result)? {
            Ok(finished) => Ok(self.accept(finished)),
            Err(Failure::Unusable(reason)) => {
                Ok(Err(LocalReason::Note(self.unusable_note(&reason))))
            }
            Err(Failure::Unfinished(reason)) => Ok(Err(LocalReason::Note(format!(
                "some trials ran on this machine, because no worker could finish them: {reason}"
            )))),
        }
    }

    /// Checks what a worker sent.
    fn accept(&self, finished: FinishedTrial) -> Result<Execution, LocalReason> {
        let FinishedTrial { response, jdk } = finished;
        if !response.is_trusted {
            self.lock_cross_check().record_disagreement();
        }
        let mut execution = response.result.map(Execution::from).map_err(|problem| {
            LocalReason::Note(format!(
                "some trials ran on this machine, because a worker could not test them: {problem}"
            ))
        })?;
        if !execution.variables.matches(&self.environment) {
            return Err(LocalReason::Note(
                "some trials ran on this machine, because their resources use environment variables"
                    .to_owned(),
            ));
        }
        execution.outcome = execution.outcome.redact_secrets(&self.environment.secrets());
        if let (RemoteTests::Java { process, .. }, Some(jdk)) = (&self.tests, jdk) {
            let own = &process.tools().jdk.full_version;
            let note = format!("the workers have JDK {jdk}, and this machine has JDK {own}");
            execution.notes.extend((jdk != *own).then_some(note));
        }
        Ok(execution)
    }

    fn unusable_note(&self, reason: &str) -> String {
        let address = self.executor.address();
        format!("trials ran on this machine, because the executor {address} failed: {reason}")
    }

    fn lock_cross_check(&self) -> MutexGuard<'_, CrossCheck> {
        self.cross_check.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the mode of a trial on a worker; `None` if it has to run here.
    fn trial_mode(&self, mode: RunMode<'_>) -> Option<TrialMode> {
        match mode {
            RunMode::Quick => Some(self.quick_mode()),
            RunMode::Checked => Some(TrialMode::Checked),
            RunMode::Clean => Some(TrialMode::Clean),
            RunMode::Confirm(outcome) => Some(TrialMode::Confirm(outcome.clone())),
            // The tests write records to a file of this machine.
            RunMode::Recording => None,
        }
    }

    fn quick_mode(&self) -> TrialMode {
        let mut cross_check = self.lock_cross_check();
        let is_checked = cross_check.is_initial_run() || cross_check.is_check_due();
        cross_check.count_initial_run();
        if is_checked { TrialMode::Checked } else { TrialMode::Quick }
    }

    /// Returns the engine for a tree, ready to be uploaded.
    fn prepare_engine(&self, tree: &Path) -> Result<Result<Arc<PreparedEngine>, LocalReason>> {
        let (process, mode) = match &self.tests {
            RemoteTests::Java { process, mode } => (process, mode),
            RemoteTests::Command(words) => return Ok(self.prepare_command(words)),
        };
        let portable = match process.to_portable(tree) {
            Ok(portable) => portable,
            // The local engine gives the outcome of a variant without project model.
            Err(Problem::NoSources { .. } | Problem::Usage { .. }) => {
                return Ok(Err(LocalReason::NoProjectModel));
            }
            Err(problem) => return Err(problem),
        };
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_trusted = self.lock_cross_check().is_trusted();
        if !is_trusted {
            prepared.retain(|(_, engine)| engine.is_for_fresh_processes);
        }
        if let Some((_, known)) = prepared.iter().find(|(known, _)| known.is_same(&portable)) {
            return Ok(Ok(Arc::clone(known)));
        }
        let execution = match mode {
            JavaMode::Schedules(config) => TestExecution::Schedules(config.clone()),
            JavaMode::Resident { reuses_results, .. } if is_trusted => {
                TestExecution::Resident { reuses_results: *reuses_results }
            }
            JavaMode::Resident { .. } | JavaMode::Process => TestExecution::Process,
        };
        let engine = self.upload_form(process, &portable, execution)?;
        if let Ok(engine) = &engine {
            if prepared.len() == MAX_PREPARED_ENGINES {
                prepared.remove(0);
            }
            prepared.push((portable, Arc::clone(engine)));
        }
        Ok(engine)
    }

    fn upload_form(
        &self,
        process: &ProcessEngine,
        portable: &PortableEngine,
        execution: TestExecution,
    ) -> Result<Result<Arc<PreparedEngine>, LocalReason>> {
        let tools = process.tools();
        let outside_paths = portable.outside_paths();
        let mut digests = FileDigests::default();
        let mut outside = FolderBuilder::default();
        for path in &outside_paths {
            let Some(names) = path_names(path) else {
                let problem = anyhow::anyhow!("{} has an unusual name", path.display());
                return Ok(Err(unsendable(&problem.into())));
            };
            match digests.scan_outside(path) {
                Ok(entry) => outside.insert(&names, entry),
                Err(problem) => return Ok(Err(unsendable(&problem))),
            }
        }
        let is_for_fresh_processes = execution == TestExecution::Process;
        let request = EngineRequest::Java(Box::new(JavaEngineRequest {
            engine: portable.clone(),
            outside_paths: outside_paths.into_iter().collect(),
            jdk_version: tools.jdk.version,
            execution,
        }));
        let names = portable.variables().iter().map(String::as_str);
        let variables = self.environment.relevant_variables(names);
        let mut programs = FolderBuilder::default();
        let mut place = PathBuf::new();
        for classes in compile_java_programs(tools)? {
            if let (Some(folder), Some(name)) = (classes.parent(), classes.file_name()) {
                folder.clone_into(&mut place);
                let name = name.to_string_lossy();
                programs.insert(&[&name], digests.scan_outside(&classes)?);
            }
        }
        let runtime = Runtime { place, folder: programs.build() };
        Ok(self.check_secrets(PreparedEngine::new(
            &request,
            outside.build(),
            runtime,
            variables.into_iter().collect(),
            is_for_fresh_processes,
        )))
    }

    fn prepare_command(&self, words: &[String]) -> Result<Arc<PreparedEngine>, LocalReason> {
        let request = EngineRequest::Command { words: words.to_vec() };
        let empty = FolderBuilder::default().build();
        let runtime = Runtime { place: PathBuf::new(), folder: Arc::clone(&empty) };
        let variables = self.environment.relevant_variables([]).into_iter().collect();
        self.check_secrets(PreparedEngine::new(&request, empty, runtime, variables, true))
    }

    /// Refuses to send secrets of the environment.
    fn check_secrets(
        &self,
        engine: serde_json::Result<PreparedEngine>,
    ) -> Result<Arc<PreparedEngine>, LocalReason> {
        let engine = engine.map_err(|error| unsendable(&anyhow::Error::new(error).into()))?;
        let secrets = self.environment.secrets();
        let has_secret = |text: &str| secrets.redact(text) != text;
        let is_secret = has_secret(&String::from_utf8_lossy(&engine.json))
            || engine.variables.iter().any(|(_, value)| has_secret(value));
        if is_secret {
            Err(LocalReason::Note(
                "trials ran on this machine, because the build uses secrets of the environment, \
                 which are not sent to workers"
                    .to_owned(),
            ))
        } else {
            Ok(Arc::new(engine))
        }
    }
}

impl DigestPool {
    /// Returns the files of a tree. The digests of a tree that is used again are kept.
    fn scan(&self, tree: &Path, is_kept: bool) -> Result<Arc<Folder>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut digests = lock().remove(tree).unwrap_or_default();
        let folder = digests.scan_tree(tree)?;
        if is_kept {
            lock().insert(tree.to_owned(), digests);
        }
        Ok(folder)
    }
}

/// Returns the reason of a trial with files that cannot be sent, such as sockets and files with other names than UTF-8.
fn unsendable(problem: &Problem) -> LocalReason {
    LocalReason::Note(format!(
        "some trials ran on this machine, because their files cannot be sent to workers: {problem}"
    ))
}

/// Returns the names in an absolute path; `None` if they are not UTF-8, or lead to a parent folder.
fn path_names(path: &Path) -> Option<Vec<&str>> {
    let below = path.strip_prefix("/").ok()?.components();
    let name = |component| match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    };
    below.map(name).collect()
}

impl Engine for RemoteEngine {
    fn run(&self, request: &RunRequest<'_>) -> Result<Execution> {
        let Some(mode) = self.trial_mode(request.mode) else { return self.run_local(request) };
        let reason = match self.executor.unusable_reason() {
            Some(reason) => LocalReason::Note(self.unusable_note(&reason)),
            None => match self.run_remote(request, mode)? {
                Ok(execution) => return Ok(execution),
                Err(reason) => reason,
            },
        };
        let mut execution = self.run_local(request)?;
        if let LocalReason::Note(note) = reason {
            execution.notes.push(note);
            execution.is_substitute = true;
        }
        Ok(execution)
    }

    fn coverage_meter(&self) -> Option<&dyn CoverageMeter> {
        self.local.coverage_meter()
    }

    fn with_test_order(self: Box<Self>, order: TestOrder) -> Box<dyn Engine> {
        let tests = match self.tests {
            RemoteTests::Java { process, mode } => {
                RemoteTests::Java { process: Box::new(process.with_order(order.clone())), mode }
            }
            command @ RemoteTests::Command(_) => command,
        };
        let local = self.local.with_test_order(order);
        Box::new(Self { tests, local, prepared: Mutex::default(), ..*self })
    }

    fn fingerprint(&self) -> String {
        format!("{}{}", self.executor.fingerprint(), self.local.fingerprint())
    }
}
