//! Session of a run: opens the run folder and the run log, prepares the versions, and records the end.

pub(crate) mod command_result;
pub(crate) mod next_command;
pub(crate) mod repository_warnings;
pub(crate) mod request;
pub(crate) mod run_folder;
pub(crate) mod run_log;
pub(crate) mod shard;
pub(crate) mod summary;
pub(crate) mod versions;

use super::subject::{Preparation, PreparedSubject};
use crate::run::judge::executor::{ScratchPool, VariantExecutor};
use crate::run::session::command_result::CommandResult;
use crate::run::session::repository_warnings::omission_notices;
use crate::run::session::request::{Context, DownloadOptions, GoodRevision, SubjectRequest};
use crate::run::session::run_folder::RunFolder;
use crate::run::session::run_log::{RunLog, SubjectFact};
use crate::run::session::versions::{ResolvedVersion, resolve_version};
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::TestOverlay;
use mend_engine::{AffectedTests, Environment, OutcomeCache};
use mend_git::{DownloadPolicy, ObjectStore, Repository};
use mend_model::{Exit, FileChange, MissingRequirements, Problem, ProgressEvent, RepoPath, Result};
use mend_process::Supervisor;
use mend_report::{CommitInfo, EnvironmentInfo, RunGoal, RunResult, RunStatus};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file with cached outcomes.
pub(super) const CACHE_FILE: &str = "cache.sqlite";

/// Result of a finished run.
#[derive(Debug)]
pub struct FinishedRun {
    /// Exit code of the program.
    pub exit: Exit,
    /// Result until the end or the problem.
    pub result: RunResult,
    /// Culprit commit.
    pub culprit_commit: Option<CommitInfo>,
    /// Path of the run folder.
    pub folder: PathBuf,
    /// Problem that ended the run.
    pub problem: Option<Problem>,
}

/// Session of a running command.
pub(crate) struct Session<'a> {
    pub(super) subject: &'a SubjectRequest,
    pub(super) context: &'a Context,
    pub(super) repository: Option<Repository>,
    pub(super) run_log: Arc<RunLog>,
    /// Path of the folder for data that outlives a run, or of the run folder if nothing else is writable.
    pub(super) data_folder: PathBuf,
}

/// Prepared versions, with the executor and the test overlay.
pub(super) struct PreparedRun {
    pub(super) store: Arc<ObjectStore>,
    pub(super) executor: VariantExecutor,
    pub(super) overlay: TestOverlay,
    pub(super) attribution: Option<Attribution>,
    /// Bad version with all tests.
    pub(super) bad: ResolvedVersion,
    /// Good version with the tests of bad, if the user named one.
    pub(super) good: Option<ResolvedVersion>,
    /// What the build needs and this machine lacks.
    pub(super) missing: MissingRequirements,
    /// Source folders of bad, test folders last.
    pub(super) source_roots: Vec<RepoPath>,
}

impl<'a> Session<'a> {
    /// Opens the run folder and the run log of a command.
    pub(super) fn open(
        command: &str,
        goal: RunGoal,
        subject: &'a SubjectRequest,
        context: &'a Context,
        repository: Option<Repository>,
    ) -> Result<Self> {
        let home = home_of(repository.as_ref(), &subject.dir);
        let (runs, output) = (runs_folder(&home), subject.output.as_deref());
        let folder = RunFolder::open(&runs, output, subject.is_resumed.then_some(command))?;
        folder.write_request(&subject.command_line)?;
        let result = RunResult::new(command, goal, environment_info(subject));
        let home = if is_writable(&home) { home } else { folder.path().to_owned() };
        let prepare_repository = |repository: Repository| {
            let repository = repository.with_extra_objects(subject.extra_objects.as_deref());
            allow_downloads(repository, subject.downloads, &home, context)
        };
        let repository = repository.map(prepare_repository).transpose()?;
        let secrets = Environment::from_process().secrets();
        let run_log = RunLog::open(folder, result, Arc::clone(&context.progress), secrets)?;
        let run_log = Arc::new(run_log);
        Ok(Self { subject, context, repository, run_log, data_folder: home })
    }

    /// Records that the tests which are not selected did not run, if there may be any.
    pub(super) fn leave_unselected_tests(&self) -> Result<()> {
        if self.subject.oracle.leaves_tests_out() {
            self.run_log.leave_unchecked("tests not selected with --test")?;
        }
        Ok(())
    }

