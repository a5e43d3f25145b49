//! Client for requests to GitHub: credentials, retries and pagination.

use super::address::ApiAddress;
use super::connection::connect;
use super::credential::Credential;
use super::error::{ApiError, ApiResult};
use super::names::UserId;
use super::rate_limit::RateLimit;
use super::retry::{AttemptResult, Idempotency, RetryDecision, RetryPolicy};
use http::header::{ACCEPT, LINK, USER_AGENT};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use octocrab::Octocrab;
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::OnceCell;

/// Maximum number of bytes read of a response: the largest are pages with a hundred entries.
const MAX_RESPONSE_BYTES: usize = 32 << 20;

/// Delay after a rate limit of GraphQL, which names none.
const GRAPHQL_RATE_LIMIT_DELAY: Duration = Duration::from_secs(60);

/// Version of the REST API. Without it, GitHub chooses one.
const API_VERSION: (&str, &str) = ("X-GitHub-Api-Version", "2022-11-28");

/// Name of this program, which GitHub requires.
const PROGRAM_NAME: &str = concat!("git-mend/", env!("CARGO_PKG_VERSION"));

/// Client of one GitHub instance with one credential.
#[derive(Clone)]
pub struct Client {
    connections: ApiConnections,
    /// Renews an expired token, or `None` if that is impossible.
    renewal: Option<Arc<TokenRenewal>>,
    address: Arc<ApiAddress>,
    retry_policy: RetryPolicy,
    rate_limit: RateLimit,
    /// Account of the credential, once it was requested.
    viewer: Arc<OnceCell<UserId>>,
}

/// API of a request.
#[derive(Clone, Copy)]
enum ApiKind {
    Rest,
    GraphQl,
}

/// Connections with one token.
#[derive(Clone)]
struct ApiConnections {
    rest: Octocrab,
    graphql: Octocrab,
    /// True if the token replaced an expired one.
    is_renewed: bool,
}

impl ApiConnections {
    fn new(address: &ApiAddress, credential: &Credential, io_timeout: Duration) -> ApiResult<Self> {
        let build = |base: &http::Uri| connect(base, credential, io_timeout);
        let (rest, graphql) = (build(&address.rest)?, build(&address.graphql)?);
        Ok(Self { rest, graphql, is_renewed: false })
    }

    fn connection(&self, api: ApiKind) -> &Octocrab {
        match api {
            ApiKind::Rest => &self.rest,
            ApiKind::GraphQl => &self.graphql,
        }
    }
}

/// Function that creates a token.
pub(super) type TokenRenewer = Box<dyn Fn() -> TokenFuture + Send + Sync>;
pub(super) type TokenFuture = Pin<Box<dyn Future<Output = ApiResult<SecretString>> + Send>>;

/// Renewal of a token: creates it once, and keeps its connections.
struct TokenRenewal {
    create_token: TokenRenewer,
    connections: OnceCell<ApiConnections>,
}

/// A successful response.
pub(super) struct ApiResponse {
    pub(super) body: Vec<u8>,
    headers: HeaderMap,
}

impl ApiResponse {
    pub(super) fn parse_json<T: DeserializeOwned>(&self) -> ApiResult<T> {
        serde_json::from_slice(&self.body)
            .map_err(|error| ApiError::MalformedResponse(error.to_string()))
    }

    /// Converts the response for the retry policy.
    fn to_attempt_result(&self, status: StatusCode) -> AttemptResult {
        let error_text =
            if status.is_success() { String::new() } else { error_message(&self.body, status) };
        AttemptResult::Response(status, self.headers.clone(), error_text)
    }

    fn has_next_page(&self) -> bool {
        let links = self.headers.get_all(LINK);
        links.iter().filter_map(|link| link.to_str().ok()).any(|link| link.contains("rel=\"next\""))
    }
}

impl Client {
    /// Creates a client inside a tokio runtime. Sends no request yet.
    ///
    /// # Errors
    /// [`ApiError::Unauthorized`] if an App's key is invalid.
    pub fn new(
        address: &ApiAddress,
        credential: &Credential,
        retry_policy: RetryPolicy,
    ) -> ApiResult<Self> {
        let connections = ApiConnections::new(address, credential, retry_policy.io_timeout)?;
        let (address, viewer) = (Arc::new(address.clone()), Arc::default());
        let rate_limit = RateLimit::default();
        Ok(Self { connections, renewal: None, address, retry_policy, rate_limit, viewer })
    }

