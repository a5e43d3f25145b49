//! GitHub App: its permissions, and tokens for one repository at a time.

use super::client::Client;
use super::credential::Credential;
use super::error::ApiResult;
use super::names::{InstallationId, RepoName};
use super::rate_limit::RateLimit;
use super::repo::Repo;
use super::retry::RetryPolicy;
use super::{ApiAddress, ApiError};
use http::Method;
use secrecy::SecretString;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Access level for one kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessLevel {
    /// Read access.
    Read,
    /// Read and write access.
    Write,
}

/// Permission: a kind of resource and an access level, by GitHub's names.
pub type Permission = (&'static str, AccessLevel);

/// Permissions of the App. The list excludes workflows, because git-mend never changes one.
pub const PERMISSIONS: [Permission; 6] = [
    ("metadata", AccessLevel::Read),
    ("checks", AccessLevel::Write),
    ("contents", AccessLevel::Write),
    ("pull_requests", AccessLevel::Write),
    ("actions", AccessLevel::Read),
    ("merge_queues", AccessLevel::Read),
];

/// GitHub App, authenticated as itself. It can only create tokens.
#[derive(Clone)]
pub struct GitHubApp {
    client: Client,
    retry_policy: RetryPolicy,
    /// Rate limits of the installations, which all jobs share.
    rate_limits: Arc<Mutex<HashMap<InstallationId, RateLimit>>>,
}

/// A token of an installation that is restricted to one repository.
#[derive(Clone)]
pub struct InstallationToken {
    /// The token, which expires after an hour.
    pub token: SecretString,
    /// Access to the repository with this token.
    pub repo: Repo,
}

impl GitHubApp {
    /// Creates an App from its ID and private key (PEM).
    ///
    /// # Errors
    /// [`ApiError::Unauthorized`] if the key is invalid.
    pub fn new(
        address: &ApiAddress,
        id: u64,
        key: SecretString,
        retry_policy: RetryPolicy,
    ) -> ApiResult<Self> {
        let client = Client::new(address, &Credential::App(id, key), retry_policy)?;
        Ok(Self { client, retry_policy, rate_limits: Arc::default() })
    }

    /// Creates a token for one repository with these permissions only. A client with this token creates a new one when
    /// GitHub rejects it.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] if the App is not installed there (any more).
    pub async fn create_repo_token(
        &self,
        installation: InstallationId,
        name: &RepoName,
        permissions: &[Permission],
    ) -> ApiResult<InstallationToken> {
        let token = self.request_token(installation, name, permissions).await?;
        let credential = Credential::Token(token.clone());
        let client = Client::new(self.client.address(), &credential, self.retry_policy)?
            .with_rate_limit(self.rate_limit(installation));
        let token_args = (self.clone(), name.clone(), permissions.to_vec());
        let client = client.with_renewal(Box::new(move || {
            let (app, name, permissions) = token_args.clone();
            Box::pin(async move { app.request_token(installation, &name, &permissions).await })
        }));
        Ok(InstallationToken { token, repo: Repo::new(client, name.clone()) })
    }

    /// Returns the rate limit of an installation.
    fn rate_limit(&self, installation: InstallationId) -> RateLimit {
        let mut all = self.rate_limits.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(installation).or_default().clone()
    }

    /// Creates a token. Octocrab's own method cannot restrict its permissions.
    async fn request_token(
        &self,
        installation: InstallationId,
        name: &RepoName,
        permissions: &[Permission],
    ) -> ApiResult<SecretString> {
        #[derive(Serialize)]
        struct TokenRequest<'a> {
            repositories: [&'a str; 1],
            #[serde(serialize_with = "serialize_as_object")]
            permissions: &'a [Permission],
        }
        #[derive(Deserialize)]
        struct TokenResponse {
            token: String,
        }
        let request = TokenRequest { repositories: [name.name()], permissions };
        let route = format!("/app/installations/{installation}/access_tokens");
        let response: Result<TokenResponse, _> =
            self.client.send(Method::POST, &route, &request).await;
        let response: TokenResponse = match response {
            // An unused second token is harmless.
            Err(ApiError::UnknownOutcome(_)) => {
                self.client.send(Method::POST, &route, &request).await?
            }
            response => response?,
        };
        Ok(SecretString::from(response.token))
    }
}

fn serialize_as_object<S: Serializer>(
    permissions: &&[Permission],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    permissions.iter().copied().collect::<BTreeMap<_, _>>().serialize(serializer)
}
