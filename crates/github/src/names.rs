//! Names and ids on GitHub, each with its own type to prevent confusion.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A repository, `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoName {
    owner: String,
    name: String,
}

impl RepoName {
    /// Returns the owner.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Returns the name without the owner.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// Error for a text that is not a repository name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{}` is not a repository name of the form `owner/name`", .0.escape_debug())]
pub struct InvalidRepoName(pub String);

impl FromStr for RepoName {
    type Err = InvalidRepoName;

    /// Accepts only the characters that GitHub allows, because names become parts of request addresses.
    fn from_str(text: &str) -> Result<Self, InvalidRepoName> {
        let is_name = |part: &str| {
            !part.is_empty()
                && part.len() <= 100
                && !part.chars().all(|c| c == '.')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        match text.split_once('/') {
            Some((owner, name)) if is_name(owner) && is_name(name) => {
                Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
            }
            _ => Err(InvalidRepoName(text.to_owned())),
        }
    }
}

impl TryFrom<String> for RepoName {
    type Error = InvalidRepoName;

    fn try_from(text: String) -> Result<Self, InvalidRepoName> {
        text.parse()
    }
}

impl From<RepoName> for String {
    fn from(name: RepoName) -> Self {
        name.to_string()
    }
}

/// Defines a numeric identifier type.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(
    /// An App.
    AppId
);
number!(
    /// The checks that one App made for one commit.
    CheckSuiteId
);
number!(
    /// A pull request of a repository.
    PullNumber
);
number!(
    /// A comment under a pull request or issue.
    CommentId
);
number!(
    /// A check run.
    CheckRunId
);
number!(
    /// A run of a workflow.
    RunId
);
number!(
    /// A workflow: one file of a repository.
    WorkflowId
);
number!(
    /// Account id, which survives a rename.
    UserId
);
number!(
    /// Installation of an App.
    InstallationId
);

/// Login of an account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Login(pub String);

impl fmt::Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Percent-encoded characters of one path segment.
const ENCODED_IN_SEGMENT: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encoded characters of several path segments.
const ENCODED_IN_PATH: &AsciiSet = &ENCODED_IN_SEGMENT.remove(b'/');

/// Percent-encodes one segment of an address, such as a name that may contain slashes.
pub(super) fn encode_segment(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ENCODED_IN_SEGMENT)
}

/// Percent-encodes several segments of an address, but not the slashes between them.
pub(super) fn encode_path(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ENCODED_IN_PATH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repo_name_has_owner_and_name() {
        let name: RepoName = "bakery/till.js".parse().unwrap();
        assert_eq!((name.owner(), name.name()), ("bakery", "till.js"));
        for text in ["", "till", "a/b/c", "/till", "a/..", "a/b?x=1", "a/b#", "a /b", "a/b\n"] {
            assert!(text.parse::<RepoName>().is_err(), "{text}");
        }
    }

    #[test]
    fn url_segments_are_percent_encoded() {
        assert_eq!(encode_segment("feat/a b?#%").to_string(), "feat%2Fa%20b%3F%23%25");
        assert_eq!(encode_path("src/A.java").to_string(), "src/A.java");
    }
}
