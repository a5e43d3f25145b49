//! Reads commits and branches, and creates commits.

use super::error::{ApiError, ApiResult};
use super::files::EntryKind;
use super::names::{Login, encode_path};
use super::repo::Repo;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::Method;
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// A commit on GitHub.
#[derive(Clone, Debug)]
pub struct GitHubCommit {
    /// Its id.
    pub id: CommitId,
    /// Its tree.
    pub tree: String,
    /// Its message.
    pub message: String,
    /// Author name in the commit.
    pub author: String,
    /// The author's account on GitHub, if known.
    pub login: Option<Login>,
    /// Author date as formatted by GitHub: `2025-04-22T08:00:00Z`.
    pub date: String,
    /// Its parents.
    pub parents: Vec<CommitId>,
    /// True if GitHub shows the commit as verified.
    pub is_verified: bool,
}

impl GitHubCommit {
    /// Returns the first line of the message.
    pub fn summary(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// Relation of one commit to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ancestry {
    /// Descendant: the commit contains the base and more.
    Ahead,
    /// Ancestor: the base contains the commit and more.
    Behind,
    /// Same commit.
    Identical,
    /// The histories have diverged.
    Diverged,
}

/// Change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContentChange {
    /// New content of the file.
    Write(Vec<u8>),
    /// The file is deleted.
    Delete,
}

/// A changed file of a new commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Path from the root of the repository.
    pub path: String,
    /// Kind of tree entry.
    pub kind: EntryKind,
    /// The change.
    pub change: FileContentChange,
}

/// Commit to create on its own branch.
#[derive(Clone, Debug)]
pub struct NewCommit {
    /// Branch name, without `refs/heads/`.
    pub branch: String,
    /// The parent commit.
    pub parent: CommitId,
    /// The first line of its message.
    pub headline: String,
    /// The rest of the message.
    pub body: String,
    /// The changed files.
    pub changes: Vec<ChangedFile>,
}

impl NewCommit {
    /// Returns the complete message.
    pub fn message(&self) -> String {
        format!("{}\n\n{}", self.headline, self.body)
    }
}

#[derive(Deserialize)]
struct ObjectResponse<I> {
    sha: I,
}

#[derive(Deserialize)]
struct RefResponse {
    object: ObjectResponse<CommitId>,
}

#[derive(Deserialize)]
struct CommitResponse {
    sha: CommitId,
    commit: GitCommitResponse,
    author: Option<CommitUserResponse>,
    parents: Vec<ObjectResponse<CommitId>>,
}

#[derive(Deserialize)]
struct GitCommitResponse {
    message: String,
    author: Option<GitAuthorResponse>,
    tree: ObjectResponse<String>,
    verification: Option<VerificationResponse>,
}

#[derive(Default, Deserialize)]
struct GitAuthorResponse {
    #[serde(default)]
    name: String,
    #[serde(default)]
    date: String,
}

/// GitHub sends an empty object for an unknown author.
#[derive(Deserialize)]
struct CommitUserResponse {
    login: Option<Login>,
}

#[derive(Deserialize)]
struct VerificationResponse {
    verified: bool,
}

/// Response of the mutation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommitMutationResponse {
    create_commit_on_branch: CommitMutationPayload,
}

#[derive(Deserialize)]
struct CommitMutationPayload {
    commit: CommitOid,
}

#[derive(Deserialize)]
struct CommitOid {
    oid: CommitId,
}

impl From<CommitResponse> for GitHubCommit {
    fn from(raw: CommitResponse) -> Self {
        let author = raw.commit.author.unwrap_or_default();
        Self {
            id: raw.sha,
            tree: raw.commit.tree.sha,
            message: raw.commit.message,
            author: author.name,
            login: raw.author.and_then(|user| user.login),
            date: author.date,
            parents: raw.parents.into_iter().map(|parent| parent.sha).collect(),
            is_verified: raw.commit.verification.is_some_and(|one| one.verified),
        }
    }
}

