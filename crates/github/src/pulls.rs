//! Pull requests.

use super::comments::CommentAuthor;
use super::error::{ApiError, ApiResult};
use super::names::{Login, PullNumber, RepoName, encode_segment};
use super::repo::Repo;
use http::Method;
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// State of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    /// Open.
    Open,
    /// Merged.
    Merged,
    /// Closed without a merge.
    Closed,
}

/// A pull request.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "PullResponse")]
pub struct Pull {
    /// Its number.
    pub number: PullNumber,
    /// The state.
    pub state: PullState,
    /// Its title.
    pub title: String,
    /// The text.
    pub body: String,
    /// Its page.
    pub html_url: String,
    /// Head branch, which is to be merged.
    pub head_branch: String,
    /// Head commit.
    pub head: CommitId,
    /// Repository of the head branch, or `None` for a deleted fork.
    pub head_repo: Option<RepoName>,
    /// Base branch, which it is to be merged into.
    pub base_branch: String,
    /// Head commit of the base branch.
    pub base: CommitId,
    /// The author, or `None` if the account was deleted.
    pub author: Option<Login>,
    /// Its labels.
    pub labels: Vec<String>,
    /// The merge commit, if merged.
    pub merge_commit: Option<CommitId>,
}

#[derive(Deserialize)]
struct PullResponse {
    number: PullNumber,
    state: String,
    title: String,
    body: Option<String>,
    html_url: String,
    merged_at: Option<String>,
    head: PullEndResponse,
    base: PullEndResponse,
    user: Option<PullUserResponse>,
    #[serde(default)]
    labels: Vec<LabelResponse>,
    merge_commit_sha: Option<CommitId>,
}

#[derive(Deserialize)]
struct LabelResponse {
    name: String,
}

#[derive(Deserialize)]
struct PullUserResponse {
    login: Login,
}

#[derive(Deserialize)]
struct PullEndResponse {
    r#ref: String,
    sha: CommitId,
    repo: Option<PullRepoResponse>,
}

#[derive(Deserialize)]
struct PullRepoResponse {
    full_name: RepoName,
}

impl From<PullResponse> for Pull {
    fn from(raw: PullResponse) -> Self {
        let state = match (raw.state.as_str(), raw.merged_at) {
            (_, Some(_)) => PullState::Merged,
            ("open", None) => PullState::Open,
            _ => PullState::Closed,
        };
        Self {
            number: raw.number,
            state,
            title: raw.title,
            body: raw.body.unwrap_or_default(),
            html_url: raw.html_url,
            head_branch: raw.head.r#ref,
            head: raw.head.sha,
            head_repo: raw.head.repo.map(|repo| repo.full_name),
            base_branch: raw.base.r#ref,
            base: raw.base.sha,
            author: raw.user.map(|user| user.login),
            labels: raw.labels.into_iter().map(|label| label.name).collect(),
            // For an open pull request, GitHub returns a test merge.
            merge_commit: raw.merge_commit_sha.filter(|_| state == PullState::Merged),
        }
    }
}

/// Pull request to create.
#[derive(Clone, Debug, Serialize)]
pub struct NewPull {
    /// Title, one line.
    pub title: String,
    /// Body in Markdown.
    pub body: String,
    /// Head branch, which is to be merged.
    pub head: String,
    /// Base branch, which it is to be merged into.
    pub base: String,
    /// True for a draft.
    pub draft: bool,
}

/// Suggested replacement of lines of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// Path of the file.
    pub path: String,
    /// First replaced line, in the head commit.
    pub first_line: usize,
    /// Last replaced line.
    pub last_line: usize,
    /// Body in Markdown with a suggestion block.
    pub body: String,
}

#[derive(Serialize)]
struct ReviewCommentRequest<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_side: Option<&'static str>,
    line: usize,
    side: &'static str,
    body: &'a str,
}

impl<'a> From<&'a Suggestion> for ReviewCommentRequest<'a> {
    fn from(suggestion: &'a Suggestion) -> Self {
        let is_multiline = suggestion.first_line < suggestion.last_line;
        Self {
            path: &suggestion.path,
            start_line: is_multiline.then_some(suggestion.first_line),
            start_side: is_multiline.then_some("RIGHT"),
            line: suggestion.last_line,
            side: "RIGHT",
            body: &suggestion.body,
        }
    }
}

