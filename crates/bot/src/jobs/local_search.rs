//! Search on this machine, for repositories without their own workflow: clone, search in the sandbox, publish on
//! GitHub. An interrupted step is repeated, and published items are found before they are created again.

pub(crate) mod checkout;
pub(crate) mod config;
pub(crate) mod failing_tests;
pub(crate) mod java_runtime;
pub(crate) mod progress_watcher;

use super::progress::JobProgress;
use super::target::{CommitRelevance, Target};
use crate::jobs::job_runner::{JobRunner, LOOK};
use crate::jobs::job_stop::JobStop;
use crate::jobs::local_search::checkout::Checkout;
use crate::jobs::local_search::config::JobFolder;
use crate::jobs::local_search::failing_tests::failing_classes;
use crate::jobs::local_search::java_runtime::SharedRuntime;
use crate::jobs::local_search::progress_watcher::{PollingConfig, watched, whereabouts};
use crate::publishing::{BuildFailure, Publisher, SearchIdentity as SearchName};
use crate::queue::{Job, JobOutcome};
use crate::sandbox::{ResourceLimits, Sandbox, UntrustedProgram};
use crate::{MergeQueueBranch, SearchClaims};
use mend_github::{AccessLevel, Permission, Repo};
use mend_model::{Interrupt, Problem};
use mend_process::{ProcessEnd, Supervisor};
use mend_report::github::{
    FailureReason, ProgressSummary, RunFailure, SearchStage, bare_end, nowhere_to_search,
    search_elsewhere,
};
use mend_report::{OutputContext, SavedRun, page};
use secrecy::SecretString;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::warn;

/// Permissions to publish a result.
const TELL: [Permission; 3] = [
    ("checks", AccessLevel::Write),
    ("contents", AccessLevel::Write),
    ("pull_requests", AccessLevel::Write),
];
/// Permission to clone a repository.
const CLONE: [Permission; 1] = [("contents", AccessLevel::Read)];
/// Limits of a search: memory per process and file size, in bytes, and number of processes.
const MEMORY: u64 = 4 << 30;
const FILE: u64 = 2 << 30;
const PROCESSES: u32 = 1024;
/// The largest page of a run that is kept, in bytes.
const MOST_PAGE: usize = 4 << 20;
/// Polling of the search progress. The disk may be slow, because other jobs use it too.
const WATCH: PollingConfig =
    PollingConfig { pace: Duration::from_secs(30), patience: Duration::from_secs(30) };
/// The search gets the time limit of a job divided by this number. The rest is for cloning and publishing.
const REST: u32 = 2;

/// Search of one commit.
struct LocalSearch {
    folder: JobFolder,
    runtime: SharedRuntime,
    program: PathBuf,
    sandbox: Sandbox,
    limit: Duration,
    url: String,
    token: SecretString,
    default_branch: String,
    target: Target,
    /// The test classes that are known to fail. If empty, all tests are run.
    tests: Vec<String>,
}

/// Publishable result of a search.
struct PublishableRun {
    /// The run folder.
    run: PathBuf,
    /// Claims about the end of the search.
    claims: SearchClaims,
    /// The folder that contains both.
    _folder: JobFolder,
}

