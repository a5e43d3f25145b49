//! Payloads of the events `installation` and `installation_repositories`, about the repositories that the App may
//! access.

use jiff::Timestamp;
use mend_github::{InstallationId, RepoName};
use serde::{Deserialize, Deserializer};

/// Event about an installation.
#[derive(Clone, Debug, Deserialize)]
pub struct InstallationEvent {
    /// Action of the event.
    pub action: Action,
    /// Installation of the App.
    pub installation: InstallationPayload,
}

/// Action of an installation event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The App was installed.
    Created,
    /// The App was uninstalled.
    Deleted,
    /// The App was suspended.
    Suspend,
    /// The App was unsuspended.
    Unsuspend,
    /// Other actions, such as new permissions.
    #[serde(other)]
    Other,
}

/// An installation.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct InstallationPayload {
    /// Number of the installation.
    pub id: InstallationId,
    /// Time of the last change, because events arrive in any order.
    #[serde(deserialize_with = "deserialize_time")]
    pub updated_at: Timestamp,
}

/// Event about a change of an installation's repositories.
#[derive(Clone, Debug, Deserialize)]
pub struct InstallationRepositoriesEvent {
    /// Changed installation.
    pub installation: InstallationPayload,
    /// Removed repositories.
    pub repositories_removed: Vec<RemovedRepository>,
}

/// Repository that the App can no longer access.
#[derive(Clone, Debug, Deserialize)]
pub struct RemovedRepository {
    /// Name of the repository: `owner/name`. The event contains nothing else about it.
    pub full_name: RepoName,
}

/// Deserializes a time that GitHub sends as seconds or as text.
fn deserialize_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum TimeValue {
        Seconds(i64),
        Words(String),
    }
    let parsed = match TimeValue::deserialize(deserializer)? {
        TimeValue::Seconds(seconds) => Timestamp::from_second(seconds),
        TimeValue::Words(words) => words.parse(),
    };
    parsed.map_err(serde::de::Error::custom)
}
