//! Search by the repository's own workflow, where the dependencies are installed. git-mend starts the workflow with a
//! `repository_dispatch` event.
//!
//! GitHub accepts such a request without returning a run id. So git-mend records the request before sending it, and
//! finds the run by its name afterwards. If the server is killed in between, exactly one request is sent.

use super::progress::{JobProgress, SearchStep};
use super::target::Target;
use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::queue::{Job, JobOutcome};
use crate::task::{JobTask, SearchCause};
use jiff::{SignedDuration, Timestamp};
use mend_github::{AccessLevel, Permission, PullNumber, Repo, RunId, WorkflowRun};
use mend_report::github::SearchStage;
use regex::Regex;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::time::Duration;

/// Type of the event.
const EVENT_TYPE: &str = "git-mend";
/// Permission to send the event.
const DISPATCH_PERMISSIONS: [Permission; 1] = [("contents", AccessLevel::Write)];
/// Time limit for GitHub to show a requested run.
const RUN_START_TIMEOUT: SignedDuration = SignedDuration::from_mins(5);
/// Time limit for finding a request with an unknown outcome.
const UNKNOWN_REQUEST_TIMEOUT: SignedDuration = SignedDuration::from_mins(1);
/// Polling interval until the run starts.
const START_POLL_INTERVAL: Duration = Duration::from_secs(15);
/// Polling interval of a started run.
const RUN_POLL_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum clock difference between GitHub and this machine.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(1);
/// Maximum size of a workflow file, in bytes.
const MAX_WORKFLOW_BYTES: usize = 1 << 20;

/// Payload of the event, in `github.event.client_payload`.
#[derive(Serialize)]
struct DispatchEventPayload<'a> {
    /// Marker of the job, which the workflow copies to its `run-name`.
    id: String,
    /// Reason: `search`, or the word of a command.
    reason: &'a str,
    sha: &'a str,
    branch: &'a str,
    base: &'a str,
    pull: Option<PullNumber>,
    run: Option<RunId>,
}

impl JobRunner {
    /// Starts the search in the repository's own workflow, or continues to wait for it. Returns `None` if the
    /// repository has no such workflow or no run started.
    pub(super) async fn search_by_workflow(
        &self,
        job: &Job,
        repo: &Repo,
        target: &Target,
        reason: &str,
    ) -> Result<Option<JobOutcome>, JobStop> {
        let recorded = JobProgress::from_job(job);
        let request =
            recorded.as_ref().and_then(|progress| Some((progress, progress.request_time()?)));
        let Some((progress, since)) = request else {
            if !has_handler(repo).await? {
                return Ok(None);
            }
            let progress =
                self.start_progress(job, target, &SearchStage::WorkflowRequested).await?;
            self.record(job, &progress.with_step(SearchStep::Asking { since: Timestamp::now() }))
                .await?;
            return self.request_run(job, target, &progress, reason).await.map(Some);
        };
        if let Some(run) = find_started_run(repo, &run_marker(progress), since).await? {
            return self
                .watch_run(job, target, progress.with_step(SearchStep::Taken { since }), run)
                .await
                .map(Some);
        }
        let elapsed = Timestamp::now().duration_since(since);
        match progress.step {
            SearchStep::Asking { .. } if elapsed >= UNKNOWN_REQUEST_TIMEOUT => {
                self.request_run(job, target, progress, reason).await.map(Some)
            }
            SearchStep::Asked { .. } if elapsed >= RUN_START_TIMEOUT => Ok(None),
            SearchStep::Taken { .. } => {
                Err(JobStop::Obsolete("the run of the repository's own workflow was deleted"))
            }
            _ => Ok(Some(wait_for_start())),
        }
    }

    /// Shows the running workflow until it ends. The workflow publishes its own result, as another App.
    async fn watch_run(
        &self,
        job: &Job,
        target: &Target,
        progress: JobProgress,
        run: WorkflowRun,
    ) -> Result<JobOutcome, JobStop> {
        if run.is_completed() {
            self.show_progress(
                job,
                target,
                &progress,
                &SearchStage::WorkflowEnded { run: &run.html_url },
            )
            .await;
            let message = "the repository's own workflow has finished".to_owned();
            return Ok(JobOutcome::Done { message, link: Some(run.html_url) });
        }
        if JobProgress::from_job(job).as_ref() != Some(&progress) {
            self.show_progress(
                job,
                target,
                &progress,
                &SearchStage::WorkflowRunning { run: &run.html_url },
            )
            .await;
            self.record(job, &progress).await?;
        }
        let message = "the repository's own workflow is running".to_owned();
        Ok(JobOutcome::Postponed { pause: RUN_POLL_INTERVAL, message })
    }

