//! Builds the request for a remote executor from arguments and settings.

use super::arguments::{ExecutorArguments, ExecutorChoice};
use super::settings::Settings;
use crate::run::ExecutorRequest;
use mend_model::{Problem, Result};
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::path::Path;

/// Environment variable with headers. Its name marks the value as a secret.
const CREDENTIALS_VARIABLE: &str = "GIT_MEND_EXECUTOR_CREDENTIALS";

/// Default of the maximum number of workers.
const DEFAULT_WORKERS: u16 = 16;

impl ExecutorArguments {
    /// Builds the request; `None` if variants are tested on this machine. `local_jobs` may run there at the same time.
    pub(super) fn to_request(
        &self,
        settings: &Settings,
        dir: &Path,
        local_jobs: usize,
    ) -> Result<Option<ExecutorRequest>> {
        let Some(ExecutorChoice::Remote(address)) =
            self.executor.clone().or_else(|| settings.executor.clone())
        else {
            return Ok(None);
        };
        let instance =
            self.executor_instance.clone().or_else(|| settings.executor_instance.clone());
        let workers =
            self.executor_workers.or(settings.executor_workers).unwrap_or(DEFAULT_WORKERS);
        Ok(Some(ExecutorRequest {
            address,
            instance: instance.unwrap_or_default(),
            platform: with_overrides(&settings.executor_platform, &self.executor_platform),
            variables: with_overrides(&settings.executor_env, &self.executor_env),
            headers: self.read_headers(dir)?,
            workers: workers.into(),
            program: self.executor_program.as_ref().map(|program| dir.join(program)),
            timeout: self.executor_timeout,
            local_jobs,
        }))
    }

    fn read_headers(&self, dir: &Path) -> Result<SecretString> {
        // The author of a repository must not choose a server that gets the user's credentials.
        if self.executor.is_none() {
            return match &self.executor_headers {
                None => Ok(String::new().into()),
                Some(_) => Err(Problem::Usage {
                    message: "--executor-headers needs an address on the command line".to_owned(),
                    remedy: "add --executor with the address of the server".to_owned(),
                }),
            };
        }
        let Some(file) = &self.executor_headers else {
            return Ok(std::env::var(CREDENTIALS_VARIABLE).unwrap_or_default().into());
        };
        let text = std::fs::read_to_string(dir.join(file)).map_err(|error| Problem::Usage {
            message: format!(
                "--executor-headers {}: {}",
                file.display(),
                Problem::io_error_reason(&error)
            ),
            remedy: "give a file with one header in each line: `Name: value`".to_owned(),
        })?;
        Ok(text.into())
    }
}

/// Returns the values of the settings, replaced by those of the options.
fn with_overrides(
    settings: &BTreeMap<String, String>,
    options: &[(String, String)],
) -> BTreeMap<String, String> {
    settings.clone().into_iter().chain(options.iter().cloned()).collect()
}
