//! Listener thread of the fake GitHub.

use super::server::{WireResponse, lock_state, serve};
use super::state::State;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;

/// Server that runs until it is dropped.
pub(super) struct Listener {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    pub(super) fn start(socket: TcpListener, state: Arc<Mutex<State>>) -> Self {
        let (stop, stop_receiver) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.unwrap();
            runtime.block_on(async {
                tokio::select! {
                    () = accept(socket, state) => {}
                    _ = stop_receiver => {}
                }
            });
            runtime.shutdown_background();
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(socket: TcpListener, state: Arc<Mutex<State>>) {
    socket.set_nonblocking(true).unwrap();
    let socket = tokio::net::TcpListener::from_std(socket).unwrap();
    while let Ok((stream, _)) = socket.accept().await {
        let state = Arc::clone(&state);
        // Disables Nagle's algorithm, because it delays small responses.
        let _ = stream.set_nodelay(true);
        tokio::spawn(async move {
            let service = service_fn(|request| respond(Arc::clone(&state), request));
            let http = hyper::server::conn::http1::Builder::new();
            // The client may disconnect at any time.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// Responds to one request. An error closes the connection without a response.
async fn respond(
    state: Arc<Mutex<State>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (parts, body) = request.into_parts();
    let connection_error = |said: String| std::io::Error::other(said);
    let body =
        body.collect().await.map_err(|error| connection_error(error.to_string()))?.to_bytes();
    let error_state = Arc::clone(&state);
    let reply = tokio::task::spawn_blocking(move || serve(&state, &parts, &body)).await;
    let WireResponse { answer, delay } = reply.map_err(|error| {
        lock_state(&error_state).errors.push(format!("the fake failed: {error}"));
        connection_error(error.to_string())
    })?;
    tokio::time::sleep(delay).await;
    let answer = answer.ok_or_else(|| connection_error("told to".to_owned()))?;
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response.body(Full::from(answer.body)).map_err(|error| connection_error(error.to_string()))
}