impl JobRunner {
    /// Searches on this machine and publishes the result.
    pub(super) async fn search_here(
        &self,
        job: &Job,
        target: &Target,
    ) -> Result<JobOutcome, JobStop> {
        let Some(sandbox) = self.workshop.sandbox.clone() else {
            let message = nowhere_to_search(target.is_own).to_owned();
            return Ok(JobOutcome::Failed { message, may_retry: false });
        };
        let progress = self.begin(job, target, &SearchStage::Cloning).await?;
        let look = self.repo(job, &LOOK).await?;
        let token = self.app.token(job.installation, &job.subject.repository, &CLONE).await?;
        let search = LocalSearch {
            folder: self.workshop.job(job),
            runtime: self.workshop.runtime(),
            program: self.workshop.program.clone(),
            sandbox,
            limit: self.workshop.limit / REST,
            url: format!("{}.git", look.web()),
            token: token.token,
            default_branch: look.info().await?.default_branch,
            target: target.clone(),
            tests: failing_classes(&look, &target.sha).await?,
        };
        let Some(search) = self.run_blocking(search, LocalSearch::brought).await? else {
            return Err(JobStop::Obsolete("the branch no longer has the failing commit"));
        };
        let (run, tests) = (search.folder.run(), search.tests.clone());
        let limit = search.limit;
        let (shown, named) = (&progress, &tests);
        let show = |at: Option<ProgressSummary>| async move {
            let stage = SearchStage::Searching { tests: named, limit, at };
            self.show(job, target, shown, &stage).await;
        };
        show(None).await;
        let searched = self.run_blocking(search, LocalSearch::searched);
        let told = watched(searched, WATCH, || whereabouts(run.clone()), show).await?;
        self.publish_run(job, target, progress, &told).await
    }

    /// Runs a step of a search on a blocking thread. Dropping the future interrupts the step.
    async fn run_blocking<T: Send + 'static>(
        &self,
        search: LocalSearch,
        part: fn(LocalSearch, &Supervisor) -> mend_model::Result<T>,
    ) -> Result<T, JobStop> {
        let interrupt = InterruptOnDrop(Interrupt::default());
        let handle = interrupt.0.clone();
        let work = tokio::task::spawn_blocking(move || {
            let supervisor = Supervisor::start(handle, &search.program)?;
            part(search, &supervisor)
        });
        let done = work.await.map_err(|error| JobStop::LocalFailure(error.to_string()))?;
        done.map_err(|problem| JobStop::LocalFailure(problem.to_string()))
    }

    async fn publish_run(
        &self,
        job: &Job,
        target: &Target,
        progress: JobProgress,
        told: &PublishableRun,
    ) -> Result<JobOutcome, JobStop> {
        let repo = self.repo(job, &TELL).await?;
        let run = SavedRun::open_no_link(&told.run)
            .map_err(|problem| JobStop::LocalFailure(problem.to_string()))?;
        // The branch may have moved on while it was searched.
        if Target::find(&repo, job).await?.sha != target.sha {
            return Err(JobStop::Obsolete("the branch no longer has the failing commit"));
        }
        let failing = failing(&repo, target, told.claims.clone()).await?;
        let settings = self.settings(&repo, job).await?;
        let publisher = Publisher {
            repo: &repo,
            failing: &failing,
            settings,
            search: SearchName::CheckRun(progress.check),
            leg: None,
        };
        let told = publisher.publish(&run).await?.told;
        self.keep_page(job, run).await;
        let link = told.check_run.and_then(|check| check.html_url);
        Ok(JobOutcome::Done { message: "result published".to_owned(), link })
    }

    /// Stores the report page of a run for the status page. A failure does not affect the result on GitHub.
    async fn keep_page(&self, job: &Job, run: SavedRun) {
        let page = match tokio::task::spawn_blocking(move || page_of(&run)).await {
            Ok(Ok(page)) => page,
            Ok(Err(problem)) => return warn!(%problem, "cannot create the report page of a run"),
            Err(problem) => return warn!(%problem, "cannot create the report page of a run"),
        };
        if page.len() > MOST_PAGE {
            return warn!("the report page of a run is too large to store");
        }
        if let Err(problem) = self.queue.keep_report(job, page).await {
            warn!(%problem, "cannot store the report page of a run");
        }
    }
}

/// Creates the report page of a run for the operators of the server. It is generated here, because untrusted code wrote
/// to the run folder.
fn page_of(run: &SavedRun) -> mend_model::Result<String> {
    page(
        run,
        &OutputContext { folder: Path::new("."), is_found: true, elsewhere: None, is_kept: false },
    )
}

