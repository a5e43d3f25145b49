//! Accepts connections, with limits on their number and duration.

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

/// Maximum number of connections. Further clients wait.
const MAX_CONNECTIONS: usize = 512;
/// Time limit for the head of a request and for idle connections.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for open requests when the server stops.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);
/// Delay after the system refused a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Answers requests until `stop` is cancelled. Then it finishes open requests and accepts no new ones.
pub(crate) async fn serve(listener: TcpListener, routes: Router, stop: CancellationToken) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    while let Some(stream) = accept_connection(&listener, &stop).await {
        let Some(permit) = acquire_connection_permit(&connections, &stop).await else { break };
        let service = TowerToHyperService::new(routes.clone());
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(problem) = connection.await {
                debug!(%problem, "connection aborted");
            }
            drop(permit);
        });
    }
    drop(listener);
    if timeout(SHUTDOWN_GRACE, graceful.shutdown()).await.is_err() {
        warn!("stopped with unanswered requests");
    }
}

async fn accept_connection(listener: &TcpListener, stop: &CancellationToken) -> Option<TcpStream> {
    loop {
        let accepted = stop.run_until_cancelled(listener.accept()).await?;
        match accepted {
            Ok((stream, _)) => return Some(stream),
            Err(problem) => {
                warn!(%problem, "cannot accept a connection");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

async fn acquire_connection_permit(
    connections: &Arc<Semaphore>,
    stop: &CancellationToken,
) -> Option<tokio::sync::OwnedSemaphorePermit> {
    let waiting = Arc::clone(connections).acquire_owned();
    stop.run_until_cancelled(waiting).await?.ok()
}
