//! Connection limits.

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
const CONNECTIONS: usize = 512;
/// Time limit for the head of a request and for idle connections.
const SLOWEST_HEAD: Duration = Duration::from_secs(10);
/// Time limit for open requests when the server stops.
const GRACE: Duration = Duration::from_secs(10);
/// Delay after the system refused a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers requests until `stop` is cancelled. Then it finishes open requests and accepts no new ones.
pub(crate) async fn serve(listener: TcpListener, routes: Router, stop: CancellationToken) {
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
                debug!(%problem, "connection aborted");
            }
            drop(permit);
        });
    }
    drop(listener);
    if timeout(GRACE, graceful.shutdown()).await.is_err() {
        warn!("stopped with unanswered requests");
    }
}

async fn next(listener: &TcpListener, stop: &CancellationToken) -> Option<TcpStream> {
    loop {
        let accepted = stop.run_until_cancelled(listener.accept()).await?;
        match accepted {
            Ok((stream, _)) => return Some(stream),
            Err(problem) => {
                warn!(%problem, "cannot accept a connection");
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
