//! Access to one repository. Each kind of resource has its own file.

use super::client::Client;
use super::error::ApiResult;
use super::names::RepoName;
use http::Method;
use serde::{Deserialize, Serialize};

/// Repository with a client.
#[derive(Clone)]
pub struct Repo {
    pub(super) client: Client,
    name: RepoName,
}

/// Details of a repository.
#[derive(Clone, Debug, Deserialize)]
pub struct RepoInfo {
    /// Default branch.
    pub default_branch: String,
    /// Access of the token's account, if GitHub says it.
    #[serde(default)]
    pub permissions: Option<RepoAccess>,
}

/// Access of an account to a repository.
#[derive(Clone, Debug, Deserialize)]
pub struct RepoAccess {
    /// True for write access.
    pub push: bool,
}

impl Repo {
    /// Creates a handle. Sends no request.
    pub fn new(client: Client, name: RepoName) -> Self {
        Self { client, name }
    }

    /// Returns the name.
    pub fn name(&self) -> &RepoName {
        &self.name
    }

    /// Returns the address of the repository in a browser, without a slash at the end.
    pub fn web_url(&self) -> String {
        format!("{}/{}", self.client.address().web_url(), self.name)
    }

    pub(super) fn api_route(&self, suffix: &str) -> String {
        format!("/repos/{}{suffix}", self.name)
    }

    /// Returns the details.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn get_info(&self) -> ApiResult<RepoInfo> {
        self.client.get(&self.api_route("")).await
    }

    /// Sends a `repository_dispatch` event, which starts the repository's workflows for this event type.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn send_dispatch(&self, event_type: &str, payload: &impl Serialize) -> ApiResult<()> {
        #[derive(Serialize)]
        struct DispatchRequest<'a, P> {
            event_type: &'a str,
            client_payload: &'a P,
        }
        let request = DispatchRequest { event_type, client_payload: payload };
        self.client
            .send_without_response(Method::POST, &self.api_route("/dispatches"), &request)
            .await
    }
}
