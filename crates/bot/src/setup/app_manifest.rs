//! Manifest of the App: its permissions, events and addresses.

use mend_model::Result;
use serde_json::{Value, json};
use url::Url;

/// Manifest with the permissions and events that git-mend uses.
const TEMPLATE: &str = include_str!("../../../../deploy/app-manifest.json");

/// Addresses and name of a new App.
#[derive(Clone, Debug)]
pub struct AppManifest {
    /// Name of the App. GitHub requires a unique one.
    pub name: String,
    /// Public address of the server.
    pub url: Url,
    /// Organization that will own the App, instead of the user.
    pub organization: Option<String>,
    /// Address of GitHub in a browser, without a slash at the end.
    pub github_url: String,
}

impl AppManifest {
    /// Returns the address that accepts the manifest. `state` comes back with the redirect.
    pub(super) fn form_url(&self, state: &str) -> String {
        let owner = self
            .organization
            .as_ref()
            .map_or(String::new(), |name| format!("organizations/{name}/"));
        format!("{}/{owner}settings/apps/new?state={state}", self.github_url)
    }

    /// Returns the manifest. GitHub redirects to `redirect_url` after the creation.
    ///
    /// # Errors
    /// An internal error if the template is broken.
    pub(super) fn to_json(&self, redirect_url: &str) -> Result<String> {
        let mut manifest: Value = serde_json::from_str(TEMPLATE).map_err(anyhow::Error::new)?;
        let base = self.url.as_str().trim_end_matches('/');
        manifest["name"] = json!(self.name);
        manifest["url"] = json!(base);
        manifest["hook_attributes"]["url"] = json!(format!("{base}/webhook"));
        manifest["redirect_url"] = json!(redirect_url);
        Ok(manifest.to_string())
    }
}
