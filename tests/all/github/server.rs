//! Routes HTTP requests of the fake GitHub to their handlers.

use super::access::check_permission;
use super::actor::Actor;
use super::answer::Answer;
use super::call::Call;
use super::faults::{Fault, Hold};
use super::git_http::{self, GitCall};
use super::openapi::{DESCRIPTION, Operation, unescape};
use super::routes::SUPPORTED_PARAMETERS;
use super::state::State;
use super::{graphql, jwt};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::request::Parts;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Response to send, perhaps after a delay.
pub(super) struct WireResponse {
    /// Response, or `None` to close the connection.
    pub(super) answer: Option<Answer>,
    pub(super) delay: Duration,
}

impl From<Answer> for WireResponse {
    fn from(answer: Answer) -> Self {
        Self { answer: Some(answer), delay: Duration::ZERO }
    }
}

/// Kind of a request.
enum RequestKind {
    Rest(&'static Operation, BTreeMap<String, String>),
    Viewer,
    GraphQl,
    Git(GitCall),
    Nothing,
}

impl RequestKind {
    fn from_request(parts: &Parts, body: &[u8]) -> Self {
        let path = parts.uri.path();
        if let Some((repo, service_path)) = git_http::split_git_path(path) {
            return Self::Git(git_call(parts, repo, service_path, body));
        }
        if matches!(path, "/graphql" | "/api/graphql") && parts.method == "POST" {
            return if graphql::is_viewer_query(body) { Self::Viewer } else { Self::GraphQl };
        }
        match DESCRIPTION.find(parts.method.as_str(), rest_path(path)) {
            Some((operation, segments)) => Self::Rest(operation, segments),
            None => Self::Nothing,
        }
    }

    fn operation(&self) -> &'static str {
        match self {
            Self::Rest(operation, _) => operation.route.operation,
            Self::Viewer => "viewer",
            Self::GraphQl => "graphql",
            Self::Git(_) => "git",
            Self::Nothing => "unexpected",
        }
    }
}

/// Returns the path of the API without `/api/v3`, the prefix of GitHub Enterprise Server.
fn rest_path(path: &str) -> &str {
    path.strip_prefix("/api/v3").unwrap_or(path)
}

fn git_call(parts: &Parts, repo: String, rest: String, body: &[u8]) -> GitCall {
    let names = [
        ("CONTENT_TYPE", "content-type"),
        ("HTTP_CONTENT_ENCODING", "content-encoding"),
        ("GIT_PROTOCOL", "git-protocol"),
    ];
    let headers = names.into_iter().filter_map(|(name, header)| {
        let value = parts.headers.get(header)?.to_str().unwrap();
        Some((name, value.to_owned()))
    });
    GitCall {
        method: parts.method.to_string(),
        repo,
        service_path: rest,
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: headers.collect(),
        body: body.to_vec(),
    }
}

