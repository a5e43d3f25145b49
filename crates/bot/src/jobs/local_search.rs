//! Job that searches on this machine, for repositories without their own workflow: clones, searches in the sandbox, and
//! publishes on GitHub. The job repeats interrupted steps, and finds published items before it creates them again.

pub(crate) mod checkout;
pub(crate) mod config;
pub(crate) mod failing_tests;
pub(crate) mod java_runtime;
pub(crate) mod progress_watcher;
pub(crate) mod publish_run;

use super::progress::SearchStep;
use super::target::Target;
use crate::SearchClaims;
use crate::command::CommentCommand;
use crate::jobs::job_runner::{JobRunner, READ_PERMISSIONS};
use crate::jobs::job_stop::JobStop;
use crate::jobs::local_search::checkout::Checkout;
use crate::jobs::local_search::config::{JobFolder, RUN_FOLDER_NAME};
use crate::jobs::local_search::failing_tests::failing_classes;
use crate::jobs::local_search::java_runtime::SharedRuntime;
use crate::jobs::local_search::progress_watcher::{PollingConfig, read_progress, watch_search};
use crate::queue::{Job, JobOutcome};
use crate::task::JobTask;
use mend_github::{AccessLevel, Permission, Repo};
use mend_model::{Interrupt, Problem};
use mend_process::{ProcessEnd, ResourceLimits, Sandbox, Supervisor, UntrustedProgram};
use mend_report::SavedRun;
use mend_report::github::{
    FailureReason, ProgressSummary, RunFailure, SearchStage, describe_run_failure,
    missing_dependency_remedy, no_search_reason,
};
use secrecy::SecretString;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::warn;

/// Permission to clone a repository.
const CLONE_PERMISSIONS: [Permission; 1] = [("contents", AccessLevel::Read)];
/// Limits of a search: memory per process and file size, in bytes, and number of processes.
const MAX_PROCESS_BYTES: u64 = 4 << 30;
const MAX_FILE_BYTES: u64 = 2 << 30;
const MAX_PROCESSES: u32 = 1024;
/// Polling of the search progress. The disk may be slow, because other jobs use it too.
const PROGRESS_POLLING: PollingConfig =
    PollingConfig { interval: Duration::from_secs(30), timeout: Duration::from_secs(30) };
/// The search gets the time limit of a job divided by this number. The rest is for cloning and publishing.
const TIME_LIMIT_DIVISOR: u32 = 2;

/// Search of one commit.
struct LocalSearch {
    folder: JobFolder,
    runtime: SharedRuntime,
    program: PathBuf,
    sandbox: Sandbox,
    time_limit: Duration,
    url: String,
    token: SecretString,
    default_branch: String,
    target: Target,
    /// Test classes that are known to fail. If empty, the search runs all tests.
    tests: Vec<String>,
    /// Command of the generator in the settings of the repository, if it may work on the commit.
    generator: Option<String>,
    /// True if dependency updates are searched before all other changes.
    searches_upgrades: bool,
}

/// Result of a search.
struct SearchedRun {
    /// Folder of the job.
    folder: JobFolder,
    /// Name of the run folder in the folder of the job.
    run: String,
    /// Claims about the end of the search.
    claims: SearchClaims,
}

