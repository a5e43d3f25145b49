//! Commits and branches: looked at, and made.

use super::error::{ForgeError, ForgeResult};
use super::files::EntryKind;
use super::names::{Login, parts};
use super::repo::Repo;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::Method;
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// A commit as GitHub knows it.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its id.
    pub id: CommitId,
    /// Its tree.
    pub tree: String,
    /// Its message.
    pub message: String,
    /// The author's name, as the commit has it.
    pub author: String,
    /// The author's account on GitHub, if known.
    pub login: Option<Login>,
    /// The author date from GitHub: `2025-04-22T08:00:00Z`.
    pub date: String,
    /// Its page.
    pub html_url: String,
    /// Its parents.
    pub parents: Vec<CommitId>,
    /// True if GitHub shows the commit as verified.
    pub is_verified: bool,
}

impl Commit {
    /// The first line of the message.
    pub fn summary(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// Relation of one commit to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Descent {
    /// It has all of the other, and more.
    Ahead,
    /// The other has all of it, and more.
    Behind,
    /// They are one.
    Identical,
    /// The histories have diverged.
    Diverged,
}

/// Change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is there, with this content.
    Set(Vec<u8>),
    /// The file is deleted.
    Gone,
}

/// A file and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// From the root of the repository.
    pub path: String,
    /// The kind of entry.
    pub kind: EntryKind,
    /// The change.
    pub change: Change,
}

/// Commit to create on its own branch.
#[derive(Clone, Debug)]
pub struct NewCommit {
    /// The branch, without `refs/heads/`.
    pub branch: String,
    /// The parent commit.
    pub parent: CommitId,
    /// The first line of its message.
    pub headline: String,
    /// The rest.
    pub body: String,
    /// The changed files.
    pub changes: Vec<Changed>,
}

impl NewCommit {
    /// The whole message.
    pub fn message(&self) -> String {
        format!("{}\n\n{}", self.headline, self.body)
    }
}

#[derive(Deserialize)]
struct Object<I> {
    sha: I,
}

#[derive(Deserialize)]
struct Pointer {
    object: Object<CommitId>,
}

#[derive(Deserialize)]
struct Raw {
    sha: CommitId,
    html_url: String,
    commit: RawCommit,
    author: Option<RawUser>,
    parents: Vec<Object<CommitId>>,
}

#[derive(Deserialize)]
struct RawCommit {
    message: String,
    author: Option<RawAuthor>,
    tree: Object<String>,
    verification: Option<RawVerification>,
}

#[derive(Default, Deserialize)]
struct RawAuthor {
    #[serde(default)]
    name: String,
    #[serde(default)]
    date: String,
}

/// GitHub sends an empty object for an unknown author.
#[derive(Deserialize)]
struct RawUser {
    login: Option<Login>,
}

#[derive(Deserialize)]
struct RawVerification {
    verified: bool,
}

/// Response of the mutation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mutated {
    create_commit_on_branch: Payload,
}

#[derive(Deserialize)]
struct Payload {
    commit: Oid,
}

#[derive(Deserialize)]
struct Oid {
    oid: CommitId,
}

impl From<Raw> for Commit {
    fn from(raw: Raw) -> Self {
        let author = raw.commit.author.unwrap_or_default();
        Self {
            id: raw.sha,
            tree: raw.commit.tree.sha,
            message: raw.commit.message,
            author: author.name,
            login: raw.author.and_then(|user| user.login),
            date: author.date,
            html_url: raw.html_url,
            parents: raw.parents.into_iter().map(|parent| parent.sha).collect(),
            is_verified: raw.commit.verification.is_some_and(|one| one.verified),
        }
    }
}

impl Repo {
    /// A commit.
    ///
    /// # Errors
    /// GitHub's error; [`ForgeError::Invalid`] for an invalid id.
    pub async fn commit(&self, id: &CommitId) -> ForgeResult<Commit> {
        let raw: Raw = self.client.get(&self.route(&format!("/commits/{id}"))).await?;
        Ok(raw.into())
    }