    /// Shares the rate limit with other clients.
    pub(super) fn with_rate_limit(self, rate_limit: RateLimit) -> Self {
        Self { rate_limit, ..self }
    }

    /// Adds a way to replace the token once, after GitHub rejects it.
    pub(super) fn with_renewal(self, create_token: TokenRenewer) -> Self {
        let renewal = TokenRenewal { create_token, connections: OnceCell::new() };
        Self { renewal: Some(Arc::new(renewal)), ..self }
    }

    /// Returns the connections with the newest token.
    fn connections(&self) -> &ApiConnections {
        self.renewal
            .as_ref()
            .and_then(|renewal| renewal.connections.get())
            .unwrap_or(&self.connections)
    }

    /// Returns connections with a newer token than these, if there can be one.
    async fn renewed_connections(
        &self,
        connections: &ApiConnections,
    ) -> ApiResult<Option<&ApiConnections>> {
        let Some(renewal) = self.renewal.as_ref().filter(|_| !connections.is_renewed) else {
            return Ok(None);
        };
        let connect = || async {
            // An error of the renewal is not a response to the request.
            let token = (renewal.create_token)().await.map_err(|error| {
                if error.is_transient() { error } else { ApiError::Unauthorized }
            })?;
            let credential = Credential::Token(token);
            let connections =
                ApiConnections::new(&self.address, &credential, self.retry_policy.io_timeout)?;
            Ok(ApiConnections { is_renewed: true, ..connections })
        };
        renewal.connections.get_or_try_init(connect).await.map(Some)
    }

    /// Returns the address of the GitHub instance.
    pub fn address(&self) -> &ApiAddress {
        &self.address
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, route: &str) -> ApiResult<T> {
        self.call(Method::GET, route, &()).await?.parse_json()
    }

    /// Sends a GET request. Returns `None` if the resource does not exist.
    pub(super) async fn find<T: DeserializeOwned>(&self, route: &str) -> ApiResult<Option<T>> {
        match self.get(route).await {
            Ok(found) => Ok(Some(found)),
            Err(ApiError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns all entries of a list, page by page. `key` is the field of the list, if the response is not the list
    /// itself.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        route: &str,
        key: Option<&str>,
        max_pages: u32,
    ) -> ApiResult<Vec<T>> {
        let mut entries = Vec::new();
        let separator = if route.contains('?') { '&' } else { '?' };
        for page in 1..=max_pages {
            let route = format!("{route}{separator}per_page=100&page={page}");
            let response = self.call(Method::GET, &route, &()).await?;
            let mut json: Value = response.parse_json()?;
            let items = match key {
                Some(key) => json.get_mut(key).map(Value::take).unwrap_or_default(),
                None => json,
            };
            let items: Vec<T> = serde_json::from_value(items)
                .map_err(|error| ApiError::MalformedResponse(error.to_string()))?;
            entries.extend(items);
            if !response.has_next_page() {
                break;
            }
        }
        Ok(entries)
    }

    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &str,
        body: &impl Serialize,
    ) -> ApiResult<T> {
        self.call(method, route, body).await?.parse_json()
    }

    /// Sends a request that creates something, whatever its method. It is not repeated after an unknown outcome.
    pub(super) async fn send_creation<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &str,
        body: &impl Serialize,
    ) -> ApiResult<T> {
        self.send_with_retries(ApiKind::Rest, (method, Idempotency::NotIdempotent), route, body)
            .await?
            .parse_json()
    }

    /// Sends a request without a response body.
    pub(super) async fn send_without_response(
        &self,
        method: Method,
        route: &str,
        body: &impl Serialize,
    ) -> ApiResult<()> {
        self.call(method, route, body).await.map(drop)
    }

