//! `git mend bisect`, from its request to its result.

use super::change::Change;
use super::folder::RunFolder;
use super::history::{History, Narrowed};
use super::judge::Judge;
use super::ledger::Ledger;
use super::lineage::Lineage;
use super::patches::Patches;
use super::ready::Ready;
use super::request::{Context, GoodRevision, Request};
use super::versions::Version;
use crate::git::{Commit, CommitId, Repository, Store};
use crate::model::{Event, Exit, Problem, Result, Verdict};
use crate::report::{EnvironmentInfo, Guilty, RunResult, Status, counted, of_size};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a run ended.
#[derive(Debug)]
pub struct Ending {
    /// The program's exit code.
    pub exit: Exit,
    /// What was found, up to the end or up to the problem.
    pub result: RunResult,
    /// The commit that broke it.
    pub guilty: Option<Guilty>,
    /// The run folder.
    pub folder: PathBuf,
    /// Why it could not go on.
    pub problem: Option<Problem>,
}

/// Does a bisection.
///
/// # Errors
/// What goes wrong before there is a run folder; later problems are part of the ending.
pub fn bisect(request: &Request, context: &Context) -> Result<Ending> {
    let repository = open_repository(request)?;
    let home = home(request, repository.as_ref());
    let folder = RunFolder::open(&home.join("runs"), request.output.as_deref(), request.resume)?;
    folder.write_request(&request.command_line)?;
    let result = RunResult::new("bisect", request.goal, environment(request));
    let home = if is_writable(&home) { home } else { folder.path().to_owned() };
    let ledger = Arc::new(Ledger::open(folder, result, Arc::clone(&context.progress))?);
    let run = Run { request, context, repository, ledger: Arc::clone(&ledger), home };
    let outcome = run.all();
    let ending = end(&ledger, run.repository.as_ref(), outcome);
    ledger.folder.clear_work();
    ending
}

fn end(ledger: &Ledger, repository: Option<&Repository>, outcome: Result<()>) -> Result<Ending> {
    let problem = outcome.err();
    let exit = problem.as_ref().map_or(Exit::Found, Problem::exit);
    if let Some(problem) = &problem {
        let output = problem.output().unwrap_or_default();
        // With a full disk there is nothing to write to; the result on disk says interrupted then.
        drop(ledger.folder.append_log(&format!("{problem}\n{output}")));
        drop(ledger.update(|result| {
            result.message = Some(problem.to_string());
            result.status = match exit {
                Exit::Interrupted => Status::Interrupted,
                Exit::Flaky => Status::Flaky,
                _ if matches!(problem, Problem::DiskFull { .. }) => Status::Interrupted,
                _ => Status::Error,
            };
        }));
    } else {
        ledger.update(|result| result.status = Status::Found)?;
    }
    let (folder, result) = (ledger.folder.path().to_owned(), ledger.result());
    let commit = repository.zip(result.culprit_commit.clone());
    let guilty = commit.and_then(|(repository, id)| repository.commit(&CommitId(id)).ok());
    Ok(Ending { exit, guilty: guilty.as_ref().map(told), result, folder, problem })
}

/// The repository; none is needed if both versions are folders.
fn open_repository(request: &Request) -> Result<Option<Repository>> {
    let is_folder = |spec: &str| request.dir.join(spec).is_dir();
    match Repository::open(&request.dir) {
        Ok(repository) => Ok(Some(repository)),
        Err(Problem::NotARepository(_))
            if is_folder(&request.bad)
                && matches!(&request.good, GoodRevision::Named(good) if is_folder(good)) =>
        {
            Ok(None)
        }
        Err(problem) => Err(problem),
    }
}

/// Where runs and the cache are kept.
fn home(request: &Request, repository: Option<&Repository>) -> PathBuf {
    match repository {
        Some(repository) => repository.git_dir().join("mend"),
        None => request.dir.join(".git-mend"),
    }
}

fn is_writable(home: &Path) -> bool {
    std::fs::create_dir_all(home).and_then(|()| tempfile::tempfile_in(home)).is_ok()
}

fn environment(request: &Request) -> EnvironmentInfo {
    let os = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    EnvironmentInfo { jdk: None, os, jobs: request.jobs, seed: request.seed }
}

/// A bisection on its way.
pub(super) struct Run<'a> {
    pub(super) request: &'a Request,
    pub(super) context: &'a Context,
    pub(super) repository: Option<Repository>,
    pub(super) ledger: Arc<Ledger>,
    /// Where what outlives a run is kept, or the run folder where nothing else can be written.
    pub(super) home: PathBuf,
}

/// The change to be taken apart.
pub(super) struct Scope {
    pub(super) base: Version,
    pub(super) target: Version,
    /// The commit that brought all of it, where that is clear.
    pub(super) culprit: Option<Commit>,
    /// The commits that brought it, where there are several.
    pub(super) lineage: Option<Lineage>,
    /// What was seen of the commits that could not be judged.
    pub(super) skipped: HashMap<CommitId, Verdict>,
}

impl Scope {
    fn whole(ready: &Ready) -> Self {
        let (base, target) = (ready.good.clone(), ready.bad.clone());
        Self { base, target, culprit: None, lineage: None, skipped: HashMap::new() }
    }
}

