//! Command `git mend setup app`: creates the App in the browser, and stores its key and its secret.

use crate::cli::arguments::{Format, SetupAppArguments, Shared};
use crate::cli::github_requests::block_on_request;
use crate::cli::output::console::Console;
use mend_bot::setup::{AppCreation, AppManifest};
use mend_github::{ApiAddress, AppRegistration};
use mend_model::{Exit, Problem, Result};
use mend_report::github::app_next_steps;
use secrecy::ExposeSecret as _;
use serde::Serialize;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Files of the server: private key, webhook secret, and environment variables of the service.
const FILES: [&str; 3] = ["app.pem", "webhook-secret", "environment"];

pub(super) fn run(options: &SetupAppArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    let folder = shared.dir.join(&options.output);
    prepare(&folder)?;
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
        // The command waits for this page, so its address is printed with `--quiet` too.
        console.clear_progress();
        let page = creation.page_url()?;
        console.print_error(&format!("open {page} in a browser on this machine\n"));
        creation.wait(&api).await
    })?;
    store(&app, &folder).map_err(|problem| lost_key_problem(&app, &problem))?;
    report(&app, &folder, shared)?;
    Ok(Exit::Found)
}

/// JSON object for a created App. The key and the secret are only in the files.
#[derive(Serialize)]
struct AppJson<'a> {
    schema: &'static str,
    id: u64,
    url: &'a str,
    folder: &'a Path,
    files: Vec<&'static str>,
}

/// Prints the App, and the next steps unless the result is JSON.
fn report(app: &AppRegistration, folder: &Path, shared: &Shared) -> Result<()> {
    if shared.format == Format::Json {
        let files = FILES.into_iter().filter(|name| folder.join(name).exists()).collect();
        let (schema, url) = ("git-mend/setup-app/1", app.html_url.as_str());
        return Console::print_json_result(&AppJson { schema, id: app.id, url, folder, files });
    }
    let folder = folder.display().to_string();
    Console::print_raw_result(&app_next_steps(app.id, &app.html_url, &folder));
    Ok(())
}

/// Creates the folder, and checks that it has none of the files and is writable: GitHub shows the key only once.
fn prepare(folder: &Path) -> Result<()> {
    let unusable = |message: String| Problem::Usage {
        message,
        remedy: "name a new folder with --output, in one that you can write to".to_owned(),
    };
    let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.and_then(|()| tempfile::tempfile_in(folder).map(drop)).map_err(|error| {
        let reason = Problem::io_error_reason(&error);
        unusable(format!("cannot write to {}: {reason}", folder.display()))
    })?;
    match FILES.map(|name| folder.join(name)).iter().find(|path| path.symlink_metadata().is_ok()) {
        Some(existing) => Err(unusable(format!("{} exists", existing.display()))),
        None => Ok(()),
    }
}

/// Returns the problem of an App that was created, but whose key and secret were not stored.
fn lost_key_problem(app: &AppRegistration, problem: &Problem) -> Problem {
    Problem::GitHubError {
        message: format!(
            "App {} was created, but its files were not written: {problem}",
            app.html_url
        ),
        remedy: format!(
            "generate a new private key and set a new webhook secret in the settings of {}",
            app.html_url
        ),
    }
}

/// Writes the files of the server. Only this user may read them.
fn store(app: &AppRegistration, folder: &Path) -> Result<()> {
    let [key, secret, environment] = FILES.map(|name| folder.join(name));
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
