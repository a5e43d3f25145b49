//! Apps of the fake GitHub and their installations.

use super::FakeGithub;
use super::actor::to_permissions;
use super::state::{AppState, Installation};
use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mend_github::Permission;

/// App with its private key.
pub(crate) struct FakeApp<'a> {
    github: &'a FakeGithub,
    pub(crate) id: u64,
    /// Private key in PEM.
    pub(crate) private_key: String,
}

pub(super) fn create_app<'a>(github: &'a FakeGithub, slug: &str) -> FakeApp<'a> {
    let pair = KeyPair::generate(KeySize::Rsa2048).unwrap();
    let public_key = pair.public_key().as_ref().to_vec();
    let mut state = github.state();
    let id = state.next_number();
    state.apps.insert(id, AppState { slug: slug.to_owned(), public_key });
    let der = pair.as_der().unwrap();
    let text = BASE64.encode(der.as_ref());
    let private_key = format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n");
    FakeApp { github, id, private_key }
}

impl FakeApp<'_> {
    /// Installs the App for repositories. Returns the number of the installation.
    pub(crate) fn install(&self, repos: &[&str], permissions: &[Permission]) -> u64 {
        let installation = Installation {
            app: self.id,
            repos: repos.iter().map(|name| (*name).to_owned()).collect(),
            permissions: to_permissions(permissions),
        };
        let mut state = self.github.state();
        let number = state.next_number();
        state.installations.insert(number, installation);
        number
    }
}
