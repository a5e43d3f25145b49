//! Middleware that assigns a request id to each request, for the log and the response.

use axum::extract::Request;
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;
use tracing::{Instrument as _, debug, info, info_span};

/// Answers a request in its own tracing span.
pub(super) async fn log_request(request: Request, next: Next) -> Response {
    let id = format!("{:016x}", fastrand::u64(..));
    let span = info_span!("request", id, method = %request.method(), path = request.uri().path());
    let (start, is_get) = (Instant::now(), request.method() == Method::GET);
    async {
        let mut response = next.run(request).await;
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert("x-request-id", id);
        }
        let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let status = response.status().as_u16();
        // Monitoring polls these pages often.
        if is_get {
            debug!(status, millis, "answered");
        } else {
            info!(status, millis, "answered");
        }
        response
    }
    .instrument(span)
    .await
}