    /// Opens the object store of the run.
    pub(super) fn store(&self) -> Result<Arc<ObjectStore>> {
        let dir = self.run_log.folder.work_dir().join("store");
        ObjectStore::create(&dir, self.repository.as_ref()).map(Arc::new)
    }

    /// Resolves a revision or folder.
    pub(super) fn resolve(&self, spec: &str, store: &ObjectStore) -> Result<ResolvedVersion> {
        resolve_version(spec, &self.subject.dir, self.repository.as_ref(), store)
    }

    /// Resolves the versions, and prepares bad: project model, engine and executor.
    pub(super) fn prepare(&self, good: Option<&GoodRevision>) -> Result<PreparedRun> {
        self.announce_downloads()?;
        self.fetch_history(good)?;
        let store = self.store()?;
        let bad = self.resolve(&self.subject.bad, &store)?;
        let good = match good {
            Some(GoodRevision::Named(spec)) => Some(self.resolve(spec, &store)?),
            Some(GoodRevision::Auto) | None => None,
        };
        self.run_log.record(SubjectFact::Bad(bad.to_report()))?;
        if let Some(good) = &good {
            self.run_log.record(SubjectFact::Good(good.to_report()))?;
        }
        let command_line = shell_words::join(&self.subject.command_line);
        self.run_log.record(SubjectFact::CommandLine(command_line))?;
        if let Some(repository) = &self.repository {
            let is_pending = self.subject.extra_objects.is_some();
            for notice in omission_notices(repository, is_pending, &bad, &store)? {
                self.run_log.note_unchecked(notice)?;
            }
        }
        let supervisor = Supervisor::start(self.context.interrupt.clone(), &self.context.program)?;
        let pool = self.scratch_pool(&store);
        let PreparedSubject {
            engine,
            schedules,
            overlay,
            bad_tree,
            missing,
            attribution,
            source_roots,
        } = self.preparation(&store, &pool, &supervisor).prepare(&bad)?;
        let jdk = attribution.as_ref().map(|one| one.tools.jdk.full_version.clone());
        self.run_log.record(SubjectFact::Jdk(jdk))?;
        let cache =
            OutcomeCache::open(&self.data_folder.join(CACHE_FILE), Environment::from_process())?;
        let executor =
            VariantExecutor::new(pool, engine, schedules, cache, Arc::clone(&self.run_log));
        let bad = ResolvedVersion { overlaid_tree: bad_tree, ..bad };
        let with_tests = |good: ResolvedVersion| -> Result<_> {
            Ok(ResolvedVersion {
                overlaid_tree: overlay.apply_to(&good.original_tree, &store)?,
                ..good
            })
        };
        let good = good.map(with_tests).transpose()?;
        Ok(PreparedRun { store, executor, overlay, attribution, bad, good, missing, source_roots })
    }

    /// Tells the user that a partial clone downloads what it lacks.
    fn announce_downloads(&self) -> Result<()> {
        let remotes =
            self.repository.as_ref().map(Repository::promisor_remotes).unwrap_or_default();
        if remotes.is_empty() || self.subject.downloads.is_offline {
            return Ok(());
        }
        let remotes = remotes.join(", ");
        let note = format!("this is a partial clone: missing files are downloaded from {remotes}");
        self.run_log.emit(ProgressEvent::Note(note))
    }

    /// Downloads the history between good and bad that a shallow clone lacks, before the store of the run copies the
    /// ends of history.
    fn fetch_history(&self, good: Option<&GoodRevision>) -> Result<()> {
        let (Some(repository), true) = (&self.repository, self.subject.downloads.fetches_history)
        else {
            return Ok(());
        };
        let Some(GoodRevision::Named(good)) = good else { return Ok(()) };
        match (repository.resolve(good), repository.resolve(&self.subject.bad)) {
            (Ok(good), Ok(bad)) => repository
                .merge_bases(&good.id, &bad.id)
                .and_then(|bases| repository.commits_between(&bases, &bad.id, false).map(drop)),
            // They may be folders; if not, preparing the run reports it.
            (Err(Problem::UnknownRevision { .. }), _)
            | (_, Err(Problem::UnknownRevision { .. })) => Ok(()),
            (Err(problem), _) | (_, Err(problem)) => Err(problem),
        }
    }

