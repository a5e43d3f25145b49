//! `git mend bisect`, from its request to its result.

pub(crate) mod change_search;
pub(crate) mod commit_history;
pub(crate) mod commit_range;
pub(crate) mod minimisation_scope;
pub(crate) mod patch_search;
pub(crate) mod search_setup;

use super::session::{FinishedRun, Session};
use crate::run::bisect::minimisation_scope::MinimisationScope;
use crate::run::bisect::patch_search::PatchSearch;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::session::request::{BisectRequest, Context, GoodRevision};
use crate::run::session::versions::ResolvedVersion;
use mend_git::{Commit, ObjectStore, Repository};
use mend_model::CommitId;
use mend_model::{Problem, Result, counted};
use mend_report::{CommitInfo, RunStatus, format_delta_size};

/// Does a bisection.
///
/// # Errors
/// Problems before there is a run folder; later problems are part of the ending.
pub fn bisect(request: &BisectRequest, context: &Context) -> Result<FinishedRun> {
    let (subject, repository) = (&request.subject, open_repository(request)?);
    let session = Session::open("bisect", request.goal, subject, context, repository)?;
    let outcome = search(request, &session);
    let commit = session.repository.as_ref().zip(session.ledger.result().culprit_commit);
    let guilty = commit.and_then(|(repository, id)| repository.commit(&CommitId(id)).ok());
    session.end(guilty.as_ref().map(commit_info), outcome.map(|()| RunStatus::Found))
}

/// The repository; none is needed if both versions are folders.
fn open_repository(request: &BisectRequest) -> Result<Option<Repository>> {
    let is_folder = |spec: &str| request.subject.dir.join(spec).is_dir();
    match Repository::open(&request.subject.dir) {
        Ok(repository) => Ok(Some(repository)),
        Err(Problem::NotARepository(_))
            if is_folder(&request.subject.bad)
                && matches!(&request.good, GoodRevision::Named(good) if is_folder(good)) =>
        {
            Ok(None)
        }
        Err(problem) => Err(problem),
    }
}

/// Runs a bisection and writes its patches into the run folder and the result.
///
/// # Errors
/// Everything that ends a bisection.
pub(super) fn search(request: &BisectRequest, session: &Session<'_>) -> Result<()> {
    let store = session.store()?;
    let ready = SearchSetup::new(request, session, &store)?;
    if request.dry_run {
        return plan(request, session, &ready, &store);
    }
    let scope = MinimisationScope::narrowed(request, session, &ready, &store)?;
    PatchSearch { request, session, ready: &ready, scope: &scope, store: &store }.find_all()
}

/// Reports the size of the search, for `--dry-run`.
fn plan(
    request: &BisectRequest,
    session: &Session<'_>,
    ready: &SearchSetup,
    store: &ObjectStore,
) -> Result<()> {
    let change = ready.change((&ready.good, &ready.bad), None, session.subject, store)?;
    let (size, commits) =
        (change.size(), commits_between(request, session, &ready.good, &ready.bad)?);
    let commits = commits.map(|commits| format!("{}, ", counted(commits, "commit")));
    let between = commits.unwrap_or_default() + &format_delta_size(&size);
    let words = &request.subject.command_line;
    let own = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let is_kept = |(at, word): &(usize, &String)| *at > own || *word != "--dry-run";
    let wet = shell_words::join(words.iter().enumerate().filter(is_kept).map(|(_, word)| word));
    session.ledger.update(|result| {
        result.message = Some(format!("good passes and bad fails; between them: {between}"));
        result.delta = Some(size);
        result.reproduce = Some(wet);
    })
}

/// Returns the number of commits that a search by history would have to bisect.
fn commits_between(
    request: &BisectRequest,
    session: &Session<'_>,
    good: &ResolvedVersion,
    bad: &ResolvedVersion,
) -> Result<Option<usize>> {
    match (&session.repository, good.commit_id(), bad.commit_id()) {
        (Some(repository), Some(good), Some(bad)) if !request.no_history => {
            let goods = std::slice::from_ref(good);
            Ok(Some(repository.range(goods, bad, request.first_parent)?.len()))
        }
        _ => Ok(None),
    }
}

fn commit_info(commit: &Commit) -> CommitInfo {
    CommitInfo {
        short_id: commit.id.short().to_owned(),
        author: commit.author.clone(),
        date: commit.date.get(..10).unwrap_or(&commit.date).to_owned(),
        summary: commit.summary.clone(),
    }
}
