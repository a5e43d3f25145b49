//! Requests to GitHub: credentials, retries and pagination.

use super::address::ApiAddress;
use super::error::{ForgeError, ForgeResult};
use super::names::UserId;
use super::retry::{Decision, Effect, Patience, Reply};
use http::header::{ACCEPT, LINK};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use octocrab::Octocrab;
use octocrab::models::AppId;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::OnceCell;

/// The most bytes of an answer that are read: the largest are lists of pages of a hundred.
const MOST: usize = 32 << 20;

/// Credential of a client.
#[derive(Clone)]
pub enum Credential {
    /// A token of a user, a workflow or an installation.
    Token(SecretString),
    /// An App, by its number and its private key in PEM.
    App(u64, SecretString),
}

/// A connection to one GitHub as one user.
#[derive(Clone)]
pub struct Client {
    doors: Doors,
    /// Renews an expired token, or `None` if that is impossible.
    renewal: Option<Arc<Renewal>>,
    address: Arc<ApiAddress>,
    patience: Patience,
    /// Account of the credential, once it was requested.
    viewer: Arc<OnceCell<UserId>>,
}

/// Target of a request.
#[derive(Clone, Copy)]
enum Door {
    Rest,
    GraphQl,
}

/// Connections with one token.
#[derive(Clone)]
struct Doors {
    rest: Octocrab,
    graphql: Octocrab,
    /// True if the token replaced another one.
    is_renewed: bool,
}

impl Doors {
    fn of(address: &ApiAddress, credential: &Credential, silence: Duration) -> ForgeResult<Self> {
        let build = |base: &http::Uri| {
            let builder = Octocrab::builder()
                .set_connect_timeout(Some(silence))
                .set_read_timeout(Some(silence))
                .set_write_timeout(Some(silence))
                .base_uri(base.clone())
                .map_err(|error| ForgeError::Unreachable(error.to_string()))?;
            let builder = match credential {
                Credential::Token(token) => builder.personal_token(token.clone()),
                Credential::App(id, key) => builder.app(AppId(*id), signing_key(key)?),
            };
            builder.build().map_err(|error| ForgeError::Unreachable(error.to_string()))
        };
        let (rest, graphql) = (build(&address.rest)?, build(&address.graphql)?);
        Ok(Self { rest, graphql, is_renewed: false })
    }

    fn at(&self, door: Door) -> &Octocrab {
        match door {
            Door::Rest => &self.rest,
            Door::GraphQl => &self.graphql,
        }
    }
}

/// Function that creates a token.
pub(super) type Renew = Box<dyn Fn() -> Making + Send + Sync>;
pub(super) type Making = Pin<Box<dyn Future<Output = ForgeResult<SecretString>> + Send>>;

/// Renews a token and returns its replacement.
struct Renewal {
    make: Renew,
    doors: OnceCell<Doors>,
}

/// An answer that can be used.
pub(super) struct Reading {
    pub(super) body: Vec<u8>,
    headers: HeaderMap,
}

impl Reading {
    pub(super) fn json<T: DeserializeOwned>(&self) -> ForgeResult<T> {
        serde_json::from_slice(&self.body).map_err(|error| ForgeError::Garbled(error.to_string()))
    }