    /// Finds the test classes of bad affected by a change.
    pub(super) fn affected_tests(
        &self,
        bad: &ResolvedVersion,
        store: &Arc<ObjectStore>,
        changes: &[FileChange],
    ) -> Result<AffectedTests> {
        let supervisor = Supervisor::start(self.context.interrupt.clone(), &self.context.program)?;
        let pool = self.scratch_pool(store);
        self.preparation(store, &pool, &supervisor).affected_tests(bad, changes)
    }

    pub(super) fn scratch_pool(&self, store: &Arc<ObjectStore>) -> ScratchPool {
        ScratchPool::new(Arc::clone(store), self.run_log.folder.work_dir().join("trees"))
    }

    fn preparation<'b>(
        &'b self,
        store: &'b ObjectStore,
        pool: &'b ScratchPool,
        supervisor: &'b Supervisor,
    ) -> Preparation<'b> {
        Preparation {
            request: self.subject,
            store,
            pool,
            supervisor,
            run_log: &self.run_log,
            work_dir: self.repository.as_ref().and_then(Repository::work_tree),
            data_folder: &self.data_folder,
            interrupt: &self.context.interrupt,
        }
    }

    /// Records the result of the command, or the problem that ended it.
    pub(super) fn finish(&self, outcome: Result<impl CommandResult>) -> Result<FinishedRun> {
        let finished = self.record_end(outcome);
        self.run_log.folder.clear_work();
        finished
    }

    fn record_end(&self, outcome: Result<impl CommandResult>) -> Result<FinishedRun> {
        let (exit, problem) = match outcome {
            Ok(complete) => {
                self.run_log.end(&complete)?;
                let is_empty = complete.status() == RunStatus::None;
                (if is_empty { Exit::NotFound } else { Exit::Found }, None)
            }
            Err(problem) => {
                self.run_log.fail(&problem);
                (problem.exit(), Some(problem))
            }
        };
        let (result, folder) = (self.run_log.result(), self.run_log.folder.path().to_owned());
        Ok(FinishedRun {
            exit,
            culprit_commit: result.culprit_info.clone(),
            result,
            folder,
            problem,
        })
    }
}

/// Says what may be downloaded into a clone that lacks history or files. Downloads are kept in `home`.
pub(super) fn allow_downloads(
    repository: Repository,
    options: DownloadOptions,
    home: &Path,
    context: &Context,
) -> Result<Repository> {
    let start_supervisor = || Supervisor::start(context.interrupt.clone(), &context.program);
    let policy = DownloadPolicy {
        is_offline: options.is_offline,
        deepens_history: options.fetches_history,
        supervisor: repository.is_incomplete().then(start_supervisor).transpose()?,
    };
    Ok(repository.with_downloads(policy, &home.join("objects")))
}

/// Returns true if a folder is writable.
pub(super) fn is_writable(home: &Path) -> bool {
    std::fs::create_dir_all(home).and_then(|()| tempfile::tempfile_in(home)).is_ok()
}

fn environment_info(subject: &SubjectRequest) -> EnvironmentInfo {
    let os = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    EnvironmentInfo { jdk: None, os, jobs: subject.jobs, seed: subject.seed }
}

/// Opens the repository of the subject. Returns `None` if bad is a folder, which needs no repository.
pub(super) fn repository_of(subject: &SubjectRequest) -> Result<Option<Repository>> {
    open_repository(subject, subject.dir.join(&subject.bad).is_dir())
}

/// Opens the repository of a subject. An `optional` one may be missing or unreadable.
pub(super) fn open_repository(
    subject: &SubjectRequest,
    is_optional: bool,
) -> Result<Option<Repository>> {
    let repository = if subject.ignores_git_environment {
        Repository::open_in_folder(&subject.dir)
    } else {
        Repository::open(&subject.dir)
    };
    match repository {
        Ok(repository) => Ok(Some(repository)),
        Err(
            Problem::NotARepository(_)
            | Problem::UnsupportedRepository { .. }
            | Problem::UnreadableRepository { .. },
        ) if is_optional => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Returns the path of the folder that contains the runs of a repository.
pub fn runs_folder_of(dir: &Path) -> PathBuf {
    runs_folder(&home_of(Repository::open(dir).ok().as_ref(), dir))
}

/// Returns the path of the folder for data that outlives a run.
pub(super) fn home_of(repository: Option<&Repository>, dir: &Path) -> PathBuf {
    match repository {
        Some(repository) => repository.git_dir().join("mend"),
        None => dir.join(".git-mend"),
    }
}

fn runs_folder(home: &Path) -> PathBuf {
    home.join("runs")
}
