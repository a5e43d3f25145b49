//! Search by the repository's own workflow, which has the dependencies. git-mend starts it with a `repository_dispatch`
//! event.
//!
//! GitHub accepts such a request without reporting the result. So the request is recorded before it is sent, and its
//! run is looked for afterwards: a server that is killed in between sends exactly one request.

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

/// The type of the event.
const EVENT: &str = "git-mend";
/// Permission to send the event.
const ASK: [Permission; 1] = [("contents", AccessLevel::Write)];
/// Time limit for GitHub to show a requested run.
const UNSEEN: SignedDuration = SignedDuration::from_mins(5);
/// Time limit for finding a request with an unknown outcome.
const UNCERTAIN: SignedDuration = SignedDuration::from_mins(1);
/// Polling interval until the run starts.
const LOOK_AGAIN: Duration = Duration::from_secs(15);
/// Polling interval of a started run.
const WATCH: Duration = Duration::from_secs(60);
/// Maximum clock difference between GitHub and this machine.
const SKEW: SignedDuration = SignedDuration::from_mins(1);
/// The largest workflow that is read, in bytes.
const LARGEST: usize = 1 << 20;

/// Payload of the event, in `github.event.client_payload`.
#[derive(Serialize)]
struct DispatchEventPayload<'a> {
    /// The mark of the job: `run-name` has it.
    id: String,
    /// `search`, or the word of a command.
    reason: &'a str,
    sha: &'a str,
    branch: &'a str,
    base: &'a str,
    pull: Option<PullNumber>,
    run: Option<RunId>,
}

impl JobRunner {
    /// Has the repository's own workflow do it; `None` if none answers.
    pub(super) async fn ask_workflow(
        &self,
        job: &Job,
        repo: &Repo,
        target: &Target,
        reason: &str,
    ) -> Result<Option<JobOutcome>, JobStop> {
        let known = JobProgress::from_job(job);
        let Some((progress, since)) = known.as_ref().and_then(requested_since) else {
            if !answers(repo).await? {
                return Ok(None);
            }
            let progress = self.begin(job, target, &SearchStage::WorkflowRequested).await?;
            self.record(job, &progress.with_step(SearchStep::Asking { since: Timestamp::now() }))
                .await?;
            return self.ask(job, target, &progress, reason).await.map(Some);
        };
        if let Some(run) = started(repo, &mark(progress), since).await? {
            return self
                .watch(job, target, progress.with_step(SearchStep::Taken { since }), run)
                .await
                .map(Some);
        }
        let waited = Timestamp::now().duration_since(since);
        match progress.step {
            SearchStep::Asking { .. } if waited >= UNCERTAIN => {
                self.ask(job, target, progress, reason).await.map(Some)
            }
            SearchStep::Asked { .. } if waited >= UNSEEN => Ok(None),
            SearchStep::Taken { .. } => {
                Err(JobStop::Obsolete("the run of the repository's own workflow was deleted"))
            }
            _ => Ok(Some(later())),
        }
    }

    /// Shows the running workflow until it ends. The workflow publishes its own result, as another App.
    async fn watch(
        &self,
        job: &Job,
        target: &Target,
        taken: JobProgress,
        run: WorkflowRun,
    ) -> Result<JobOutcome, JobStop> {
        if run.is_over() {
            self.show(job, target, &taken, &SearchStage::WorkflowEnded { run: &run.html_url })
                .await;
            let message = "the repository's own workflow has finished".to_owned();
            return Ok(JobOutcome::Done { message, link: Some(run.html_url) });
        }
        if JobProgress::from_job(job).as_ref() != Some(&taken) {
            self.show(job, target, &taken, &SearchStage::WorkflowRunning { run: &run.html_url })
                .await;
            self.record(job, &taken).await?;
        }
        let message = "the repository's own workflow is running".to_owned();
        Ok(JobOutcome::Postponed { pause: WATCH, message })
    }

    async fn ask(
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
            id: mark(progress),
            reason,
            sha: &target.sha.0,
            branch: &target.branch,
            base: &target.base_branch,
            pull: target.pull(),
            run,
        };
        let since = Timestamp::now();
        self.repo(job, &ASK).await?.dispatch(EVENT, &payload).await?;
        self.record(job, &progress.with_step(SearchStep::Asked { since })).await?;
        Ok(later())
    }
}

