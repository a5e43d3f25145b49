//! Names and numbers of GitHub, each a type of its own, so that none is taken for another.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// A repository, `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoName {
    owner: String,
    name: String,
}

impl RepoName {
    /// Whose it is.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// What it is called there.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// A text that names no repository.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{}` is no `owner/name` of a repository", .0.escape_debug())]
pub struct NotARepoName(pub String);

impl FromStr for RepoName {
    type Err = NotARepoName;

    /// Names go into addresses of requests, so only the characters that GitHub allows are taken.
    fn from_str(text: &str) -> Result<Self, NotARepoName> {
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
            _ => Err(NotARepoName(text.to_owned())),
        }
    }
}

impl TryFrom<String> for RepoName {
    type Error = NotARepoName;

    fn try_from(text: String) -> Result<Self, NotARepoName> {
        text.parse()
    }
}

impl From<RepoName> for String {
    fn from(name: RepoName) -> Self {
        name.to_string()
    }
}

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
    /// Where somebody installed an App.
    InstallationId
);

/// What somebody is called on GitHub.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Login(pub String);

impl fmt::Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A part of an address: everything but letters, digits and `-._~` is escaped, and `/` too unless it is kept.
pub(super) fn escaped(text: &str, keeps_slashes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if is_plain || (keeps_slashes && byte == b'/') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_by_owner_and_name() {
        let name: RepoName = "bakery/till.js".parse().unwrap();
        assert_eq!((name.owner(), name.name()), ("bakery", "till.js"));
        for text in ["", "till", "a/b/c", "/till", "a/..", "a/b?x=1", "a/b#", "a /b", "a/b\n"] {
            assert!(text.parse::<RepoName>().is_err(), "{text}");
        }
    }

    #[test]
    fn parts_of_addresses_are_escaped() {
        assert_eq!(escaped("feat/a b?#%", false), "feat%2Fa%20b%3F%23%25");
        assert_eq!(escaped("src/A.java", true), "src/A.java");
    }
}
