//! The server: from the first message of a client until the client is gone.

use crate::runs::Runs;
use crate::settings::McpSettings;
use crate::tool_handler::ToolHandler;
use crate::transport::StandardStreams;
use anyhow::Context as _;
use mend_model::{Interrupt, Result};
use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use std::time::Duration;

/// Time for the processes of all runs to end. A process that ignores the termination signal is killed after two seconds.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// Interval at which the cancellation flag is polled.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Serves one client until it closes the standard input, or until the server is interrupted. Then all runs are stopped;
/// their folders stay, and the runs can be continued.
///
/// # Errors
/// An internal error.
pub fn serve(settings: McpSettings) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("starting the runtime of the server")?;
    let result = runtime.block_on(serve_client(settings));
    // A thread may be blocked in a read of the standard input.
    runtime.shutdown_background();
    result
}

async fn serve_client(settings: McpSettings) -> Result<()> {
    let runs = Runs::default();
    let streams = StandardStreams::open(runs.clone())?;
    let interrupt = settings.interrupt.clone();
    let handler = ToolHandler::new(settings, runs.clone());
    let session = async {
        match serve_server(handler, streams).await {
            Ok(service) => service.waiting().await.map(drop).context("serving the client"),
            // The client left before the session began.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(anyhow::Error::new(error)),
        }
    };
    let result = tokio::select! {
        result = session => result,
        () = wait_for_interrupt(&interrupt) => Ok(()),
    };
    runs.stop_and_wait(STOP_LIMIT).await;
    Ok(result?)
}

async fn wait_for_interrupt(interrupt: &Interrupt) {
    while !interrupt.is_requested() {
        tokio::time::sleep(INTERRUPT_POLL_INTERVAL).await;
    }
}