async fn failing(
    repo: &Repo,
    target: &Target,
    claims: SearchClaims,
) -> Result<BuildFailure, JobStop> {
    let pull = match target.pull() {
        Some(number) => Some(repo.pull(number).await?),
        None => None,
    };
    let is_queued = target.standing == CommitRelevance::InMergeQueue;
    let is_here = pull.as_ref().is_none_or(|pull| pull.head_repo.as_ref() == Some(repo.name()));
    Ok(BuildFailure {
        head: target.sha.clone(),
        branch: (is_here && !is_queued).then(|| target.branch.clone()),
        pull,
        queue: MergeQueueBranch::parse(&target.branch).filter(|_| is_queued),
        workflow: None,
        claims,
        details_url: None,
    })
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
    fn brought(self, supervisor: &Supervisor) -> mend_model::Result<Option<Self>> {
        self.folder.renew()?;
        let checkout = Checkout {
            folder: self.folder.repository(),
            url: &self.url,
            token: &self.token,
            default_branch: &self.default_branch,
            target: &self.target,
        };
        let is_there = checkout.fetch(supervisor)?;
        Ok(is_there.then_some(self))
    }

    fn searched(self, supervisor: &Supervisor) -> mend_model::Result<PublishableRun> {
        let repository = self.folder.repository();
        let confined = |folder: &Path, command| self.confined(folder, command, supervisor);
        match self.runtime.given_to(&repository, &self.program, &confined, supervisor) {
            Err(Problem::Interrupted) => return Err(Problem::Interrupted),
            Err(problem) => {
                warn!(%problem, "cannot share the compiled Java runtime: this search compiles its own");
            }
            Ok(()) => {}
        }
        let end = self.confined(
            &self.folder.0,
            self.command(&repository, &self.folder.run()),
            supervisor,
        )?;
        self.tellable(end)
    }

    /// Returns the publishable result after this end. Without a run, a run folder that contains only the reason is
    /// created.
    fn tellable(self, end: ProcessEnd) -> mend_model::Result<PublishableRun> {
        let mut claims = SearchClaims::new(&self.tests);
        let (hindrance, end) = match end {
            ProcessEnd::Exited(code) => (FailureReason::of_code(code), RunFailure::Exited(code)),
            ProcessEnd::TimedOut => (None, RunFailure::TimedOut(self.limit)),
            ProcessEnd::Signalled(signal) => {
                (Some(FailureReason::Environment), RunFailure::Signalled(signal))
            }
        };
        claims.error = hindrance;
        claims.help = hindrance.map(|_| search_elsewhere(self.target.is_own).to_owned());
        let run = self.folder.run();
        let is_run = SavedRun::open_no_link(&run).is_ok();
        let run = if is_run { run } else { self.folder.unsearched(bare_end(end))? };
        Ok(PublishableRun { run, claims, _folder: self.folder })
    }

    /// Runs a command with write access to one folder.
    fn confined(
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
        let confined = UntrustedProgram {
            folder,
            readable: &readable,
            environment: &environment,
            quota: ResourceLimits {
                time: self.limit,
                memory: MEMORY,
                processes: PROCESSES,
                file: FILE,
            },
        };
        Ok(self.sandbox.process(&confined, command, supervisor).run()?.end)
    }

    fn command(&self, repository: &Path, run: &Path) -> Vec<OsString> {
        let words: [&std::ffi::OsStr; 12] = [
            self.program.as_os_str(),
            "bisect".as_ref(),
            "-C".as_ref(),
            repository.as_os_str(),
            "--good".as_ref(),
            "auto".as_ref(),
            "--bad".as_ref(),
            self.target.sha.0.as_ref(),
            "--output".as_ref(),
            run.as_os_str(),
            "--format".as_ref(),
            "json".as_ref(),
        ];
        let all = ["*".to_owned()];
        let tests = if self.tests.is_empty() { &all[..] } else { &self.tests };
        let tests = tests.iter().map(|test| format!("--test={test}").into());
        words.map(OsString::from).into_iter().chain(tests).collect()
    }
}
