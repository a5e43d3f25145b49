//! Starts and stops the server.

use super::jobs::{JobRunner, LocalSearchConfig};
use super::metrics::Metrics;
use super::queue::JobQueue;
use super::server::{self, ServerState};
use super::settings::ServerSettings;
use super::workers::JobWorkers;
use anyhow::Context as _;
use axum::Router;
use mend_github::{GitHubApp, RetryPolicy};
use mend_model::{Interrupt, Problem, Result};
use mend_process::{Sandbox, Supervisor};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// Maximum size of all request bodies that are read at the same time, in bytes.
const MAX_BODY_BYTES_IN_FLIGHT: usize = 256 << 20;

/// Time that running jobs get to finish when the server stops.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);

/// Serves until SIGTERM or SIGINT. Calls `announce` with the address once the server accepts webhooks.
///
/// # Errors
/// The reason why the server cannot start.
pub fn serve(settings: ServerSettings, announce: impl Fn(SocketAddr)) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("starting threads")?.block_on(run_server(settings, announce))
}

async fn run_server(settings: ServerSettings, announce: impl Fn(SocketAddr)) -> Result<()> {
    let app = create_app(&settings)?;
    let queue = JobQueue::open(&settings.database)?;
    let stop = stop_on_signals()?;
    let public = bind_listener(settings.listen_address).await?;
    let operations = match settings.operations_address {
        Some(address) => Some(bind_listener(address).await?),
        None => None,
    };
    announce(public.local_addr().context("finding the port")?);
    info!(version = env!("CARGO_PKG_VERSION"), app = settings.app_id.0, "serving");
    let metrics = Arc::new(Metrics::new());
    let workers = JobWorkers {
        queue: queue.clone(),
        limits: settings.job_limits,
        job_time_limit: settings.job_time_limit,
        shutdown_grace: SHUTDOWN_GRACE,
        metrics: Arc::clone(&metrics),
        job_runner: Arc::new(JobRunner::new(app, queue.clone(), local_search_config(&settings)?)),
    };
    let workers = tokio::spawn(workers.run(stop.clone()));
    let shared = server_state(settings, queue, metrics);
    serve_routes(public, operations, &shared, &stop).await;
    workers.await.context("the workers ended early")?;
    info!("stopped");
    Ok(())
}

/// Creates the App client. Rejects an invalid key before the server starts.
fn create_app(settings: &ServerSettings) -> Result<GitHubApp> {
    let key = settings.private_key.clone();
    GitHubApp::new(&settings.api_address, settings.app_id.0, key, RetryPolicy::default()).map_err(
        |_| {
            Problem::Usage {
        message: "the App's private key is not an RSA key in PEM format".to_owned(),
        remedy:
            "use the unchanged file that you downloaded under \"Private keys\" on the App's page"
                .to_owned(),
    }
        },
    )
}

/// Finds a way to run untrusted code. Without a sandbox no code runs, unless the user explicitly allowed it.
fn local_search_config(settings: &ServerSettings) -> Result<LocalSearchConfig> {
    let supervisor = Supervisor::without_watchdog(Interrupt::default());
    let sandbox = match Sandbox::find_working(&supervisor) {
        Some(sandbox) => Some(sandbox),
        None if settings.is_unconfined => Some(Sandbox::Unconfined),
        None => None,
    };
    match &sandbox {
        Some(Sandbox::Unconfined) => warn!("repository code runs without a sandbox"),
        Some(sandbox) => info!(?sandbox, "repository code runs in a sandbox"),
        None => warn!(
            "no sandbox works on this machine: searches run only in the workflows of the repositories"
        ),
    }
    Ok(LocalSearchConfig {
        folder: settings.work_folder.clone(),
        program: std::env::current_exe().context("finding this program")?,
        sandbox,
        time_limit: settings.job_time_limit,
    })
}

async fn bind_listener(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| Problem::Usage {
        message: format!("cannot listen on {address}: {error}"),
        remedy: "name a free address of this machine with --listen, for example 127.0.0.1:8080"
            .to_owned(),
    })
}

fn stop_on_signals() -> Result<CancellationToken> {
    let stop = CancellationToken::new();
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut signals = signal(kind).context("listening for signals")?;
        let stop = stop.clone();
        tokio::spawn(async move {
            signals.recv().await;
            stop.cancel();
        });
    }
    Ok(stop)
}

fn server_state(
    settings: ServerSettings,
    queue: JobQueue,
    metrics: Arc<Metrics>,
) -> Arc<ServerState> {
    let body_budget = Arc::new(Semaphore::new(MAX_BODY_BYTES_IN_FLIGHT));
    Arc::new(ServerState {
        app_id: settings.app_id,
        secrets: settings.webhook_secrets,
        queue,
        metrics,
        body_budget,
    })
}

async fn serve_routes(
    public: TcpListener,
    operations: Option<TcpListener>,
    state: &Arc<ServerState>,
    stop: &CancellationToken,
) {
    let serve = |listener, routes: Router| server::serve(listener, routes, stop.clone());
    match operations {
        None => serve(public, server::all_routes(Arc::clone(state))).await,
        Some(operations) => {
            let public_server = serve(public, server::public_routes(Arc::clone(state)));
            let operations_server = serve(operations, server::operations_routes(Arc::clone(state)));
            tokio::join!(public_server, operations_server);
        }
    }
}
