//! Command `git mend setup app`: creates the App in the browser, and stores its key and its secret.

use crate::cli::arguments::{SetupAppArguments, Shared};
use crate::cli::github_requests::block_on_request;
use crate::cli::output::console::Console;
use mend_bot::setup::{AppCreation, AppManifest};
use mend_github::{ApiAddress, AppRegistration};
use mend_model::{Exit, Problem, Result};
use mend_report::github::app_next_steps;
use secrecy::ExposeSecret as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Files of the server: private key, webhook secret, and environment variables of the service.
const FILES: [&str; 3] = ["app.pem", "webhook-secret", "environment"];

pub(super) fn run(options: &SetupAppArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    let folder = shared.dir.join(&options.output);
    if let Some(name) = FILES.iter().find(|name| folder.join(name).exists()) {
        return Err(Problem::Usage {
            message: format!("{} exists", folder.join(name).display()),
            remedy: "name an empty folder with --output".to_owned(),
        });
    }
    let api = ApiAddress::parse(&options.api_url).map_err(|error| Problem::Usage {
        message: error.to_string(),
        remedy: "leave out --api-url for github.com".to_owned(),
    })?;
    let manifest = AppManifest {
        name: options.name.clone(),
        url: options.url.clone(),
        organization: options.organization.clone(),
        github_url: api.web_url().to_owned(),
    };
    let app = block_on_request(async {
        let creation = AppCreation::start(&manifest).await?;
        console
            .print_message(&format!("open {} in a browser on this machine", creation.page_url()?));
        creation.wait(&api).await
    })?;
    store(&app, &folder)?;
    Console::print_raw_result(&app_next_steps(
        app.id,
        &app.html_url,
        &folder.display().to_string(),
    ));
    Ok(Exit::Found)
}

/// Writes the files of the server. Only this user may read them.
fn store(app: &AppRegistration, folder: &Path) -> Result<()> {
    let [key, secret, environment] = FILES.map(|name| folder.join(name));
    std::fs::create_dir_all(folder).map_err(|error| Problem::io(error, folder))?;
    let write = |path: &Path, text: &str| {
        let file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| Problem::io(error, path))
    };
    write(&key, app.pem.expose_secret())?;
    if let Some(text) = &app.webhook_secret {
        write(&secret, text.expose_secret())?;
    }
    write(&environment, &format!("GIT_MEND_APP_ID={}\n", app.id))
}