impl Repo {
    /// Fetches a pull request.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn get_pull(&self, number: PullNumber) -> ApiResult<Pull> {
        self.client.get(&self.api_route(&format!("/pulls/{number}"))).await
    }

    /// Returns all pull requests from a branch of this repository, in any state, newest first.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_pulls_from(&self, branch: &str) -> ApiResult<Vec<Pull>> {
        let head = format!("{}:{branch}", self.name().owner());
        let route = self.api_route(&format!("/pulls?state=all&head={}", encode_segment(&head)));
        self.client.list(&route, None, 1).await
    }

    /// Fetches the open pull requests of the repository, at most a thousand.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_open_pulls(&self) -> ApiResult<Vec<Pull>> {
        self.client.list(&self.api_route("/pulls?state=open"), None, 10).await
    }

    /// Fetches the pull requests that contain a commit.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_pulls_with_commit(&self, commit: &CommitId) -> ApiResult<Vec<Pull>> {
        self.client.list(&self.api_route(&format!("/commits/{commit}/pulls")), None, 1).await
    }

    /// Creates a pull request, or returns the open one from the same branch.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn create_pull(&self, new: &NewPull) -> ApiResult<Pull> {
        match self.client.send(Method::POST, &self.api_route("/pulls"), new).await {
            Err(error @ (ApiError::Invalid(_) | ApiError::UnknownOutcome(_))) => {
                let pulls = self.list_pulls_from(&new.head).await?;
                let open_pull = pulls.into_iter().find(|pull| pull.state == PullState::Open);
                open_pull.ok_or(match error {
                    ApiError::UnknownOutcome(said) => ApiError::Unreachable(said),
                    other => other,
                })
            }
            made => made,
        }
    }

    /// Updates the title and text of a pull request.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn update_pull(
        &self,
        number: PullNumber,
        title: &str,
        body: &str,
    ) -> ApiResult<Pull> {
        let update = serde_json::json!({ "title": title, "body": body });
        self.client.send(Method::PATCH, &self.api_route(&format!("/pulls/{number}")), &update).await
    }

    /// Closes a pull request, and replaces its body.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn close_pull(&self, number: PullNumber, body: &str) -> ApiResult<()> {
        let update = serde_json::json!({ "state": "closed", "body": body });
        self.client
            .send_without_response(
                Method::PATCH,
                &self.api_route(&format!("/pulls/{number}")),
                &update,
            )
            .await
    }

    /// Adds labels; labels that the repository lacks are created.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn add_labels(&self, number: PullNumber, labels: &[String]) -> ApiResult<()> {
        let body = serde_json::json!({ "labels": labels });
        let route = self.api_route(&format!("/issues/{number}/labels"));
        match self.client.send_without_response(Method::POST, &route, &body).await {
            // Adding a label twice has no effect.
            Err(ApiError::UnknownOutcome(_)) => {
                self.client.send_without_response(Method::POST, &route, &body).await
            }
            told => told,
        }
    }

    /// Creates a review with all suggestions, unless our review with this marker exists.
    ///
    /// # Errors
    /// GitHub's error; [`ApiError::Invalid`] if the pull request does not contain a line.
    pub async fn create_suggestions(
        &self,
        pull: &Pull,
        marker: &str,
        body: &str,
        suggestions: &[Suggestion],
    ) -> ApiResult<()> {
        let review = serde_json::json!({
            "commit_id": pull.head,
            "event": "COMMENT",
            "body": body,
            "comments": suggestions.iter().map(ReviewCommentRequest::from).collect::<Vec<_>>(),
        });
        if self.has_own_review(pull.number, marker).await? {
            return Ok(());
        }
        let route = self.api_route(&format!("/pulls/{}/reviews", pull.number));
        match self.client.send_without_response(Method::POST, &route, &review).await {
            Err(ApiError::UnknownOutcome(said)) => {
                let was_created = self.has_own_review(pull.number, marker).await?;
                if was_created { Ok(()) } else { Err(ApiError::Unreachable(said)) }
            }
            told => told,
        }
    }

    /// Returns true if this account wrote a review that begins with this marker.
    async fn has_own_review(&self, pull: PullNumber, marker: &str) -> ApiResult<bool> {
        #[derive(Deserialize)]
        struct ReviewResponse {
            body: Option<String>,
            user: Option<CommentAuthor>,
        }
        let route = self.api_route(&format!("/pulls/{pull}/reviews"));
        let mut reviews: Vec<ReviewResponse> = self.client.list(&route, None, 10).await?;
        reviews.retain(|one| one.body.as_deref().is_some_and(|body| body.starts_with(marker)));
        Ok(!self.filter_own(reviews, |one| one.user.as_ref()).await?.is_empty())
    }
}