/// Locks the state. Ignores a poisoned lock, because the panicked test has reported its failure.
pub(super) fn lock_state(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves a request.
pub(super) fn serve(state: &Mutex<State>, parts: &Parts, body: &[u8]) -> WireResponse {
    let request_kind = RequestKind::from_request(parts, body);
    let operation = request_kind.operation();
    let (blocked, fault, action) = {
        let mut state = lock_state(state);
        state.operations.push(operation);
        let faults = &mut state.faults;
        (
            faults.take_blocked(operation),
            faults.take_fault(operation),
            faults.take_action(operation),
        )
    };
    if let Some(blocked) = blocked {
        if blocked.hold == Hold::After {
            handle_request(state, &request_kind, parts, body);
        }
        let _ = blocked.arrived.send(());
        let _ = blocked.release.recv();
        return WireResponse { answer: None, delay: Duration::ZERO };
    }
    if let Some(action) = action {
        action();
    }
    if fault == Some(Fault::TokenEnds) {
        let token = authorization_token(parts).unwrap_or_default();
        lock_state(state).tokens.remove(&token);
    }
    if fault == Some(Fault::Closed) {
        return WireResponse { answer: None, delay: Duration::ZERO };
    }
    if let Some(answer) = fault.as_ref().and_then(Fault::answer_before) {
        return answer.into();
    }
    let answer = handle_request(state, &request_kind, parts, body);
    match fault {
        Some(Fault::Slow(delay)) => WireResponse { answer: Some(answer), delay },
        Some(Fault::ClosedAfter) => WireResponse { answer: None, delay: Duration::ZERO },
        Some(fault) => fault.answer_after().unwrap_or(answer).into(),
        None => answer.into(),
    }
}

fn handle_request(
    state: &Mutex<State>,
    request_kind: &RequestKind,
    parts: &Parts,
    body: &[u8],
) -> Answer {
    let mut guard = lock_state(state);
    let state = &mut *guard;
    let is_git = matches!(request_kind, RequestKind::Git(_));
    let actor = match authenticate(state, parts) {
        Ok(actor) => actor,
        Err(said) if is_git => {
            return Answer::error(401, said)
                .with_header("www-authenticate", "Basic realm=\"GitHub\"");
        }
        Err(said) => return Answer::error(401, said),
    };
    if !is_git {
        state.errors.extend(header_errors(parts));
    }
    match request_kind {
        RequestKind::Nothing => {
            state.errors.push(format!("unexpected: {} {}", parts.method, parts.uri));
            Answer::not_found()
        }
        RequestKind::Viewer | RequestKind::GraphQl => {
            graphql::handle(state, actor.as_ref(), body).unwrap_or_else(|refusal| refusal)
        }
        RequestKind::Git(call) => {
            if let Some(refusal) = call.check_access(state, actor.as_ref()) {
                return refusal;
            }
            let root = state.root.clone();
            // Releases the lock: `git http-backend` is slow and does not need the state.
            drop(guard);
            call.run(root)
        }
        RequestKind::Rest(operation, segments) => {
            handle_rest(state, actor, operation, segments.clone(), parts, body)
        }
    }
}

fn handle_rest(
    state: &mut State,
    actor: Option<Actor>,
    operation: &Operation,
    path: BTreeMap<String, String>,
    parts: &Parts,
    body: &[u8],
) -> Answer {
    let query = parts.uri.query().unwrap_or_default();
    let query: BTreeMap<String, String> =
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let body_json = serde_json::from_slice::<Value>(body).ok();
    let mut errors = operation.request_errors(&path, &query, body_json.as_ref());
    let ignored = query.keys().filter(|name| !SUPPORTED_PARAMETERS.contains(&name.as_str()));
    errors.extend(ignored.map(|name| format!("the fake does not look at `{name}`")));
    if body_json.is_none() && !body.is_empty() {
        errors.push("the body is no JSON".to_owned());
    }
    if !errors.is_empty() {
        let message = errors.join("; ");
        state.errors.push(format!("{}: {message}", operation.route.operation));
        return Answer::error(422, &format!("Invalid request.\n\n{message}"));
    }
    follow_branches(state);
    let address = format!("{}{}", state.web_url, unescape(parts.uri.path()));
    let body = body_json.unwrap_or_default();
    let mut call = Call { state, actor, path, query, body, address };
    let repo = call.repo_name();
    let route = operation.route;
    let answer =
        check_permission(call.state, call.actor.as_ref(), route.requirement, repo.as_deref())
            .and_then(|()| (route.handle)(&mut call))
            .unwrap_or_else(|refusal| refusal);
    let wrong = operation.response_errors(answer.status, &answer.json_body());
    let describe_error =
        |message: String| format!("the fake's own answer to {}: {message}", route.operation);
    state.errors.extend(wrong.into_iter().map(describe_error));
    answer
}

fn follow_branches(state: &mut State) {
    let dirs = state.repos.iter().map(|(name, repo)| (name.clone(), repo.dir.clone())).collect();
    for repo in state.repos.values_mut() {
        repo.update_pulls(&dirs);
    }
}

/// Returns the errors in the headers: GitHub requires a user agent, and a client should name the API version.
fn header_errors(parts: &Parts) -> Vec<String> {
    let all = |name: &str| parts.headers.get_all(name).iter().count();
    let mut bad = Vec::new();
    let is_named = parts
        .headers
        .get("user-agent")
        .is_some_and(|name| name.to_str().is_ok_and(|name| name.starts_with("git-mend/")));
    if all("user-agent") != 1 || !is_named {
        bad.push("a request must have one User-Agent, git-mend".to_owned());
    }
    if all("x-github-api-version") != 1 {
        bad.push("a request must have one X-GitHub-Api-Version".to_owned());
    }
    let accept = parts.headers.get("accept").and_then(|value| value.to_str().ok());
    if accept != Some("application/vnd.github+json") {
        bad.push(format!("Accept is {accept:?}"));
    }
    bad
}

/// Returns the token in the authorization header of git or of an API request.
fn authorization_token(parts: &Parts) -> Option<String> {
    let header = parts.headers.get("authorization")?.to_str().ok()?;
    let (kind, value) = header.split_once(' ')?;
    match kind.to_lowercase().as_str() {
        "bearer" | "token" => Some(value.to_owned()),
        "basic" => {
            let pair = String::from_utf8(BASE64.decode(value).ok()?).ok()?;
            Some(pair.split_once(':')?.1.to_owned())
        }
        _ => None,
    }
}

fn authenticate(state: &State, parts: &Parts) -> Result<Option<Actor>, &'static str> {
    if !parts.headers.contains_key("authorization") {
        return Ok(None);
    }
    let token = authorization_token(parts).ok_or("Bad credentials")?;
    if let Some(actor) = state.tokens.get(&token) {
        return Ok(Some(actor.clone()));
    }
    if token.matches('.').count() == 2 {
        jwt::verify_app_token(state, &token).map(Some)
    } else {
        Err("Bad credentials")
    }
}
