//! Search by the repository's own workflow, which has the dependencies. git-mend starts it with a `repository_dispatch`
//! event.
//!
//! GitHub accepts such a request without reporting the result. So the request is recorded before it is sent, and its
//! run is looked for afterwards: a server that is killed in between sends exactly one request.

use super::progress::{Progress, Step};
use super::target::Target;
use crate::jobs::job_runner::Mender;
use crate::jobs::job_stop::Halt;
use crate::queue::{Ending, Job};
use crate::task::{Cause, Task};
use jiff::{SignedDuration, Timestamp};
use mend_github::{Level, Permission, PullNumber, Repo, RunId, WorkflowRun};
use mend_report::github::Stage;
use regex::Regex;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::time::Duration;

/// The type of the event.
const EVENT: &str = "git-mend";
/// Permission to send the event.
const ASK: [Permission; 1] = [("contents", Level::Write)];
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
struct Payload<'a> {
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

impl Mender {
    /// Has the repository's own workflow do it; `None` if none answers.
    pub(super) async fn ask_workflow(
        &self,
        job: &Job,
        repo: &Repo,
        target: &Target,
        reason: &str,
    ) -> Result<Option<Ending>, Halt> {
        let known = Progress::of(job);
        let Some((progress, since)) = known.as_ref().and_then(asked) else {
            if !answers(repo).await? {
                return Ok(None);
            }
            let progress = self.begin(job, target, &Stage::Asked).await?;
            self.record(job, &progress.at(Step::Asking { since: Timestamp::now() })).await?;
            return self.ask(job, target, &progress, reason).await.map(Some);
        };
        if let Some(run) = started(repo, &mark(progress), since).await? {
            return self
                .watch(job, target, progress.at(Step::Taken { since }), run)
                .await
                .map(Some);
        }
        let waited = Timestamp::now().duration_since(since);
        match progress.step {
            Step::Asking { .. } if waited >= UNCERTAIN => {
                self.ask(job, target, progress, reason).await.map(Some)
            }
            Step::Asked { .. } if waited >= UNSEEN => Ok(None),
            Step::Taken { .. } => {
                Err(Halt::Moot("the run of the repository's own workflow was deleted"))
            }
            _ => Ok(Some(later())),
        }
    }

    /// Shows the running workflow until it ends. The workflow publishes its own result, as another App.
    async fn watch(
        &self,
        job: &Job,
        target: &Target,
        taken: Progress,
        run: WorkflowRun,
    ) -> Result<Ending, Halt> {
        if run.is_over() {
            self.show(job, target, &taken, &Stage::Over { run: &run.html_url }).await;
            let message = "the repository's own workflow has finished".to_owned();
            return Ok(Ending::Done { message, link: Some(run.html_url) });
        }
        if Progress::of(job).as_ref() != Some(&taken) {
            self.show(job, target, &taken, &Stage::Taken { run: &run.html_url }).await;
            self.record(job, &taken).await?;
        }
        let message = "the repository's own workflow is running".to_owned();
        Ok(Ending::Later { pause: WATCH, message })
    }

    async fn ask(
        &self,
        job: &Job,
        target: &Target,
        progress: &Progress,
        reason: &str,
    ) -> Result<Ending, Halt> {
        let run = match &job.task {
            Task::Search { cause: Cause::WorkflowRun { run, .. } } => Some(*run),
            _ => None,
        };
        let payload = Payload {
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
        self.record(job, &progress.at(Step::Asked { since })).await?;
        Ok(later())
    }
}

/// Returns the time of the request to the repository's own workflow, if there is one.
fn asked(progress: &Progress) -> Option<(&Progress, Timestamp)> {
    match progress.step {
        Step::Asking { since } | Step::Asked { since } | Step::Taken { since } => {
            Some((progress, since))
        }
        Step::Begun => None,
    }
}

fn later() -> Ending {
    Ending::Later {
        pause: LOOK_AGAIN,
        message: "waiting for the repository's own workflow".to_owned(),
    }
}

/// A word for a search that everybody may see. A job that is wanted again after it had ended has another one.
fn mark(progress: &Progress) -> String {
    hex::encode(Sha256::digest(&progress.check)).get(..16).unwrap_or_default().to_owned()
}

/// Returns the run that a search started, by its name: other users may request runs at the same time.
async fn started(repo: &Repo, mark: &str, since: Timestamp) -> Result<Option<WorkflowRun>, Halt> {
    let runs = repo.dispatched_runs(since - SKEW).await?;
    let is_ours =
        |run: &&WorkflowRun| run.display_title.as_deref().is_some_and(|title| title.contains(mark));
    Ok(runs.iter().find(is_ours).cloned())
}

/// Returns true if a workflow of the default branch handles the event and has the mark in its `run-name`. A false match
/// is detected when no such run starts.
async fn answers(repo: &Repo) -> Result<bool, Halt> {
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
