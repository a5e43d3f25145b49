//! GitHub App: its permissions, and tokens for one repository at a time.

use super::client::{Client, Credential};
use super::error::ForgeResult;
use super::names::{InstallationId, RepoName};
use super::repo::Repo;
use super::retry::Patience;
use super::{ApiAddress, ForgeError};
use http::Method;
use secrecy::SecretString;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// Access level for one kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Read access.
    Read,
    /// Read and write access.
    Write,
}

/// Permission: a kind of resource and an access level, by GitHub's names.
pub type Permission = (&'static str, Level);

/// Permissions of the App. The list excludes workflows, because git-mend never changes one.
pub const PERMISSIONS: [Permission; 6] = [
    ("metadata", Level::Read),
    ("checks", Level::Write),
    ("contents", Level::Write),
    ("pull_requests", Level::Write),
    ("actions", Level::Read),
    ("merge_queues", Level::Read),
];

/// GitHub App, authenticated as itself. It can only create tokens.
#[derive(Clone)]
pub struct App {
    client: Client,
    patience: Patience,
}

/// A token of an installation, for one repository.
#[derive(Clone)]
pub struct InstallationToken {
    /// The token; it ends after an hour.
    pub token: SecretString,
    /// A client that asks with it.
    pub repo: Repo,
}

impl App {
    /// Creates an App from its ID and private key (PEM).
    ///
    /// # Errors
    /// [`ForgeError::Unauthorized`] if the key is invalid.
    pub fn new(
        address: &ApiAddress,
        id: u64,
        key: SecretString,
        patience: Patience,
    ) -> ForgeResult<Self> {
        let client = Client::new(address, &Credential::App(id, key), patience)?;
        Ok(Self { client, patience })
    }

    /// Creates a token for one repository with these permissions only. A client with this token creates a new one when
    /// GitHub rejects it.
    ///
    /// # Errors
    /// [`ForgeError::NotFound`] if the App is not installed there (any more).
    pub async fn token(
        &self,
        installation: InstallationId,
        name: &RepoName,
        permissions: &[Permission],
    ) -> ForgeResult<InstallationToken> {
        let token = self.narrow(installation, name, permissions).await?;
        let credential = Credential::Token(token.clone());
        let client = Client::new(self.client.address(), &credential, self.patience)?;
        let wish = (self.clone(), name.clone(), permissions.to_vec());
        let client = client.renewing(Box::new(move || {
            let (app, name, permissions) = wish.clone();
            Box::pin(async move { app.narrow(installation, &name, &permissions).await })
        }));
        Ok(InstallationToken { token, repo: Repo::new(client, name.clone()) })
    }

    /// Creates a token. Octocrab's own method cannot restrict its permissions.
    async fn narrow(
        &self,
        installation: InstallationId,
        name: &RepoName,
        permissions: &[Permission],
    ) -> ForgeResult<SecretString> {
        #[derive(Serialize)]
        struct Wish<'a> {
            repositories: [&'a str; 1],
            #[serde(serialize_with = "as_object")]
            permissions: &'a [Permission],
        }
        #[derive(Deserialize)]
        struct Made {
            token: String,
        }
        let wish = Wish { repositories: [name.name()], permissions };
        let route = format!("/app/installations/{installation}/access_tokens");
        let made: Result<Made, _> = self.client.send(Method::POST, &route, &wish).await;
        let made: Made = match made {
            // A second token is harmless.
            Err(ForgeError::Uncertain(_)) => self.client.send(Method::POST, &route, &wish).await?,
            made => made?,
        };
        Ok(SecretString::from(made.token))
    }
}

fn as_object<S: Serializer>(permissions: &&[Permission], serializer: S) -> Result<S::Ok, S::Error> {
    permissions.iter().copied().collect::<BTreeMap<_, _>>().serialize(serializer)
}
