//! The server from its start to its end.

use super::jobs::{JobRunner, LocalSearchConfig};
use super::metrics::Metrics;
use super::queue::JobQueue;
use super::sandbox::Sandbox;
use super::server::{self, ServerState};
use super::settings::ServerSettings;
use super::workers::JobWorkers;
use anyhow::Context as _;
use axum::Router;
use mend_github::{GitHubApp, RetryPolicy};
use mend_model::{Interrupt, Problem, Result};
use mend_process::Supervisor;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// Bytes of bodies that may be read at once.
const ROOM: usize = 256 << 20;

/// Time that running jobs get to finish when the server stops.
const GRACE: Duration = Duration::from_secs(20);

/// Serves until SIGTERM or SIGINT. Calls `announce` with the address once the server accepts webhooks.
///
/// # Errors
/// The reason why the server cannot start.
pub fn serve(settings: ServerSettings, announce: impl Fn(SocketAddr)) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("starting threads")?.block_on(run(settings, announce))
}

async fn run(settings: ServerSettings, announce: impl Fn(SocketAddr)) -> Result<()> {
    let app = app(&settings)?;
    let queue = JobQueue::open(&settings.database)?;
    let stop = stop_on_signals()?;
    let public = bind(settings.listen).await?;
    let inner = match settings.operations {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    announce(public.local_addr().context("finding the port")?);
    info!(version = env!("CARGO_PKG_VERSION"), app = settings.app.0, "serving");
    let metrics = Arc::new(Metrics::new());
    let workers = JobWorkers {
        queue: queue.clone(),
        limits: settings.limits,
        job_limit: settings.job_limit,
        grace: GRACE,
        metrics: Arc::clone(&metrics),
        work: Arc::new(JobRunner::new(app, queue.clone(), workshop(&settings)?)),
    };
    let workers = tokio::spawn(workers.run(stop.clone()));
    let shared = shared(settings, queue, metrics);
    listen(public, inner, &shared, &stop).await;
    workers.await.context("the workers ended early")?;
    info!("stopped");
    Ok(())
}

/// Creates the App client. Rejects an invalid key before the server starts.
fn app(settings: &ServerSettings) -> Result<GitHubApp> {
    let key = settings.private_key.clone();
    GitHubApp::new(&settings.api, settings.app.0, key, RetryPolicy::default()).map_err(|_| {
        Problem::Usage {
        message: "the App's private key is not an RSA key in PEM format".to_owned(),
        remedy:
            "use the unchanged file that you downloaded under \"Private keys\" on the App's page"
                .to_owned(),
    }
    })
}

/// Finds a way to run untrusted code. Without a sandbox no code runs, unless the user explicitly allowed it.
fn workshop(settings: &ServerSettings) -> Result<LocalSearchConfig> {
    let supervisor = Supervisor::unwatched(Interrupt::default());
    let sandbox = match Sandbox::find(&supervisor) {
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
    let workshop = LocalSearchConfig {
        folder: settings.work.clone(),
        program: std::env::current_exe().context("finding this program")?,
        sandbox,
        limit: settings.job_limit,
    };
    workshop.sweep();
    Ok(workshop)
}

async fn bind(address: SocketAddr) -> Result<TcpListener> {
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

fn shared(settings: ServerSettings, queue: JobQueue, metrics: Arc<Metrics>) -> Arc<ServerState> {
    let room = Arc::new(Semaphore::new(ROOM));
    Arc::new(ServerState { app: settings.app, secrets: settings.secrets, queue, metrics, room })
}

async fn listen(
    public: TcpListener,
    inner: Option<TcpListener>,
    shared: &Arc<ServerState>,
    stop: &CancellationToken,
) {
    let answer = |listener, routes: Router| server::serve(listener, routes, stop.clone());
    match inner {
        None => answer(public, server::all_routes(Arc::clone(shared))).await,
        Some(inner) => {
            let outside = answer(public, server::public(Arc::clone(shared)));
            let inside = answer(inner, server::operations(Arc::clone(shared)));
            tokio::join!(outside, inside);
        }
    }
}
