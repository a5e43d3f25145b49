//! Command `git mend pr`: opens the fix pull request of a run.

use crate::cli::arguments::{PrArguments, Shared};
use crate::cli::github_connection::GithubConnection;
use crate::cli::github_requests::block_on_request;
use crate::cli::output::console::Console;
use mend_bot::{BuildFailure, PublishedRun, Publisher, RepoSettings, SearchClaims, SearchIdentity};
use mend_github::{ApiError, ApiResult, Repo};
use mend_model::CommitId;
use mend_model::{Exit, Problem, Result};
use mend_report::SavedRun;

/// What to do if GitHub gets no pull request.
const PATCH_REMEDY: &str = "apply the patch in the run folder yourself with `git apply`";

pub(crate) fn run(options: &PrArguments, shared: &Shared) -> Result<Exit> {
    let run = SavedRun::open(&shared.dir.join(&options.folder))?;
    let head = commit_to_fix(&run)?;
    let connection = GithubConnection::find(options.repo.as_ref(), &shared.dir)?;
    let published = block_on_request(async {
        open_pull_request(&connection.repo()?, &run, &head, options).await
    })?;
    match (&published.result.fix_pull, &published.context.no_pull_reason) {
        (Some(pull), _) => {
            Console::print_raw_result(&format!("{}\n", pull.html_url));
            Ok(Exit::Found)
        }
        (None, why) => Err(Problem::GitHubError {
            message: format!(
                "no fix pull request: {}",
                why.as_ref().map_or_else(|| "the run has no fix".to_owned(), ToString::to_string)
            ),
            remedy: PATCH_REMEDY.to_owned(),
        }),
    }
}

/// Returns the failing commit of the run.
fn commit_to_fix(run: &SavedRun) -> Result<CommitId> {
    let result = run.result();
    let has_patch = result.fix.is_some() || result.fixes.iter().any(|fix| fix.patch.is_some());
    let is_commit = |id: &&str| id.len() >= 40 && id.chars().all(|c| c.is_ascii_hexdigit());
    let bad = result.bad.as_ref().map(|bad| bad.revision.as_str()).filter(is_commit);
    match bad.filter(|_| has_patch) {
        Some(bad) => Ok(CommitId(bad.to_owned())),
        None => Err(Problem::Usage {
            message: format!("{} has no fix for a commit", run.path().display()),
            remedy: "give the folder of a run that found a fix for a committed version".to_owned(),
        }),
    }
}

async fn open_pull_request(
    repo: &Repo,
    run: &SavedRun,
    head: &CommitId,
    options: &PrArguments,
) -> Result<PublishedRun> {
    let to_problem = |error: ApiError| match error {
        ApiError::NotFound(_) | ApiError::Invalid(_) => Problem::Usage {
            message: format!("{} does not have commit {}", repo.name(), head.short()),
            remedy: "push it first, or give the repository with --repo".to_owned(),
        },
        error => error.into_problem("reading the commit"),
    };
    repo.get_commit(head).await.map_err(to_problem)?;
    let base = base_branch(repo, options.base.as_deref()).await;
    let base = base.map_err(|error| error.into_problem("reading the default branch"))?;
    let build_failure = BuildFailure {
        head: head.clone(),
        branch: Some(base),
        pull: None,
        queue: None,
        workflow: None,
        claims: SearchClaims::new(&[]),
        details_url: None,
    };
    let settings = load_settings(repo, options).await?;
    let search = SearchIdentity::Named(String::new());
    let publisher = Publisher { repo, failure: &build_failure, settings, search, matrix_job: None };
    let proposal = publisher.publish_fix(run).await;
    let proposal = proposal.map_err(|error| error.into_problem("opening a pull request"))?;
    proposal.map_err(|reason| Problem::GitHubError {
        message: format!("no fix pull request: {reason}"),
        remedy: PATCH_REMEDY.to_owned(),
    })
}

/// Returns the settings of the repository, with fix pull requests enabled.
async fn load_settings(repo: &Repo, options: &PrArguments) -> Result<RepoSettings> {
    let fetched = RepoSettings::fetch(repo).await;
    let settings = fetched.map_err(|error| error.into_problem("reading the settings"))??;
    let allow_tests = settings.allow_tests || options.allow_tests;
    Ok(RepoSettings { allow_tests, ..settings.with_fix_enabled() })
}

/// Returns the target branch of the pull request.
async fn base_branch(repo: &Repo, named_branch: Option<&str>) -> ApiResult<String> {
    if let Some(named_branch) = named_branch {
        return Ok(named_branch.to_owned());
    }
    Ok(repo.get_info().await?.default_branch)
}
