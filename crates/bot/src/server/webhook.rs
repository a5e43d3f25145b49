//! `POST /webhook`: how big, then by whom, then what; nothing of a body is looked at before its signature.

use crate::policy::{Decision, decide};
use crate::server::server_state::ServerState;
use crate::webhook::Delivery;
use crate::webhook::events::{WebhookEvent, known_name};
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

/// GitHub sends no more than this.
pub(super) const LARGEST: usize = 25 * 1024 * 1024;
/// Time limit for a body. GitHub gives up after ten seconds itself.
const SLOWEST: Duration = Duration::from_secs(10);
/// Time limit for the disk.
const SLOWEST_QUEUE: Duration = Duration::from_secs(8);
const SIGNATURE: &str = "x-hub-signature-256";

/// Outcome of a webhook.
enum WebhookResult {
    /// Queued delivery, or a delivery that needs no work.
    Accepted { outcome: &'static str, reason: Option<&'static str> },
    /// Larger than GitHub sends.
    TooLarge,
    /// Timeout while receiving the body.
    TooSlow,
    /// Interrupted transfer.
    Interrupted,
    /// Invalid signature. The response gives no details.
    InvalidSignature,
    /// Invalid delivery, with the reason.
    Malformed(String),
    /// We cannot take it now.
    Busy,
}

/// Response to GitHub, shown in its list of deliveries.
#[derive(Serialize)]
struct WebhookResponse<'a> {
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

pub(super) async fn receive(State(shared): State<Arc<ServerState>>, request: Request) -> Response {
    let start = Instant::now();
    let (parts, body) = request.into_parts();
    let name = parts.headers.get("x-github-event").and_then(|name| name.to_str().ok());
    let event = known_name(name.unwrap_or_default());
    let answer = handle(&shared, &parts.headers, body).await;
    shared.metrics.webhook(event, answer.word(), start.elapsed());
    answer.into_response()
}

async fn handle(shared: &ServerState, headers: &HeaderMap, body: Body) -> WebhookResult {
    let received = match read(shared, headers, body).await {
        Ok((bytes, _room)) => verify(shared, headers, &bytes),
        Err(answer) => Err(answer),
    };
    match received {
        Ok((delivery, event)) => take(shared, delivery, &event).await,
        Err(answer) => answer,
    }
}

/// Reads a body. Memory is reserved for received bytes, not for the declared length: a client that declares a large
/// body and sends nothing blocks no other client.
async fn read<'a>(
    shared: &'a ServerState,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Vec<u8>, Option<SemaphorePermit<'a>>), WebhookResult> {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > LARGEST) {
        return Err(WebhookResult::TooLarge);
    }
    let reading = async {
        let mut body = pin!(Limited::new(body, LARGEST));
        let (mut bytes, mut room) = (Vec::new(), None::<SemaphorePermit<'_>>);
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|error| broken(&*error))?.into_data() else { continue };
            let wanted = u32::try_from(data.len()).map_err(|_| WebhookResult::TooLarge)?;
            let more = shared.room.acquire_many(wanted).await.map_err(|_| WebhookResult::Busy)?;
            match &mut room {
                Some(room) => room.merge(more),
                None => room = Some(more),
            }
            bytes.extend_from_slice(&data);
        }
        Ok((bytes, room))
    };
    timeout(SLOWEST, reading).await.unwrap_or(Err(WebhookResult::TooSlow))
}

fn broken(error: &(dyn std::error::Error + Send + Sync + 'static)) -> WebhookResult {
    if error.is::<LengthLimitError>() {
        WebhookResult::TooLarge
    } else {
        WebhookResult::Interrupted
    }
}

fn verify(
    shared: &ServerState,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<(Delivery, WebhookEvent), WebhookResult> {
    let signature =
        headers.get(SIGNATURE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !shared.secrets.verify(body, signature) {
        return Err(WebhookResult::InvalidSignature);
    }
    let malformed = |error: &dyn std::fmt::Display| WebhookResult::Malformed(error.to_string());
    let delivery = Delivery::read(headers).map_err(|error| malformed(&error))?;
    let event = WebhookEvent::read(&delivery.event, body).map_err(|error| malformed(&error))?;
    Ok((delivery, event))
}

async fn take(shared: &ServerState, delivery: Delivery, event: &WebhookEvent) -> WebhookResult {
    let effects = match decide(shared.app, &delivery, event) {
        Decision::Ignore(reason) => {
            info!(delivery = %delivery.id, event = delivery.event, reason, "ignored");
            return WebhookResult::Accepted { outcome: "ignored", reason: Some(reason) };
        }
        Decision::Change(effects) => effects,
    };
    let (id, name) = (delivery.id.clone(), delivery.event.clone());
    match timeout(SLOWEST_QUEUE, shared.queue.accept(delivery, *effects)).await {
        Ok(Ok(intake)) => {
            info!(delivery = %id, event = name, ?intake, "accepted");
            WebhookResult::Accepted { outcome: intake.word(), reason: None }
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
    fn word(&self) -> &'static str {
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
        let (status, outcome) = (self.status(), self.word());
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
