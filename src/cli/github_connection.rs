//! Connection to the repository on GitHub with the user's own token.

use mend_bot::RemoteRepository;
use mend_git::Repository;
use mend_github::{Client, Credential, Repo, RepoName, RetryPolicy};
use mend_model::{Problem, Result};
use secrecy::SecretString;
use std::path::Path;

/// Repository on GitHub and a token for it.
pub(super) struct GithubConnection {
    remote: RemoteRepository,
    token: SecretString,
}

impl GithubConnection {
    /// Finds the named repository, or the one of the remote `origin`, and the user's token.
    ///
    /// # Errors
    /// [`Problem::Usage`] without a repository or a token.
    pub(super) fn find(name: Option<&RepoName>, dir: &Path) -> Result<Self> {
        let remote = find_remote(name, dir)?;
        let token = find_token(&remote)?;
        Ok(Self { remote, token })
    }

    /// Connects, inside a tokio runtime. Sends no request yet.
    ///
    /// # Errors
    /// [`Problem::GitHubError`] without TLS root certificates.
    pub(super) fn repo(&self) -> Result<Repo> {
        let credential = Credential::Token(self.token.clone());
        let client = Client::new(&self.remote.address, &credential, RetryPolicy::default());
        let client = client.map_err(|error| error.into_problem("connecting to GitHub"))?;
        Ok(Repo::new(client, self.remote.name.clone()))
    }
}

fn find_remote(name: Option<&RepoName>, dir: &Path) -> Result<RemoteRepository> {
    let address = std::env::var("GITHUB_API_URL").ok();
    let url = match name {
        Some(name) => format!("https://github.com/{name}"),
        None => Repository::open(dir)?.remote_url("origin")?.unwrap_or_default(),
    };
    RemoteRepository::parse(&url, address.as_deref()).ok_or_else(|| Problem::Usage {
        message: "the remote `origin` is not a repository on GitHub".to_owned(),
        remedy: "give the repository with --repo OWNER/NAME".to_owned(),
    })
}

/// Returns the user's token, from the environment or from `gh auth token`.
fn find_token(remote: &RemoteRepository) -> Result<SecretString> {
    let token_from_environment =
        remote.token_variables().iter().find_map(|name| std::env::var(name).ok());
    let found_token = token_from_environment.filter(|token| !token.is_empty()).or_else(|| {
        let gh = std::process::Command::new("gh")
            .args(["auth", "token", "--hostname", &remote.host])
            .output();
        let output = gh.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
            .filter(|token| !token.is_empty())
    });
    found_token.map(SecretString::from).ok_or_else(|| Problem::Usage {
        message: "there is no token for GitHub".to_owned(),
        remedy: format!("set {}, or run `gh auth login` once", remote.token_variables()[0]),
    })
}
