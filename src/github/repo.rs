//! One repository; what can be asked of it stands in a file for each kind of thing.

use super::client::Client;
use super::error::ForgeResult;
use super::names::RepoName;
use http::Method;
use serde::{Deserialize, Serialize};

/// A repository, as whoever the client asks for sees it.
#[derive(Clone)]
pub struct Repo {
    pub(super) client: Client,
    name: RepoName,
}

/// What a repository is.
#[derive(Clone, Debug, Deserialize)]
pub struct RepoInfo {
    /// The branch that pull requests usually go to.
    pub default_branch: String,
    /// Its page.
    pub html_url: String,
    /// Whether only some see it.
    #[serde(default)]
    pub private: bool,
}

impl Repo {
    /// Nothing is asked yet.
    pub fn new(client: Client, name: RepoName) -> Self {
        Self { client, name }
    }

    /// What it is called.
    pub fn name(&self) -> &RepoName {
        &self.name
    }

    /// The address of something of it in a browser, without a slash at the end.
    pub fn web(&self) -> String {
        format!("{}/{}", self.client.address().web(), self.name)
    }

    pub(super) fn route(&self, rest: &str) -> String {
        format!("/repos/{}{rest}", self.name)
    }

    /// What it is.
    ///
    /// # Errors
    /// As GitHub answers.
    pub async fn info(&self) -> ForgeResult<RepoInfo> {
        self.client.get(&self.route("")).await
    }

    /// Starts the repository's own workflows that wait for this type of event.
    ///
    /// # Errors
    /// As GitHub answers.
    pub async fn dispatch(&self, event_type: &str, payload: &impl Serialize) -> ForgeResult<()> {
        #[derive(Serialize)]
        struct Dispatch<'a, P> {
            event_type: &'a str,
            client_payload: &'a P,
        }
        let dispatch = Dispatch { event_type, client_payload: payload };
        self.client.tell(Method::POST, &self.route("/dispatches"), &dispatch).await
    }
}
