//! Exchanges the code of an App that was created from a manifest for its number, key and secret.

use super::address::ApiAddress;
use super::client::Client;
use super::credential::Credential;
use super::error::ApiResult;
use super::names::encode_segment;
use super::retry::RetryPolicy;
use http::Method;
use secrecy::SecretString;
use serde::Deserialize;

/// Registered App, with its secrets.
#[derive(Clone, Debug)]
pub struct AppRegistration {
    /// Its number.
    pub id: u64,
    /// Its page.
    pub html_url: String,
    /// Its private key, in PEM.
    pub pem: SecretString,
    /// Its webhook secret, if it has webhooks.
    pub webhook_secret: Option<SecretString>,
}

impl AppRegistration {
    /// Exchanges the code of GitHub's redirect, which is valid once and for an hour.
    ///
    /// # Errors
    /// [`super::ApiError::NotFound`] for an invalid code.
    pub async fn from_code(
        address: &ApiAddress,
        code: &str,
        retry_policy: RetryPolicy,
    ) -> ApiResult<Self> {
        #[derive(Deserialize)]
        struct Conversion {
            id: u64,
            html_url: String,
            pem: String,
            webhook_secret: Option<String>,
        }
        let client = Client::new(address, &Credential::Anonymous, retry_policy)?;
        let route = format!("/app-manifests/{}/conversions", encode_segment(code));
        let app: Conversion = client.send_creation(Method::POST, &route, &()).await?;
        Ok(Self {
            id: app.id,
            html_url: app.html_url,
            pem: app.pem.into(),
            webhook_secret: app.webhook_secret.map(SecretString::from),
        })
    }
}
