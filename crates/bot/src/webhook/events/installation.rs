//! `installation` and `installation_repositories`: where the App may work.

use jiff::Timestamp;
use mend_github::{InstallationId, RepoName};
use serde::{Deserialize, Deserializer};

/// Something happened to an installation.
#[derive(Clone, Debug, Deserialize)]
pub struct InstallationEvent {
    /// The action.
    pub action: Action,
    /// The installation.
    pub installation: Installation,
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
pub struct Installation {
    /// Its number.
    pub id: InstallationId,
    /// The time of its last change: events arrive in any order.
    #[serde(deserialize_with = "time")]
    pub updated_at: Timestamp,
}

/// The repositories of an installation changed.
#[derive(Clone, Debug, Deserialize)]
pub struct InstallationRepositoriesEvent {
    /// Whose.
    pub installation: Installation,
    /// The repositories that were removed.
    pub repositories_removed: Vec<Removed>,
}

/// A repository that the App may no longer see.
#[derive(Clone, Debug, Deserialize)]
pub struct Removed {
    /// `owner/name`; the rest went with the right to see it.
    pub full_name: RepoName,
}

/// GitHub writes this time in seconds or in words.
fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Seconds(i64),
        Words(String),
    }
    let parsed = match Written::deserialize(deserializer)? {
        Written::Seconds(seconds) => Timestamp::from_second(seconds),
        Written::Words(words) => words.parse(),
    };
    parsed.map_err(serde::de::Error::custom)
}