impl JobRunner {
    /// Searches on this machine and publishes the result.
    pub(super) async fn search_locally(
        &self,
        job: &Job,
        target: &Target,
    ) -> Result<JobOutcome, JobStop> {
        let Some(sandbox) = self.local_search.sandbox.clone() else {
            let message = no_search_reason(target.is_from_own_repo).to_owned();
            return Ok(JobOutcome::Failed { message, may_retry: false });
        };
        let progress = self.start_progress(job, target, &SearchStage::Cloning).await?;
        let repo = self.connect_repo(job, &READ_PERMISSIONS).await?;
        let token = self
            .app
            .create_repo_token(job.installation, &job.subject.repository, &CLONE_PERMISSIONS)
            .await?;
        let searches_upgrades = target.is_dependency_update || is_upgrade_command(&job.task);
        // A search of updates may be followed by another one.
        let searches = if searches_upgrades { 2 } else { 1 };
        let search = LocalSearch {
            folder: self.local_search.job_folder(job.id),
            runtime: self.local_search.shared_runtime(),
            program: self.local_search.program.clone(),
            sandbox,
            time_limit: self.local_search.time_limit / (TIME_LIMIT_DIVISOR * searches),
            url: format!("{}.git", repo.web_url()),
            token: token.token,
            default_branch: repo.get_info().await?.default_branch,
            target: target.clone(),
            tests: failing_classes(&repo, &target.sha).await?,
            generator: self.fetch_generator(&repo, job, target).await?,
            searches_upgrades,
        };
        let Some(search) = self.run_blocking(search, LocalSearch::clone_repository).await? else {
            return Err(JobStop::Obsolete("the branch no longer has the failing commit"));
        };
        let (run, tests) = (search.folder.run_path(), search.tests.clone());
        let limit = search.time_limit;
        let (shown, named) = (&progress, &tests);
        let show_searching = |at: Option<ProgressSummary>| async move {
            let stage = SearchStage::Searching { tests: named, limit, progress: at };
            self.show_progress(job, target, shown, &stage).await;
        };
        show_searching(None).await;
        let search_task = self.run_blocking(search, LocalSearch::run_search);
        let SearchedRun { folder, run, claims } = watch_search(
            search_task,
            PROGRESS_POLLING,
            || read_progress(run.clone()),
            show_searching,
        )
        .await?;
        let progress = progress.with_step(SearchStep::Searched { run, claims });
        self.record(job, &progress).await?;
        self.publish_result(job, target, &progress, folder).await
    }

    /// Returns the generator in the settings of the default branch, if it may work on the target.
    async fn fetch_generator(
        &self,
        repo: &Repo,
        job: &Job,
        target: &Target,
    ) -> Result<Option<String>, JobStop> {
        if !target.allows_generator() {
            return Ok(None);
        }
        Ok(self.fetch_settings(repo, job).await?.generator)
    }

    /// Runs a step of a search on a blocking thread. Dropping the future interrupts the step.
    async fn run_blocking<T: Send + 'static>(
        &self,
        search: LocalSearch,
        step: fn(LocalSearch, &Supervisor) -> mend_model::Result<T>,
    ) -> Result<T, JobStop> {
        let interrupt = InterruptOnDrop(Interrupt::default());
        let handle = interrupt.0.clone();
        let task = tokio::task::spawn_blocking(move || {
            let supervisor = Supervisor::start(handle, &search.program)?;
            step(search, &supervisor)
        });
        let result = task.await.map_err(|error| JobStop::LocalFailure(error.to_string()))?;
        result.map_err(|problem| JobStop::LocalFailure(problem.to_string()))
    }
}

/// Interrupts a step when its caller is dropped.
struct InterruptOnDrop(Interrupt);

impl Drop for InterruptOnDrop {
    fn drop(&mut self) {
        self.0.request();
    }
}

impl LocalSearch {
    /// Clones the repository. Returns `None` if GitHub has another commit there by now.
    fn clone_repository(self, supervisor: &Supervisor) -> mend_model::Result<Option<Self>> {
        self.folder.recreate()?;
        let checkout = Checkout {
            folder: self.folder.repository_path(),
            url: &self.url,
            token: &self.token,
            default_branch: &self.default_branch,
            target: &self.target,
        };
        let has_commit = checkout.fetch(supervisor)?;
        Ok(has_commit.then_some(self))
    }

    fn run_search(self, supervisor: &Supervisor) -> mend_model::Result<SearchedRun> {
        let repository = self.folder.repository_path();
        let run_confined = |folder: &Path, command| self.run_confined(folder, command, supervisor);
        match self.runtime.copy_to(&repository, &self.program, &run_confined, supervisor) {
            Err(Problem::Interrupted) => return Err(Problem::Interrupted),
            Err(problem) => {
                warn!(%problem, "cannot share the compiled Java runtime: this search compiles its own");
            }
            Ok(()) => {}
        }
        let run = |words: Vec<String>| {
            let command = self.search_command(words, &repository, &self.folder.run_path());
            self.run_confined(&self.folder.0, command, supervisor)
        };
        let upgrades = self.searches_upgrades.then(|| run(vec!["upgrade".to_owned()]));
        let process_end = match upgrades.transpose()? {
            // The updates alone do not break the tests, or cannot be searched: other changes may be the cause.
            None | Some(ProcessEnd::Exited(1..)) => run(search_words(self.generator.as_deref()))?,
            Some(end) => end,
        };
        self.searched_run(process_end)
    }

