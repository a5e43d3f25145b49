//! HTTP routes of the server, and their middleware.

mod connections;
mod operations;
mod request;
mod server_state;
mod webhook;

pub(super) use crate::server::server_state::ServerState;
pub(super) use connections::serve;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use std::sync::Arc;

/// Returns the public routes for GitHub.
pub(super) fn public_routes(shared: Arc<ServerState>) -> Router {
    let routes = Router::new()
        .route("/webhook", post(webhook::receive_webhook))
        .route("/healthz", get(operations::health))
        .with_state(shared);
    with_middleware(routes)
}

/// Returns the routes for operators only: the pages contain names and sources of private repositories.
pub(super) fn operations_routes(shared: Arc<ServerState>) -> Router {
    with_middleware(bare_operations_routes().with_state(shared))
}

/// Returns all routes for one address.
pub(super) fn all_routes(shared: Arc<ServerState>) -> Router {
    with_middleware(
        bare_operations_routes()
            .route("/webhook", post(webhook::receive_webhook))
            .with_state(shared),
    )
}

fn bare_operations_routes() -> Router<Arc<ServerState>> {
    Router::new()
        .route("/", get(operations::status))
        .route("/reports/{job}", get(operations::report))
        .route("/metrics", get(operations::metrics))
        .route("/healthz", get(operations::health))
}

fn with_middleware(routes: Router) -> Router {
    routes
        .fallback(|| async { StatusCode::NOT_FOUND })
        .layer(middleware::map_response(add_security_headers))
        .layer(middleware::from_fn(request::log_request))
}

/// Adds security headers: no scripts except that of a report page, no frames, no content sniffing.
async fn add_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    // A report page has its own content security policy.
    let policy_header = headers.entry(CONTENT_SECURITY_POLICY);
    policy_header.or_insert(HeaderValue::from_static(policy));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
