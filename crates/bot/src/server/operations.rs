//! HTTP handlers of the pages for operators: health, metrics, status and reports.

use crate::queue::{JobId, JobRow, JobState, QueueOverview};
use crate::server::server_state::ServerState;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use jiff::Timestamp;
use mend_report::page_policy;
use std::sync::Arc;
use tracing::error;

/// Content type of `/metrics`.
const OPEN_METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Status page. It works without scripts and does not reload by itself: screen readers would miss the change.
#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage<'a> {
    version: &'static str,
    counts: Vec<(&'static str, u64)>,
    sections: [StatusSection<'a>; 2],
    now: String,
}

/// Table of jobs on the status page.
struct StatusSection<'a> {
    title: &'static str,
    jobs: &'a [JobRow],
    empty_text: &'static str,
}

/// Handles `/health`: the server is healthy if the queue responds.
pub(super) async fn health(State(shared): State<Arc<ServerState>>) -> Response {
    match shared.queue.overview().await {
        Ok(_) => "ok\n".into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the queue is unavailable\n").into_response(),
    }
}

pub(super) async fn metrics(State(shared): State<Arc<ServerState>>) -> Response {
    let Ok(overview) = shared.queue.overview().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    match shared.metrics.to_text(&overview.counts) {
        Ok(text) => ([(CONTENT_TYPE, OPEN_METRICS_TYPE)], text).into_response(),
        Err(problem) => render_error(&problem),
    }
}

pub(super) async fn status(State(shared): State<Arc<ServerState>>) -> Response {
    match shared.queue.overview().await {
        Ok(overview) => render_status_page(&overview, Timestamp::now())
            .map_or_else(|error| render_error(&error), IntoResponse::into_response),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Handles `/report`: returns the report page of a job's run. The server generated the page from the readable part of
/// the run folder. It escapes untrusted text and runs only its own script.
pub(super) async fn report(
    State(shared): State<Arc<ServerState>>,
    Path(job): Path<String>,
) -> Response {
    let Ok(job) = job.parse() else { return StatusCode::NOT_FOUND.into_response() };
    match shared.queue.report_page(JobId(job)).await {
        Ok(Some(page)) => {
            let policy = format!("{}; frame-ancestors 'none'", page_policy());
            ([(CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response()
        }
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

fn render_status_page(overview: &QueueOverview, now: Timestamp) -> askama::Result<Html<String>> {
    let counts = JobState::ALL.map(|state| (state.label(), overview.counts.count(state)));
    let page = StatusPage {
        version: env!("CARGO_PKG_VERSION"),
        counts: counts.to_vec(),
        sections: [
            StatusSection {
                title: "Running and queued",
                jobs: &overview.active,
                empty_text: "No jobs.",
            },
            StatusSection { title: "Ended", jobs: &overview.ended, empty_text: "No jobs yet." },
        ],
        now: format_minute(&now),
    };
    page.render().map(Html)
}

fn render_error(problem: &dyn std::fmt::Display) -> Response {
    error!(%problem, "cannot render a page");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

/// Formats a time with minute precision.
fn format_minute(time: &Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
