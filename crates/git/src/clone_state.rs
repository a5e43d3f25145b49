//! State of a clone that lacks history (shallow) or files (partial).

use mend_model::{Problem, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Known gaps of a clone.
#[derive(Clone, Debug, Default)]
pub(super) struct CloneState {
    /// Commits whose parents were not fetched.
    shallow_boundary: BTreeSet<String>,
    is_partial: bool,
}

impl CloneState {
    /// Reads the state from the common git folder of a repository.
    pub(super) fn read(git_dir: &Path, config: &git2::Config) -> Result<Self> {
        let boundary = fs::read_to_string(git_dir.join("shallow")).unwrap_or_default();
        Ok(Self {
            shallow_boundary: boundary.lines().map(str::to_owned).collect(),
            is_partial: has_partial_clone_config(config)?,
        })
    }

    pub(super) fn is_shallow(&self) -> bool {
        !self.shallow_boundary.is_empty()
    }

    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Returns true if the parents of this commit were not fetched.
    pub(super) fn is_shallow_boundary(&self, commit: &str) -> bool {
        self.shallow_boundary.contains(commit)
    }

    /// Returns the content of git's `shallow` file: the commits whose parents were not fetched.
    pub(super) fn shallow_file_content(&self) -> String {
        self.shallow_boundary.iter().flat_map(|commit| [commit.as_str(), "\n"]).collect()
    }
}

fn has_partial_clone_config(config: &git2::Config) -> Result<bool> {
    let read = || {
        if config.get_string("extensions.partialclone").is_ok() {
            return Ok(true);
        }
        let mut promisors = config.entries(Some(r"^remote\..*\.promisor$"))?;
        Ok(promisors.next().is_some())
    };
    read().map_err(|error: git2::Error| Problem::Internal(error.into()))
}

/// Returns the problem that a shallow clone lacks required history.
pub(super) fn shallow_clone_problem() -> Problem {
    Problem::IncompleteClone { kind: "shallow", remedy: "git fetch --unshallow".into() }
}

/// Returns the problem that a partial clone lacks a required object.
pub(super) fn partial_clone_problem() -> Problem {
    Problem::IncompleteClone { kind: "partial", remedy: "git fetch --refetch --no-filter".into() }
}
