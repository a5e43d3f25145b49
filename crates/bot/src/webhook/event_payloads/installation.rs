//! `installation` and `installation_repositories`: where the App may work.

use jiff::Timestamp;
use mend_github::{InstallationId, RepoName};
use serde::{Deserialize, Deserializer};

/// Event about an installation.
#[derive(Clone, Debug, Deserialize)]
pub struct InstallationEvent {
    /// The action.
    pub action: Action,
    /// The installation.
    pub installation: InstallationPayload,
}

/// Action of an installation event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The App was installed.
    Created,
    /// The App was taken away.
    Deleted,
    /// The App may do nothing for a while.
    Suspend,
    /// The App may go on.
    Unsuspend,
    /// Anything else, such as new permissions.
    #[serde(other)]
    Other,
}

/// An installation.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct InstallationPayload {
    /// Its number.
    pub id: InstallationId,
    /// The time of its last change: events arrive in any order.
    #[serde(deserialize_with = "deserialize_time")]
    pub updated_at: Timestamp,
}

/// The repositories of an installation changed.
#[derive(Clone, Debug, Deserialize)]
pub struct InstallationRepositoriesEvent {
    /// Installation that changed.
    pub installation: InstallationPayload,
    /// The repositories that were removed.
    pub repositories_removed: Vec<RemovedRepository>,
}

/// A repository that the App may no longer see.
#[derive(Clone, Debug, Deserialize)]
pub struct RemovedRepository {
    /// `owner/name`; the rest went with the right to see it.
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
