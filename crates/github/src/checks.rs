//! Check runs of commits.

use super::error::{ApiError, ApiResult};
use super::names::CheckRunId;
use super::repo::Repo;
use http::Method;
use jiff::Timestamp;
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// Maximum number of annotations in one request.
const MAX_ANNOTATIONS_PER_REQUEST: usize = 50;

/// Conclusion of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Success.
    Success,
    /// Failure.
    Failure,
    /// Neutral: information only.
    Neutral,
    /// Cancelled.
    Cancelled,
    /// Skipped.
    Skipped,
    /// Timed out.
    TimedOut,
    /// A user must act.
    ActionRequired,
    /// Marked stale by GitHub.
    Stale,
    /// Failed to start.
    StartupFailure,
}

/// State of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckRunStatus {
    /// Queued.
    Queued,
    /// In progress.
    InProgress,
    /// Completed, with the conclusion.
    Completed(Conclusion),
}

/// Severity of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationLevel {
    /// Information.
    Notice,
    /// Warning.
    Warning,
    /// Failure.
    Failure,
}

/// Annotation of lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Annotation {
    /// Path from the root of the repository.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line.
    pub end_line: usize,
    /// The severity.
    pub annotation_level: AnnotationLevel,
    /// Title, one line.
    pub title: String,
    /// Plain text; GitHub does not read it as Markdown.
    pub message: String,
}

/// Content of a check run.
#[derive(Clone, Debug)]
pub struct NewCheckRun {
    /// The name. A commit has one check run for each name.
    pub name: String,
    /// The commit.
    pub head: CommitId,
    /// The state.
    pub state: CheckRunStatus,
    /// The start time. `None` keeps the time that GitHub has.
    pub started_at: Option<Timestamp>,
    /// Title, one line.
    pub title: String,
    /// Summary in Markdown.
    pub summary: String,
    /// Annotations of lines.
    pub annotations: Vec<Annotation>,
    /// The external id, which identifies it later.
    pub external_id: String,
    /// The address of a page with details.
    pub details_url: Option<String>,
    /// The buttons, at most three. A job has none, because GitHub notifies only Apps.
    pub actions: Option<Vec<CheckAction>>,
}

/// A button of a check run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckAction {
    /// The label, at most 20 characters.
    pub label: &'static str,
    /// The description, at most 40 characters.
    pub description: &'static str,
    /// The identifier for the App, at most 20 characters.
    pub identifier: &'static str,
}

/// A check run on GitHub.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckRun {
    /// Its number.
    pub id: CheckRunId,
    /// The name.
    pub name: String,
    /// Its commit.
    pub head_sha: CommitId,
    /// The external id.
    #[serde(default)]
    pub external_id: Option<String>,
    /// `queued`, `in_progress`, `completed`, or a later addition of GitHub.
    pub status: String,
    /// The conclusion, if it is one of the known ones.
    #[serde(default, deserialize_with = "deserialize_known_conclusion")]
    pub conclusion: Option<Conclusion>,
    /// Its page.
    #[serde(default)]
    pub html_url: Option<String>,
    #[serde(default)]
    output: CheckOutput,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct CheckOutput {
    #[serde(default)]
    annotations_count: usize,
    title: Option<String>,
    summary: Option<String>,
}

impl CheckRun {
    /// Returns the title.
    pub fn title(&self) -> &str {
        self.output.title.as_deref().unwrap_or_default()
    }

    /// Returns the summary, in Markdown.
    pub fn summary(&self) -> &str {
        self.output.summary.as_deref().unwrap_or_default()
    }
}

fn deserialize_known_conclusion<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<Conclusion>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).ok())
}

#[derive(Serialize)]
struct CheckRunRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_sha: Option<&'a CommitId>,
    external_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details_url: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusion: Option<Conclusion>,
    output: CheckRunRequestOutput<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<&'a [CheckAction]>,
}

#[derive(Serialize)]
struct CheckRunRequestOutput<'a> {
    title: &'a str,
    summary: &'a str,
    annotations: &'a [Annotation],
}

impl NewCheckRun {
    /// Returns the number of annotations after the batch that follows the first `sent`.
    fn batch_end(&self, sent: usize) -> usize {
        self.annotations.len().min(sent + MAX_ANNOTATIONS_PER_REQUEST)
    }