    /// Returns the relation of a commit to a base.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn descent(&self, base: &CommitId, commit: &CommitId) -> ForgeResult<Descent> {
        #[derive(Deserialize)]
        struct Comparison {
            status: Descent,
        }
        let route = self.route(&format!("/compare/{base}...{commit}?per_page=1"));
        Ok(self.client.get::<Comparison>(&route).await?.status)
    }

    /// Returns the commits of one commit that a base does not have, oldest first, at most a thousand.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn commits_since(
        &self,
        base: &CommitId,
        commit: &CommitId,
    ) -> ForgeResult<Vec<Commit>> {
        let route = self.route(&format!("/compare/{base}...{commit}"));
        let raw: Vec<Raw> = self.client.list(&route, Some("commits"), 10).await?;
        Ok(raw.into_iter().map(Commit::from).collect())
    }

    /// The commit that a branch is at, if there is such a branch.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn branch(&self, name: &str) -> ForgeResult<Option<CommitId>> {
        let route = self.route(&format!("/git/ref/heads/{}", parts(name)));
        let found: Option<Pointer> = self.client.find(&route).await?;
        Ok(found.map(|one| one.object.sha))
    }

    /// Deletes a branch. A missing branch is not an error.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn delete_branch(&self, name: &str) -> ForgeResult<()> {
        let route = self.route(&format!("/git/refs/heads/{}", parts(name)));
        match self.client.tell(Method::DELETE, &route, &()).await {
            // GitHub says so of a branch that is not there.
            Err(ForgeError::NotFound(_) | ForgeError::Invalid(_)) => Ok(()),
            told => told,
        }
    }

    /// Creates a commit on its own branch, and the branch if necessary. Reuses the result of an earlier attempt. GitHub
    /// signs the commit if the token is an App's.
    ///
    /// # Errors
    /// GitHub's error; [`ForgeError::Conflict`] if the branch is there with something else on it.
    pub async fn commit_on_branch(&self, wanted: &NewCommit) -> ForgeResult<Commit> {
        let at = match self.branch(&wanted.branch).await? {
            Some(at) => at,
            None => self.create_branch(&wanted.branch, &wanted.parent).await?,
        };
        if at != wanted.parent {
            return self.taken_up(wanted, &at).await;
        }
        let is_plain = |one: &Changed| one.kind == EntryKind::File;
        let made = if wanted.changes.iter().all(is_plain) {
            self.commit_by_graphql(wanted).await
        } else {
            self.commit_by_objects(wanted).await
        };
        match made {
            Ok(id) => self.commit(&id).await,
            Err(ForgeError::Uncertain(said)) => match self.branch(&wanted.branch).await? {
                Some(at) if at != wanted.parent => self.taken_up(wanted, &at).await,
                _ => Err(ForgeError::Unreachable(said)),
            },
            Err(error) => Err(error),
        }
    }

    /// Returns the commit on the branch if it is already the requested one.
    async fn taken_up(&self, wanted: &NewCommit, at: &CommitId) -> ForgeResult<Commit> {
        let there = self.commit(at).await?;
        if there.message.trim() == wanted.message().trim()
            && there.parents == [wanted.parent.clone()]
        {
            return Ok(there);
        }
        Err(ForgeError::Conflict(format!(
            "the branch {} already has a different commit",
            wanted.branch
        )))
    }

    async fn create_branch(&self, name: &str, at: &CommitId) -> ForgeResult<CommitId> {
        #[derive(Serialize)]
        struct NewRef<'a> {
            r#ref: String,
            sha: &'a CommitId,
        }
        let new = NewRef { r#ref: format!("refs/heads/{name}"), sha: at };
        let made = self.client.send::<Pointer>(Method::POST, &self.route("/git/refs"), &new).await;
        match made {
            Ok(made) => Ok(made.object.sha),
            // Another client, or an earlier attempt, was faster.
            Err(error @ (ForgeError::Invalid(_) | ForgeError::Uncertain(_))) => {
                self.branch(name).await?.ok_or(match error {
                    ForgeError::Uncertain(said) => ForgeError::Unreachable(said),
                    other => other,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// One mutation that makes the commit and moves the branch; it knows no modes of files.
    async fn commit_by_graphql(&self, wanted: &NewCommit) -> ForgeResult<CommitId> {
        let additions = wanted.changes.iter().filter_map(|one| match &one.change {
            Change::Set(content) => {
                Some(serde_json::json!({ "path": one.path, "contents": BASE64.encode(content) }))
            }
            Change::Gone => None,
        });
        let gone = wanted.changes.iter().filter(|one| one.change == Change::Gone);
        let deletions = gone.map(|one| serde_json::json!({ "path": one.path }));
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
        let made: Mutated = self.client.mutate(document, &input).await?;
        Ok(made.create_commit_on_branch.commit.oid)
    }

    /// Blobs, a tree, a commit and the branch, one after the other. No author is named, so that GitHub signs it.
    async fn commit_by_objects(&self, wanted: &NewCommit) -> ForgeResult<CommitId> {
        let mut entries = Vec::new();
        for one in &wanted.changes {
            let sha = match &one.change {
                Change::Set(content) => Some(self.create_blob(content).await?),
                Change::Gone => None,
            };
            entries.push(serde_json::json!({
                "path": one.path, "mode": one.kind.mode(), "type": "blob", "sha": sha,
            }));
        }
        let base = self.commit(&wanted.parent).await?.tree;
        let tree = serde_json::json!({ "base_tree": base, "tree": entries });
        let tree: Object<String> = self.create_object("/git/trees", &tree).await?;
        let commit = serde_json::json!({
            "message": wanted.message(), "tree": tree.sha, "parents": [wanted.parent],
        });
        let commit: Object<CommitId> = self.create_object("/git/commits", &commit).await?;
        let route = self.route(&format!("/git/refs/heads/{}", parts(&wanted.branch)));
        let moved = serde_json::json!({ "sha": commit.sha, "force": false });
        self.client.tell(Method::PATCH, &route, &moved).await?;
        Ok(commit.sha)
    }

    async fn create_blob(&self, content: &[u8]) -> ForgeResult<String> {
        let blob = serde_json::json!({ "content": BASE64.encode(content), "encoding": "base64" });
        Ok(self.create_object::<Object<String>>("/git/blobs", &blob).await?.sha)
    }

    /// Objects are named by their content: equal objects are stored once, and unreferenced objects are deleted.
    async fn create_object<T: serde::de::DeserializeOwned>(
        &self,
        route: &str,
        body: &serde_json::Value,
    ) -> ForgeResult<T> {
        let route = self.route(route);
        match self.client.send(Method::POST, &route, body).await {
            Err(ForgeError::Uncertain(_)) => self.client.send(Method::POST, &route, body).await,
            made => made,
        }
    }
}