    /// Returns the account of the token: a user, or the bot of an App. All workflows share the bot of a job's token.
    /// Only GraphQL returns it for each kind of token. The result is cached.
    pub(super) async fn fetch_viewer_id(&self) -> ApiResult<UserId> {
        #[derive(Deserialize)]
        struct ViewerResponse {
            viewer: ViewerAccount,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct ViewerAccount {
            database_id: UserId,
        }
        let query_viewer = || async {
            let document = include_str!("viewer.graphql");
            let response: ViewerResponse = self.query(document, &serde_json::json!({})).await?;
            Ok(response.viewer.database_id)
        };
        self.viewer.get_or_try_init(query_viewer).await.copied()
    }

    /// Sends a GraphQL query.
    pub(super) async fn query<T: DeserializeOwned>(
        &self,
        document: &str,
        variables: &impl Serialize,
    ) -> ApiResult<T> {
        self.graphql(Idempotency::Idempotent, document, variables).await
    }

    /// Sends a GraphQL mutation.
    pub(super) async fn mutate<T: DeserializeOwned>(
        &self,
        document: &str,
        variables: &impl Serialize,
    ) -> ApiResult<T> {
        self.graphql(Idempotency::NotIdempotent, document, variables).await
    }

    /// Sends a GraphQL document. GitHub always responds with 200, so errors are in the response body.
    async fn graphql<T: DeserializeOwned>(
        &self,
        effect: Idempotency,
        document: &str,
        variables: &impl Serialize,
    ) -> ApiResult<T> {
        #[derive(Serialize)]
        struct GraphQlRequest<'a, V> {
            query: &'a str,
            variables: &'a V,
        }
        // After an error, the requested field is null in the data.
        #[derive(Deserialize)]
        struct GraphQlResponse {
            #[serde(default)]
            data: Value,
            #[serde(default)]
            errors: Vec<GraphQlError>,
        }
        #[derive(Deserialize)]
        struct GraphQlError {
            #[serde(rename = "type", default)]
            kind: String,
            message: String,
        }
        let query = GraphQlRequest { query: document, variables };
        let response = self
            .send_with_retries(ApiKind::GraphQl, (Method::POST, effect), "/graphql", &query)
            .await?;
        let parsed: GraphQlResponse = response.parse_json()?;
        let Some(GraphQlError { kind, message }) = parsed.errors.into_iter().next() else {
            return serde_json::from_value(parsed.data)
                .map_err(|error| ApiError::MalformedResponse(error.to_string()));
        };
        Err(match kind.as_str() {
            "NOT_FOUND" => ApiError::NotFound(message),
            "FORBIDDEN" | "INSUFFICIENT_SCOPES" => ApiError::Forbidden(message),
            "STALE_DATA" => ApiError::Conflict(message),
            "RATE_LIMITED" => {
                self.rate_limit.forbid_for(GRAPHQL_RATE_LIMIT_DELAY);
                ApiError::RateLimited { seconds: GRAPHQL_RATE_LIMIT_DELAY.as_secs() }
            }
            _ => ApiError::Invalid(message),
        })
    }

    /// Sends a request, with retries.
    pub(super) async fn call(
        &self,
        method: Method,
        route: &str,
        body: &impl Serialize,
    ) -> ApiResult<ApiResponse> {
        let effect = Idempotency::from_method(&method);
        self.send_with_retries(ApiKind::Rest, (method, effect), route, body).await
    }

    async fn send_with_retries(
        &self,
        api: ApiKind,
        (method, effect): (Method, Idempotency),
        route: &str,
        body: &impl Serialize,
    ) -> ApiResult<ApiResponse> {
        // GitHub rejects unexpected bodies, and `()` stands for none.
        let text = Some(to_json(body)?).filter(|json| json != "null").unwrap_or_default();
        let mut connections = self.connections();
        for attempt in 1.. {
            self.wait_for_rate_limit().await?;
            let outcome = send_once(connections.connection(api), &method, route, &text).await;
            // If the token is rejected, the request was not executed.
            if matches!(outcome, Ok((StatusCode::UNAUTHORIZED, _)))
                && let Some(newer) = self.renewed_connections(connections).await?
            {
                connections = newer;
                continue;
            }
            let (reply, said) = match &outcome {
                Ok((status, reading)) => (reading.to_attempt_result(*status), status.to_string()),
                Err(said) => (AttemptResult::NoResponse, said.clone()),
            };
            match self.retry_policy.decide(effect, attempt, &reply, seconds_since_1970()) {
                RetryDecision::Accept => {}
                RetryDecision::RetryAfter(pause) => {
                    tracing::info!(%method, route, said, ?pause, "retrying the request to GitHub");
                    tokio::time::sleep(pause).await;
                    continue;
                }
                RetryDecision::RetryWhenAllowed(pause) => {
                    tracing::info!(%method, route, said, ?pause, "waiting for GitHub's rate limit");
                    self.rate_limit.forbid_for(pause);
                    continue;
                }
                RetryDecision::DelayTooLong(wait) => {
                    self.rate_limit.forbid_for(wait);
                    return Err(ApiError::RateLimited { seconds: wait.as_secs() });
                }
                RetryDecision::UnknownOutcome => return Err(ApiError::UnknownOutcome(said)),
                RetryDecision::NotExecuted => return Err(ApiError::Unreachable(said)),
            }
            return outcome
                .map_err(ApiError::Unreachable)
                .and_then(|(status, reading)| check_status(status, reading, route));
        }
        Err(ApiError::Unreachable("no attempt was made".to_owned()))
    }