impl Repo {
    /// Fetches a commit.
    ///
    /// # Errors
    /// GitHub's error; [`ApiError::Invalid`] for an invalid id.
    pub async fn get_commit(&self, id: &CommitId) -> ApiResult<GitHubCommit> {
        let raw: CommitResponse =
            self.client.get(&self.api_route(&format!("/commits/{id}"))).await?;
        Ok(raw.into())
    }

    /// Returns the relation of a commit to a base.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn compare_commits(&self, base: &CommitId, commit: &CommitId) -> ApiResult<Ancestry> {
        #[derive(Deserialize)]
        struct ComparisonResponse {
            status: Ancestry,
        }
        let route = self.api_route(&format!("/compare/{base}...{commit}?per_page=1"));
        Ok(self.client.get::<ComparisonResponse>(&route).await?.status)
    }

    /// Returns the commits that are reachable from a commit but not from a base, oldest first, at most a thousand.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_commits_since(
        &self,
        base: &CommitId,
        commit: &CommitId,
    ) -> ApiResult<Vec<GitHubCommit>> {
        let route = self.api_route(&format!("/compare/{base}...{commit}"));
        let raw: Vec<CommitResponse> = self.client.list(&route, Some("commits"), 10).await?;
        Ok(raw.into_iter().map(GitHubCommit::from).collect())
    }

    /// Fetches the head commit of a branch, if the branch exists.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn get_branch_head(&self, name: &str) -> ApiResult<Option<CommitId>> {
        let route = self.api_route(&format!("/git/ref/heads/{}", encode_path(name)));
        let reference: Option<RefResponse> = self.client.find(&route).await?;
        Ok(reference.map(|one| one.object.sha))
    }

    /// Deletes a branch. A missing branch is not an error.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn delete_branch(&self, name: &str) -> ApiResult<()> {
        let route = self.api_route(&format!("/git/refs/heads/{}", encode_path(name)));
        match self.client.send_without_response(Method::DELETE, &route, &()).await {
            // GitHub responds with this for a missing branch.
            Err(ApiError::NotFound(_) | ApiError::Invalid(_)) => Ok(()),
            told => told,
        }
    }

    /// Creates a commit on its own branch, and the branch if necessary. Reuses the result of an earlier attempt. GitHub
    /// signs the commit if the token is an App's.
    ///
    /// # Errors
    /// GitHub's error; [`ApiError::Conflict`] if the branch exists with another commit.
    pub async fn create_commit(&self, wanted: &NewCommit) -> ApiResult<GitHubCommit> {
        let head = match self.get_branch_head(&wanted.branch).await? {
            Some(head) => head,
            None => self.create_branch(&wanted.branch, &wanted.parent).await?,
        };
        if head != wanted.parent {
            return self.existing_commit(wanted, &head).await;
        }
        let is_regular_file = |one: &ChangedFile| one.kind == EntryKind::File;
        let result = if wanted.changes.iter().all(is_regular_file) {
            self.commit_by_graphql(wanted).await
        } else {
            self.commit_by_objects(wanted).await
        };
        match result {
            Ok(id) => self.get_commit(&id).await,
            Err(ApiError::UnknownOutcome(said)) => match self
                .get_branch_head(&wanted.branch)
                .await?
            {
                Some(head) if head != wanted.parent => self.existing_commit(wanted, &head).await,
                _ => Err(ApiError::Unreachable(said)),
            },
            Err(error) => Err(error),
        }
    }

    /// Returns the commit on the branch if it is already the requested one.
    async fn existing_commit(
        &self,
        wanted: &NewCommit,
        head: &CommitId,
    ) -> ApiResult<GitHubCommit> {
        let existing = self.get_commit(head).await?;
        if existing.message.trim() == wanted.message().trim()
            && existing.parents == [wanted.parent.clone()]
        {
            return Ok(existing);
        }
        Err(ApiError::Conflict(format!(
            "the branch {} already has a different commit",
            wanted.branch
        )))
    }

    async fn create_branch(&self, name: &str, commit: &CommitId) -> ApiResult<CommitId> {
        #[derive(Serialize)]
        struct RefRequest<'a> {
            r#ref: String,
            sha: &'a CommitId,
        }
        let request = RefRequest { r#ref: format!("refs/heads/{name}"), sha: commit };
        let response = self
            .client
            .send::<RefResponse>(Method::POST, &self.api_route("/git/refs"), &request)
            .await;
        match response {
            Ok(response) => Ok(response.object.sha),
            // Another client, or an earlier attempt, was faster.
            Err(error @ (ApiError::Invalid(_) | ApiError::UnknownOutcome(_))) => {
                self.get_branch_head(name).await?.ok_or(match error {
                    ApiError::UnknownOutcome(said) => ApiError::Unreachable(said),
                    other => other,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Creates the commit and updates the branch in one mutation, which does not support file modes.
    async fn commit_by_graphql(&self, wanted: &NewCommit) -> ApiResult<CommitId> {
        let additions = wanted.changes.iter().filter_map(|one| match &one.change {
            FileContentChange::Write(content) => {
                Some(serde_json::json!({ "path": one.path, "contents": BASE64.encode(content) }))
            }
            FileContentChange::Delete => None,
        });
        let deleted = wanted.changes.iter().filter(|one| one.change == FileContentChange::Delete);
        let deletions = deleted.map(|one| serde_json::json!({ "path": one.path }));
        let input = serde_json::json!({ "input": {
            "branch": {
                "repositoryNameWithOwner": self.name().to_string(),
                "branchName": wanted.branch,
            },
            "message": { "headline": wanted.headline, "body": wanted.body },
            "expectedHeadOid": wanted.parent,
            "fileChanges": {
                "additions": additions.collect::<Vec<_>>(),
                "deletions": deletions.collect::<Vec<_>>(),
            },
        }});
        let document = include_str!("create_commit_on_branch.graphql");
        let response: CommitMutationResponse = self.client.mutate(document, &input).await?;
        Ok(response.create_commit_on_branch.commit.oid)
    }

    /// Creates blobs, a tree and a commit, then updates the branch. Without an explicit author, GitHub signs the
    /// commit.
    async fn commit_by_objects(&self, wanted: &NewCommit) -> ApiResult<CommitId> {
        let mut entries = Vec::new();
        for change in &wanted.changes {
            let sha = match &change.change {
                FileContentChange::Write(content) => Some(self.create_blob(content).await?),
                FileContentChange::Delete => None,
            };
            entries.push(serde_json::json!({
                "path": change.path, "mode": change.kind.mode(), "type": "blob", "sha": sha,
            }));
        }
        let base = self.get_commit(&wanted.parent).await?.tree;
        let tree = serde_json::json!({ "base_tree": base, "tree": entries });
        let tree: ObjectResponse<String> = self.create_object("/git/trees", &tree).await?;
        let commit = serde_json::json!({
            "message": wanted.message(), "tree": tree.sha, "parents": [wanted.parent],
        });
        let commit: ObjectResponse<CommitId> = self.create_object("/git/commits", &commit).await?;
        let route = self.api_route(&format!("/git/refs/heads/{}", encode_path(&wanted.branch)));
        let update = serde_json::json!({ "sha": commit.sha, "force": false });
        self.client.send_without_response(Method::PATCH, &route, &update).await?;
        Ok(commit.sha)
    }

    async fn create_blob(&self, content: &[u8]) -> ApiResult<String> {
        let blob = serde_json::json!({ "content": BASE64.encode(content), "encoding": "base64" });
        Ok(self.create_object::<ObjectResponse<String>>("/git/blobs", &blob).await?.sha)
    }

    /// Creates a git object. Repetition is harmless: objects are identified by content, and unreferenced ones are
    /// deleted.
    async fn create_object<T: serde::de::DeserializeOwned>(
        &self,
        route: &str,
        body: &serde_json::Value,
    ) -> ApiResult<T> {
        let route = self.api_route(route);
        match self.client.send(Method::POST, &route, body).await {
            Err(ApiError::UnknownOutcome(_)) => self.client.send(Method::POST, &route, body).await,
            made => made,
        }
    }
}
