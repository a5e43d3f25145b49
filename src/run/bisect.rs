//! Runs `git mend bisect`, from the request to the result.

pub(crate) mod change_search;
pub(crate) mod commit_bisection;
pub(crate) mod commit_range;
mod later_passing_commit;
mod line_change;
pub(crate) mod minimisation_scope;
pub(crate) mod patch_search;
pub(crate) mod result;
mod revert_check;
pub(crate) mod search_setup;
mod shard;
mod smaller_repair;

pub use shard::{bisect_shard, plan_bisection};

use super::session::{FinishedRun, PreparedRun, Session, open_repository};
use crate::run::bisect::minimisation_scope::{MinimisationScope, NarrowingStart};
use crate::run::bisect::patch_search::PatchSearch;
use crate::run::bisect::result::{Bisected, BisectionProgress, SearchPlan};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::bisect::smaller_repair::add_smaller_repair;
use crate::run::session::request::{BisectRequest, Context, GoodRevision};
use crate::run::session::versions::{ResolvedVersion, VersionPair};
use mend_git::Repository;
use mend_model::{Result, format_count};
use mend_report::format_delta_size;

/// Searches for the culprit and the fix.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn bisect(request: &BisectRequest, context: &Context) -> Result<FinishedRun> {
    let (subject, repository) = (&request.subject, open_repository_of(request)?);
    let session = Session::open("bisect", request.goal, subject, context, repository)?;
    let prepared = session.prepare(Some(&request.good));
    if request.is_dry_run {
        return session
            .finish(prepared.and_then(|prepared| report_plan(request, &session, &prepared)));
    }
    session.finish(prepared.and_then(|prepared| {
        let setup = SearchSetup::new(request, &session, &prepared)?;
        let progress = |so_far: &Bisected| session.run_log.save(so_far);
        let found = search_between(request, &session, &setup, &progress)?;
        add_smaller_repair(&session, &setup, found)
    }))
}

/// Opens the repository. Returns `None` if both versions are folders, which need no repository.
fn open_repository_of(request: &BisectRequest) -> Result<Option<Repository>> {
    let is_folder = |spec: &str| request.subject.dir.join(spec).is_dir();
    let good_is_folder = matches!(&request.good, GoodRevision::Named(good) if is_folder(good));
    open_repository(&request.subject, good_is_folder && is_folder(&request.subject.bad))
}

/// Runs a bisection and writes its patches into the run folder. `progress` receives the result so far.
///
/// # Errors
/// Every problem that ends a bisection.
pub(super) fn search_patches(
    request: &BisectRequest,
    session: &Session<'_>,
    prepared: &PreparedRun,
    progress: &BisectionProgress<'_>,
) -> Result<Bisected> {
    let setup = SearchSetup::new(request, session, prepared)?;
    search_between(request, session, &setup, progress)
}

/// Runs a bisection whose good version is known to pass and whose bad version is known to fail. `progress` receives the
/// result so far.
///
/// # Errors
/// Every problem that ends a bisection.
pub(super) fn search_between(
    request: &BisectRequest,
    session: &Session<'_>,
    setup: &SearchSetup<'_>,
    progress: &BisectionProgress<'_>,
) -> Result<Bisected> {
    let mut start = NarrowingStart::from_good(&setup.good);
    loop {
        let scope = MinimisationScope::narrow(request, session, setup, start)?;
        let so_far = Bisected {
            good: Some(setup.good.clone()),
            culprit_commit: scope.culprit.clone(),
            suspects: scope.suspects.clone(),
            untestable: scope.skipped.keys().cloned().collect(),
            revert: scope.revert,
            ..Bisected::default()
        };
        progress(&so_far)?;
        let patch_search = PatchSearch { request, session, setup, scope: &scope, progress };
        let found = patch_search.find_all(so_far)?;
        match scope.find_later_start(request, session, setup, &found)? {
            None => return Ok(found),
            Some(later) => start = later,
        }
    }
}

/// Returns the size of the search, for `--dry-run`.
fn report_plan(
    request: &BisectRequest,
    session: &Session<'_>,
    prepared: &PreparedRun,
) -> Result<SearchPlan> {
    let setup = SearchSetup::new(request, session, prepared)?;
    let (good, bad) = (&setup.good, &prepared.bad);
    let ends = VersionPair { base: good, target: bad };
    let delta = setup.change_search(ends, None, session.subject)?.size();
    let commits = commits_between(request, session, good, bad)?;
    let commits = commits.map(|commits| format!("{}, ", format_count(commits, "commit")));
    let between_text = commits.unwrap_or_default() + &format_delta_size(&delta);
    let command_line = &request.subject.command_line;
    let own_arguments_end =
        command_line.iter().position(|word| word == "--").unwrap_or(command_line.len());
    let is_kept = |(at, word): &(usize, &String)| *at > own_arguments_end || *word != "--dry-run";
    let command_without_dry_run =
        shell_words::join(command_line.iter().enumerate().filter(is_kept).map(|(_, word)| word));
    let message = format!("good passes and bad fails; between them: {between_text}");
    Ok(SearchPlan { message, delta, command_line: command_without_dry_run })
}

/// Returns the number of commits that the commit search would bisect.
fn commits_between(
    request: &BisectRequest,
    session: &Session<'_>,
    good: &ResolvedVersion,
    bad: &ResolvedVersion,
) -> Result<Option<usize>> {
    match (&session.repository, good.commit_id(), bad.commit_id()) {
        (Some(repository), Some(good), Some(bad)) if !request.skips_history => {
            let goods = std::slice::from_ref(good);
            Ok(Some(repository.commits_between(goods, bad, request.first_parent_only)?.len()))
        }
        _ => Ok(None),
    }
}