    /// Waits until GitHub allows requests again.
    ///
    /// # Errors
    /// [`ApiError::RateLimited`] if that takes too long.
    async fn wait_for_rate_limit(&self) -> ApiResult<()> {
        let wait = self.rate_limit.remaining();
        if wait > self.retry_policy.max_delay {
            // A started second counts as a whole one.
            return Err(ApiError::RateLimited {
                seconds: wait.as_secs() + u64::from(wait.subsec_nanos() > 0),
            });
        }
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }
}

/// Sends one request and returns its response or error.
async fn send_once(
    connection: &Octocrab,
    method: &Method,
    route: &str,
    text: &str,
) -> Result<(StatusCode, ApiResponse), String> {
    let mut request = Request::builder()
        .method(method)
        .uri(route)
        .header(ACCEPT, "application/vnd.github+json")
        .header(USER_AGENT, PROGRAM_NAME)
        .header(API_VERSION.0, API_VERSION.1);
    if !text.is_empty() {
        request = request.header(http::header::CONTENT_TYPE, "application/json");
    }
    let request = request.body(text.to_owned()).map_err(|error| error.to_string())?;
    let response = connection.execute(request).await.map_err(|error| error_chain(&error))?;
    let (parts, body) = response.into_parts();
    let body = http_body_util::Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
    let body = body.map_err(|error| error.to_string())?.to_bytes().to_vec();
    Ok((parts.status, ApiResponse { body, headers: parts.headers }))
}

/// Formats an error with its causes, because the outermost one contains few details.
fn error_chain(error: &dyn std::error::Error) -> String {
    let mut messages = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if messages.last().is_none_or(|last| !last.contains(&text)) {
            messages.push(text);
        }
        next = cause.source();
    }
    messages.join(": ")
}

/// Returns the requested response, or GitHub's error.
fn check_status(status: StatusCode, response: ApiResponse, route: &str) -> ApiResult<ApiResponse> {
    if status.is_success() {
        return Ok(response);
    }
    let api_message = error_message(&response.body, status);
    Err(match status {
        StatusCode::UNAUTHORIZED => ApiError::Unauthorized,
        StatusCode::FORBIDDEN => ApiError::Forbidden(api_message),
        StatusCode::NOT_FOUND | StatusCode::GONE => ApiError::NotFound(route.to_owned()),
        StatusCode::CONFLICT => ApiError::Conflict(api_message),
        _ if status.is_client_error() => ApiError::Invalid(api_message),
        _ => ApiError::MalformedResponse(format!("{status}: {api_message}")),
    })
}

/// Returns GitHub's message in an error response.
fn error_message(body: &[u8], status: StatusCode) -> String {
    #[derive(Deserialize)]
    struct ErrorResponse {
        message: String,
        #[serde(default)]
        errors: Vec<Value>,
    }
    let Ok(error_response) = serde_json::from_slice::<ErrorResponse>(body) else {
        return status.to_string();
    };
    let details = error_response.errors.iter().map(|error| match error.get("message") {
        Some(Value::String(text)) => text.clone(),
        _ => error.to_string(),
    });
    [error_response.message].into_iter().chain(details).collect::<Vec<_>>().join("; ")
}

fn to_json(body: &impl Serialize) -> ApiResult<String> {
    serde_json::to_string(body).map_err(|error| ApiError::MalformedResponse(error.to_string()))
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_message_includes_field_errors() {
        let body = br#"{"message": "Validation Failed", "errors": [{"resource": "PullRequest", "code": "custom",
            "message": "A pull request already exists for a:b."}]}"#;
        let text = error_message(body, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(text, "Validation Failed; A pull request already exists for a:b.");
        assert_eq!(error_message(b"<html>", StatusCode::BAD_GATEWAY), "502 Bad Gateway");
    }
}
