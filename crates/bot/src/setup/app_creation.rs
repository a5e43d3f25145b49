//! Creates the App in the user's browser. A page on this machine sends the manifest to GitHub; after the user has agreed
//! there, GitHub redirects back with a code, which is exchanged for the App's number, key and secret.

use super::app_manifest::AppManifest;
use anyhow::Context as _;
use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::get;
use mend_github::{ApiAddress, AppRegistration, RetryPolicy};
use mend_model::{Problem, Result, format_duration};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Time limit for the user: GitHub's codes are valid for one hour.
const CREATION_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// Creation of an App that waits for the user.
pub struct AppCreation {
    listener: TcpListener,
    page: Arc<ManifestPage>,
    codes: Receiver<String>,
    code_sender: Sender<String>,
}

/// Page that sends the manifest to GitHub.
#[derive(Template)]
#[template(path = "setup_app.html")]
struct ManifestPage {
    form_url: String,
    manifest: String,
    /// Unpredictable word that GitHub sends back, so that no other page can end the setup with a code of its own.
    state: String,
}

/// Query of GitHub's redirect.
#[derive(Deserialize)]
struct Redirect {
    code: String,
    state: String,
}

#[derive(Clone)]
struct PageState {
    page: Arc<ManifestPage>,
    code_sender: Sender<String>,
}

impl AppCreation {
    /// Starts the page on this machine.
    ///
    /// # Errors
    /// An internal error if no port is free.
    pub async fn start(manifest: &AppManifest) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("listening on a port")?;
        let address = listener.local_addr().context("finding the port")?;
        let state = unpredictable_word()?;
        let page = ManifestPage {
            form_url: manifest.form_url(&state),
            manifest: manifest.to_json(&format!("http://{address}/created"))?,
            state,
        };
        let (code_sender, codes) = channel(1);
        Ok(Self { listener, page: Arc::new(page), codes, code_sender })
    }

    /// Returns the address of the page.
    ///
    /// # Errors
    /// An internal error if the port is unknown.
    pub fn page_url(&self) -> Result<String> {
        let address = self.listener.local_addr().context("finding the port")?;
        Ok(format!("http://{address}/"))
    }

    /// Waits until the user has created the App, and returns it. Gives up after one hour.
    ///
    /// # Errors
    /// GitHub's error, [`Problem::GitHubError`] after the time limit, [`Problem::Interrupted`], or an internal error of
    /// the page.
    pub async fn wait(self, api: &ApiAddress) -> Result<AppRegistration> {
        let Self { listener, page, mut codes, code_sender } = self;
        let routes = Router::new()
            .route("/", get(show_page))
            .route("/created", get(receive_code))
            .with_state(PageState { page, code_sender });
        let served = axum::serve(listener, routes);
        let code = tokio::select! {
            code = codes.recv() => code,
            () = tokio::time::sleep(CREATION_TIMEOUT) => return Err(timeout_problem()),
            _ = tokio::signal::ctrl_c() => return Err(Problem::Interrupted),
            ended = served => return Err(anyhow::anyhow!("the page ended: {ended:?}").into()),
        };
        let code = code.context("waiting for the code")?;
        let registration = AppRegistration::from_code(api, &code, RetryPolicy::default()).await;
        registration.map_err(|error| error.into_problem("creating the App"))
    }
}

fn timeout_problem() -> Problem {
    Problem::GitHubError {
        message: format!("no App was created within {}", format_duration(CREATION_TIMEOUT)),
        remedy: "run the command again, and open the page that it names".to_owned(),
    }
}

async fn show_page(State(state): State<PageState>) -> (StatusCode, Html<String>) {
    match state.page.render() {
        Ok(page) => (StatusCode::OK, Html(page)),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, Html(error.to_string())),
    }
}

async fn receive_code(
    State(state): State<PageState>,
    Query(redirect): Query<Redirect>,
) -> (StatusCode, &'static str) {
    let is_code = redirect.code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if redirect.state != state.page.state || !is_code || redirect.code.is_empty() {
        return (StatusCode::FORBIDDEN, "This redirect does not belong to this setup.");
    }
    // A second redirect adds nothing.
    drop(state.code_sender.try_send(redirect.code));
    (StatusCode::OK, "git-mend receives the App's key now. You can close this page.")
}

fn unpredictable_word() -> Result<String> {
    let mut bytes = [0; 16];
    let read = std::fs::File::open("/dev/urandom")
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut bytes));
    read.map_err(|error| Problem::io(error, "/dev/urandom"))?;
    Ok(hex::encode(bytes))
}
