//! Publishes the result of a search on this machine. The run folder is kept until everything is published: an attempt
//! that fails or is interrupted costs no second search.

use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::jobs::local_search::config::JobFolder;
use crate::jobs::progress::{JobProgress, SearchStep};
use crate::jobs::target::{CommitRelevance, Target};
use crate::publishing::{BuildFailure, Publisher, SearchIdentity};
use crate::queue::{Job, JobOutcome};
use crate::{MergeQueueBranch, SearchClaims};
use mend_github::{AccessLevel, Permission, Repo};
use mend_model::Problem;
use mend_report::{OutputContext, SavedRun, render_page};
use std::mem::ManuallyDrop;
use std::path::Path;
use tracing::{info, warn};

/// Permissions to publish a result.
const PUBLISH_PERMISSIONS: [Permission; 3] = [
    ("checks", AccessLevel::Write),
    ("contents", AccessLevel::Write),
    ("pull_requests", AccessLevel::Write),
];
/// Maximum size of a stored report page, in bytes.
const MAX_PAGE_BYTES: usize = 4 << 20;

impl JobRunner {
    /// Publishes the result that an earlier attempt of the job found. Returns `None` if there is none, or if its run
    /// folder is missing or invalid.
    pub(in crate::jobs) async fn publish_earlier_result(
        &self,
        job: &Job,
        target: &Target,
    ) -> Result<Option<JobOutcome>, JobStop> {
        let Some(progress) = JobProgress::from_job(job) else { return Ok(None) };
        let SearchStep::Searched { run, .. } = &progress.step else { return Ok(None) };
        let folder = self.local_search.job_folder(job.id);
        match SavedRun::open_no_link(&folder.0.join(run)) {
            Ok(_) => {
                info!("publishing the result of an earlier attempt");
                self.publish_result(job, target, &progress, folder).await.map(Some)
            }
            Err(problem @ Problem::Usage { .. }) => {
                warn!(%problem, "the result of the search is unusable: searching again");
                // Otherwise, an attempt after an interrupted second search would publish its incomplete run.
                self.record(job, &progress.with_step(SearchStep::Begun)).await?;
                Ok(None)
            }
            Err(problem) => {
                // Another attempt may read the result.
                let _kept = ManuallyDrop::new(folder);
                Err(JobStop::LocalFailure(problem.to_string()))
            }
        }
    }

    /// Publishes the recorded result of a search. Removes its folder, unless another attempt needs it.
    pub(super) async fn publish_result(
        &self,
        job: &Job,
        target: &Target,
        progress: &JobProgress,
        folder: JobFolder,
    ) -> Result<JobOutcome, JobStop> {
        let SearchStep::Searched { run, claims } = &progress.step else {
            return Err(JobStop::LocalFailure("the search has no result".to_owned()));
        };
        // This future may be dropped at any point, for example because the server stops.
        let folder = ManuallyDrop::new(folder);
        let run_folder = folder.0.join(run);
        let result = self.publish_run(job, target, &progress.check, claims, &run_folder).await;
        if !result.as_ref().is_err_and(JobStop::may_retry) {
            drop(ManuallyDrop::into_inner(folder));
        }
        result
    }

    async fn publish_run(
        &self,
        job: &Job,
        target: &Target,
        check: &str,
        claims: &SearchClaims,
        run_folder: &Path,
    ) -> Result<JobOutcome, JobStop> {
        let repo = self.connect_repo(job, &PUBLISH_PERMISSIONS).await?;
        let run = SavedRun::open_no_link(run_folder)
            .map_err(|problem| JobStop::LocalFailure(problem.to_string()))?;
        // The branch may have a newer commit since the search started.
        if Target::fetch(&repo, job).await?.sha != target.sha {
            return Err(JobStop::Obsolete("the branch no longer has the failing commit"));
        }
        let failure = build_failure(&repo, target, claims.clone()).await?;
        let settings = self.fetch_settings(&repo, job).await?;
        let publisher = Publisher {
            repo: &repo,
            failure: &failure,
            settings,
            search: SearchIdentity::CheckRun(check.to_owned()),
            matrix_job: None,
        };
        let published = match publisher.publish(&run).await? {
            Ok(published) => published.result,
            Err(reason) => {
                let message = reason.to_string();
                return Ok(JobOutcome::Failed { message, may_retry: false });
            }
        };
        self.store_page(job, run).await;
        let link = published.check_run.and_then(|check| check.html_url);
        Ok(JobOutcome::Done { message: "result published".to_owned(), link })
    }

    /// Stores the report page of a run for the status page. A failure does not affect the result on GitHub.
    async fn store_page(&self, job: &Job, run: SavedRun) {
        let page = match tokio::task::spawn_blocking(move || render_report_page(&run)).await {
            Ok(Ok(page)) => page,
            Ok(Err(problem)) => return warn!(%problem, "cannot create the report page of a run"),
            Err(problem) => return warn!(%problem, "cannot create the report page of a run"),
        };
        if page.len() > MAX_PAGE_BYTES {
            return warn!("the report page of a run is too large to store");
        }
        if let Err(problem) = self.queue.store_report(job, page).await {
            warn!(%problem, "cannot store the report page of a run");
        }
    }
}

/// Creates the report page of a run for the operators of the server. It is generated here, because untrusted code wrote
/// to the run folder.
fn render_report_page(run: &SavedRun) -> mend_model::Result<String> {
    render_page(
        run,
        &OutputContext { can_read_folder: false, ..OutputContext::new(Path::new(".")) },
    )
}

async fn build_failure(
    repo: &Repo,
    target: &Target,
    claims: SearchClaims,
) -> Result<BuildFailure, JobStop> {
    let pull = match target.pull() {
        Some(number) => Some(repo.get_pull(number).await?),
        None => None,
    };
    let is_in_merge_queue = target.relevance == CommitRelevance::InMergeQueue;
    let is_own_branch =
        pull.as_ref().is_none_or(|pull| pull.head_repo.as_ref() == Some(repo.name()));
    Ok(BuildFailure {
        head: target.sha.clone(),
        branch: (is_own_branch && !is_in_merge_queue).then(|| target.branch.clone()),
        pull,
        queue: MergeQueueBranch::parse(&target.branch).filter(|_| is_in_merge_queue),
        workflow: None,
        claims,
        details_url: None,
    })
}