    /// Returns the result after the process has ended. If there is no run, creates a run folder that
    /// contains only the reason.
    fn searched_run(self, process_end: ProcessEnd) -> mend_model::Result<SearchedRun> {
        let mut claims = SearchClaims::new(&self.tests);
        let (reason, process_end) = match process_end {
            ProcessEnd::Exited(code) => (FailureReason::from_code(code), RunFailure::Exited(code)),
            ProcessEnd::TimedOut => (None, RunFailure::TimedOut(self.time_limit)),
            ProcessEnd::Signalled(signal) => {
                (Some(FailureReason::Environment), RunFailure::Signalled(signal))
            }
        };
        claims.error = reason;
        claims.help =
            reason.map(|_| missing_dependency_remedy(self.target.is_from_own_repo).to_owned());
        let run = if SavedRun::open_no_link(&self.folder.run_path()).is_ok() {
            RUN_FOLDER_NAME.to_owned()
        } else {
            self.folder.write_failed_search(describe_run_failure(process_end))?
        };
        // Only the result may have to wait for another attempt.
        self.folder.remove_repository();
        Ok(SearchedRun { folder: self.folder, run, claims })
    }

    /// Runs a command with write access to one folder.
    fn run_confined(
        &self,
        folder: &Path,
        command: Vec<OsString>,
        supervisor: &Supervisor,
    ) -> mend_model::Result<ProcessEnd> {
        let java = std::env::var_os("JAVA_HOME");
        let home = ("HOME", OsString::from(folder));
        let environment: Vec<_> =
            [home].into_iter().chain(java.clone().map(|home| ("JAVA_HOME", home))).collect();
        let readable: Vec<_> =
            [self.program.clone()].into_iter().chain(java.map(PathBuf::from)).collect();
        let program = UntrustedProgram {
            writable_folder: folder,
            working_directory: folder,
            readable_paths: &readable,
            environment: &environment,
            limits: ResourceLimits {
                time_limit: self.time_limit,
                max_memory: MAX_PROCESS_BYTES,
                max_processes: MAX_PROCESSES,
                max_file_size: MAX_FILE_BYTES,
            },
        };
        Ok(self.sandbox.process(&program, command, supervisor).run()?.end)
    }

    fn search_command(
        &self,
        words: Vec<String>,
        repository: &Path,
        run_folder: &Path,
    ) -> Vec<OsString> {
        let args: [&std::ffi::OsStr; 11] = [
            "-C".as_ref(),
            repository.as_os_str(),
            "--good".as_ref(),
            "auto".as_ref(),
            "--bad".as_ref(),
            self.target.sha.0.as_ref(),
            "--output".as_ref(),
            run_folder.as_os_str(),
            "--format".as_ref(),
            "json".as_ref(),
            // The sandbox has no network.
            "--offline".as_ref(),
        ];
        let all_tests = ["*".to_owned()];
        let tests = if self.tests.is_empty() { &all_tests[..] } else { &self.tests };
        let tests = tests.iter().map(|test| format!("--test={test}").into());
        let command = words.into_iter().map(OsString::from);
        let program = self.program.clone().into_os_string();
        let args = args.map(OsString::from).into_iter().chain(tests);
        [program].into_iter().chain(command).chain(args).collect()
    }
}

/// Returns true if a user requested a search of dependency updates.
fn is_upgrade_command(task: &JobTask) -> bool {
    matches!(task, JobTask::Command { command: CommentCommand::Upgrade, .. })
}

/// Returns the command of a search, and its options for a generator. The generator runs in the sandbox of the job, in
/// which another sandbox cannot be created.
fn search_words(generator: Option<&str>) -> Vec<String> {
    let Some(generator) = generator else { return vec!["bisect".to_owned()] };
    let words = ["fix", "--technique", "regression", "--goal", "both", "--trust-generator"];
    let generator = format!("--generator={generator}");
    words.map(str::to_owned).into_iter().chain([generator]).collect()
}