    /// Returns the request that sets the check run and adds the next batch of annotations after the first `sent`. Only
    /// the last batch completes the check run, so that an interrupted update is continued.
    fn update_request(&self, sent: usize, is_new: bool) -> CheckRunRequest<'_> {
        let batch_end = self.batch_end(sent);
        let is_last = batch_end == self.annotations.len();
        let (status, conclusion) = match self.state {
            CheckRunStatus::Queued => ("queued", None),
            CheckRunStatus::Completed(conclusion) if is_last => ("completed", Some(conclusion)),
            CheckRunStatus::InProgress | CheckRunStatus::Completed(_) => ("in_progress", None),
        };
        let annotations = self.annotations.get(sent..batch_end).unwrap_or_default();
        CheckRunRequest {
            name: is_new.then_some(&self.name),
            head_sha: is_new.then_some(&self.head),
            external_id: &self.external_id,
            details_url: self.details_url.as_deref(),
            status,
            started_at: self.started_at,
            conclusion,
            output: CheckRunRequestOutput {
                title: &self.title,
                summary: &self.summary,
                annotations,
            },
            actions: self.actions.as_deref(),
        }
    }
}

impl Repo {
    /// Creates a check run, or updates the one with the same name and external id. A completed check run is kept.
    /// GitHub appends the annotations of each request, so existing ones are not sent again.
    ///
    /// # Errors
    /// GitHub's error. [`ApiError::Forbidden`] for a user's token, which cannot create check runs.
    pub async fn set_check_run(&self, new_run: &NewCheckRun) -> ApiResult<CheckRun> {
        let (mut run, sent_before) = match self.find_check_run(new_run).await? {
            Some(known) if known.status == "completed" => return Ok(known),
            Some(known) => {
                let sent_before = known.output.annotations_count;
                (self.update_check_run(known.id, new_run, sent_before).await?, sent_before)
            }
            None => (self.create_check_run(new_run).await?, 0),
        };
        let mut sent = new_run.batch_end(sent_before);
        while sent < new_run.annotations.len() {
            run = self.update_check_run(run.id, new_run, sent).await?;
            sent = new_run.batch_end(sent);
        }
        Ok(run)
    }

    /// Creates a check run unless it exists. An existing check run is kept.
    ///
    /// # Errors
    /// Errors of [`Self::set_check_run`].
    pub async fn create_check_run_if_missing(&self, new_run: &NewCheckRun) -> ApiResult<CheckRun> {
        match self.find_check_run(new_run).await? {
            Some(known) => Ok(known),
            None => self.create_check_run(new_run).await,
        }
    }

    async fn create_check_run(&self, new_run: &NewCheckRun) -> ApiResult<CheckRun> {
        let (route, body) = (self.api_route("/check-runs"), new_run.update_request(0, true));
        match self.client.send(Method::POST, &route, &body).await {
            Err(ApiError::UnknownOutcome(said)) => match self.find_check_run(new_run).await? {
                Some(made) => Ok(made),
                None => Err(ApiError::Unreachable(said)),
            },
            made => made,
        }
    }

    /// Updates a check run that already has `sent` annotations, and adds the others.
    async fn update_check_run(
        &self,
        id: CheckRunId,
        new_run: &NewCheckRun,
        sent: usize,
    ) -> ApiResult<CheckRun> {
        let (route, body) =
            (self.api_route(&format!("/check-runs/{id}")), new_run.update_request(sent, false));
        if body.output.annotations.is_empty() {
            return self.client.send(Method::PATCH, &route, &body).await;
        }
        match self.client.send_creation(Method::PATCH, &route, &body).await {
            Err(ApiError::UnknownOutcome(_)) => {
                let run: CheckRun = self.client.get(&route).await?;
                let was_applied = run.output.annotations_count > sent;
                if was_applied {
                    Ok(run)
                } else {
                    self.client.send_creation(Method::PATCH, &route, &body).await
                }
            }
            updated => updated,
        }
    }

    /// Finds the check run with the same commit, name and external id.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn find_check_run(&self, new_run: &NewCheckRun) -> ApiResult<Option<CheckRun>> {
        let candidates = self.list_check_runs(&new_run.head, Some(&new_run.name)).await?;
        let has_external_id =
            |run: &CheckRun| run.external_id.as_deref() == Some(&new_run.external_id);
        Ok(candidates.into_iter().find(has_external_id))
    }

    /// Fetches the files that a check run annotates, from at most a thousand annotations.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_annotated_files(&self, id: CheckRunId) -> ApiResult<Vec<String>> {
        #[derive(Deserialize)]
        struct AnnotationPath {
            path: String,
        }
        let route = self.api_route(&format!("/check-runs/{id}/annotations"));
        let annotations: Vec<AnnotationPath> = self.client.list(&route, None, 10).await?;
        Ok(annotations.into_iter().map(|one| one.path).collect())
    }

    /// Fetches all check runs of a name on a commit, or the newest ones of every name.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_check_runs(
        &self,
        commit: &CommitId,
        name: Option<&str>,
    ) -> ApiResult<Vec<CheckRun>> {
        let name_query =
            |name| format!("?filter=all&check_name={}", super::names::encode_segment(name));
        let query = name.map_or(String::new(), name_query);
        let route = self.api_route(&format!("/commits/{commit}/check-runs{query}"));
        self.client.list(&route, Some("check_runs"), 10).await
    }
}