    async fn request_run(
        &self,
        job: &Job,
        target: &Target,
        progress: &JobProgress,
        reason: &str,
    ) -> Result<JobOutcome, JobStop> {
        let run = match &job.task {
            JobTask::Search { cause: SearchCause::WorkflowRun { run, .. } } => Some(*run),
            _ => None,
        };
        let payload = DispatchEventPayload {
            id: run_marker(progress),
            reason,
            sha: &target.sha.0,
            branch: &target.branch,
            base: &target.base_branch,
            pull: target.pull(),
            run,
        };
        let since = Timestamp::now();
        self.connect_repo(job, &DISPATCH_PERMISSIONS)
            .await?
            .send_dispatch(EVENT_TYPE, &payload)
            .await?;
        self.record(job, &progress.with_step(SearchStep::Asked { since })).await?;
        Ok(wait_for_start())
    }
}

fn wait_for_start() -> JobOutcome {
    JobOutcome::Postponed {
        pause: START_POLL_INTERVAL,
        message: "waiting for the repository's own workflow".to_owned(),
    }
}

/// Returns the public marker of a search. A job that is requeued after its end gets a new marker.
fn run_marker(progress: &JobProgress) -> String {
    hex::encode(Sha256::digest(&progress.check)).get(..16).unwrap_or_default().to_owned()
}

/// Returns the run that a search started, by its name: other users may request runs at the same time.
async fn find_started_run(
    repo: &Repo,
    marker: &str,
    since: Timestamp,
) -> Result<Option<WorkflowRun>, JobStop> {
    let runs = repo.list_dispatched_runs(since - MAX_CLOCK_SKEW).await?;
    let has_marker = |run: &&WorkflowRun| {
        run.display_title.as_deref().is_some_and(|title| title.contains(marker))
    };
    Ok(runs.iter().find(has_marker).cloned())
}

/// Returns true if a workflow of the default branch handles the event and copies the marker to its `run-name`. A false
/// match is detected when no such run starts.
async fn has_handler(repo: &Repo) -> Result<bool, JobStop> {
    let default = repo.get_info().await?.default_branch;
    let Some(head) = repo.get_branch_head(&default).await? else { return Ok(false) };
    for (name, entry) in repo.list_folder(&head.0, ".github/workflows").await? {
        let is_workflow = [".yml", ".yaml"].iter().any(|ending| name.ends_with(ending));
        if is_workflow && handles_event(&repo.read_blob(&entry).await?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn handles_event(workflow: &[u8]) -> bool {
    let text = String::from_utf8_lossy(workflow.get(..MAX_WORKFLOW_BYTES).unwrap_or(workflow));
    let has_word = |name: &str| {
        let line = format!(r"(?m)^[^#\n]*(^|[\s\[{{,'\x22]){name}($|[\s\]}},:'\x22])");
        Regex::new(&line).is_ok_and(|line| line.is_match(&text))
    };
    // The event type is on the same line or on the lines indented below it.
    let run_name_pattern = r#"(?m)^["']?run-name["']?[ \t]*:(?:[^\n]|\n[ \t]+)*client_payload(?:\.id\b|\[['"]id['"]\])"#;
    let has_run_name =
        Regex::new(run_name_pattern).is_ok_and(|run_name_pattern| run_name_pattern.is_match(&text));
    has_word("repository_dispatch") && has_word(EVENT_TYPE) && has_run_name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workflow_handles_event_if_it_names_type_and_run() {
        let workflows = [
            "on:\n  repository_dispatch:\n    types: [git-mend]\n",
            "on:\n  push:\n  repository_dispatch:\n    types:\n      - other\n      - 'git-mend'\n",
            "\"on\": {repository_dispatch: {types: [\"git-mend\"]}}\n",
        ];
        for (text, name) in workflows.iter().flat_map(|text| {
            [
                "run-name: git-mend ${{ github.event.client_payload.id }}\n",
                "'run-name': >-\n  git-mend\n  ${{ github.event.client_payload['id'] }}\n",
            ]
            .map(|name| (text, name))
        }) {
            assert!(handles_event(format!("{name}{text}").as_bytes()), "{name}{text}");
            assert!(handles_event(format!("{text}{name}").as_bytes()), "{text}{name}");
        }
        for name in [
            "",
            "run-name: git-mend\n",
            "run-name: x\nenv:\n  a: ${{ github.event.client_payload.id }}\n",
            "run-name: ${{ github.event.client_payload.idea }}\n",
        ] {
            assert!(!handles_event(format!("{name}{}", workflows[0]).as_bytes()), "{name}");
        }
        for text in [
            "on: push\njobs: {}",
            "on:\n  repository_dispatch:\n    types: [other]\n",
            "# repository_dispatch\n# git-mend\n",
            "on:\n  repository_dispatch:\n    types: [not-git-mend]\n",
            "on: push # repository_dispatch\nname: git-mend\n",
        ] {
            let text = format!("run-name: ${{{{ github.event.client_payload.id }}}}\n{text}");
            assert!(!handles_event(text.as_bytes()), "{text}");
        }
    }
}
