//! Resolves and validates the settings of the server.

use super::queue::JobLimits;
use super::webhook::WebhookSecrets;
use mend_github::ApiAddress;
use mend_github::AppId;
use mend_model::{Problem, Result};
use secrecy::SecretString;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Environment variables for secrets. Command-line arguments would be visible to every user of the machine.
const SECRET_VARIABLE: &str = "GIT_MEND_WEBHOOK_SECRET";
const KEY_VARIABLE: &str = "GIT_MEND_PRIVATE_KEY";
const APP_ID_VARIABLE: &str = "GIT_MEND_APP_ID";

/// Options from the command line.
#[derive(Clone, Debug)]
pub struct ServeRequest {
    /// Address for webhooks.
    pub listen_address: SocketAddr,
    /// Separate address for the status page and the metrics.
    pub operations_address: Option<SocketAddr>,
    /// Path of the queue's database file.
    pub database: PathBuf,
    /// Number of the App.
    pub app_id: Option<u64>,
    /// Path of the file with the App's private key.
    pub private_key: Option<PathBuf>,
    /// Path of the file with the webhook secrets.
    pub webhook_secret: Option<PathBuf>,
    /// Address of GitHub's REST API.
    pub api_url: String,
    /// Maximum number of running jobs.
    pub jobs: u32,
    /// Maximum number of running jobs for one installation.
    pub jobs_per_installation: u32,
    /// Time limit of a job.
    pub job_limit: Duration,
    /// Folder for searches on this machine. Default: next to the queue.
    pub work_folder: Option<PathBuf>,
    /// True if untrusted code may run without a sandbox.
    pub is_unconfined: bool,
}

/// Validated settings of the server.
pub struct ServerSettings {
    pub(super) listen_address: SocketAddr,
    pub(super) operations_address: Option<SocketAddr>,
    pub(super) database: PathBuf,
    pub(super) app_id: AppId,
    pub(super) private_key: SecretString,
    pub(super) webhook_secrets: WebhookSecrets,
    pub(super) api_address: ApiAddress,
    pub(super) job_limits: JobLimits,
    pub(super) job_time_limit: Duration,
    pub(super) work_folder: PathBuf,
    pub(super) is_unconfined: bool,
}

impl ServerSettings {
    /// Combines the command-line options with the environment.
    ///
    /// # Errors
    /// [`Problem::Usage`] that names the missing or invalid setting.
    pub fn resolve(
        request: ServeRequest,
        read_variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self> {
        let read_variable =
            |name: &str| read_variable(name).and_then(|value| value.into_string().ok());
        let app = match (request.app_id, read_variable(APP_ID_VARIABLE)) {
            (Some(app), _) => app,
            (None, Some(text)) => text.trim().parse().map_err(|_| {
                invalid_settings(&format!("{APP_ID_VARIABLE} is not a number"), APP_HINT)
            })?,
            (None, None) => return Err(invalid_settings("the App ID is missing", APP_HINT)),
        };
        let secrets =
            read_secret(request.webhook_secret.as_deref(), read_variable(SECRET_VARIABLE))?
                .ok_or_else(|| invalid_settings("the webhook secret is missing", SECRET_HINT))?;
        let private_key = read_secret(request.private_key.as_deref(), read_variable(KEY_VARIABLE))?
            .ok_or_else(|| invalid_settings("the private key of the App is missing", KEY_HINT))?;
        if request.jobs == 0 || request.jobs_per_installation == 0 {
            return Err(invalid_settings(
                "--jobs and --jobs-per-installation must not be 0",
                "use a number of at least 1",
            ));
        }
        Ok(Self {
            listen_address: request.listen_address,
            operations_address: request.operations_address,
            work_folder: request
                .work_folder
                .unwrap_or_else(|| request.database.with_extension("work")),
            is_unconfined: request.is_unconfined,
            database: request.database,
            app_id: AppId(app),
            private_key: SecretString::from(private_key),
            webhook_secrets: WebhookSecrets::parse(&secrets)
                .ok_or_else(|| invalid_settings("the webhook secret is empty", SECRET_HINT))?,
            api_address: ApiAddress::parse(&request.api_url)
                .map_err(|error| invalid_settings(&error.to_string(), API_HINT))?,
            job_limits: JobLimits {
                max_total: request.jobs,
                max_per_installation: request.jobs_per_installation,
            },
            job_time_limit: request.job_limit,
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
fn read_secret(file: Option<&Path>, variable: Option<String>) -> Result<Option<String>> {
    let Some(file) = file else { return Ok(variable) };
    std::fs::read_to_string(file).map(Some).map_err(|error| {
        let remedy = "check that the file exists and that this user can read it";
        invalid_settings(&format!("cannot read {}: {error}", file.display()), remedy)
    })
}

fn invalid_settings(message: &str, remedy: &str) -> Problem {
    Problem::Usage { message: message.to_owned(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_request() -> ServeRequest {
        ServeRequest {
            listen_address: ([127, 0, 0, 1], 0).into(),
            operations_address: None,
            database: "queue.sqlite".into(),
            app_id: Some(7),
            private_key: None,
            webhook_secret: None,
            api_url: "https://api.github.com".into(),
            jobs: 2,
            jobs_per_installation: 1,
            job_limit: Duration::from_secs(60),
            work_folder: None,
            is_unconfined: false,
        }
    }

    fn resolve_settings(
        request: ServeRequest,
        variables: &[(&str, &str)],
    ) -> Result<ServerSettings> {
        ServerSettings::resolve(request, |name| {
            variables
                .iter()
                .find(|(variables, _)| *variables == name)
                .map(|(_, value)| value.into())
        })
    }

    #[test]
    fn missing_setting_is_named_with_its_source() {
        let variables = [(SECRET_VARIABLE, "s"), (KEY_VARIABLE, "k"), (APP_ID_VARIABLE, "7")];
        assert!(resolve_settings(sample_request(), &variables).is_ok());
        assert!(
            resolve_settings(ServeRequest { app_id: None, ..sample_request() }, &variables).is_ok()
        );
        for (known, name) in [
            (&variables[..0], "webhook secret"),
            (&variables[..1], "private key"),
            (&[(SECRET_VARIABLE, " \n"), (KEY_VARIABLE, "k")][..], "secret is empty"),
        ] {
            let problem = resolve_settings(sample_request(), known).map(drop).unwrap_err();
            assert!(problem.to_string().contains(name), "{problem}");
        }
        let problem =
            resolve_settings(ServeRequest { app_id: None, ..sample_request() }, &variables[..2])
                .map(drop)
                .unwrap_err();
        assert!(problem.remedy().contains(APP_ID_VARIABLE), "{problem}");
    }

    #[test]
    fn invalid_api_address_is_refused() {
        let invalid = ServeRequest { api_url: "api.github.com".into(), ..sample_request() };
        let problem = resolve_settings(invalid, &[(SECRET_VARIABLE, "s"), (KEY_VARIABLE, "k")])
            .map(drop)
            .unwrap_err();
        assert!(problem.to_string().contains("`api.github.com`"), "{problem}");
    }
}