/// Returns the time of the request to the repository's own workflow, if there is one.
fn requested_since(progress: &JobProgress) -> Option<(&JobProgress, Timestamp)> {
    match progress.step {
        SearchStep::Asking { since }
        | SearchStep::Asked { since }
        | SearchStep::Taken { since } => Some((progress, since)),
        SearchStep::Begun => None,
    }
}

fn later() -> JobOutcome {
    JobOutcome::Postponed {
        pause: LOOK_AGAIN,
        message: "waiting for the repository's own workflow".to_owned(),
    }
}

/// Returns the public marker of a search. A job that is requeued after its end gets a new marker.
fn mark(progress: &JobProgress) -> String {
    hex::encode(Sha256::digest(&progress.check)).get(..16).unwrap_or_default().to_owned()
}

/// Returns the run that a search started, by its name: other users may request runs at the same time.
async fn started(
    repo: &Repo,
    mark: &str,
    since: Timestamp,
) -> Result<Option<WorkflowRun>, JobStop> {
    let runs = repo.dispatched_runs(since - SKEW).await?;
    let is_ours =
        |run: &&WorkflowRun| run.display_title.as_deref().is_some_and(|title| title.contains(mark));
    Ok(runs.iter().find(is_ours).cloned())
}

/// Returns true if a workflow of the default branch handles the event and has the mark in its `run-name`. A false match
/// is detected when no such run starts.
async fn answers(repo: &Repo) -> Result<bool, JobStop> {
    let default = repo.info().await?.default_branch;
    let Some(head) = repo.branch(&default).await? else { return Ok(false) };
    for (name, entry) in repo.folder(&head.0, ".github/workflows").await? {
        let is_workflow = [".yml", ".yaml"].iter().any(|ending| name.ends_with(ending));
        if is_workflow && has_trigger(&repo.content(&entry).await?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_trigger(workflow: &[u8]) -> bool {
    let text = String::from_utf8_lossy(workflow.get(..LARGEST).unwrap_or(workflow));
    let says = |word: &str| {
        let line = format!(r"(?m)^[^#\n]*(^|[\s\[{{,'\x22]){word}($|[\s\]}},:'\x22])");
        Regex::new(&line).is_ok_and(|line| line.is_match(&text))
    };
    // On the same line, or on those that are indented below it.
    let name = r#"(?m)^["']?run-name["']?[ \t]*:(?:[^\n]|\n[ \t]+)*client_payload(?:\.id\b|\[['"]id['"]\])"#;
    let is_named = Regex::new(name).is_ok_and(|name| name.is_match(&text));
    says("repository_dispatch") && says(EVENT) && is_named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workflow_answers_if_it_names_the_event_its_type_and_its_runs() {
        let answers = [
            "on:\n  repository_dispatch:\n    types: [git-mend]\n",
            "on:\n  push:\n  repository_dispatch:\n    types:\n      - other\n      - 'git-mend'\n",
            "\"on\": {repository_dispatch: {types: [\"git-mend\"]}}\n",
        ];
        for (text, name) in answers.iter().flat_map(|text| {
            [
                "run-name: git-mend ${{ github.event.client_payload.id }}\n",
                "'run-name': >-\n  git-mend\n  ${{ github.event.client_payload['id'] }}\n",
            ]
            .map(|name| (text, name))
        }) {
            assert!(has_trigger(format!("{name}{text}").as_bytes()), "{name}{text}");
            assert!(has_trigger(format!("{text}{name}").as_bytes()), "{text}{name}");
        }
        for name in [
            "",
            "run-name: git-mend\n",
            "run-name: x\nenv:\n  a: ${{ github.event.client_payload.id }}\n",
            "run-name: ${{ github.event.client_payload.idea }}\n",
        ] {
            assert!(!has_trigger(format!("{name}{}", answers[0]).as_bytes()), "{name}");
        }
        for text in [
            "on: push\njobs: {}",
            "on:\n  repository_dispatch:\n    types: [other]\n",
            "# repository_dispatch\n# git-mend\n",
            "on:\n  repository_dispatch:\n    types: [not-git-mend]\n",
            "on: push # repository_dispatch\nname: git-mend\n",
        ] {
            let text = format!("run-name: ${{{{ github.event.client_payload.id }}}}\n{text}");
            assert!(!has_trigger(text.as_bytes()), "{text}");
        }
    }
}