    /// For callers that decide about retries.
    fn reply(&self, status: StatusCode) -> Reply {
        let said = if status.is_success() { String::new() } else { message(&self.body, status) };
        Reply::Answer(status, self.headers.clone(), said)
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
    /// [`ForgeError::Unauthorized`] if an App's key is invalid.
    pub fn new(
        address: &ApiAddress,
        credential: &Credential,
        patience: Patience,
    ) -> ForgeResult<Self> {
        let doors = Doors::of(address, credential, patience.silence)?;
        let (address, viewer) = (Arc::new(address.clone()), Arc::default());
        Ok(Self { doors, renewal: None, address, patience, viewer })
    }

    /// With another token once GitHub takes the first one no longer; a third one there is not.
    pub(super) fn renewing(self, make: Renew) -> Self {
        let renewal = Renewal { make, doors: OnceCell::new() };
        Self { renewal: Some(Arc::new(renewal)), ..self }
    }

    /// The doors with the newest token.
    fn doors(&self) -> &Doors {
        self.renewal.as_ref().and_then(|renewal| renewal.doors.get()).unwrap_or(&self.doors)
    }

    /// Doors with a newer token than these, if there can be one.
    async fn newer(&self, doors: &Doors) -> ForgeResult<Option<&Doors>> {
        let Some(renewal) = self.renewal.as_ref().filter(|_| !doors.is_renewed) else {
            return Ok(None);
        };
        let open = || async {
            // An error of the renewal is not an answer to the request.
            let token = (renewal.make)().await.map_err(|error| {
                if error.is_passing() { error } else { ForgeError::Unauthorized }
            })?;
            let credential = Credential::Token(token);
            let doors = Doors::of(&self.address, &credential, self.patience.silence)?;
            Ok(Doors { is_renewed: true, ..doors })
        };
        renewal.doors.get_or_try_init(open).await.map(Some)
    }

    /// Returns the address of the GitHub instance.
    pub fn address(&self) -> &ApiAddress {
        &self.address
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, route: &str) -> ForgeResult<T> {
        self.call(Method::GET, route, &()).await?.json()
    }

    /// Like [`Self::get`], but returns `None` if the resource does not exist.
    pub(super) async fn find<T: DeserializeOwned>(&self, route: &str) -> ForgeResult<Option<T>> {
        match self.get(route).await {
            Ok(found) => Ok(Some(found)),
            Err(ForgeError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns all entries of a list, page by page. `key` is the field of the list, if the response is not the list
    /// itself.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        route: &str,
        key: Option<&str>,
        most_pages: u32,
    ) -> ForgeResult<Vec<T>> {
        let mut all = Vec::new();
        let joint = if route.contains('?') { '&' } else { '?' };
        for page in 1..=most_pages {
            let route = format!("{route}{joint}per_page=100&page={page}");
            let reading = self.call(Method::GET, &route, &()).await?;
            let mut answer: Value = reading.json()?;
            let items = match key {
                Some(key) => answer.get_mut(key).map(Value::take).unwrap_or_default(),
                None => answer,
            };
            let items: Vec<T> = serde_json::from_value(items)
                .map_err(|error| ForgeError::Garbled(error.to_string()))?;
            all.extend(items);
            if !reading.has_next_page() {
                break;
            }
        }
        Ok(all)
    }

    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &str,
        body: &impl Serialize,
    ) -> ForgeResult<T> {
        self.call(method, route, body).await?.json()
    }

    /// Like [`Self::send`], for a request that creates something, whatever its method.
    pub(super) async fn add<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &str,
        body: &impl Serialize,
    ) -> ForgeResult<T> {
        self.call_on(Door::Rest, (method, Effect::More), route, body).await?.json()
    }

    /// Like [`Self::send`], for requests without a response body.
    pub(super) async fn tell(
        &self,
        method: Method,
        route: &str,
        body: &impl Serialize,
    ) -> ForgeResult<()> {
        self.call(method, route, body).await.map(drop)
    }

    /// Returns the account of the token: a user, or the bot of an App. All workflows share the bot of a job's token.
    /// Only GraphQL returns it for each kind of token. The result is cached.
    pub(super) async fn viewer(&self) -> ForgeResult<UserId> {
        #[derive(Deserialize)]
        struct Seen {
            viewer: Viewer,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Viewer {
            database_id: UserId,
        }
        let ask = || async {
            let document = include_str!("viewer.graphql");
            let seen: Seen = self.graphql(Effect::Same, document, &serde_json::json!({})).await?;
            Ok(seen.viewer.database_id)
        };
        self.viewer.get_or_try_init(ask).await.copied()
    }

    /// Has GraphQL change something.
    pub(super) async fn mutate<T: DeserializeOwned>(
        &self,
        document: &str,
        variables: &impl Serialize,
    ) -> ForgeResult<T> {
        self.graphql(Effect::More, document, variables).await
    }

    /// Sends a GraphQL query. GitHub always answers with 200, so errors are in the response body.
    async fn graphql<T: DeserializeOwned>(
        &self,
        effect: Effect,
        document: &str,
        variables: &impl Serialize,
    ) -> ForgeResult<T> {
        #[derive(Serialize)]
        struct Query<'a, V> {
            query: &'a str,
            variables: &'a V,
        }
        // After an error, the requested field is null in the data.
        #[derive(Deserialize)]
        struct Answer {
            #[serde(default)]
            data: Value,
            #[serde(default)]
            errors: Vec<Refusal>,
        }
        #[derive(Deserialize)]
        struct Refusal {
            #[serde(rename = "type", default)]
            kind: String,
            message: String,
        }
        let query = Query { query: document, variables };
        let reading =
            self.call_on(Door::GraphQl, (Method::POST, effect), "/graphql", &query).await?;
        let answer: Answer = reading.json()?;
        let Some(Refusal { kind, message }) = answer.errors.into_iter().next() else {
            return serde_json::from_value(answer.data)
                .map_err(|error| ForgeError::Garbled(error.to_string()));
        };
        Err(match kind.as_str() {
            "NOT_FOUND" => ForgeError::NotFound(message),
            "FORBIDDEN" | "INSUFFICIENT_SCOPES" => ForgeError::Forbidden(message),
            "STALE_DATA" => ForgeError::Conflict(message),
            "RATE_LIMITED" => ForgeError::RateLimited { seconds: 60 },
            _ => ForgeError::Invalid(message),
        })
    }

    /// Sends a request, with retries.
    pub(super) async fn call(
        &self,
        method: Method,
        route: &str,
        body: &impl Serialize,
    ) -> ForgeResult<Reading> {
        let effect = Effect::of(&method);
        self.call_on(Door::Rest, (method, effect), route, body).await
    }

    async fn call_on(
        &self,
        door: Door,
        (method, effect): (Method, Effect),
        route: &str,
        body: &impl Serialize,
    ) -> ForgeResult<Reading> {
        // GitHub rejects an unexpected body.
        let has_body = ![Method::GET, Method::DELETE].contains(&method);
        let text = if has_body { json(body)? } else { String::new() };
        let mut doors = self.doors();
        for attempt in 1.. {
            let outcome = once(doors.at(door), &method, route, &text).await;
            // A rejected token means that the request was not executed.
            if matches!(outcome, Ok((StatusCode::UNAUTHORIZED, _)))
                && let Some(newer) = self.newer(doors).await?
            {
                doors = newer;
                continue;
            }
            let (reply, said) = match &outcome {
                Ok((status, reading)) => (reading.reply(*status), status.to_string()),
                Err(said) => (Reply::Nothing, said.clone()),
            };
            match self.patience.decide(effect, attempt, &reply, seconds_since_1970()) {
                Decision::Take => {}
                Decision::Again(pause) => {
                    tracing::info!(%method, route, said, ?pause, "retrying the request to GitHub");
                    tokio::time::sleep(pause).await;
                    continue;
                }
                Decision::TooLong(wait) => {
                    return Err(ForgeError::RateLimited { seconds: wait.as_secs() });
                }
                Decision::Uncertain => return Err(ForgeError::Uncertain(said)),
                Decision::Unreachable => return Err(ForgeError::Unreachable(said)),
            }
            return outcome
                .map_err(ForgeError::Unreachable)
                .and_then(|(status, reading)| understood(status, reading, route));
        }
        Err(ForgeError::Unreachable("no attempt was made".to_owned()))
    }
}

/// Sends one request and returns its response or error.
async fn once(
    on: &Octocrab,
    method: &Method,
    route: &str,
    text: &str,
) -> Result<(StatusCode, Reading), String> {
    let mut request =
        Request::builder().method(method).uri(route).header(ACCEPT, "application/vnd.github+json");
    if !text.is_empty() {
        request = request.header(http::header::CONTENT_TYPE, "application/json");
    }
    let request = request.body(text.to_owned()).map_err(|error| error.to_string())?;
    let answer = on.execute(request).await.map_err(|error| chain(&error))?;
    let (parts, body) = answer.into_parts();
    let body = http_body_util::Limited::new(body, MOST).collect().await;
    let body = body.map_err(|error| error.to_string())?.to_bytes().to_vec();
    Ok((parts.status, Reading { body, headers: parts.headers }))
}

/// An error with its causes; the outermost one says little.
fn chain(error: &dyn std::error::Error) -> String {
    let mut said = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if said.last().is_none_or(|last| !last.contains(&text)) {
            said.push(text);
        }
        next = cause.source();
    }
    said.join(": ")
}