impl Run<'_> {
    fn all(&self) -> Result<()> {
        let work = self.ledger.folder.work();
        let store = Arc::new(Store::create(&work.join("store"), self.repository.as_ref())?);
        let ready = self.ready(&store)?;
        if self.request.dry_run {
            return self.plan(&ready, &store);
        }
        let scope = self.scope(&ready, &store)?;
        Patches { run: self, ready: &ready, scope: &scope, store: &store }.all()
    }

    /// `--dry-run`.
    fn plan(&self, ready: &Ready, store: &Store) -> Result<()> {
        let change = self.change(ready, (&ready.good, &ready.bad), None, store)?;
        let (size, commits) = (change.size(), self.commits_between(&ready.good, &ready.bad)?);
        let commits = commits.map(|commits| format!("{}, ", counted(commits, "commit")));
        let between = commits.unwrap_or_default() + &of_size(&size);
        let words = &self.request.command_line;
        let own = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let is_kept = |(at, word): &(usize, &String)| *at > own || *word != "--dry-run";
        let wet = shell_words::join(words.iter().enumerate().filter(is_kept).map(|(_, word)| word));
        self.ledger.update(|result| {
            result.message = Some(format!("good passes and bad fails; between them lie {between}"));
            result.delta = Some(size);
            result.reproduce = Some(wet);
        })
    }

    /// How many commits a search by history would have to tell apart.
    fn commits_between(&self, good: &Version, bad: &Version) -> Result<Option<usize>> {
        match (&self.repository, good.commit_id(), bad.commit_id()) {
            (Some(repository), Some(good), Some(bad)) if !self.request.no_history => {
                let goods = std::slice::from_ref(good);
                Ok(Some(repository.range(goods, bad, self.request.first_parent)?.len()))
            }
            _ => Ok(None),
        }
    }

    /// The history that good and bad lie in, unless it is not to be looked at.
    pub(super) fn history<'a>(&'a self, ready: &'a Ready, store: &'a Store) -> Option<History<'a>> {
        let repository = self.repository.as_ref().filter(|_| !self.request.no_history)?;
        let (overlay, judge) = (&ready.overlay, &ready.judge);
        Some(History { request: self.request, repository, store, overlay, judge })
    }

    /// Narrows the range by commits, where there are any.
    fn scope(&self, ready: &Ready, store: &Store) -> Result<Scope> {
        let whole = || Scope::whole(ready);
        let (Some(history), Some(good), Some(bad)) =
            (self.history(ready, store), &ready.good.commit, &ready.bad.commit)
        else {
            return Ok(whole());
        };
        self.ledger.tell(Event::Stage("looking for the commit".to_owned()))?;
        let Some(narrowed) = history.narrow(good, bad)? else {
            self.ledger.note(
                "good and bad have no history in common; the whole change is taken apart"
                    .to_owned(),
            )?;
            return Ok(whole());
        };
        let Narrowed { base, target, suspects, skipped } = narrowed;
        if !self.are_as_taken(&base, &target, &ready.judge)? {
            let lineage = history.lineage(&ready.good, &ready.bad)?;
            return Ok(Scope { lineage, skipped, ..whole() });
        }
        let (culprit, lineage) = match &suspects[..] {
            [one] => (Some(one.clone()), None),
            _ => (None, history.lineage(&base, &target)?),
        };
        self.ledger.update(|result| {
            result.culprit_commit = culprit.as_ref().map(|commit| commit.id.0.clone());
            let suspects = suspects.iter().map(|commit| commit.id.0.clone());
            result.suspects = if culprit.is_some() { Vec::new() } else { suspects.collect() };
        })?;
        Ok(Scope { base, target, culprit, lineage, skipped })
    }

    /// Whether the ends of a narrowed range are what they must be; else the user is told.
    fn are_as_taken(&self, base: &Version, target: &Version, judge: &Judge) -> Result<bool> {
        for (version, wanted) in [(base, Verdict::Pass), (target, Verdict::Fail)] {
            let what = format!("{} once more", version.label);
            if judge.verdict(&version.tree, version.commit_id(), &what, None)? != wanted {
                self.ledger.note(format!(
                    "{} is not what the search took it for; the whole range is taken apart",
                    version.label
                ))?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn change<'a>(
        &'a self,
        ready: &'a Ready,
        ends: (&Version, &Version),
        lineage: Option<&Lineage>,
        store: &'a Store,
    ) -> Result<Change<'a>> {
        Change::between(ends, lineage, store, ready, self.request)
    }
}

fn told(commit: &Commit) -> Guilty {
    Guilty {
        short_id: commit.id.short().to_owned(),
        author: commit.author.clone(),
        date: commit.date.get(..10).unwrap_or(&commit.date).to_owned(),
        summary: commit.summary.clone(),
    }
}

/// Where the runs of a folder's repository are kept.
pub fn runs_of(dir: &Path) -> PathBuf {
    match Repository::open(dir) {
        Ok(repository) => repository.git_dir().join("mend/runs"),
        Err(_) => dir.join(".git-mend/runs"),
    }
}
