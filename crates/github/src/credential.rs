//! Credentials for requests to GitHub.

use secrecy::SecretString;

/// Credential of a client.
#[derive(Clone)]
pub enum Credential {
    /// A token of a user, a workflow or an installation.
    Token(SecretString),
    /// An App, by its id and its private key in PEM.
    App(u64, SecretString),
    /// No credential, for requests that need none.
    Anonymous,
}
