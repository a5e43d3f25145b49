//! What the server is told at its start, checked before it listens.

use super::ids::AppId;
use super::queue::Limits;
use super::webhook::Secrets;
use crate::github::ApiAddress;
use crate::model::{Problem, Result};
use secrecy::SecretString;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where secrets may be given; never on the command line, which every user of a machine can read.
const SECRET: &str = "GIT_MEND_WEBHOOK_SECRET";
const KEY: &str = "GIT_MEND_PRIVATE_KEY";
const APP: &str = "GIT_MEND_APP_ID";

/// As it was typed.
#[derive(Clone, Debug)]
pub struct ServeRequest {
    /// Where GitHub comes in.
    pub listen: SocketAddr,
    /// Where the status page and the metrics are, if not there.
    pub operations: Option<SocketAddr>,
    /// The queue.
    pub database: PathBuf,
    /// The App's number.
    pub app_id: Option<u64>,
    /// A file with the App's private key.
    pub private_key: Option<PathBuf>,
    /// A file with the webhook's secrets.
    pub webhook_secret: Option<PathBuf>,
    /// Where GitHub's REST interface is.
    pub api_url: String,
    /// How many jobs run at once.
    pub jobs: u32,
    /// How many of them for one installation.
    pub jobs_per_installation: u32,
    /// How long a job may take.
    pub job_limit: Duration,
    /// Where repositories are searched that have no workflow for it; next to the queue if it is not said.
    pub work: Option<PathBuf>,
    /// Whether code of others may run here without a sandbox.
    pub is_unconfined: bool,
}

/// What the server needs, complete.
pub struct Settings {
    pub(super) listen: SocketAddr,
    pub(super) operations: Option<SocketAddr>,
    pub(super) database: PathBuf,
    pub(super) app: AppId,
    pub(super) private_key: SecretString,
    pub(super) secrets: Secrets,
    pub(super) api: ApiAddress,
    pub(super) limits: Limits,
    pub(super) job_limit: Duration,
    pub(super) work: PathBuf,
    pub(super) is_unconfined: bool,
}

impl Settings {
    /// Completes what was typed with the environment.
    ///
    /// # Errors
    /// [`Problem::Usage`] naming what is missing, or wrong.
    pub fn resolve(
        request: ServeRequest,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self> {
        let variable = |name: &str| variable(name).and_then(|value| value.into_string().ok());
        let app = match (request.app_id, variable(APP)) {
            (Some(app), _) => app,
            (None, Some(text)) => {
                text.trim().parse().map_err(|_| wrong(&format!("{APP} is no number"), APP_HINT))?
            }
            (None, None) => return Err(wrong("the App's number is missing", APP_HINT)),
        };
        let secrets = secret(request.webhook_secret.as_deref(), variable(SECRET))?
            .ok_or_else(|| wrong("the webhook's secret is missing", SECRET_HINT))?;
        let private_key = secret(request.private_key.as_deref(), variable(KEY))?
            .ok_or_else(|| wrong("the App's private key is missing", KEY_HINT))?;
        if request.jobs == 0 || request.jobs_per_installation == 0 {
            return Err(wrong(
                "no job would ever run",
                "give --jobs and --jobs-per-installation a number from 1 on",
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
            secrets: Secrets::parse(&secrets)
                .ok_or_else(|| wrong("the webhook's secret is empty", SECRET_HINT))?,
            api: ApiAddress::of(&request.api_url)
                .map_err(|error| wrong(&error.to_string(), API_HINT))?,
            limits: Limits { total: request.jobs, per_installation: request.jobs_per_installation },
            job_limit: request.job_limit,
        })
    }
}

const API_HINT: &str =
    "leave --api-url out for github.com; a server of your own has https://HOST/api/v3";
const APP_HINT: &str =
    "give --app-id, or set GIT_MEND_APP_ID: it stands on the App's page on GitHub";
const SECRET_HINT: &str =
    "give --webhook-secret-file, or set GIT_MEND_WEBHOOK_SECRET: one secret a line";
const KEY_HINT: &str =
    "give --private-key, or set GIT_MEND_PRIVATE_KEY: the App's page on GitHub makes one";

/// What a file says, else a variable.
fn secret(file: Option<&Path>, variable: Option<String>) -> Result<Option<String>> {
    let Some(file) = file else { return Ok(variable) };
    std::fs::read_to_string(file).map(Some).map_err(|error| {
        let remedy = "see that the file is there and that this user may read it";
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

    fn resolve(request: ServeRequest, known: &[(&str, &str)]) -> Result<Settings> {
        Settings::resolve(request, |name| {
            known.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn whatever_is_missing_is_named_with_where_to_get_it() {
        let all = [(SECRET, "s"), (KEY, "k"), (APP, "7")];
        assert!(resolve(request(), &all).is_ok());
        assert!(resolve(ServeRequest { app_id: None, ..request() }, &all).is_ok());
        for (known, name) in [
            (&all[..0], "webhook's secret"),
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
