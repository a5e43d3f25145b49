//! Connection to an API of GitHub: TLS, timeouts, redirects and the credential. Octocrab's own connection cannot replace
//! its `User-Agent`.

use super::credential::Credential;
use super::error::{ApiError, ApiResult};
use http::Uri;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use octocrab::auth::AppAuth;
use octocrab::models::AppId;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};
use rustls::ClientConfig;
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tower_http::follow_redirect::FollowRedirectLayer;

/// Creates a connection. Sends no request yet.
///
/// # Errors
/// [`ApiError::Unauthorized`] if an App's key is invalid, [`ApiError::Unreachable`] without TLS root certificates.
pub(super) fn connect(
    base: &Uri,
    credential: &Credential,
    io_timeout: Duration,
) -> ApiResult<Octocrab> {
    let tls = HttpsConnectorBuilder::new()
        .with_tls_config(shared_tls_config()?)
        .https_or_http()
        .enable_http1()
        .build();
    let connector = Octocrab::builder()
        .set_connect_timeout(Some(io_timeout))
        .set_read_timeout(Some(io_timeout))
        .set_write_timeout(Some(io_timeout))
        .set_connect_timeout_service(tls);
    let client = Client::builder(TokioExecutor::new()).build::<_, OctoBody>(connector);
    let Ok(connection) = OctocrabBuilder::new_empty()
        .with_service(client)
        .with_layer(&FollowRedirectLayer::new())
        .with_layer(&BaseUriLayer::new(base.clone()))
        .with_auth(auth_state(credential)?)
        .build();
    Ok(connection)
}

/// Returns the TLS settings of all connections. Reading the root certificates takes longer than a request.
fn shared_tls_config() -> ApiResult<ClientConfig> {
    static CONFIG: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ApiError::Unreachable(error.to_string()))?
        .with_native_roots()
        .map_err(|error| ApiError::Unreachable(error.to_string()))?
        .with_no_client_auth();
    Ok(CONFIG.get_or_init(|| config).clone())
}

fn auth_state(credential: &Credential) -> ApiResult<AuthState> {
    Ok(match credential {
        Credential::Token(token) => AuthState::AccessToken { token: token.clone() },
        Credential::Anonymous => AuthState::None,
        Credential::App(id, key) => {
            AuthState::App(AppAuth { app_id: AppId(*id), key: signing_key(key)? })
        }
    })
}

fn signing_key(pem: &SecretString) -> ApiResult<octocrab::auth::EncodingKey> {
    octocrab::auth::EncodingKey::from_rsa_pem(pem.expose_secret().as_bytes())
        .map_err(|_| ApiError::Unauthorized)
}
