//! Check runs: what stands beside a commit.

use super::error::{ForgeError, ForgeResult};
use super::names::CheckRunId;
use super::repo::Repo;
use crate::git::CommitId;
use http::Method;
use serde::{Deserialize, Serialize};

/// How many annotations GitHub takes in one request.
const BATCH: usize = 50;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Nothing is wrong.
    Success,
    /// Something is.
    Failure,
    /// Something is to be known, and nothing to be done.
    Neutral,
    /// It was given up.
    Cancelled,
    /// It did not take place.
    Skipped,
    /// It took too long.
    TimedOut,
    /// A person has to look.
    ActionRequired,
    /// It is too old to be true.
    Stale,
    /// It did not begin.
    StartupFailure,
}

/// How far a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckState {
    /// It waits.
    Queued,
    /// It works.
    InProgress,
    /// It is over.
    Completed(Conclusion),
}

/// How loud an annotation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationLevel {
    /// To be known.
    Notice,
    /// To be looked at.
    Warning,
    /// To be mended.
    Failure,
}

/// A remark on lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Annotation {
    /// The file, from the root of the repository.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line.
    pub end_line: usize,
    /// How loud it is.
    pub annotation_level: AnnotationLevel,
    /// One line.
    pub title: String,
    /// Plain text; GitHub does not read it as Markdown.
    pub message: String,
}

/// What a check run is to be.
#[derive(Clone, Debug)]
pub struct NewCheckRun {
    /// What it is called; there is one of each name on a commit.
    pub name: String,
    /// The commit.
    pub head: CommitId,
    /// How far it is.
    pub state: CheckState,
    /// One line.
    pub title: String,
    /// Markdown.
    pub summary: String,
    /// Remarks on lines.
    pub annotations: Vec<Annotation>,
    /// What it is called elsewhere, so that it is found again.
    pub external_id: String,
    /// Where there is more.
    pub details_url: Option<String>,
}

/// A check run as it is.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckRun {
    /// Its number.
    pub id: CheckRunId,
    /// What it is called.
    pub name: String,
    /// Its commit.
    pub head_sha: CommitId,
    /// What it is called elsewhere.
    #[serde(default)]
    pub external_id: Option<String>,
    /// `queued`, `in_progress`, `completed` and whatever GitHub adds.
    pub status: String,
    /// How it ended, where it did in a way that is known here.
    #[serde(default, deserialize_with = "known")]
    pub conclusion: Option<Conclusion>,
    /// Its page.
    #[serde(default)]
    pub html_url: Option<String>,
}

fn known<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Conclusion>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).ok())
}

#[derive(Serialize)]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_sha: Option<&'a CommitId>,
    external_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details_url: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusion: Option<Conclusion>,
    output: Output<'a>,
}

#[derive(Serialize)]
struct Output<'a> {
    title: &'a str,
    summary: &'a str,
    annotations: &'a [Annotation],
}

impl NewCheckRun {
    /// The request that sets it, with one batch of annotations.
    fn body<'a>(&'a self, annotations: &'a [Annotation], is_new: bool) -> Body<'a> {
        let (status, conclusion) = match self.state {
            CheckState::Queued => ("queued", None),
            CheckState::InProgress => ("in_progress", None),
            CheckState::Completed(conclusion) => ("completed", Some(conclusion)),
        };
        Body {
            name: is_new.then_some(&self.name),
            head_sha: is_new.then_some(&self.head),
            external_id: &self.external_id,
            details_url: self.details_url.as_deref(),
            status,
            conclusion,
            output: Output { title: &self.title, summary: &self.summary, annotations },
        }
    }
}

impl Repo {
    /// Makes a check run, or brings the one of the same name and external id up to date; one that is over stays as it
    /// is. GitHub adds the annotations of each request to those before, so they are given once, with the end.
    ///
    /// # Errors
    /// As GitHub answers; [`ForgeError::Forbidden`] with the token of a user, who may make none.
    pub async fn set_check_run(&self, wanted: &NewCheckRun) -> ForgeResult<CheckRun> {
        let (first, rest) = wanted.annotations.split_at(BATCH.min(wanted.annotations.len()));
        let mut run = match self.own_check_run(wanted).await? {
            // Its annotations are there: only the end brings any.
            Some(known) if known.status == "completed" => return Ok(known),
            Some(known) => self.update_check_run(known.id, &wanted.body(first, false)).await?,
            None => self.create_check_run(wanted, first).await?,
        };
        for batch in rest.chunks(BATCH) {
            run = self.update_check_run(run.id, &wanted.body(batch, false)).await?;
        }
        Ok(run)
    }

    async fn create_check_run(
        &self,
        wanted: &NewCheckRun,
        annotations: &[Annotation],
    ) -> ForgeResult<CheckRun> {
        let (route, body) = (self.route("/check-runs"), wanted.body(annotations, true));
        match self.client.send(Method::POST, &route, &body).await {
            Err(ForgeError::Uncertain(said)) => match self.own_check_run(wanted).await? {
                Some(made) => Ok(made),
                None => Err(ForgeError::Unreachable(said)),
            },
            made => made,
        }
    }

    async fn update_check_run(&self, id: CheckRunId, body: &Body<'_>) -> ForgeResult<CheckRun> {
        self.client.send(Method::PATCH, &self.route(&format!("/check-runs/{id}")), body).await
    }

    async fn own_check_run(&self, wanted: &NewCheckRun) -> ForgeResult<Option<CheckRun>> {
        let known = self.check_runs(&wanted.head, Some(&wanted.name)).await?;
        let is_it = |run: &CheckRun| run.external_id.as_deref() == Some(&wanted.external_id);
        Ok(known.into_iter().find(is_it))
    }

    /// The newest check runs of each name on a commit.
    ///
    /// # Errors
    /// As GitHub answers.
    pub async fn check_runs(
        &self,
        commit: &CommitId,
        name: Option<&str>,
    ) -> ForgeResult<Vec<CheckRun>> {
        let name =
            name.map_or(String::new(), |name| format!("?check_name={}", super::names::part(name)));
        let route = self.route(&format!("/commits/{commit}/check-runs{name}"));
        self.client.list(&route, Some("check_runs"), 10).await
    }
}