/// Returns the requested response, or GitHub's error.
fn understood(status: StatusCode, reading: Reading, route: &str) -> ForgeResult<Reading> {
    if status.is_success() {
        return Ok(reading);
    }
    let said = message(&reading.body, status);
    Err(match status {
        StatusCode::UNAUTHORIZED => ForgeError::Unauthorized,
        StatusCode::FORBIDDEN => ForgeError::Forbidden(said),
        StatusCode::NOT_FOUND | StatusCode::GONE => ForgeError::NotFound(route.to_owned()),
        StatusCode::CONFLICT => ForgeError::Conflict(said),
        _ if status.is_client_error() => ForgeError::Invalid(said),
        _ => ForgeError::Garbled(format!("{status}: {said}")),
    })
}

/// Returns GitHub's message in an error response.
fn message(body: &[u8], status: StatusCode) -> String {
    #[derive(Deserialize)]
    struct Said {
        message: String,
        #[serde(default)]
        errors: Vec<Value>,
    }
    let Ok(said) = serde_json::from_slice::<Said>(body) else { return status.to_string() };
    let details = said.errors.iter().map(|error| match error.get("message") {
        Some(Value::String(text)) => text.clone(),
        _ => error.to_string(),
    });
    [said.message].into_iter().chain(details).collect::<Vec<_>>().join("; ")
}

fn json(body: &impl Serialize) -> ForgeResult<String> {
    serde_json::to_string(body).map_err(|error| ForgeError::Garbled(error.to_string()))
}

fn signing_key(pem: &SecretString) -> ForgeResult<octocrab::auth::EncodingKey> {
    octocrab::auth::EncodingKey::from_rsa_pem(pem.expose_secret().as_bytes())
        .map_err(|_| ForgeError::Unauthorized)
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_github_says_of_each_field_is_told() {
        let body = br#"{"message": "Validation Failed", "errors": [{"resource": "PullRequest", "code": "custom",
            "message": "A pull request already exists for a:b."}]}"#;
        let said = message(body, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(said, "Validation Failed; A pull request already exists for a:b.");
        assert_eq!(message(b"<html>", StatusCode::BAD_GATEWAY), "502 Bad Gateway");
    }
}
