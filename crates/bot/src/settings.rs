//! Settings of the server, validated before it listens.

use super::ids::AppId;
use super::queue::JobLimits;
use super::webhook::WebhookSecrets;
use mend_github::ApiAddress;
use mend_model::{Problem, Result};
use secrecy::SecretString;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Environment variables for secrets. Command-line arguments would be visible to every user of the machine.
const SECRET: &str = "GIT_MEND_WEBHOOK_SECRET";
const KEY: &str = "GIT_MEND_PRIVATE_KEY";
const APP: &str = "GIT_MEND_APP_ID";

/// Options from the command line.
#[derive(Clone, Debug)]
pub struct ServeRequest {
    /// The address for webhooks.
    pub listen: SocketAddr,
    /// A separate address for the status page and the metrics.
    pub operations: Option<SocketAddr>,
    /// The queue.
    pub database: PathBuf,
    /// The App's number.
    pub app_id: Option<u64>,
    /// A file with the App's private key.
    pub private_key: Option<PathBuf>,
    /// A file with the webhook's secrets.
    pub webhook_secret: Option<PathBuf>,
    /// The address of GitHub's REST API.
    pub api_url: String,
    /// Maximum number of running jobs.
    pub jobs: u32,
    /// Maximum number of running jobs for one installation.
    pub jobs_per_installation: u32,
    /// Time limit of a job.
    pub job_limit: Duration,
    /// The folder for searches on this machine. Default: next to the queue.
    pub work: Option<PathBuf>,
    /// True if untrusted code may run without a sandbox.
    pub is_unconfined: bool,
}

/// Complete settings of the server.
pub struct ServerSettings {
    pub(super) listen: SocketAddr,
    pub(super) operations: Option<SocketAddr>,
    pub(super) database: PathBuf,
    pub(super) app: AppId,
    pub(super) private_key: SecretString,
    pub(super) secrets: WebhookSecrets,
    pub(super) api: ApiAddress,
    pub(super) limits: JobLimits,
    pub(super) job_limit: Duration,
    pub(super) work: PathBuf,
    pub(super) is_unconfined: bool,
}

impl ServerSettings {
    /// Combines the command-line options with the environment.
    ///
    /// # Errors
    /// [`Problem::Usage`] that names the missing or invalid setting.
    pub fn resolve(
        request: ServeRequest,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self> {
        let variable = |name: &str| variable(name).and_then(|value| value.into_string().ok());
        let app = match (request.app_id, variable(APP)) {
            (Some(app), _) => app,
            (None, Some(text)) => text
                .trim()
                .parse()
                .map_err(|_| wrong(&format!("{APP} is not a number"), APP_HINT))?,
            (None, None) => return Err(wrong("the App ID is missing", APP_HINT)),
        };
        let secrets = secret(request.webhook_secret.as_deref(), variable(SECRET))?
            .ok_or_else(|| wrong("the webhook secret is missing", SECRET_HINT))?;
        let private_key = secret(request.private_key.as_deref(), variable(KEY))?
            .ok_or_else(|| wrong("the private key of the App is missing", KEY_HINT))?;
        if request.jobs == 0 || request.jobs_per_installation == 0 {
            return Err(wrong(
                "--jobs and --jobs-per-installation must not be 0",
                "use a number of at least 1",
            ));
        }
        Ok(Self {
            listen: request.listen,
            operations: request.operations,
            work: request.work.unwrap_or_else(|| request.database.with_extension("work")),
            is_unconfined: request.is_unconfined,
            database: request.database,
            app: AppId(app),
            private_key: SecretString::from(private_key),
            secrets: WebhookSecrets::parse(&secrets)
                .ok_or_else(|| wrong("the webhook secret is empty", SECRET_HINT))?,
            api: ApiAddress::parse(&request.api_url)
                .map_err(|error| wrong(&error.to_string(), API_HINT))?,
            limits: JobLimits {
                total: request.jobs,
                per_installation: request.jobs_per_installation,
            },
            job_limit: request.job_limit,
        })
    }
}

const API_HINT: &str =
    "omit --api-url for github.com; GitHub Enterprise Server uses https://HOST/api/v3";
const APP_HINT: &str = "use --app-id or set GIT_MEND_APP_ID; the App's page on GitHub shows the ID";
const SECRET_HINT: &str =
    "use --webhook-secret-file or set GIT_MEND_WEBHOOK_SECRET; one secret per line";
const KEY_HINT: &str =
    "use --private-key or set GIT_MEND_PRIVATE_KEY; create a key on the App's page on GitHub";

/// Reads a secret from a file, or else from a variable.
fn secret(file: Option<&Path>, variable: Option<String>) -> Result<Option<String>> {
    let Some(file) = file else { return Ok(variable) };
    std::fs::read_to_string(file).map(Some).map_err(|error| {
        let remedy = "check that the file exists and that this user can read it";
        wrong(&format!("cannot read {}: {error}", file.display()), remedy)
    })
}

fn wrong(message: &str, remedy: &str) -> Problem {
    Problem::Usage { message: message.to_owned(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ServeRequest {
        ServeRequest {
            listen: ([127, 0, 0, 1], 0).into(),
            operations: None,
            database: "queue.sqlite".into(),
            app_id: Some(7),
            private_key: None,
            webhook_secret: None,
            api_url: "https://api.github.com".into(),
            jobs: 2,
            jobs_per_installation: 1,
            job_limit: Duration::from_secs(60),
            work: None,
            is_unconfined: false,
        }
    }

    fn resolve(request: ServeRequest, known: &[(&str, &str)]) -> Result<ServerSettings> {
        ServerSettings::resolve(request, |name| {
            known.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn whatever_is_missing_is_named_with_where_to_get_it() {
        let all = [(SECRET, "s"), (KEY, "k"), (APP, "7")];
        assert!(resolve(request(), &all).is_ok());
        assert!(resolve(ServeRequest { app_id: None, ..request() }, &all).is_ok());
        for (known, name) in [
            (&all[..0], "webhook secret"),
            (&all[..1], "private key"),
            (&[(SECRET, " \n"), (KEY, "k")][..], "secret is empty"),
        ] {
            let problem = resolve(request(), known).map(drop).unwrap_err();
            assert!(problem.to_string().contains(name), "{problem}");
        }
        let problem =
            resolve(ServeRequest { app_id: None, ..request() }, &all[..2]).map(drop).unwrap_err();
        assert!(problem.remedy().contains(APP), "{problem}");
    }

    #[test]
    fn an_address_that_is_none_is_refused() {
        let wrong = ServeRequest { api_url: "api.github.com".into(), ..request() };
        let problem = resolve(wrong, &[(SECRET, "s"), (KEY, "k")]).map(drop).unwrap_err();
        assert!(problem.to_string().contains("`api.github.com`"), "{problem}");
    }
}
