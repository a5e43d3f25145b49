//! HTTP handler of `POST /webhook`: limits the size, verifies the signature, then parses and enqueues the event. It
//! never parses an unverified body.

use crate::server::server_state::ServerState;
use crate::webhook::Delivery;
use crate::webhook::event_payloads::{WebhookEvent, known_event_name};
use crate::webhook_decision::{Decision, decide};
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::Serialize;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::SemaphorePermit;
use tokio::time::timeout;
use tracing::{error, info, warn};

/// Maximum size of a body, in bytes. GitHub sends no larger one.
pub(super) const MAX_BODY_BYTES: usize = 25 * 1024 * 1024;
/// Time limit for receiving a body. GitHub gives up after ten seconds.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for storing a delivery.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(8);
const SIGNATURE_HEADER: &str = "x-hub-signature-256";

/// Outcome of a webhook.
enum WebhookResult {
    /// Queued delivery, or a delivery that needs no work.
    Accepted { outcome: &'static str, reason: Option<&'static str> },
    /// Body larger than GitHub sends.
    TooLarge,
    /// Timeout while receiving the body.
    TooSlow,
    /// Interrupted transfer.
    Interrupted,
    /// Invalid signature. The response gives no details.
    InvalidSignature,
    /// Invalid delivery, with the reason.
    Malformed(String),
    /// The server is too busy or cannot store the delivery.
    Busy,
}

/// Response to GitHub, shown in its list of deliveries.
#[derive(Serialize)]
struct WebhookResponse<'a> {
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

pub(super) async fn receive_webhook(
    State(shared): State<Arc<ServerState>>,
    request: Request,
) -> Response {
    let start = Instant::now();
    let (parts, body) = request.into_parts();
    let name = parts.headers.get("x-github-event").and_then(|name| name.to_str().ok());
    let event = known_event_name(name.unwrap_or_default());
    let result = handle_webhook(&shared, &parts.headers, body).await;
    shared.metrics.record_webhook(event, result.label(), start.elapsed());
    result.into_response()
}

async fn handle_webhook(shared: &ServerState, headers: &HeaderMap, body: Body) -> WebhookResult {
    let verified = match read_body(shared, headers, body).await {
        Ok((bytes, _room)) => verify_delivery(shared, headers, &bytes),
        Err(answer) => Err(answer),
    };
    match verified {
        Ok((delivery, event)) => queue_delivery(shared, delivery, &event).await,
        Err(answer) => answer,
    }
}

/// Reads a body. Memory is reserved for received bytes, not for the declared length: a client that declares a large
/// body and sends nothing blocks no other client.
async fn read_body<'a>(
    shared: &'a ServerState,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Vec<u8>, Option<SemaphorePermit<'a>>), WebhookResult> {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > MAX_BODY_BYTES) {
        return Err(WebhookResult::TooLarge);
    }
    let reading = async {
        let mut body = pin!(Limited::new(body, MAX_BODY_BYTES));
        let (mut bytes, mut reserved) = (Vec::new(), None::<SemaphorePermit<'_>>);
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|error| body_error(&*error))?.into_data() else {
                continue;
            };
            let byte_count = u32::try_from(data.len()).map_err(|_| WebhookResult::TooLarge)?;
            let permit = shared
                .body_budget
                .acquire_many(byte_count)
                .await
                .map_err(|_| WebhookResult::Busy)?;
            match &mut reserved {
                Some(reserved) => reserved.merge(permit),
                None => reserved = Some(permit),
            }
            bytes.extend_from_slice(&data);
        }
        Ok((bytes, reserved))
    };
    timeout(BODY_TIMEOUT, reading).await.unwrap_or(Err(WebhookResult::TooSlow))
}

fn body_error(error: &(dyn std::error::Error + Send + Sync + 'static)) -> WebhookResult {
    if error.is::<LengthLimitError>() {
        WebhookResult::TooLarge
    } else {
        WebhookResult::Interrupted
    }
}

fn verify_delivery(
    shared: &ServerState,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<(Delivery, WebhookEvent), WebhookResult> {
    let signature =
        headers.get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !shared.secrets.verify(body, signature) {
        return Err(WebhookResult::InvalidSignature);
    }
    let malformed = |error: &dyn std::fmt::Display| WebhookResult::Malformed(error.to_string());
    let delivery = Delivery::from_headers(headers).map_err(|error| malformed(&error))?;
    let event = WebhookEvent::parse(&delivery.event, body).map_err(|error| malformed(&error))?;
    Ok((delivery, event))
}

async fn queue_delivery(
    shared: &ServerState,
    delivery: Delivery,
    event: &WebhookEvent,
) -> WebhookResult {
    let changes = match decide(shared.app_id, &delivery, event) {
        Decision::Ignore(reason) => {
            info!(delivery = %delivery.id, event = delivery.event, reason, "ignored");
            return WebhookResult::Accepted { outcome: "ignored", reason: Some(reason) };
        }
        Decision::Change(changes) => changes,
    };
    let (id, name) = (delivery.id.clone(), delivery.event.clone());
    match timeout(QUEUE_TIMEOUT, shared.queue.accept_delivery(delivery, *changes)).await {
        Ok(Ok(intake)) => {
            info!(delivery = %id, event = name, ?intake, "accepted");
            WebhookResult::Accepted { outcome: intake.label(), reason: None }
        }
        Ok(Err(problem)) => {
            error!(delivery = %id, event = name, %problem, "cannot accept the delivery");
            WebhookResult::Busy
        }
        Err(_) => {
            error!(delivery = %id, event = name, "cannot accept the delivery: the disk is too slow");
            WebhookResult::Busy
        }
    }
}

impl WebhookResult {
    /// Returns the label in metrics.
    fn label(&self) -> &'static str {
        match self {
            Self::Accepted { outcome, .. } => outcome,
            Self::TooLarge => "too large",
            Self::TooSlow => "too slow",
            Self::Interrupted => "aborted",
            Self::InvalidSignature => "forged",
            Self::Malformed(_) => "malformed",
            Self::Busy => "busy",
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Accepted { .. } => StatusCode::ACCEPTED,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Interrupted | Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::InvalidSignature => StatusCode::UNAUTHORIZED,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl IntoResponse for WebhookResult {
    fn into_response(self) -> Response {
        let (status, outcome) = (self.status(), self.label());
        let reason = match &self {
            Self::Accepted { reason, .. } => *reason,
            Self::Malformed(reason) => Some(reason.as_str()),
            _ => None,
        };
        if status != StatusCode::ACCEPTED {
            warn!(outcome, reason, "refused");
        }
        let mut response = (status, Json(WebhookResponse { outcome, reason })).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, 30.into());
        }
        response
    }
}
