//! Who may be connected, and for how long.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// How many may be connected at once; more wait at the door.
const CONNECTIONS: usize = 512;
/// How long a sender may take for the head of a request, and stay without one.
const SLOWEST_HEAD: Duration = Duration::from_secs(10);
/// How long open requests are waited for at the end.
const GRACE: Duration = Duration::from_secs(10);
/// What is waited when the system has no more connections to give.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers requests until it is told to stop; then open requests are answered, and no new ones.
pub(in crate::bot) async fn serve(listener: TcpListener, routes: Router, stop: CancellationToken) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    while let Some(stream) = next(&listener, &stop).await {
        let Some(permit) = place(&connections, &stop).await else { break };
        let service = TowerToHyperService::new(routes.clone());
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(SLOWEST_HEAD);
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(problem) = connection.await {
                debug!(%problem, "a connection broke off");
            }
            drop(permit);
        });
    }
    drop(listener);
    if timeout(GRACE, graceful.shutdown()).await.is_err() {
        warn!("requests were left unanswered");
    }
}

async fn next(listener: &TcpListener, stop: &CancellationToken) -> Option<TcpStream> {
    loop {
        let accepted = stop.run_until_cancelled(listener.accept()).await?;
        match accepted {
            Ok((stream, _)) => return Some(stream),
            Err(problem) => {
                warn!(%problem, "a connection was not taken");
                sleep(PAUSE).await;
            }
        }
    }
}

async fn place(
    connections: &Arc<Semaphore>,
    stop: &CancellationToken,
) -> Option<tokio::sync::OwnedSemaphorePermit> {
    let waiting = Arc::clone(connections).acquire_owned();
    stop.run_until_cancelled(waiting).await?.ok()
}
